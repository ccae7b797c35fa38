"""What each client of a warehouse is asked for: its session, its end, its errors."""

from __future__ import annotations

import logging
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ai_engine.catalogue import Dialect
from backend.databases.address import ServerAddress, parse_address
from backend.databases.dbapi_engine import DbapiEngine
from backend.databases.engine import EngineFault, start_of
from backend.databases.limits import DatabaseLimits
from backend.databases.warehouse_opening import location_of
from tests.patience import allowed_s
from tests.small_dbapi import CLIENTS
from tests.small_dbapi.core import Journal

DIALECTS: tuple[Dialect, ...] = ("tsql", "snowflake", "databricks", "clickhouse")
ENDLESS = "SELECT COUNT(*) AS c FROM many a CROSS JOIN many b CROSS JOIN many c WHERE a.n + b.n + c.n = -1"
Open = Callable[..., DbapiEngine]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "bank.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute("CREATE TABLE accounts (id INTEGER, balance DECIMAL(12,2), note VARCHAR)")
        connection.execute("INSERT INTO accounts VALUES (1, 1200.50, 'é'), (2, NULL, NULL)")
        connection.execute("CREATE TABLE many AS SELECT range AS n FROM range(50000)")
    return path


@pytest.fixture
def journal(file: Path) -> Journal:
    return Journal(str(file))


