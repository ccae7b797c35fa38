"""Two small banks per engine that differ in restricted columns and in a hidden table, and in nothing else."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import cache
from typing import Any, Protocol

import duckdb
import psycopg
import pymysql
import pytest
from psycopg.pq import DiagnosticField, ExecStatus

from ai_engine.catalogue import Catalogue, Dialect
from ai_engine.catalogue_from_ddl import catalogue_from_ddl
from ai_engine.guard import Policy

POLICY = Policy(
    hidden_tables=frozenset({"vault"}),
    restricted_columns={
        "customers": frozenset({"phone", "national_id"}),
        "cards": frozenset({"pan"}),
        "people": frozenset({"contact"}),
        "clients": frozenset({"phone"}),
        "tokens": frozenset({"token"}),
        "clocks": frozenset(
            {"current_date", "current_time", "current_timestamp", "localtime", "localtimestamp", "true", "false"}
        ),
    },
    allow_union=True,
    allow_recursive=True,
)
TABLES: dict[str, tuple[str, ...]] = {
    "customers": ("customer_id", "full_name", "segment", "city", "phone", "national_id"),
    "cards": ("card_id", "customer_id", "kind", "city", "pan"),
    "segment": ("segment", "label", "phone"),
    "people": ("person_id", "city", "contact"),
    "tokens": ("label", "city", "token"),
    "clocks": (
        "clock_id",
        "current_date",
        "current_time",
        "current_timestamp",
        "localtime",
        "localtimestamp",
        "true",
        "false",
    ),
    "vault": ("customer_id", "secret"),
}
VIEWS = {"clients": ("customer_id", "label", "phone", "city"), "contact": ("contact", "phone", "pan", "email")}
_VIEWS = (
    "CREATE VIEW clients AS SELECT customer_id, customer_id AS label, secret AS phone, customer_id AS city FROM vault",
    "CREATE VIEW contact AS SELECT city AS contact, kind AS phone, card_id AS pan, customer_id AS email FROM cards",
)
"""The first shows a column that is restricted there too, the second calls permitted ones as others are called."""
_OPEN_ROWS = {
    "customers": (("1", "a", "x", "p"), ("2", "b", "y", "q"), ("3", "c", "x", None), ("4", "a", None, "p")),
    "cards": (("1", "1", "debit", "p"), ("2", "2", "debit", "q"), ("3", "1", "credit", "p"), ("4", "9", "x", None)),
    "segment": (("x", "a", "1"), ("y", "b", "2"), ("z", "c", "a")),
    "people": (("1", "p"), ("2", "q"), ("3", "r")),
    "tokens": (("a", "p"), ("b", "q"), ("1", "x")),
    "clocks": (("1",),),
    "vault": (("1",), ("2",)),
}
_SECRETS: dict[str, tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]]] = {
    "customers": ((("1", "1"), ("b", "2"), ("c", "3"), ("d", "x")), (("c", "x"), ("1", "3"), ("a", "1"), ("b", "a"))),
    "cards": ((("a",), ("b",), ("c",), ("1",)), (("2",), ("a",), ("x",), ("b",))),
    "people": ((("a",), ("b",), ("c",)), (("c",), ("x",), ("a",))),
    "tokens": ((("1",), ("2",), ("3",)), (("9",), ("2",), ("4",))),
    "clocks": ((("a",) * 7,), (("b",) * 7,)),
    "vault": ((("a",), ("b",)), (("b",), ("c",))),
}
_MOST_RUNS = 30


TELLING_INDEXES = (
    "CREATE INDEX by_city ON customers (city, phone, customer_id)",
    "CREATE UNIQUE INDEX by_national_id ON customers (national_id)",
    "CREATE INDEX by_pan ON cards (pan)",
    "CREATE INDEX by_kind ON cards (kind, pan, customer_id, city)",
    "CREATE INDEX by_contact ON people (contact, city)",
    "CREATE INDEX by_segment ON customers (segment)",
)
_THROUGH_INDEXES = (  # as the app asks PostgreSQL, for whom every table of the twins is too small for an index
    "SET seq_page_cost = 100000",
    "SET enable_indexscan = off",
    "SET enable_indexonlyscan = off",
    "SET jit = off",
)


@cache
def twins_catalogue(dialect: Dialect, *, indexed: bool = False) -> Catalogue:
    script = [*_tables(dialect), *(_indexes(dialect) if indexed else ())]
    return catalogue_from_ddl(";\n".join(script) + ";", dialect)


def _indexes(dialect: Dialect) -> list[str]:
    """DuckDB has none over a struct."""
    return [index for index in TELLING_INDEXES if dialect != "duckdb" or "contact" not in index]


def _tables(dialect: Dialect) -> list[str]:
    lines = []
    for table, columns in TABLES.items():
        types = {"token": "INTEGER PRIMARY KEY"}
        if dialect == "duckdb":
            types["contact"] = "STRUCT(email VARCHAR, phone VARCHAR)"
        quote = "`" if dialect == "mysql" else '"'
        defined = ", ".join(f"{quote}{name}{quote} {types.get(name, 'VARCHAR(20)')}" for name in columns)
        lines.append(f"CREATE TABLE {table} ({defined})")
    return [*lines, *_VIEWS]


def setup_statements(dialect: Dialect, twin: int) -> list[str]:
    """The statements that make the first (0) or the second (1) bank."""
    statements = _tables(dialect)
    for table, rows in _OPEN_ROWS.items():
        for place, row in enumerate(rows):
            secrets = _SECRETS[table][twin][place] if table in _SECRETS else ()
            values = [*map(_literal, row), *map(_literal, secrets)]
            if table == "people" and dialect == "duckdb":
                values[-1] = f"{{'email': {values[-1]}, 'phone': 'n' || {values[-1]}}}"
            statements.append(f"INSERT INTO {table} VALUES ({', '.join(values)})")
    return statements


def _literal(value: str | None) -> str:
    return "NULL" if value is None else f"'{value}'"


Answer = tuple[str, Any, Any]
"""The names of the columns and the rows in their order, or the class of an error."""


class Bank(Protocol):
    """One of the twins."""

    def execute(self, sql: str) -> None:
        """Run a statement that has to succeed."""

    def answer(self, sql: str) -> Answer:
        """Run any statement."""


Twins = tuple[Bank, Bank]


def tells_apart(banks: Twins, sql: str) -> bool:
    """Whether the answers to a statement tell which bank gave them; an order left to chance tells nothing."""
    answers: tuple[list[Answer], list[Answer]] = ([], [])
    for _ in range(_MOST_RUNS):
        for bank, given in zip(banks, answers, strict=True):
            given.append(bank.answer(sql))
        if any(one in answers[1] for one in answers[0]):
            return False
    return True


@contextmanager
def twins(dialect: Dialect, *, indexed: bool = False) -> Iterator[Twins]:
    """Both banks, readable in full: nothing but the guard keeps a statement from their secrets."""
    names = [f"guard_twin_{os.getpid()}_{twin}" for twin in (0, 1)]
    with ExitStack() as stack:
        banks: list[Bank]
        if dialect == "duckdb":
            connections = [duckdb.connect(":memory:", config={"threads": 1}) for _ in names]
            banks = [_Embedded(stack.enter_context(closing(connection))) for connection in connections]
        elif dialect == "sqlite":
            banks = [_Embedded(stack.enter_context(closing(sqlite3.connect(":memory:")))) for _ in names]
        elif dialect == "postgres":
            banks = [stack.enter_context(_postgres(name)) for name in names]
        else:
            banks = stack.enter_context(_mysql(names))
        for twin, bank in enumerate(banks):
            for statement in setup_statements(dialect, twin):
                bank.execute(statement)
            if indexed:
                for statement in (*_indexes(dialect), *(_THROUGH_INDEXES if dialect == "postgres" else ())):
                    bank.execute(statement)
        yield banks[0], banks[1]


@contextmanager
def reachable_twins(dialect: Dialect, *, indexed: bool = False) -> Iterator[Twins]:
    """The twins; a test is skipped where no server answers, save in CI."""
    context = twins(dialect, indexed=indexed)
    try:
        pair = context.__enter__()
    except (psycopg.OperationalError, pymysql.err.OperationalError) as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"no {dialect} server answers on loopback: {error}")
    try:
        yield pair
    finally:
        context.__exit__(None, None, None)


class _Embedded:
    """A database in this process."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def execute(self, sql: str) -> None:
        self._connection.execute(sql)

    def answer(self, sql: str) -> Answer:
        try:
            cursor = self._connection.execute(sql)
            rows = cursor.fetchall()
            return "rows", [column[0] for column in cursor.description], rows
        except (duckdb.Error, sqlite3.Error) as error:
            return "error", type(error).__name__, None


