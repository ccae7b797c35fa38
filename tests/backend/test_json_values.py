from __future__ import annotations

import json
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_engine.json_values import scalar_to_json
from ai_engine.types import Answer, OutputColumn, QueryResult
from backend.answers.json_values import answer_to_json, json_line

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.decimals(),
    st.text(st.characters()),
    st.dates(),
    st.datetimes(),
    st.times(),
    st.timedeltas(),
    st.binary(),
)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Decimal("175206.00"), 175206.0),
        (Decimal("42"), 42),
        (Decimal("1234567890123.45"), 1234567890123.45),
        (Decimal("12345678901234.56"), "12345678901234.56"),
        (Decimal("9000000000000000000.00"), 9e18),
        (Decimal("0.00"), 0.0),
        (Decimal("1E+400"), "1E+400"),
        (Decimal("1E-400"), "1E-400"),
        (Decimal("NaN"), None),
        (Decimal("-Infinity"), None),
        (float("nan"), None),
        (float("inf"), None),
        (True, True),
        (2**70, 2**70),
        (date(2026, 9, 30), "2026-09-30"),
        (datetime(2026, 9, 30, 14, 5), "2026-09-30T14:05:00"),  # noqa: DTZ001 - banks store local times
        (datetime(2026, 9, 30, 14, 5, tzinfo=UTC), "2026-09-30T14:05:00+00:00"),
        (time(14, 5), "14:05:00"),
        (timedelta(days=1, seconds=3), "P1DT3S"),
        (b"Pune", "Pune"),
        (b"\xff\x00", "0xff00"),
        ("\ud800", "?"),
        (None, None),
    ],
)
def test_a_cell_becomes_the_json_value_a_program_expects(value, expected):
    written = scalar_to_json(value)
    assert written == expected
    assert type(written) is type(expected)


@given(SCALARS)
def test_every_cell_can_be_written_and_read_back(value):
    written = scalar_to_json(value)
    line = json_line({"cell": written})
    assert json.loads(line) == {"cell": written}
    assert line.isascii()


@given(st.decimals(allow_nan=False, allow_infinity=False, places=2))
def test_no_digit_of_an_amount_is_lost(amount):
    written = scalar_to_json(amount)
    assert Decimal(str(written)) == amount


def test_an_answer_has_every_documented_key():
    answer = Answer(
        question="How many customers?",
        status="answered",
        model="built-in",
        restatement="Number of customers",
        sql="SELECT COUNT(*) AS customers FROM customers",
        result=QueryResult(("customers",), ("integer",), ((12_000,),)),
        columns=(OutputColumn("customers", "Customers", "count", "measure"),),
        summary="12,000 customers.",
        chart="metric",
        assumptions=("All customers count.",),
        timings_ms={"intent": 1.23456, "total": 2.0},
    )
    assert answer_to_json(answer) == {
        "question": "How many customers?",
        "restatement": "Number of customers",
        "status": "answered",
        "sql": "SELECT COUNT(*) AS customers FROM customers",
        "columns": ["customers"],
        "units": {"customers": "count"},
        "rows": [[12_000]],
        "row_count": 1,
        "truncated": False,
        "total_rows": None,
        "expected_scan": None,
        "rows_as_of": None,
        "summary": "12,000 customers.",
        "headline": "",
        "period": "",
        "scope": "",
        "part_steps": {},
        "chart": "metric",
        "assumptions": ["All customers count."],
        "choices": [],
        "suggestions": [],
        "error": None,
        "trust": None,
        "verified_by": None,
        "other_reading": None,
        "tie_out": None,
        "model": "built-in",
        "model_use": {"calls": 0, "input_tokens": 0, "output_tokens": 0, "cost_usd": None},
        "timings_ms": {"intent": 1.235, "total": 2.0},
    }


def test_an_answer_without_a_result_has_empty_rows_and_no_chart():
    written = answer_to_json(Answer(question="?", status="refused", model="built-in", error="Not understood."))
    assert (written["columns"], written["rows"], written["row_count"], written["chart"]) == ([], [], 0, None)