@pytest.fixture
def opened(file: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    """Opens an engine as a worker does; its client is loaded anew, and gone again behind the test."""
    monkeypatch.syspath_prepend(str(CLIENTS))
    before = set(sys.modules)
    engines: list[DbapiEngine] = []
    listening = socket.create_server(("127.0.0.1", 0))

    def engine(dialect: Dialect, url: str = "", **more: str) -> DbapiEngine:
        address = parse_address(url) if url else ServerAddress(
            dialect, "127.0.0.1", listening.getsockname()[1], "ada", "se@cret", str(file), schema="core"
        )  # fmt: skip
        assert isinstance(address, ServerAddress)
        location = {**location_of(address), **({"http_path": "/sql/1"} if dialect == "databricks" else {}), **more}
        if dialect == "tsql":
            location.pop("schema")
        engines.append(DbapiEngine(start_of("dbapi", location, DatabaseLimits(), dialect=dialect)))
        return engines[-1]

    yield engine
    for one in engines:
        one._client.close()
    listening.close()
    logging.disable(logging.NOTSET)
    for name in set(sys.modules) - before:
        if name.partition(".")[0] in ("pytds", "snowflake", "databricks", "clickhouse_connect", "oracledb"):
            del sys.modules[name]


def rows_of(engine: DbapiEngine, sql: str) -> list[tuple[Any, ...]]:
    engine.execute(sql, 20.0)
    rows: list[tuple[Any, ...]] = []
    while page := engine.fetch(64):
        rows += page
    engine.finish()
    return rows


@pytest.mark.parametrize("dialect", DIALECTS)
def test_rows_and_columns_are_told_exactly(opened: Open, dialect: Dialect):
    engine = opened(dialect)
    names, _ = engine.execute("SELECT id, balance, note FROM accounts ORDER BY id", 20.0)
    assert names == ["id", "balance", "note"]
    assert engine.fetch(1) == [(1, Decimal("1200.50"), "é")]
    engine.finish()
    assert rows_of(engine, "SELECT id, balance FROM accounts ORDER BY id") == [(1, Decimal("1200.50")), (2, None)]
    names, _ = engine.execute("SELECT id, note FROM accounts WHERE id = 9", 20.0)
    assert (names, engine.fetch(10)) == (["id", "note"], [])
    engine.finish()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_per_cent_in_a_text_means_itself(opened: Open, dialect: Dialect):
    assert rows_of(opened(dialect), "SELECT '100%% %s %(a)s' AS x FROM accounts WHERE id = 1") == [("100%% %s %(a)s",)]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_interrupted_statement_ends_and_the_next_one_is_answered(opened: Open, journal: Journal, dialect: Dialect):
    engine = opened(dialect)
    rows_of(engine, "SELECT id FROM accounts")
    threading.Timer(allowed_s(0.3), engine.interrupt).start()
    began = time.monotonic()
    with pytest.raises(Exception) as told:
        rows_of(engine, ENDLESS)
    assert time.monotonic() - began < allowed_s(3)
    fault = engine.fault(told.value)
    assert fault is not None
    assert fault.kind == "interrupted"
    engine.finish()
    assert len(rows_of(engine, "SELECT id FROM accounts")) == 2


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_fault_is_told_in_our_words(opened: Open, dialect: Dialect):
    engine = opened(dialect)
    with pytest.raises(engine._client.errors) as told:
        engine.execute("SELECT id FROM nothing", 20.0)
    fault = engine.fault(told.value)
    assert fault is not None
    assert (fault.kind, fault.detail) == ("failed", "unknown table")
    engine.finish()


def test_sql_server_speaks_by_tls_and_reads_in_a_transaction_that_is_rolled_back(opened: Open, journal: Journal):
    engine = opened("tsql")
    rows_of(engine, "SELECT id FROM accounts")
    [[_, _, user, has_authorities, is_host_checked, is_read_only, commits]] = journal.told("connect")
    assert (user, has_authorities, is_host_checked, is_read_only, commits) == ("ada", True, True, True, False)
    session = " ".join(sql for (sql,) in journal.told("session"))
    for setting in ("ARITHABORT", "QUOTED_IDENTIFIER ON", "DATEFORMAT ymd", "LOCK_TIMEOUT 5000"):
        assert setting in session
    assert journal.told("rollback")


def test_snowflake_is_told_how_to_spell_and_when_to_end(opened: Open, journal: Journal):
    engine = opened("snowflake", warehouse="small")
    rows_of(engine, "SELECT id FROM accounts")
    rows_of(engine, "SELECT id FROM accounts")
    [[_, _, schema, warehouse, _, commits, session]] = journal.told("connect")
    assert (schema, warehouse, commits) == ("core", "small", False)
    assert session["TIMEZONE"] == "UTC"
    assert session["MULTI_STATEMENT_COUNT"] == 1
    assert session["CLIENT_TELEMETRY_ENABLED"] is False
    assert journal.told("session") == [["ALTER SESSION SET STATEMENT_TIMEOUT_IN_SECONDS = 22"]]
    assert journal.told("rollback")


def test_databricks_is_asked_whether_a_statement_is_a_query(opened: Open, journal: Journal):
    rows_of(opened("databricks"), "SELECT id FROM accounts")
    [[_, path, schema, session, sends_telemetry]] = journal.told("connect")
    assert (path, schema, sends_telemetry) == ("/sql/1", "core", False)
    assert session == {"ansi_mode": "true", "timezone": "UTC"}
    assert [sql for (sql,) in journal.told("session")][1:] == ["DESCRIBE QUERY SELECT id FROM accounts"]


def test_clickhouse_only_reads_and_finds_nulls_where_a_join_finds_nothing(opened: Open, journal: Journal):
    rows_of(opened("clickhouse"), "SELECT id FROM accounts")
    assert journal.told("connect")[0][3:] == [True, True, False]
    [[settings]] = journal.told("settings")
    assert (settings["readonly"], settings["join_use_nulls"], settings["max_execution_time"]) == (2, 1, 20.5)
    assert settings["session_timezone"] == "UTC"
    assert settings["result_overflow_mode"] == "throw"


@pytest.mark.parametrize(
    ("dialect", "more", "words"),
    [
        ("clickhouse", {"tls": "false", "host": "db.example"}, "over TLS only"),
        ("clickhouse", {"timezone": "UTC'; DROP"}, "no time zone"),
        ("snowflake", {"timezone": "UTC'; DROP"}, "no time zone"),
        ("databricks", {"http_path": ""}, "http_path"),
    ],
)
def test_what_cannot_be_assured_is_refused(opened: Open, dialect: Dialect, more: dict[str, str], words: str):
    with pytest.raises(EngineFault, match=words) as told:
        opened(dialect, **more)
    assert "cret" not in told.value.detail
