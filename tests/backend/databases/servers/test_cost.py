"""What a statement would cost, as each server's plan tells."""

from __future__ import annotations

import threading

import pytest

from ai_engine.errors import QueryFailed
from ai_engine.ports import EstimatesCost
from backend.databases import Database
from backend.databases.mysql_plan import plan_cost

pytestmark = pytest.mark.server


def cost(bank: Database, sql: str) -> float | None:
    assert isinstance(bank.runner, EstimatesCost)
    return bank.runner.cost(sql, timeout_s=10, stop=threading.Event()).work


def test_more_work_costs_more_and_nothing_is_run(bank: Database):
    one, each_with_each = (
        cost(bank, sql)
        for sql in (
            "SELECT COUNT(*) FROM accounts",
            "SELECT COUNT(*) FROM accounts AS a CROSS JOIN accounts AS b CROSS JOIN accounts AS c",
        )
    )
    assert one is not None
    assert each_with_each is not None
    assert 0 <= one < each_with_each
    found = bank.runner.run("SELECT COUNT(*) FROM accounts", max_rows=1, timeout_s=10, stop=threading.Event())
    assert found.row_count == 1


def test_a_statement_that_cannot_be_planned_is_a_fault_as_any_other(bank: Database):
    with pytest.raises(QueryFailed):
        cost(bank, "SELECT nothing FROM nowhere")


@pytest.mark.parametrize(
    ("plan", "told"),
    [
        ({"query_block": {"cost": 2.5}}, 2.5),
        ({"query_block": {"cost_info": {"query_cost": "7.25"}}}, 7.25),
        ({"query_block": {"nested_loop": [{"table": {"rows": 3}}, {"table": {"rows": 4, "loops": 2}}]}}, 11),
        ({"query_block": {}}, None),
    ],
)
def test_plans_of_older_and_newer_servers_are_read(plan: object, told: float | None):
    assert plan_cost(plan) == told
