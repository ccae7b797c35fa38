from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_engine.built_in.cover import Cover, covers
from ai_engine.built_in.head_nouns import share_head_noun
from ai_engine.built_in.lexicon import Lexicon
from ai_engine.built_in.meanings import Attribute, Cue, Days, Figure, Number, Quote, Stored, Thing, Unknown
from ai_engine.built_in.time_words.periods import PeriodReader
from ai_engine.built_in.tokens import tokenise
from ai_engine.semantics.model import Dataset, Field, SemanticModel
from ai_engine.semantics.values import ColumnValues, ValueIndex
from tests.ai_engine.built_in.bank import AS_OF, lexicon
from tests.ai_engine.built_in.cases import reading_cases
from tests.large_schema import AREAS

QUESTIONS = [case.question for case in reading_cases()]


def cover_of(question: str) -> tuple[Cover, ...]:
    return covers(tokenise(question), lexicon(), PeriodReader(AS_OF))


def meanings(question: str) -> list[object]:
    cheapest = [span.candidates[0].meaning for span in cover_of(question)[0].spans]
    return [m for m in cheapest if not (isinstance(m, Cue) and m.kind in {"filler", "stop"})]


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_cover_holds_every_token_once_and_they_come_cheapest_first(question):
    found = cover_of(question)
    for cover in found:
        starts, ends = [s.start for s in cover.spans], [s.end for s in cover.spans]
        assert [0, *ends] == [*starts, len(tokenise(question))]
        assert all(span.candidates for span in cover.spans)
    assert [cover.cost for cover in found] == sorted(cover.cost for cover in found)
    assert 0 < len(found) <= 4


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("private banking", [Stored("customers", "segment", "Private Banking")]),
        ("total deposits", [Cue("aggregate", "sum"), Figure("deposits")]),
        ("the date of birth", [Attribute("customers", "date_of_birth")]),
        ("flurb customers", [Unknown("flurb"), Thing("customers")]),
    ],
)
def test_the_longest_sensible_phrase_wins(question, expected):
    assert meanings(question) == expected


def test_a_number_a_period_and_a_quotation_are_one_span_each():
    kinds = [type(meaning) for meaning in meanings("over 5 lakh in March 2025 named 'Zed'")]
    assert kinds == [Cue, Number, Days, Quote]


def test_a_misspelt_word_costs_more_and_carries_a_note():
    (cover, *_), (clean, *_) = cover_of("custmers"), cover_of("customers")
    assert cover.spans[0].candidates[0].meaning == Thing("customers")
    assert cover.spans[0].candidates[0].note == "“custmers” was read as “customers”"
    assert cover.cost > clean.cost


@given(st.lists(st.sampled_from("customers balance savings in the by 5 flurb 2025 , over".split()), max_size=12))
def test_words_in_any_order_are_covered_without_gap(said):
    question = " ".join(said)
    (first, *_) = cover_of(question)
    assert [0, *[span.end for span in first.spans]] == [*[span.start for span in first.spans], len(said)]


def test_a_noun_that_two_words_share_is_spelled_out():
    people = Dataset(
        "people",
        "people",
        tuple(Field(f"{part}_name", f"{part}_name", "text", "name", f"{part} name") for part in ("first", "last")),
        "person",
    )
    split = Lexicon(SemanticModel("people", (people,)), ValueIndex())
    for said in ("first and last name", "full name"):
        spelled = [token.word for token in share_head_noun(tokenise(said), split)]
        assert spelled == ["first", "name", "and", "last", "name"]
    assert share_head_noun(tokenise("city and branch name"), lexicon()) == tokenise("city and branch name")


def city_tables() -> Lexicon:
    """Tables that all have a city, and in it the same place."""
    names = [f"{area} {room}" for room in ("hall", "desk", "office") for area in AREAS]
    city = (Field("city", "city", "text", "category", "city"),)
    model = SemanticModel("bank", tuple(Dataset(name, name, city, name) for name in names))
    return Lexicon(model, ValueIndex(tuple(ColumnValues(name, "city", ("Pune",), complete=True) for name in names)))


@pytest.mark.parametrize("word", ["city", "Pune"])
def test_of_the_many_tables_that_know_a_word_the_named_one_is_kept(word):
    found = covers(tokenise(f"{AREAS[-1]} offices by {word}"), city_tables(), PeriodReader(AS_OF))
    (candidates,) = [span.candidates for span in found[0].spans if span.text == word]
    assert f"{AREAS[-1]} office" in {candidate.meaning.dataset for candidate in candidates}
