from __future__ import annotations

from dataclasses import replace

import pytest

from ai_engine.insight.statement import with_parts
from tests.ai_engine.insight.results import AVERAGE, BALANCE, BRANCH, BY_BRANCH, THREE_BRANCHES, result_of

MIDDLE = (
    "SELECT branch, SUM(CASE WHEN ABS(place - 1 - 0.5 * (held - 1)) < 1 THEN value END) AS balance FROM "
    "(SELECT branch, balance AS value, ROW_NUMBER() OVER (PARTITION BY branch ORDER BY balance) AS place, "
    "COUNT(balance) OVER (PARTITION BY branch) AS held FROM accounts) AS spread GROUP BY branch"
)
EACH_ONCE = "SELECT DISTINCT customer_id, branch, income FROM customers JOIN accounts USING (customer_id)"


def adds_up(sql, *, truncated=False, measure=BALANCE):
    columns = [BRANCH, measure]
    result = result_of(columns, THREE_BRANCHES, truncated=truncated)
    marked = with_parts(columns, sql, result, "duckdb")
    assert not marked[0].adds_up
    return marked[1].adds_up


@pytest.mark.parametrize(
    "sql",
    [
        BY_BRANCH,
        f"{BY_BRANCH} ORDER BY balance DESC LIMIT 100",
        "SELECT branch, COUNT(*) AS balance FROM accounts WHERE status = 'open' GROUP BY branch",
        "SELECT branch, COALESCE(SUM(balance), 0) AS balance FROM accounts GROUP BY branch",
        f"WITH sums AS ({BY_BRANCH}) SELECT branch, balance FROM sums",
    ],
)
def test_sums_and_counts_of_all_groups_are_parts_of_one_whole(sql):
    assert adds_up(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT branch, AVG(balance) AS balance FROM accounts GROUP BY branch",
        "SELECT branch, MAX(balance) AS balance FROM accounts GROUP BY branch",
        "SELECT branch, COUNT(DISTINCT customer_id) AS balance FROM accounts GROUP BY branch",
        "SELECT branch, SUM(paid) / SUM(due) AS balance FROM accounts GROUP BY branch",
        f"{BY_BRANCH} HAVING SUM(balance) > 5",
        f"{BY_BRANCH} ORDER BY balance DESC LIMIT 3",
        "SELECT branch, balance FROM accounts",
        "SELECT branch FROM accounts GROUP BY branch",
        f"SELECT branch, SUM(income) AS balance FROM ({EACH_ONCE}) AS once GROUP BY branch",
        MIDDLE,
        "not a statement (",
    ],
)
def test_other_figures_and_some_of_the_groups_are_not(sql):
    assert not adds_up(sql)


def test_rows_that_were_cut_off_are_not():
    assert not adds_up(BY_BRANCH, truncated=True)


def test_a_mark_that_the_statement_does_not_bear_out_is_taken_back():
    average = "SELECT branch, AVG(balance) AS average FROM accounts GROUP BY branch"
    assert not adds_up(average, measure=replace(AVERAGE, adds_up=True))
