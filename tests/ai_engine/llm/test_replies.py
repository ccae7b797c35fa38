from __future__ import annotations

import pytest
from pydantic import BaseModel

from ai_engine.llm import replies
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
        (intent.Membership, replies.MembershipReply),
        (intent.Dimension, replies.DimensionReply),
        (intent.Period, replies.PeriodReply),
        (intent.Having, replies.HavingReply),
        (intent.Order, replies.OrderReply),
    ],
)
def test_a_model_can_write_every_part_of_a_structured_question(asked: type[BaseModel], reply: type[BaseModel]) -> None:
    found_in_the_data = {"until"}  # how far the data reaches is known without a model
    assert set(reply.model_fields) == set(asked.model_fields) - found_in_the_data


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
