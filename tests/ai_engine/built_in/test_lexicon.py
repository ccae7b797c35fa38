from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_engine.built_in.lexicon import Lexicon
from ai_engine.built_in.meanings import Attribute, Figure, Stored, Thing
from ai_engine.semantics.values import ColumnValues, ValueIndex
from tests.ai_engine.built_in.bank import MODEL, lexicon

NAMES = sorted(
    {(item.label, Attribute(dataset.name, item.name)) for dataset in MODEL.datasets for item in dataset.fields},
    key=str,
) + [(dataset.label, Thing(dataset.name)) for dataset in MODEL.datasets]


def best(phrase: str) -> set[object]:
    found = lexicon().names(tuple(phrase.split()))
    cheapest = min((candidate.cost for candidate in found), default=0.0)
    return {candidate.meaning for candidate in found if candidate.cost <= cheapest}


@pytest.mark.parametrize(
    ("phrase", "meaning"),
    [
        ("customers", Thing("customers")),
        ("customer", Thing("customers")),
        ("clients", Thing("customers")),
        ("payments", Thing("transactions")),
        ("branches", Thing("branches")),
        ("home branch", Thing("branches", ("home_branch",))),
        ("balance", Attribute("accounts", "balance")),
        ("account balances", Attribute("accounts", "balance")),
        ("type of account", Attribute("accounts", "account_type")),
        ("date of birth", Attribute("customers", "date_of_birth")),
        ("birth date", Attribute("customers", "date_of_birth")),
        ("born", Attribute("customers", "date_of_birth")),
        ("age", Attribute("customers", "date_of_birth", grain="age_years")),
        ("salary", Attribute("customers", "annual_income")),
        ("income", Attribute("customers", "annual_income")),
        ("region", Attribute("branches", "region")),
        ("npa ratio", Figure("npa_ratio")),
        ("deposits", Figure("deposits")),
    ],
)
def test_a_name_is_found_by_the_words_people_use(phrase, meaning):
    assert best(phrase) == {meaning}


@pytest.mark.parametrize(("label", "meaning"), NAMES, ids=str)
def test_every_label_finds_what_it_names_and_nothing_closer(label, meaning):
    found = {c.meaning: c.cost for c in lexicon().names(tuple(label.lower().split()))}
    if isinstance(meaning, Attribute) and meaning not in found:
        assert label.endswith(" id")  # a reference column steps back behind the key it points at
    else:
        assert found[meaning] <= min(found.values()) + 0.2


def test_a_reference_column_gives_way_to_the_key_it_holds():
    assert best("customer id") == {Attribute("customers", "customer_id")}


@pytest.mark.parametrize("phrase", ["", "flurb", "total", "last", "the"])
def test_what_names_nothing_finds_nothing(phrase):
    assert lexicon().names((phrase,)) == ()


@pytest.mark.parametrize(
    ("phrase", "value"),
    [
        ("savings", Stored("accounts", "account_type", "Savings")),
        ("saving", Stored("accounts", "account_type", "Savings")),
        ("fixed deposits", Stored("accounts", "account_type", "Fixed Deposit", with_noun=True)),
        ("bombay", Stored("branches", "city", "Mumbai")),
        ("women", Stored("customers", "gender", "Female")),
        ("asha rao", Stored("customers", "full_name", "Asha Rao")),
        ("ac1001", Stored("accounts", "account_number", "AC1001")),
        ("ac 1001", Stored("accounts", "account_number", "AC1001")),
    ],
)
def test_a_value_is_found_as_written_in_another_form_or_by_a_synonym(phrase, value):
    assert {c.meaning for c in lexicon().stored(tuple(phrase.split()))} == {value}


def test_a_value_as_written_costs_less_than_another_form_of_it():
    (written,), (other) = lexicon().stored(("savings",)), lexicon().stored(("saving",))
    assert written.cost < other[0].cost


def test_a_word_of_a_longer_value_stands_for_it_with_a_note():
    (found,) = lexicon().stored_by_part("counter")
    assert found.meaning == Stored("transactions", "channel", "Branch Counter", by_part=True)
    assert found.note == "“counter” was taken as Branch Counter"


@pytest.mark.parametrize(
    ("typo", "word"),
    [("custmers", "customer"), ("balence", "balance"), ("transctions", "transactions"), ("indiranagr", "indiranagar")],
)
def test_a_misspelt_word_finds_the_known_word_it_resembles(typo, word):
    assert word in {found.removesuffix("s") for found in lexicon().corrections(typo)} | set(lexicon().corrections(typo))


@given(st.text(alphabet="qxzj", min_size=1, max_size=12))
def test_letters_that_resemble_nothing_are_not_corrected(text):
    assert lexicon().corrections(text) == ()
    assert not lexicon().knows(text)


def test_a_refusal_can_name_what_is_near():
    assert lexicon().nearest("balances") == ("balance",)
    assert lexicon().nearest("flurb") == ()


@pytest.mark.parametrize(("values", "found"), [(18, 18), (19, 0)])
def test_a_word_that_is_a_part_of_very_many_values_stands_for_none_of_them(values, found):
    column = ColumnValues("customers", "segment", tuple(f"Private {n}" for n in range(values)), complete=True)
    assert len(Lexicon(MODEL, ValueIndex((column,), MODEL)).stored_by_part("private")) == found
