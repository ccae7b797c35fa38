"""Warehouses behind DB-API 2 clients, each a small real module over DuckDB: none of their servers can be run here."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from ai_engine.errors import (
    BadConfiguration,
    DatabaseUnavailable,
    QueryFailed,
    QueryStopped,
    QueryTimedOut,
    ResultTooLarge,
)
from ai_engine.types import QueryResult
from backend.databases import Database, DatabaseLimits, open_database, worker_process
from tests.backend.databases.resources import count_resources
from tests.patience import allowed_s
from tests.small_dbapi import CLIENTS
from tests.small_dbapi.core import Journal

LIMITS = DatabaseLimits(connections=2, max_result_mb=8, connect_timeout_s=30)
ENDLESS = "SELECT COUNT(*) FROM many a CROSS JOIN many b CROSS JOIN many c WHERE a.n + b.n + c.n = -1"
MARKER = "marker of a row"
GONE_WITHIN_S = 2.0
# What Oracle's dictionary tells, as views over DuckDB's.
DICTIONARY = """
CREATE MACRO sys_context(a, b) AS 'BANK';
CREATE VIEW all_tab_columns AS SELECT 'BANK' AS owner, table_name, column_name, column_index AS column_id,
    regexp_replace(data_type, '\\(.*', '') AS data_type, CASE WHEN is_nullable THEN 'Y' ELSE 'N' END AS nullable
    FROM duckdb_columns() WHERE table_name IN ('accounts', 'many');
CREATE VIEW all_col_comments AS SELECT 'BANK' AS owner, 'accounts' AS table_name, 'balance' AS column_name,
    'In rupees' AS comments;
CREATE VIEW all_part_key_columns AS SELECT 'BANK' AS owner, 'accounts' AS name, 'TABLE' AS object_type,
    'opened' AS column_name;
