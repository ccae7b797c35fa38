from __future__ import annotations

import pytest

from ai_engine.insight.columns import describe_columns
from ai_engine.types import OutputColumn, QueryResult
from tests.ai_engine.insight.results import vocabulary


@pytest.mark.parametrize(
    ("name", "column_type", "label", "unit", "role"),
    [
        ("balance", "decimal", "Balance", "INR", "measure"),
        ("BALANCE", "decimal", "Balance", "INR", "measure"),
        ("accountType", "text", "Account type", None, "category"),
        ("account_id", "integer", "Account id", None, "identifier"),
        ("opened_on", "date", "Opened on", None, "time"),
        ("casa_ratio", "float", "CASA ratio", "percent", "measure"),
        ("total_balance", "decimal", "Total balance", "INR", "measure"),
        ("avg_balance", "float", "Average balance", "INR", "measure"),
        ("customer_count", "integer", "Customer count", "count", "measure"),
        ("number_of_loans", "integer", "Number of loans", "count", "measure"),
        ("loan_id", "integer", "Loan id", None, "identifier"),
        ("year", "integer", "Year", None, "time"),
        ("month", "text", "Month", None, "time"),
        ("share", "float", "Share", "percent", "measure"),
        ("mystery", "decimal", "Mystery", None, "measure"),
        ("mystery", "text", "Mystery", None, "category"),
        ("balance", "text", "Balance", None, "category"),
        ("?column?", "integer", "Column", None, "measure"),
        ("???", "text", "???", None, "category"),
    ],
)
def test_a_column_is_described_by_name_and_type(name, column_type, label, unit, role):
    result = QueryResult((name,), (column_type,), (("5",),))
    assert describe_columns(result, vocabulary()) == (OutputColumn(name, label, unit, role),)


def test_the_writer_of_the_statement_knows_best():
    known = OutputColumn("Balance", "Deposits", "INR", "measure")
    result = QueryResult(("n", "balance"), ("integer", "decimal"), ())
    assert describe_columns(result, vocabulary(), (known,)) == (OutputColumn("n", "N", "count", "measure"), known)


def test_long_words_are_text():
    result = QueryResult(("remark",), ("text",), (("a remark that goes on and on about this and that",),))
    assert describe_columns(result, vocabulary())[0].role == "text"
