from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from ai_engine.llm.intent_check import settle_intent
from ai_engine.semantics.intent import AnyOf, Condition, FieldRef, Intent, Measure, Membership
from tests.ai_engine.llm.bank import BANK, CUSTOMERS, SECRETS

SEGMENT = FieldRef(dataset="customers", field="segment")
BALANCE = FieldRef(dataset="accounts", field="balance")
BORN = FieldRef(dataset="customers", field="born_on")


def settled(*filters):
    return settle_intent(Intent(subject="customers", filters=filters), BANK).filters


def condition(field, operator, *values):
    return Condition(field=field, operator=operator, values=values)


@pytest.mark.parametrize("spelled", ["hni", "HNI", "Wealthy", " wealthy "])
def test_a_value_is_spelled_as_stored(spelled):
    assert settled(condition(SEGMENT, "=", spelled)) == (condition(SEGMENT, "=", "HNI"),)


def test_values_take_the_type_of_their_field():
    assert settled(condition(BORN, "<", "1990-01-01"))[0].values == (date(1990, 1, 1),)
    assert settled(condition(BALANCE, "between", "1,00,000", 5))[0].values == (Decimal(100000), 5)


def test_values_inside_other_filters_are_settled_too():
    inner = condition(SEGMENT, "=", "retail")
    stored = condition(SEGMENT, "=", "Retail")
    assert settled(AnyOf(filters=(inner,))) == (AnyOf(filters=(stored,)),)
    member = Membership(dataset="accounts", filters=(inner,))
    assert settled(member)[0].filters == (stored,)
    measure = Measure(aggregate="count", dataset="customers", filters=(inner,))
    assert settle_intent(Intent(measures=(measure,)), BANK).measures[0].filters == (stored,)


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (condition(SEGMENT, "=", "Platinum"), "has no value 'Platinum'; stored are Retail, HNI, Corporate"),
        (condition(BORN, "=", "yesterday"), "'yesterday' is no date"),
        (condition(BALANCE, ">", "much"), "'much' is no decimal"),
        (condition(FieldRef(dataset="customers", field="salary"), ">", 5), "field 'salary' does not exist"),
        (Membership(dataset="loans"), "dataset 'loans' does not exist"),
        (Membership(dataset="accounts", via=("owner",)), "relationship 'owner' does not exist; the nearest are holder"),
    ],
)
def test_what_does_not_exist_is_an_error_with_its_reason(wrong, reason):
    with pytest.raises(ValueError, match=reason):
        settled(wrong)


@pytest.mark.timeout(20)
@pytest.mark.parametrize("number", ["1e-1000000000", "1e999990", "-1e300000000", "NaN", "sNaN", "Infinity"])
def test_a_number_that_would_fill_the_memory_when_written_out_is_refused(number):
    with pytest.raises(ValueError, match="is no decimal"):
        settled(condition(BALANCE, ">", number))
    with pytest.raises(ValueError):
        Measure.model_validate({"aggregate": "sum", "dataset": "accounts", "shown_in": number})


def test_a_wrong_sensitive_value_does_not_list_the_right_ones():
    with pytest.raises(ValueError, match="has no value") as problem:
        settled(condition(FieldRef(dataset="customers", field="pan_number"), "=", "AAAAA0000A"))
    assert "ABCDE1234F" not in str(problem.value)


@pytest.mark.parametrize("role", ["name", "identifier", "text"])
def test_a_wrong_name_or_key_does_not_list_the_right_ones(role):
    """A model learns them by naming one that is not there."""
    known = replace(CUSTOMERS.field("full_name"), role=role, sensitive=False)
    customers = replace(CUSTOMERS, fields=(known,))
    bank = replace(BANK, model=replace(BANK.model, datasets=(customers,), relationships=(), metrics=()))
    with pytest.raises(ValueError, match="has no value 'Zorro'") as problem:
        wrong = condition(FieldRef(dataset="customers", field="full_name"), "=", "Zorro")
        settle_intent(Intent(subject="customers", filters=(wrong,)), bank)
    assert not any(one in str(problem.value) for one in SECRETS)


def test_a_part_of_a_word_is_not_looked_up():
    assert settled(condition(SEGMENT, "contains", "corp")) == (condition(SEGMENT, "contains", "corp"),)
