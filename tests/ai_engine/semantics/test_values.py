from __future__ import annotations

from ai_engine.semantics.model import Dataset, Field, SemanticModel
from ai_engine.semantics.values import ColumnValues, StoredValue, ValueIndex

MODEL = SemanticModel(
    "bank",
    (
        Dataset(
            "accounts",
            "accounts",
            (
                Field("type", "type", "text", "category", "type", value_synonyms={"SB": ("savings", "saving account")}),
                Field("status", "status", "integer", "category", "status", value_synonyms={"1": ("active",)}),
            ),
            "account",
        ),
    ),
)


def index(*values: object, field: str = "type", complete: bool = True) -> ValueIndex:
    return ValueIndex((ColumnValues("accounts", field, values, complete),), MODEL)


def stored(value: object, field: str = "type") -> StoredValue:
    return StoredValue("accounts", field, value)


def test_a_value_is_found_as_written_whatever_the_letter_case():
    assert index("Fixed Deposit").exactly(("fixed", "deposit")) == (stored("Fixed Deposit"),)
    assert index("Fixed Deposit").exactly(("fixed",)) == ()


def test_two_spellings_of_one_value_are_both_found():
    assert index("fixed-deposit", "Fixed Deposit").exactly(("fixed", "deposit")) == (
        stored("fixed-deposit"),
        stored("Fixed Deposit"),
    )


def test_a_synonym_stands_for_the_stored_value_in_any_form():
    assert index("SB").by_synonym(("saving",)) == (stored("SB"),)
    assert index("SB").by_synonym(("savings", "accounts")) == (stored("SB"),)
    assert index("SB").by_synonym(("current",)) == ()


def test_a_synonym_of_a_number_stands_for_the_number_as_stored():
    (found,) = index(0, 1, field="status").by_synonym(("active",))
    assert found == stored(1, "status")
    assert isinstance(found.value, int)


def test_a_value_is_found_in_another_form_of_the_word():
    assert index("Savings").by_stem(("saving",)) == (stored("Savings"),)


def test_one_word_of_a_longer_value_finds_it_but_a_short_word_does_not():
    found = index("Fixed Deposit", "Deposit at Call", "FD one")
    assert found.by_part("deposit") == (stored("Fixed Deposit"), stored("Deposit at Call"))
    assert found.by_part("one") == ()
    assert index("Deposit").by_part("deposit") == ()


def test_forms_and_parts_are_not_searched_where_values_are_many():
    many = index(*(f"Customer Number{i}" for i in range(500)), "Savings")
    assert many.exactly(("savings",)) == (stored("Savings"),)
    assert many.by_stem(("saving",)) == ()
    assert many.by_part("customer") == ()


def test_a_value_longer_than_any_phrase_is_not_indexed():
    assert index("a b c d e f g").exactly(("a", "b", "c", "d", "e", "f", "g")) == ()


def test_what_is_not_text_is_not_matched_by_words():
    found = index(5, None, b"x", "", "!!")
    assert found.exactly(("5",)) == ()
    assert found.exactly(()) == ()


def test_known_words_hold_values_and_synonyms_without_numbers():
    assert index("Savings 2024").known_words == {"savings", "saving", "account", "active"}


def test_the_values_of_a_field_tell_whether_they_are_all():
    assert index("SB", complete=False).values_of("accounts", "type") == ColumnValues("accounts", "type", ("SB",), False)
    assert index("SB").values_of("accounts", "status") is None


def test_a_value_stands_beside_a_word_of_its_own_column_but_not_beside_a_noun_of_a_table():
    fields = (
        Field("risk_cat", "risk_cat", "text", "category", "risk category", value_synonyms={"MED": ("medium",)}),
        Field("tier", "tier", "text", "category", "customer tier"),
    )
    found = ValueIndex(
        (
            ColumnValues("customers", "risk_cat", ("HIGH", "MED"), True),
            ColumnValues("customers", "tier", ("Gold",), True),
        ),
        SemanticModel("bank", (Dataset("customers", "customers", fields, "customer"),)),
    )
    high, gold = StoredValue("customers", "risk_cat", "HIGH"), StoredValue("customers", "tier", "Gold")
    assert found.by_synonym(("high", "risk")) == found.by_synonym(("risk", "category", "high")) == (high,)
    assert found.by_synonym(("medium", "risks")) == (StoredValue("customers", "risk_cat", "MED"),)
    assert found.by_synonym(("gold", "tier")) == (gold,)
    assert found.by_synonym(("gold", "customer")) == found.by_synonym(("gold", "risk")) == ()
