from __future__ import annotations

from typing import get_args

import pytest

from ai_engine.built_in.cues import cue_table
from ai_engine.built_in.grammar.all_kinds import in_conversation
from ai_engine.built_in.meanings import Cue, CueKind, Step
from ai_engine.built_in.tokens import tokenise
from ai_engine.semantics.intent import Comparison, Grain, Operator
from ai_engine.semantics.model import Aggregate

ENTRIES = [(phrase, meaning) for phrase, found in cue_table().by_phrase.items() for meaning in found]
CUES = [(phrase, meaning) for phrase, meaning in ENTRIES if isinstance(meaning, Cue)]


def values_of(kind: str) -> set[object]:
    return {cue.value for _, cue in CUES if cue.kind == kind}


BEFORE_THE_CHART = {"filler", "direction"}
"""Kinds that the leaves take: words that say nothing, and orders, which are told apart by what they order."""


def test_every_kind_of_the_table_is_taken_by_a_construction():
    taken = {name[1:].split("=")[0] for name in in_conversation().terminals if name.startswith(":")}
    kinds = {cue.kind for _, cue in CUES}
    assert kinds <= set(get_args(CueKind))
    assert kinds - taken - BEFORE_THE_CHART == set()


@pytest.mark.parametrize("kind", ["aggregate", "compare", "superlative", "versus"])
def test_every_value_of_the_table_is_one_that_the_structured_question_knows(kind):
    known = {
        "aggregate": set(get_args(Aggregate)),
        "compare": set(get_args(Operator)) | set(get_args(Comparison)),
        "superlative": {"high", "low", "old", "new", "many", "few"},
        "versus": {"previous_period", "same_period_last_year"},
    }
    assert values_of(kind) <= known[kind]


def test_every_step_of_time_is_a_grain():
    assert {step.grain for _, step in ENTRIES if isinstance(step, Step)} <= set(get_args(Grain))


def test_every_phrase_is_cut_as_a_question_is():
    """A phrase that the tokeniser spells otherwise could never be found."""
    lost = [" ".join(phrase) for phrase, _ in ENTRIES if tuple(t.word for t in tokenise(" ".join(phrase))) != phrase]
    assert lost == []


def test_the_table_knows_its_words_and_its_longest_phrase():
    table = cue_table()
    assert table.longest == max(len(phrase) for phrase in table.by_phrase)
    assert {"many", "highest", "per"} <= table.words
    assert all(word == word.lower() for word in table.words)


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("how many", Cue("aggregate", "count")),
        ("more than", Cue("compare", ">")),
        ("at least", Cue("compare", ">=")),
        ("at most", Cue("compare", "<=")),
        ("fewer than", Cue("compare", "<")),
        ("no less than", Cue("compare", ">=")),
        ("no more than", Cue("compare", "<=")),
        ("highest", Cue("superlative", "high")),
        ("oldest", Cue("superlative", "old")),
        ("descending", Cue("direction", True)),
        ("monthly", Step("month", adverb=True)),
        ("per", Cue("group")),
        ("without", Cue("not")),
    ],
)
def test_the_table_says_what_common_phrases_mean(phrase, expected):
    assert expected in cue_table().by_phrase[tuple(phrase.split())]


def test_no_phrase_is_a_filler_and_a_denial_at_once():
    fillers = {phrase for phrase, cue in CUES if cue.kind == "filler"}
    assert not fillers & {phrase for phrase, cue in CUES if cue.kind in {"not", "or", "empty", "share"}}
