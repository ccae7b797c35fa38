from __future__ import annotations

import json

import pytest
from pydantic import BaseModel

from ai_engine.llm import replies
from ai_engine.llm.schema_text import reply_schema
from ai_engine.semantics import intent

DAYS_TO_CLOSE = {
    "measures": [
        {
            "aggregate": "avg",
            "field": {
                "dataset": "accounts",
                "field": "closed_on",
                "since": {"dataset": "accounts", "field": "opened_on"},
            },
        }
    ],
}


@pytest.mark.parametrize(
    ("asked", "reply"),
    [
        (intent.Intent, replies.StructuredQuestion),
        (intent.FieldRef, replies.FieldReply),
        (intent.Measure, replies.MeasureReply),
        (intent.Condition, replies.ConditionReply),
        (intent.Membership, replies.MembershipReply),
        (intent.Dimension, replies.DimensionReply),
        (intent.Period, replies.PeriodReply),
        (intent.Having, replies.HavingReply),
        (intent.Order, replies.OrderReply),
    ],
)
def test_a_model_can_write_every_part_of_a_structured_question(asked: type[BaseModel], reply: type[BaseModel]) -> None:
    told_otherwise = {"until", "kind"}  # how far the data reaches is known, a filter's keys tell what it is
    assert set(reply.model_fields) == set(asked.model_fields) - told_otherwise


def test_the_second_largest_and_days_between_dates_reach_the_compiler() -> None:
    second = replies.StructuredQuestion.model_validate({"subject": "loans", "limit": 1, "skip": 1}).to_intent()
    assert (second.limit, second.skip) == (1, 1)
    days = replies.StructuredQuestion.model_validate(DAYS_TO_CLOSE).to_intent().measures[0].field
    assert days is not None
    assert days.since == intent.FieldRef(dataset="accounts", field="opened_on")


@pytest.mark.parametrize(
    "reply",
    [
        {"restatement": "x" * 1_001},
        {"assumptions": ["x" * 1_001]},
        {"assumptions": ["x"] * 51},
        {"reply": "x" * 4_001},
        {"intent": {"measures": [{"metric": "m", "label": "x" * 201}]}},
        {"intent": {"measures": [{"metric": "m"}] * 51}},
        {"intent": {"period": {"label": "x" * 201}}},
    ],
)
def test_no_part_of_a_reply_is_longer_than_a_person_would_read(reply: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="longer than"):
        replies.IntentReply.model_validate({"outcome": "query", "restatement": "r", **reply})


def test_a_field_is_one_text_with_its_grain_its_way_and_the_date_it_is_counted_from() -> None:
    said = {
        "subject": "accounts",
        "columns": ["accounts.closed_on since accounts.opened_on via home, branch", "accounts.opened_on by month"],
    }
    closed, opened = replies.StructuredQuestion.model_validate(said).to_intent().columns
    assert closed.since == intent.FieldRef(dataset="accounts", field="opened_on")
    assert closed.via == ("home", "branch")
    assert opened == intent.FieldRef(dataset="accounts", field="opened_on", grain="month")


@pytest.mark.parametrize(
    "said", ["t.paid by month", {"field": "t.paid", "grain": "month"}, {"field": "t.paid by month"}]
)
def test_a_dimension_is_read_however_its_grain_is_written(said: object) -> None:
    asked = replies.StructuredQuestion.model_validate({"dimensions": [said]}).to_intent()
    assert asked.dimensions[0].field == intent.FieldRef(dataset="t", field="paid", grain="month")


def test_a_filter_is_known_by_its_keys() -> None:
    plain = {"field": "customers.city", "operator": "=", "values": "Pune"}
    filters = [plain, {"dataset": "loans", "negated": True, "filters": [plain]}, {"any": [plain, plain]}]
    read = replies.StructuredQuestion.model_validate({"filters": filters}).to_intent().filters
    assert [one.kind for one in read] == ["condition", "membership", "any"]
    assert read[0].values == ("Pune",)


def test_what_is_sorted_by_is_named_by_its_place() -> None:
    total = {"metric": "total_deposits"}
    read = replies.StructuredQuestion.model_validate({"measures": [total], "order": [{"measure": 1}]})
    assert read.to_intent().order[0].measure == intent.Measure(metric="total_deposits")
    with pytest.raises(ValueError, match="there is no measure 2"):
        replies.StructuredQuestion.model_validate({"measures": [total], "order": [{"measure": 2}]}).to_intent()


@pytest.mark.parametrize("strict", [False, True])
def test_a_schema_says_nothing_that_a_reply_does_not_need(strict: bool) -> None:
    schema = reply_schema(replies.IntentReply, strict=strict)
    told = json.dumps(schema)
    assert ('"null"' in told, "title" in told, "oneOf" in told) == (strict, False, False)
    assert (set(schema["required"]) == set(schema["properties"])) == strict
    assert len(told) < (8_000 if strict else 5_000)
