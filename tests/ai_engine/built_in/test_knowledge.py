from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from ai_engine.built_in.knowledge import Knowledge, ref
from ai_engine.built_in.meanings import Attribute, Number, Thing
from ai_engine.semantics.intent import FieldRef
from ai_engine.semantics.model import Dataset, Field
from ai_engine.semantics.values import ColumnValues, ValueIndex
from tests.ai_engine.built_in.bank import MODEL, knowledge, vocabulary


def names(fields: tuple[FieldRef, ...]) -> list[str]:
    return [field.field for field in fields]


def bank_with(dataset: Dataset, *columns: ColumnValues) -> Knowledge:
    model = replace(MODEL, datasets=(*MODEL.datasets, dataset))
    return Knowledge(replace(vocabulary(), model=model, values=ValueIndex(columns, model)))


def test_a_unique_name_stands_for_its_row_alone():
    assert names(knowledge().entity_fields(Thing("branches"))) == ["branch_name"]


def test_a_name_that_may_repeat_is_shown_with_its_key():
    assert names(knowledge().entity_fields(Thing("customers"))) == ["customer_id", "full_name"]


def test_the_way_to_a_thing_stays_with_the_fields_that_stand_for_it():
    (field,) = knowledge().entity_fields(Thing("branches", ("home_branch",)))
    assert field.via == ("home_branch",)


def test_a_row_without_key_or_name_is_shown_by_its_first_field():
    bare = Dataset("notes", "notes", (Field("text", "text", "text", "text", "text"),), "note")
    assert names(bank_with(bare).entity_fields(Thing("notes"))) == ["text"]


def test_a_list_shows_display_fields_and_no_key_beside_a_number_and_nothing_sensitive():
    assert names(knowledge().list_fields("accounts")) == ["account_number", "account_type", "balance"]
    secret = Dataset(
        "cards",
        "cards",
        (
            Field("card_id", "card_id", "integer", "identifier", "card id"),
            Field("pan", "pan", "text", "identifier", "card number", sensitive=True),
        ),
        "card",
        ("card_id",),
        display=("card_id", "pan"),
    )
    assert names(bank_with(secret).list_fields("cards")) == ["card_id"]
    assert names(bank_with(replace(secret, primary_key=(), display=())).list_fields("cards")) == ["card_id"]


def test_distance_counts_relationships_and_no_way_is_far():
    bank = knowledge()
    assert [bank.distance("loans", other) for other in ("loans", "customers", "branches")] == [0, 1, 2]
    lonely = Dataset("rates", "rates", (Field("rate", "rate", "decimal", "measure", "rate"),), "rate")
    assert bank_with(lonely).distance("loans", "rates") > 5


def test_a_parent_holds_each_row_at_most_once():
    bank = knowledge()
    assert bank.is_parent("transactions", "customers")
    assert not bank.is_parent("customers", "transactions")


def test_the_main_figure_is_an_amount_rather_than_a_rate():
    assert knowledge().main_measure("loans") == FieldRef(dataset="loans", field="principal")
    assert knowledge().main_measure("branches") is None


def test_an_age_is_the_date_of_birth_seen_in_years():
    age = knowledge().age_field("customers")
    assert age == FieldRef(dataset="customers", field="date_of_birth", grain="age_years")
    item = knowledge().field(age)
    assert (item.label, item.role, item.unit) == ("age", "measure", "years")
    assert knowledge().age_field("loans") is None


@pytest.mark.parametrize(
    ("stored", "yes", "no"),
    [(("Y", "N"), "Y", "N"), (("no", "yes"), "yes", "no"), (("1", "0"), "1", "0"), ((), "Y", "N")],
)
def test_a_flag_of_text_is_compared_with_what_the_column_holds(stored, yes, no):
    field = Field("vip", "vip", "text", "flag", "vip")
    bank = bank_with(Dataset("cards", "cards", (field,), "card"), ColumnValues("cards", "vip", stored, complete=True))
    vip = Attribute("cards", "vip")
    assert (bank.flag_value(vip, yes=True), bank.flag_value(vip, yes=False)) == (yes, no)


@pytest.mark.parametrize(("kind", "yes", "no"), [("boolean", True, False), ("integer", 1, 0)])
def test_a_flag_of_another_type_is_compared_with_its_own_kind(kind, yes, no):
    bank = bank_with(Dataset("cards", "cards", (Field("vip", "vip", kind, "flag", "vip"),), "card"))
    vip = Attribute("cards", "vip")
    assert (bank.flag_value(vip, yes=True), bank.flag_value(vip, yes=False)) == (yes, no)
    assert type(bank.flag_value(vip, yes=True)) is type(yes)


def test_a_number_is_compared_as_the_column_stores_it():
    bank = knowledge()
    balance, number = (
        FieldRef(dataset="accounts", field="balance"),
        FieldRef(dataset="accounts", field="account_number"),
    )
    assert bank.typed(balance, Number(Decimal("5E+5"))) == 500_000
    assert bank.typed(balance, Decimal("0.5")) == Decimal("0.5")
    assert bank.typed(number, Number(Decimal("1E+3"))) == "1000"


def test_an_attribute_becomes_the_field_it_names_at_its_grain():
    attribute = Attribute("branches", "city", ("home_branch",))
    assert ref(attribute) == FieldRef(dataset="branches", field="city", via=("home_branch",))
    assert ref(Attribute("accounts", "opened_on"), "month").grain == "month"
