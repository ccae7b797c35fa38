"""Settings of a MySQL or MariaDB server change no figure, and what it cuts short is no answer."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pymysql
import pytest

from ai_engine.errors import QueryFailed
from backend.databases import DatabaseLimits, open_database
from backend.databases.engine import EngineFault, EngineStart
from backend.databases.mysql_engine import MysqlEngine, connection_arguments, space_bounds
from tests.backend.databases.servers.small_bank import administer_mariadb, run

pytestmark = pytest.mark.server
AS_ELSEWHERE = (
    "SET SESSION default_week_format = 3, div_precision_increment = 1, lc_time_names = 'de_DE', "
    "group_concat_max_len = 4, sql_auto_is_null = 1, sql_mode = 'PIPES_AS_CONCAT,ANSI_QUOTES', "
    "system_versioning_asof = '2020-01-01', tx_isolation = 'READ-UNCOMMITTED', max_recursive_iterations = 5, "
    "default_regex_flags = 'EXTENDED,UNGREEDY', old_mode = 'ZERO_DATE_TIME_CAST,IGNORE_INDEX_ONLY_FOR_JOIN', "
    "note_verbosity = '', sql_notes = 0, lc_messages = 'de_DE', max_error_count = 2, sql_select_limit = 1, "
    "sql_quote_show_create = 0, standard_compliant_cte = 0, tx_read_only = 0, max_statement_time = 3, "
    "lock_wait_timeout = 9, innodb_lock_wait_timeout = 9"
)
LEFT_TO_THE_SERVER = re.compile(
    # what is written, made and repaired, and what is logged, counted and told of it
    "ALTER_ALGORITHM|ANALYZE_.*|ARIA_.*|AUTO_INCREMENT_.*|BINLOG_.*|BULK_INSERT_.*|CHECK_CONSTRAINT_.*|COLUMN_COMPRESS.*"
    "|DEFAULT_(MASTER|STORAGE|TMP)_.*|ENFORCE_STORAGE_.*|EXPLICIT_DEFAULTS_.*|FOREIGN_KEY_CHECKS|GTID_.*|HISTOGRAM_.*"
    "|INNODB_(?!LOCK_WAIT_TIMEOUT).*|INSERT_ID|KEEP_FILES_ON_CREATE|LAST_GTID|LOG_.*|LONG_QUERY_TIME|LOW_PRIORITY_.*"
    "|MAX_(DELAYED|INSERT_DELAYED)_THREADS|MAX_RELAY_.*|MIN_EXAMINED_.*|MYISAM_.*|OLD_ALTER_TABLE|OLD_PASSWORDS"
    "|OPTIMIZER_TRACE.*|PROFILING.*|PROGRESS_.*|PSEUDO_.*|SESSION_TRACK_.*|SKIP_.*REPLICATION|SLOW_QUERY_LOG|SERVER_ID"
    "|SQL_(IF_EXISTS|LOG_.*|SAFE_UPDATES|SLAVE_.*|WARNINGS)|STORAGE_ENGINE|SYSTEM_VERSIONING_(ALTER|INSERT)_HISTORY"
    "|UNIQUE_CHECKS|UPDATABLE_.*|USE_STAT_TABLES|WSREP_.*"
    # how a plan is found, and how much memory and time it may take; where that ends, the statement fails
    "|BIG_TABLES|DEADLOCK_.*|EQ_RANGE_.*|EXPENSIVE_.*|.*BUFF(ER)?_(SIZE|SPACE_LIMIT)|IDLE_.*|INTERACTIVE_TIMEOUT"
    "|IN_PREDICATE_.*|JOIN_CACHE_LEVEL|MAX_(ALLOWED_PACKET|HEAP_TABLE_SIZE|JOIN_SIZE|LENGTH_FOR_SORT_DATA|ROWID_.*|SEEKS_.*"
    "|SESSION_MEM_USED|SP_RECURSION_DEPTH|TMP_TABLES|USER_CONNECTIONS)|NET_.*|OPTIMIZER_.*|.*ALLOC(_BLOCK)?_SIZE|QUERY_CACHE_.*"
    "|SQL_BIG_SELECTS|SQL_BUFFER_RESULT|TCP_NODELAY|THREAD_POOL_.*|TMP_.*_SIZE|WAIT_TIMEOUT"
    # what the client says when it connects, and a database has of its own
    "|AUTOCOMMIT|CHARACTER_SET_.*|COLLATION_.*|COMPLETION_TYPE"
    # of one session by itself, in which no server sets it
    "|ERROR_COUNT|EXTERNAL_USER|IDENTITY|IN_TRANSACTION|LAST_INSERT_ID|PROXY_USER|RAND_SEED.|TIMESTAMP|WARNING_COUNT"
    # sets others, which are held
    "|OLD"
    # told under what is promised
    "|MAX_SORT_LENGTH|TIME_ZONE"
)
"""Settings of a session of which it has been considered that they decide neither a figure nor a warning."""
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
        "'a b' REGEXP 'a b'",
        "REGEXP_SUBSTR('Pune', 'P.*')",
        "CAST(TIME'10:00:00' AS DATETIME) > '2000-01-01'",
    ],
)
def test_a_server_with_other_settings_gives_the_same_figure(served, value):
    sql = f"SELECT {value} AS v FROM accounts"
    with opened(served) as usual, opened({**served, "init_command": AS_ELSEWHERE}) as elsewhere:
        assert [answer(elsewhere, sql) for _ in "12"] == [answer(usual, sql)] * 2


def test_every_setting_of_a_session_is_held_or_known_to_decide_nothing(served):
    sql = "SELECT variable_name, session_value FROM information_schema.system_variables WHERE session_value IS NOT NULL"
    with opened(served) as usual, opened({**served, "init_command": AS_ELSEWHERE}) as elsewhere:
        unheld = pymysql.connect(**connection_arguments({**served, "init_command": AS_ELSEWHERE}))
        with contextlib.closing(unheld), unheld.cursor() as cursor:
            cursor.execute(f"{sql} LIMIT 1000")
            set_to = dict(cursor.fetchall())
        held, again = (dict(answer(engine, sql)) for engine in (usual, elsewhere))
    deciding = {name for name in set_to if not LEFT_TO_THE_SERVER.fullmatch(name)}
    assert {name for name in deciding if set_to[name] == held[name]} == set()
    assert {name for name in deciding if again[name] != held[name]} == set()


def test_an_index_is_passed_by_for_the_order_of_rows_too(served):
    made = "CREATE TABLE ranked (id INTEGER PRIMARY KEY, city CHAR(1), phone CHAR(1), KEY telling (city, phone, id))"
    rows = "INSERT INTO ranked VALUES (1, 'p', 'c'), (2, 'p', 'a'), (3, 'p', 'b')"
    filled = "INSERT INTO ranked SELECT 10 + seq, 'q', 'z' FROM seq_1_to_2000"
    administer_mariadb(f"USE {served['database']}", made, rows, filled, "ANALYZE TABLE ranked")
    try:
        with opened({**served, "init_command": AS_ELSEWHERE}) as engine:
            ranked = "SELECT id FROM ranked {} ORDER BY city LIMIT 3"
            assert answer(engine, ranked.format("")) == [(2,), (3,), (1,)]
            assert answer(engine, ranked.format("IGNORE INDEX (telling)")) == [(1,), (2,), (3,)]
    finally:
        administer_mariadb(f"USE {served['database']}", "DROP TABLE ranked")


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


def test_what_a_statement_gathers_is_held_to_the_memory_that_it_may_use(served):
    counted = ", ".join(f"COUNT(DISTINCT RPAD(CONCAT(seq, 'x{n}'), 500, '0')) AS c{n}" for n in range(60))
    with opened(served, memory_mb=128) as engine:
        with pytest.raises(pymysql.OperationalError) as raised:
            answer(engine, f"SELECT {counted} FROM seq_1_to_20000")
        fault = engine.fault(raised.value)
        assert fault is not None
        assert (fault.kind, "more memory" in str(fault)) == ("memory", True)
        engine.finish()
        assert answer(engine, "SELECT 1") == [(1,)]


def test_temporary_files_are_bounded_where_the_server_can_bound_them(served):
    bounds = space_bounds(EngineStart("mysql", "mysql", served, temp_mb=3))
    with opened(served) as engine:
        assert answer(engine, f"SET STATEMENT {bounds} FOR SELECT 1") == [(1,)]
        with pytest.raises(pymysql.OperationalError, match="Unknown system variable 'max_tmp_session_space_usage'"):
            answer(engine, f"SET STATEMENT {bounds.replace('110502', '101100')} FOR SELECT 1")
        fault = engine.fault(pymysql.InternalError(200, "Local temporary space limit reached"))
    assert "max_tmp_session_space_usage = 3145728" in bounds
    assert fault is not None and fault.kind == "failed" and "temporary space" in str(fault)


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
        "SEC_TO_TIME(MAX(account_id) * 1e20)",
        "TIME_TO_SEC('40 00:00:00')",
        "MAX(TIME_TO_SEC(CONCAT(account_id * 40, ' 00:00:00')))",
        "MAX(HOUR(past))",
        "MAX(CAST(CONCAT(' ', account_id, '0000000000000000000.5') AS SIGNED))",
    ],
)
@pytest.mark.parametrize("settings", ["", "SET SESSION sql_notes = 0, lc_messages = 'de_DE'", AS_ELSEWHERE])
def test_a_number_that_the_server_clamps_is_no_answer(served, value, settings):
    with opened({**served, "init_command": settings or "SET SESSION sql_notes = 1"}) as engine:
        with pytest.raises(EngineFault, match="out of range"):
            answer(
                engine, f"SELECT {value} AS v FROM (SELECT account_id, '-900:00:00' AS past FROM accounts LIMIT 9) AS a"
            )
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
        ("TIME_TO_SEC(IF(account_id = 1, '', 'at noon'))", [(None,), (None,)]),
        ("DATE_ADD('9999-12-31', INTERVAL account_id DAY)", [(None,), (None,)]),
    ],
)
def test_a_warning_that_leaves_nothing_out_is_none(served, value, found):
    with opened(served) as engine:
        assert answer(engine, f"SELECT {value} AS v FROM accounts ORDER BY account_id") == found