class _Postgres:
    """A connection, asked without what a driver adds: cells are compared as the server writes them."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection.pgconn

    def execute(self, sql: str) -> None:
        answer = self.answer(sql)
        if answer[0] == "error":
            raise ValueError(f"{answer[1]!r}: {sql}")

    def answer(self, sql: str) -> Answer:
        result = self._connection.exec_(sql.encode())
        if result.status in {ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK}:
            columns = range(result.nfields)
            names = [result.fname(column) for column in columns]
            return "rows", names, [[result.get_value(row, one) for one in columns] for row in range(result.ntuples)]
        return "error", result.error_field(DiagnosticField.SQLSTATE), None


@contextmanager
def _postgres(name: str) -> Iterator[_Postgres]:
    with psycopg.connect("host=127.0.0.1 user=postgres", autocommit=True, connect_timeout=2) as admin:
        admin.execute(f"CREATE DATABASE {name}")
        try:
            with psycopg.connect(f"host=127.0.0.1 user=postgres dbname={name}", autocommit=True) as connection:
                yield _Postgres(connection)
        finally:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


class _Mysql:
    """One database of a connection; both share the connection, whose memory decides the order of equal rows."""

    def __init__(self, connection: Any, name: str) -> None:
        self._connection = connection
        self._name = name

    def execute(self, sql: str) -> None:
        self._connection.select_db(self._name)
        self._connection.query(sql)

    def answer(self, sql: str) -> Answer:
        self._connection.select_db(self._name)
        try:
            self._connection.query(sql)
        except pymysql.MySQLError as error:
            return "error", error.args[0], None
        result = self._connection._result
        return "rows", [field.name for field in result.fields], result.rows


@contextmanager
def _mysql(names: list[str]) -> Iterator[list[Bank]]:
    connection = pymysql.connect(host="127.0.0.1", user="root", autocommit=True, connect_timeout=2)
    try:
        for name in names:
            connection.query(f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
        yield [_Mysql(connection, name) for name in names]
    finally:
        for name in names:
            connection.query(f"DROP DATABASE IF EXISTS {name}")
        connection.close()
