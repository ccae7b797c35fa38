"""What a model's structured question says is what the statement does, or it is sent back."""

import pytest

from ai_engine.llm.checked_reading import CheckedReading
from ai_engine.llm.replies import IntentReply
from ai_engine.semantics.values import FoundValues
from tests.ai_engine.llm.bank import BANK

TOTAL = {"metric": "total_deposits"}
SUM = {"aggregate": "sum", "field": "accounts.balance"}
COUNT = {"aggregate": "count", "dataset": "accounts"}
SEGMENTS = {"dimensions": ["customers.segment"]}


def reading_of(question, *measures, **parts):
    intent = {"measures": list(measures), **parts}
    reply = IntentReply.model_validate({"outcome": "query", "restatement": "As understood.", "intent": intent})
    reading = CheckedReading(question, (), BANK, FoundValues())
    return reading, lambda: reading.make(reply)


def where(operator, *values, field="accounts.balance", **parts):
    return {"filters": [{"field": field, "operator": operator, "values": list(values), **parts}]}


@pytest.mark.parametrize(
    ("measure", "parts", "remedy"),
    [
        ({**TOTAL, "shown_in": 1000.999}, {}, "`shown_in` is one of"),
        ({**TOTAL, "shown_in": 1.5}, {}, "`shown_in` is one of"),
        (COUNT, where(">", 5, 7), "takes one value"),
        (COUNT, where("between", 5), "takes two values"),
        (COUNT, where("between", 9, 5), "the lower value first"),
        (COUNT, where("is null", 5), "takes no value"),
        (COUNT, where(">", 5, other="accounts.account_id"), "give one of them"),
        (COUNT, where(">", 5, times=0.5), "`times`"),
        (COUNT, where("=", True), "no yes or no"),
        ({**SUM, "weight": "accounts.account_id"}, {}, "`weight` goes with"),
        ({**TOTAL, "window": 7}, {}, "`window` goes with"),
        ({**SUM, "quantile": 0.9}, {}, "`quantile` goes with"),
        ({**TOTAL, "percent": True}, {}, "`percent` goes with"),
        ({**TOTAL, "minus": {**TOTAL, "window": 3}}, {}, "`window` goes with"),
        ({"aggregate": "sum", "field": "customers.segment"}, {}, "is of numbers"),
        (TOTAL, {"distinct": True}, "`distinct` is of"),
        (TOTAL, {"fill_gaps": True}, "`fill_gaps` goes with"),
        (TOTAL, {"limit": 5}, "choose among groups"),
        (TOTAL, {**SEGMENTS, "skip": 3}, "`skip` goes with"),
        (TOTAL, {**SEGMENTS, "with_ties": True}, "`with_ties` goes with"),
        (TOTAL, {**SEGMENTS, "columns": ["accounts.balance"]}, "`columns` list rows"),
        (TOTAL, {**SEGMENTS, "order": [{"measure": 1, "field": "customers.segment"}]}, "by a measure or by a field"),
        (TOTAL, {"dimensions": [{"field": "customers.segment", "edges": [1, 2]}]}, "`edges` cut numbers"),
        (TOTAL, {"dimensions": ["accounts.balance by month"]}, "is no date"),
        (TOTAL, {"period": {"start": "2025-02-01", "end": "2025-01-01", "label": "x"}}, "ends before it begins"),
    ],
)
def test_what_would_be_said_and_not_done_goes_back_with_a_remedy_and_is_then_refused(measure, parts, remedy):
    reading, make = reading_of("accounts?", measure, **parts)
    with pytest.raises(ValueError, match=remedy):
        make()
    instead = reading.instead()
    assert instead is not None
    assert (instead.outcome, instead.restatement) == ("refused", "accounts?")


@pytest.mark.parametrize(
    ("label", "parts", "kept"),
    [
        ("Deposits", {}, True),
        ("Total of deposits", {}, True),
        ("Deposits in lakh", {"shown_in": 100000}, True),
        ("Deposits in crore", {"shown_in": 100000}, False),
        ("Total deposits in crore", {}, False),
        ("Deposits in percent", {}, False),
        ("Deposits in USD", {}, False),
        ("Number of fraudulent customers", {}, False),
        ("Average deposits", {}, False),
    ],
)
def test_a_label_says_what_its_figure_is_or_is_ours(label, parts, kept):
    _, make = reading_of("What are the deposits?", {**TOTAL, **parts, "label": label})
    assert make().intent.measures[0].label == (label if kept else None)


@pytest.mark.parametrize(
    ("label", "told"), [("January 2025", "January 2025"), ("last month", "January 2025"), ("x", "January 2025")]
)
def test_a_period_is_called_by_its_days_where_its_label_says_others(label, told):
    period = {"start": "2025-01-01", "end": "2025-02-01", "label": label, "field": "accounts.opened_on"}
    _, make = reading_of("accounts of January 2025?", COUNT, period=period)
    assert make().intent.period.label == told
