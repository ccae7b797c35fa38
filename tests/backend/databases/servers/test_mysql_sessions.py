"""Settings of a MySQL or MariaDB server change no figure, and what it cuts short is no answer."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from ai_engine.errors import QueryFailed
from backend.databases import DatabaseLimits, open_database
from backend.databases.engine import EngineFault, EngineStart
from backend.databases.mysql_engine import MysqlEngine
from tests.backend.databases.servers.small_bank import run

pytestmark = pytest.mark.server
AS_ELSEWHERE = (
    "SET SESSION default_week_format = 3, div_precision_increment = 1, lc_time_names = 'de_DE', "
    "group_concat_max_len = 4, sql_auto_is_null = 1, sql_mode = 'PIPES_AS_CONCAT,ANSI_QUOTES', "
    "system_versioning_asof = '2020-01-01', tx_isolation = 'READ-UNCOMMITTED', max_recursive_iterations = 5"
)
STEPS = "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3000) SELECT {} FROM r"


@pytest.fixture
def served(mariadb_bank: str) -> dict[str, str]:
    """Where the bank is."""
    name = mariadb_bank.rpartition("/")[2]
    return {"host": "127.0.0.1", "port": "3306", "user": "root", "database": name}


@contextlib.contextmanager
def opened(location: dict[str, str], **limits: int) -> Iterator[MysqlEngine]:
    engine = MysqlEngine(EngineStart("mysql", "mysql", location, **limits))
    try:
        yield engine
    finally:
        engine._connection.close()


def answer(engine: MysqlEngine, sql: str) -> list[tuple[Any, ...]]:
    """All rows, as a worker reads them."""
    engine.execute(sql, 20.0)
    rows: list[tuple[Any, ...]] = []
    while fetched := engine.fetch(100):
        rows += fetched
    engine.finish()
    return rows


@pytest.mark.parametrize(
    "value",
    [
        "WEEK('2024-12-31')",
        "MONTHNAME('2025-03-01')",
        "SUM(balance) / 7",
        "GROUP_CONCAT(account_id, ' of ', branch_id ORDER BY account_id)",
        "'a' || 'b'",
        '"account_id"',
        "@@system_versioning_asof",
        "@@tx_isolation",
        "@@sql_auto_is_null",
    ],
)
def test_a_server_with_other_settings_gives_the_same_figure(served, value):
    sql = f"SELECT {value} AS v FROM accounts"
    with opened(served) as usual, opened({**served, "init_command": AS_ELSEWHERE}) as elsewhere:
        assert [answer(elsewhere, sql) for _ in "12"] == [answer(usual, sql)] * 2


def test_a_recursion_goes_to_its_end_whatever_the_server_stops_at(served):
    with opened({**served, "init_command": AS_ELSEWHERE}) as engine:
        assert answer(engine, STEPS.format("COUNT(*)")) == [(3000,)]


@pytest.mark.parametrize("value", ["GROUP_CONCAT(n)", "LENGTH(GROUP_CONCAT(n))"])
def test_a_text_that_is_cut_short_is_no_answer(served, value):
    with opened(served, max_cell_kb=1) as engine:
        with pytest.raises(EngineFault, match="longer than a cell") as told:
            answer(engine, STEPS.format(value))
        assert told.value.kind == "too_large"
        engine.finish()
        assert answer(engine, "SELECT 1") == [(1,)]


LOOKED_INTO = "SELECT LENGTH(REPLACE(GROUP_CONCAT(REPEAT('x', n)), ',', '; ')) AS v"


def test_a_gathered_text_in_which_something_is_looked_for_is_no_longer_than_takes_seconds(served):
    with opened(served) as engine:
        assert answer(engine, f"{LOOKED_INTO} FROM (SELECT 9000 AS n UNION ALL SELECT 9001) AS r") == [(18003,)]
        with pytest.raises(EngineFault, match="in which something is looked for"):
            answer(engine, f"{LOOKED_INTO} FROM (SELECT 40000 AS n UNION ALL SELECT 40001) AS r")
        engine.finish()
        assert answer(engine, STEPS.format("LENGTH(GROUP_CONCAT(REPEAT('x', 99)))")) == [(299999,)]


def test_a_recursion_that_leaves_digits_out_at_each_step_is_no_answer(served):
    grown = "WITH RECURSIVE r AS (SELECT 1 AS n, {} AS v UNION ALL SELECT n + 1, v * 1.05 FROM r WHERE n < 9) SELECT {}"
    with opened(served) as engine:
        with pytest.raises(EngineFault, match="first step"):
            answer(engine, grown.format("100.00", "MAX(v) FROM r"))
        engine.finish()
        assert answer(engine, grown.format("CAST(100 AS DECIMAL(30, 20))", "ROUND(MAX(v), 6) FROM r")) == [
            (Decimal("147.745544"),)
        ]


def test_a_text_longer_than_the_server_makes_one_is_not_taken_for_none(served):
    with opened(served) as engine, pytest.raises(EngineFault, match="longer than the database makes"):
        answer(engine, "SELECT COALESCE(LENGTH(REPEAT(CONCAT('a', account_id), 20000000)), 0) AS v FROM accounts")


@pytest.mark.parametrize(
    "value",
    [
        "CAST(SUM(account_id) * 100000000 AS DECIMAL(10, 2))",
        "SUM(CAST(account_id - 2 AS UNSIGNED))",
        "CAST(SUM(account_id) * 1e30 AS SIGNED)",
        "CAST(CONCAT(MAX(account_id), '00000000000000000000') AS SIGNED)",
        "TIME_TO_SEC(TIMEDIFF('2024-12-31 00:00:00', '2020-01-01 00:00:00'))",
        "SEC_TO_TIME(MAX(account_id) * 100000000)",
    ],
)
@pytest.mark.parametrize("settings", ["", "SET SESSION sql_notes = 0, lc_messages = 'de_DE'"])
def test_a_number_that_the_server_clamps_is_no_answer(served, value, settings):
    with opened({**served, "init_command": settings or "SET SESSION sql_notes = 1"}) as engine:
        with pytest.raises(EngineFault, match="out of range"):
            answer(engine, f"SELECT {value} AS v FROM accounts")
        engine.finish()
        assert answer(engine, "SELECT 1") == [(1,)]


def test_what_was_cut_short_is_no_answer_either_where_there_are_more_rows_than_are_shown(mariadb_bank):
    gathered = (
        "SELECT n, GROUP_CONCAT(REPEAT('x', n * 600)) AS v FROM (SELECT 1 AS n UNION ALL SELECT 2) AS r GROUP BY n"
    )
    with open_database(mariadb_bank, DatabaseLimits(max_cell_kb=1)) as bank:
        with pytest.raises(QueryFailed, match="longer than a cell"):
            run(bank, f"{gathered} LIMIT 2", max_rows=1)
        shown = run(bank, "SELECT account_id FROM accounts ORDER BY 1", max_rows=1)
        assert (shown.rows, shown.truncated) == (((1,),), True)


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("'1a' + account_id", [(2.0,), (3.0,)]),
        ("CAST('12abc' AS SIGNED) + account_id", [(13,), (14,)]),
        ("CAST('1234.5' AS SIGNED) + account_id", [(1235,), (1236,)]),
        ("CAST(account_id / 3 AS DECIMAL(6, 2))", [(Decimal("0.33"),), (Decimal("0.67"),)]),
        ("account_id < 99999999999999999999999", [(1,), (1,)]),
        ("account_id IN (1e30, -1, 99999999999999999999999)", [(0,), (0,)]),
        ("CAST('abcdef' AS CHAR(3))", [("abc",), ("abc",)]),
        ("TIME_TO_SEC(TIMEDIFF('2024-01-31 01:00:00', '2024-01-31 00:00:00')) + account_id", [(3601,), (3602,)]),
        ("DATE_ADD('9999-12-31', INTERVAL account_id DAY)", [(None,), (None,)]),
    ],
)
def test_a_warning_that_leaves_nothing_out_is_none(served, value, found):
    with opened(served) as engine:
        assert answer(engine, f"SELECT {value} AS v FROM accounts ORDER BY account_id") == found
