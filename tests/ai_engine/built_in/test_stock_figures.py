from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.outcomes.outcome import decide
from ai_engine.catalogue_from_ddl import catalogue_from_ddl
from ai_engine.semantics.model import Dataset, Field, Relationship
from ai_engine.semantics.values import ValueIndex
from tests.ai_engine.built_in.bank import DDL, MODEL, knowledge, vocabulary

SNAPSHOTS = """
CREATE TABLE month_balances (account_id INTEGER REFERENCES accounts (account_id), month_end DATE,
  closing_balance DECIMAL(14,2), PRIMARY KEY (account_id, month_end));
"""
MONTH_BALANCES = Dataset(
    "month_balances",
    "month_balances",
    (
        Field("account_id", "account_id", "integer", "identifier", "account id"),
        Field("month_end", "month_end", "date", "time", "month end"),
        Field(
            "closing_balance", "closing_balance", "decimal", "measure", "closing balance", unit="INR",
            default_aggregate="sum",
        ),
    ),
    "monthly balance",
    ("account_id", "month_end"),
    default_time="month_end",
    snapshot_time="month_end",
)  # fmt: skip


@cache
def with_snapshots() -> Knowledge:
    link = Relationship("balance_account", "month_balances", ("account_id",), "accounts", ("account_id",))
    model = replace(MODEL, datasets=(*MODEL.datasets, MONTH_BALANCES), relationships=(*MODEL.relationships, link))
    catalogue = catalogue_from_ddl(DDL + SNAPSHOTS, "duckdb")
    values = ValueIndex(vocabulary().values.columns, model)
    return Knowledge(replace(vocabulary(), catalogue=catalogue, model=model, values=values))


@pytest.mark.parametrize(
    ("question", "understood"),
    [
        ("total balance as on 31 March 2026", "Total closing balance, for 31 March 2026"),
        ("deposits at the end of October", "Total closing balance, for 31 October 2026"),
        (
            "savings balance at last month end by region",
            "Total closing balance by region, where account type is Savings, for 31 October 2026",
        ),
        (
            "month with the highest balance in 2025",
            "Total closing balance by month of month end, for 2025, sorted by total "
            "closing balance, highest first, top 1",
        ),
        ("closing balance at quarter end", "Total closing balance, for 30 September 2026"),
        (
            "average balance in September 2026",
            "Average closing balance, for September 2026",
        ),
        ("monthly closing balance in 2025", "Total closing balance by month of month end, for 2025"),
        ("closing balance monthly in 2025", "Total closing balance by month of month end, for 2025"),
        ("deposits as of today", "Deposits"),
        (
            "total balance of accounts opened in 2025",
            "Total balance, for 2025 by opening date",
        ),
    ],
)
def test_balances_of_other_days_are_taken_from_snapshots(question, understood):
    found = decide(question, (), with_snapshots())
    assert found.restatement == understood, found.reply


def test_a_balance_taken_from_snapshots_says_so():
    found = decide("total balance as on 31 March 2026", (), with_snapshots())
    assert "Balances of earlier days are the closing balance of monthly balances." in found.assumptions


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("total balance as on 31 March 2026", "31 March 2026, of a figure that is known as of now only"),
        ("NPA ratio at the end of October", "31 October 2026, of a figure that is known as of now only"),
        ("total balance in September 2026", "September 2026, of a figure that is known as of now only"),
        ("list accounts as on 31 March 2026", "31 March 2026, of rows that are known as of now only"),
        (
            "total transaction amount as on 31 March 2026",
            "31 March 2026, of what happens day by day: on that day, or until then",
        ),
    ],
)
def test_what_is_known_as_of_now_only_is_refused_for_another_day(question, missing):
    found = decide(question, (), knowledge())
    assert found.outcome == "refused", found.restatement
    assert missing in found.unplaced


def test_a_state_of_the_running_period_is_that_of_now():
    found = decide("total balance this month", (), knowledge())
    assert found.restatement == "Total balance"
    assert "“this month” is as of 21 Nov 2026, the latest day known." in found.assumptions


def test_things_as_on_a_day_are_those_that_had_begun_by_then():
    found = decide("number of customers as on 31 March 2026", (), knowledge())
    assert found.restatement == "Number of customers, until 31 March 2026"
    assert "Customers are those whose joining date is until 31 March 2026." in found.assumptions