CREATE VIEW all_tab_comments AS SELECT 'BANK' AS owner, 'accounts' AS table_name, 'TABLE' AS table_type,
    'Who has what' AS comments;
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bank, and the small clients where workers find them."""
    monkeypatch.setattr(worker_process, "_PROJECT", f"{CLIENTS}:{worker_process._PROJECT}")
    monkeypatch.syspath_prepend(str(CLIENTS))
    path = tmp_path / "bank.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute("CREATE TABLE accounts (id INTEGER NOT NULL, balance DECIMAL(38,2), opened TIMESTAMP, "
                           "note VARCHAR)")  # fmt: skip
        connection.execute(f"INSERT INTO accounts VALUES (1, 1200.50, '2024-01-31', '{MARKER}'), (2, NULL, NULL, NULL)")
        connection.execute("CREATE TABLE many AS SELECT range AS n, repeat('x', 100) AS text FROM range(50000)")
        connection.execute(DICTIONARY)
    return path


@pytest.fixture
def journal(file: Path) -> Journal:
    return Journal(str(file))


def url_of(file: Path, password: str = "se%40cret") -> str:
    return f"oracle://ada:{password}@db.example/{file}"


@pytest.fixture
def bank(file: Path) -> Iterator[Database]:
    with open_database(url_of(file), LIMITS) as opened:
        yield opened


def run(
    bank: Database, sql: str, *, max_rows: int = 100, timeout_s: float = 30.0, stop: threading.Event | None = None
) -> QueryResult:
    return bank.runner.run(sql, max_rows=max_rows, timeout_s=timeout_s, stop=stop or threading.Event())


def eventually(condition: Callable[[], bool]) -> bool:
    until = time.monotonic() + allowed_s(GONE_WITHIN_S)
    while not condition() and time.monotonic() < until:
        time.sleep(0.01)
    return condition()


def test_tables_are_read_from_the_dictionary_with_comments_and_partitions(bank: Database):
    accounts, many = sorted(bank.catalogue.tables, key=lambda table: table.name)
    assert (accounts.name, accounts.comment, accounts.partition_columns) == ("accounts", "Who has what", ("opened",))
    assert [(one.name, one.type, one.nullable, one.comment) for one in accounts.columns] == [
        ("id", "integer", False, ""),
        ("balance", "decimal", True, "In rupees"),
        ("opened", "timestamp", True, ""),
        ("note", "text", True, ""),
    ]
    assert [one.name for one in many.columns] == ["n", "text"]


def test_values_are_exact_and_columns_typed_by_the_client(bank: Database):
    told = run(bank, "SELECT id, balance, opened, note FROM accounts ORDER BY id")
    assert told.types == ("integer", "decimal", "timestamp", "text")
    assert told.rows == ((1, Decimal("1200.50"), datetime(2024, 1, 31), MARKER), (2, None, None, None))  # noqa: DTZ001
    assert str(told.rows[0][1]) == "1200.50"
    assert run(bank, "SELECT balance FROM accounts WHERE id = 9").types == ("decimal",)
    widest = run(
        bank, "SELECT CAST('-99999999999999999999999999999999999.99' AS DECIMAL(38, 2)) AS x FROM accounts WHERE id = 1"
    )
    assert widest.rows == ((Decimal("-99999999999999999999999999999999999.99"),),)


def test_what_a_client_nests_is_json_text():
    from backend.databases.dbapi_engine import _plain

    assert _plain([Decimal("1.10"), None, "é"]) == '["1.10", null, "é"]'
    assert json.loads(_plain({"a": datetime(2024, 1, 31)})) == {"a": "2024-01-31 00:00:00"}  # noqa: DTZ001


def test_a_session_is_encrypted_and_spells_everything_in_one_way(bank: Database, journal: Journal):
    run(bank, "SELECT id FROM accounts")
    assert journal.told("connect")[0] == ["ada", "db.example", 1521, "tcps", True]
    session = " ".join(sql for (sql,) in journal.told("session"))
    for setting in ("NLS_COMP = 'BINARY'", "NLS_DATE_FORMAT", "TIME_ZONE = 'UTC'"):
        assert setting in session


def test_every_statement_stands_in_a_transaction_that_cannot_write_and_is_rolled_back(bank: Database, journal: Journal):
    assert eventually(lambda: len(journal.told("rollback")) == 2)  # those of the dictionary
    journal.clear()
    run(bank, "SELECT id FROM accounts")
    assert eventually(lambda: bool(journal.told("rollback")))
    assert [told[:2] for told in journal.read() if told[0] in ("session", "began", "rollback")] == [
        ["session", "SET TRANSACTION READ ONLY"], ["began", "SELECT id FROM accounts"], ["rollback"]
    ]  # fmt: skip
    assert journal.told("call_timeout")[-1][0] in range(29_000, 31_000)


def test_rows_are_fetched_in_pages_up_to_the_limit(bank: Database, journal: Journal):
    journal.clear()
    told = run(bank, "SELECT n, text FROM many", max_rows=1_000)
    assert (told.row_count, told.truncated) == (1_000, True)
    pages = [size for (size,) in journal.told("fetchmany")]
    assert len(pages) > 1
    assert sum(pages) == 1_001
    assert run(bank, "SELECT n FROM many").row_count == 100


def test_a_result_too_large_is_refused(bank: Database):
    with pytest.raises(ResultTooLarge):
        run(bank, "SELECT a.n, a.text FROM many a CROSS JOIN accounts b", max_rows=1_000_000)
    assert run(bank, "SELECT id FROM accounts").row_count == 2


def test_a_stop_cancels_the_statement_within_two_seconds(bank: Database, journal: Journal):
    run(bank, "SELECT id FROM accounts")
    stop = threading.Event()
    threading.Timer(allowed_s(0.5), stop.set).start()
    with pytest.raises(QueryStopped):
        run(bank, ENDLESS, stop=stop)
    assert eventually(lambda: not journal.running())
    assert journal.told("cancel")
    assert run(bank, "SELECT id FROM accounts").row_count == 2


def test_the_deadline_cancels_the_statement(bank: Database, journal: Journal):
    run(bank, "SELECT id FROM accounts")
    limit_s = allowed_s(0.6)
    began = time.monotonic()
    with pytest.raises(QueryTimedOut):
        run(bank, ENDLESS, timeout_s=limit_s)
    assert eventually(lambda: not journal.running())
    assert time.monotonic() - began < limit_s + allowed_s(GONE_WITHIN_S)


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELECT nowhere FROM accounts", "unknown table, column, function or type: nowhere"),
        ("SELECT id FROM nothing", "unknown table: nothing"),
        ("SELECT id id2 id3 FROM accounts", "syntax"),
        ("SELECT CAST(note AS INTEGER) AS x FROM accounts", "cannot be converted"),
    ],
)
def test_faults_are_told_in_our_words_without_data(bank: Database, sql: str, words: str):
    with pytest.raises(QueryFailed, match=words) as told:
        run(bank, sql)
    assert MARKER not in f"{told.value} {told.value.user_message}"
    assert "ORA-" not in f"{told.value}"


def test_a_connection_that_was_cut_while_idle_is_opened_again(bank: Database, journal: Journal):
    run(bank, "SELECT id FROM accounts")
    opened = len(journal.told("connect"))
    journal.note("cut")
    assert run(bank, "SELECT id FROM accounts").row_count == 2
    assert len(journal.told("connect")) == opened + 1


def test_a_wrong_password_is_told_without_it(file: Path):
    with pytest.raises(DatabaseUnavailable, match="cannot connect") as told:
        open_database(url_of(file, "hush-hush"), LIMITS)
    assert "hush" not in f"{told.value} {told.value.user_message}"


def test_a_client_that_is_not_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    import sys

    monkeypatch.setitem(sys.modules, "oracledb", None)
    with pytest.raises(BadConfiguration, match="the package oracledb is not installed"):
        open_database(url_of(tmp_path / "bank"))


def test_no_process_is_left(file: Path):
    open_database(url_of(file), LIMITS).close()
    before = count_resources()
    with open_database(url_of(file), LIMITS) as bank:
        run(bank, "SELECT id FROM accounts")
    assert count_resources().children == before.children
