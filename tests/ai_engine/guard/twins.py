"""Two small banks per engine that differ in restricted columns and in hidden tables, and in nothing else."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from typing import Any, NamedTuple, Protocol

import duckdb
import psycopg
import pymysql
import pytest
from psycopg.pq import DiagnosticField, ExecStatus
from sqlalchemy import create_engine
from sqlalchemy.pool import StaticPool

from ai_engine.catalogue import Catalogue, Dialect
from ai_engine.catalogue_from_ddl import catalogue_from_ddl
from ai_engine.guard import Policy
from backend.catalogue.reflection import read_catalogue
from backend.databases.hidden_columns import hidden_columns
from backend.databases.mysql_engine import SQL_MODE
from backend.databases.postgres_indexes import has_telling_index
from backend.databases.postgres_session import without_indexes
from tests.ai_engine.guard.layouts import Layout

IN_ONE_BANK: dict[str, tuple[str, ...]] = {
    "seq_1_to_3": ("seq",),
    "größe": ("größe",),
    "q_2": ("q_c1", "q_c2"),
    "email": ("true", "false", "größe", "q_c1"),
    "uint": ("seq",),
}
"""Hidden tables that the second bank does not have, called as a statement, the guard or an engine calls something."""
POLICY = Policy(
    hidden_tables=frozenset({"vault", *IN_ONE_BANK}),
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
VIEWS_AS_WRITTEN = (
    "CREATE VIEW clients AS SELECT customer_id, customer_id AS label, secret AS phone, customer_id AS city FROM vault",
    "CREATE VIEW contact AS SELECT label AS contact, segment AS phone, phone AS pan, label AS email FROM segment",
)
"""The first shows a column that is restricted there too, the second calls permitted ones as others are called; over a
table whose place or index tells, a view may tell on SQLite and MySQL, see SECURITY.md."""
_OPEN_ROWS = {
    "customers": (("1", "a", "x", "p"), ("2", "b", "y", "q"), ("3", "c", "x", None), ("4", "a", None, "p")),
    "cards": (("1", "1", "debit", "p"), ("2", "2", "debit", "q"), ("3", "1", "credit", "p"), ("4", "9", "x", None)),
    "segment": (("x", "a", "1"), ("y", "b", "2"), ("z", "c", "a")),
    "people": (("1", "p"), ("2", "q"), ("3", "r")),
    "tokens": (("a", "p"), ("A", "p"), ("1", "x")),
    "clocks": (("1",),),
    "vault": (("1",), ("2",)),
}
_SECRETS: dict[str, tuple[tuple[tuple[str | None, ...], ...], tuple[tuple[str | None, ...], ...]]] = {
    "customers": (((None, "1"), ("b", "2"), ("c", "3"), ("1", "x")), (("c", "x"), ("1", None), ("a", "1"), ("b", "a"))),
    "cards": ((("a",), ("b",), (None,), ("1",)), (("2",), ("a",), ("x",), ("b",))),
    "people": ((("a",), (None,), ("c",)), (("b",), ("d",), (None,))),
    "tokens": ((("1",), ("2",), ("3",)), (("8",), ("3",), ("4",))),
    "clocks": ((("a",) * 7,), (("b",) * 7,)),
    "vault": ((("a",), (None,)), (("c",), ("b",))),
}
_MOST_RUNS = 30
_STRUCTS = {
    "duckdb": "{{'email': {0}, 'phone': 'n' || {0}}}",
    "spark": "NAMED_STRUCT('email', {0}, 'phone', CONCAT('n', {0}))",
}
PLAIN = Layout("as they come")
_TYPES: dict[Dialect, dict[str, str]] = {
    "duckdb": {"contact": "STRUCT(email VARCHAR, phone VARCHAR)"},
    "sqlite": {"label": "VARCHAR(20) COLLATE NOCASE"},  # as texts of MariaDB are alike
    "spark": {"contact": "STRUCT<email: STRING, phone: STRING>", "token": "INT"},
}

_AS_THE_APP = ("SET seq_page_cost = 100000", "SET jit = off")
"""So that PostgreSQL, for whom every table of the twins is too small for an index, takes one where it may."""


def twins_catalogue(dialect: Dialect, layout: Layout = PLAIN) -> Catalogue:
    """The catalogue of the first bank, which need not be there."""
    script = [*_tables(dialect, TABLES | IN_ONE_BANK, layout), *layout.indexes]
    return catalogue_from_ddl(";\n".join(script) + ";", dialect)


def catalogue_of_the_second(dialect: Dialect, layout: Layout = PLAIN) -> Catalogue:
    """The catalogue without the tables that only the first bank has."""
    whole = twins_catalogue(dialect, layout)
    return Catalogue(dialect, tuple(table for table in whole.tables if table.name not in IN_ONE_BANK))


def _tables(dialect: Dialect, tables: dict[str, tuple[str, ...]], layout: Layout) -> list[str]:
    lines = []
    quote = "`" if dialect in {"mysql", "spark"} else '"'
    types = {"token": "INTEGER PRIMARY KEY", **_TYPES.get(dialect, {}), **layout.types}
    for table, columns in tables.items():
        types_here = (types.get(f"{table}.{name}", types.get(name, "VARCHAR(20)")) for name in columns)
        defined = ", ".join(f"{quote}{name}{quote} {type_}" for name, type_ in zip(columns, types_here, strict=True))
        lines.append(f"CREATE TABLE {quote}{table}{quote} ({defined}){layout.behind.get(table, '')}")
    return [*lines, *layout.tables, *VIEWS_AS_WRITTEN]


def setup_statements(dialect: Dialect, twin: int, layout: Layout) -> list[str]:
    """The statements that make the first (0) or the second (1) bank."""
    statements = _tables(dialect, TABLES if twin else {**TABLES, **IN_ONE_BANK}, layout)
    if dialect == "mysql":  # MariaDB lets a table stand in the place of one of its series so
        statements = [sql.replace("CREATE TABLE", "CREATE OR REPLACE TABLE") for sql in statements]
    for table, columns in () if twin else IN_ONE_BANK.items():
        statements.append(f"INSERT INTO {table} VALUES ({', '.join(map(_literal, columns))})")
    for table in _OPEN_ROWS:
        statements += [f"INSERT INTO {table} VALUES ({row})" for row in rows_of(dialect, twin, table)]
    return [*statements, *layout.rows[twin], *layout.indexes]


def rows_of(dialect: Dialect, twin: int, table: str) -> Iterator[str]:
    """The rows of a table in the first (0) or the second (1) bank, each as a list of literals."""
    if table in IN_ONE_BANK and not twin:
        yield ", ".join(map(_literal, IN_ONE_BANK[table]))
    for place, row in enumerate(_OPEN_ROWS.get(table, ())):
        secrets = _SECRETS[table][twin][place] if table in _SECRETS else ()
        values = [*map(_literal, row), *map(_literal, secrets)]
        if table == "people" and dialect in _STRUCTS and values[-1] != "NULL":
            values[-1] = _STRUCTS[dialect].format(values[-1])
        yield ", ".join(values)


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

    def catalogue(self) -> Catalogue:
        """What the app reads of it."""


class Twins(NamedTuple):
    """A pair, the catalogue of the first, which has tables that the second has not, and the columns of the layout."""

    first: Bank
    second: Bank
    catalogue: Catalogue
    further: Mapping[str, tuple[str, ...]]


def tells_apart(pair: Twins, sql: str) -> bool:
    """Whether the answers to a statement tell which bank gave them; an order left to chance tells nothing."""
    answers: tuple[list[Answer], list[Answer]] = ([], [])
    for _ in range(_MOST_RUNS):
        for bank, given in zip(pair[:2], answers, strict=True):
            given.append(bank.answer(sql))
        if any(one in answers[1] for one in answers[0]):
            return False
    return True


@contextmanager
def twins(dialect: Dialect, layout: Layout = PLAIN) -> Iterator[Twins]:
    """Both banks, readable in full: nothing but the guard keeps a statement from their secrets.

    PostgreSQL is asked in sessions that are kept from indexes as those of the app.
    """
    names = [f"guard_twin_{os.getpid()}_{twin}" for twin in (0, 1)]
    with ExitStack() as stack:
        banks: list[Bank]
        if dialect == "duckdb":
            connections = [duckdb.connect(":memory:", config={"threads": 1}) for _ in names]
            banks = [_Embedded(stack.enter_context(closing(connection)), dialect) for connection in connections]
        elif dialect == "sqlite":
            opened = [sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False) for _ in names]
            banks = [_Embedded(stack.enter_context(closing(connection)), dialect) for connection in opened]
        elif dialect == "postgres":
            banks = [stack.enter_context(_postgres(name)) for name in names]
        else:
            banks = stack.enter_context(_mysql(names))
        for twin, bank in enumerate(banks):
            for statement in setup_statements(dialect, twin, layout):
                bank.execute(statement)
        pair = Twins(banks[0], banks[1], banks[0].catalogue(), layout.further)
        for bank in banks:
            if isinstance(bank, _Postgres):
                bank.keep_from_indexes(pair.catalogue)
        yield pair


@contextmanager
def reachable_twins(dialect: Dialect, layout: Layout = PLAIN) -> Iterator[Twins]:
    """The twins; a test is skipped where no server answers, save in CI."""
    context = twins(dialect, layout)
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

    def __init__(self, connection: Any, dialect: Dialect) -> None:
        self._connection = connection
        self._dialect = dialect

    def catalogue(self) -> Catalogue:
        if self._dialect == "duckdb":
            return twins_catalogue("duckdb")
        return read_catalogue(
            create_engine("sqlite://", creator=lambda: self._connection, poolclass=StaticPool), "sqlite"
        )

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
        self._driver = connection
        self._connection = connection.pgconn

    def catalogue(self) -> Catalogue:
        engine = create_engine("postgresql+psycopg://", creator=lambda: self._driver, poolclass=StaticPool)
        return read_catalogue(engine, "postgres")

    def keep_from_indexes(self, catalogue: Catalogue) -> None:
        hidden = hidden_columns(
            catalogue,
            allowed_tables=POLICY.allowed_tables,
            hidden_tables=POLICY.hidden_tables,
            restricted_columns=POLICY.restricted_columns,
        )
        for statement in _AS_THE_APP:
            self.execute(statement)
        if has_telling_index(self._driver, hidden):
            for name, value in without_indexes(self._driver).items():
                self.execute(f"SET {name} = {value}")

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
            with psycopg.connect(
                f"host=127.0.0.1 user=postgres dbname={name}", autocommit=True, options="-c jit=off"
            ) as connection:
                yield _Postgres(connection)
        finally:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


class _Mysql:
    """One database of a connection; both share the connection, whose memory decides the order of equal rows."""

    def __init__(self, connection: Any, name: str) -> None:
        self._connection = connection
        self._name = name

    def catalogue(self) -> Catalogue:
        self._connection.select_db(self._name)
        engine = create_engine("mysql+pymysql://", creator=lambda: self._connection, poolclass=StaticPool)
        return read_catalogue(engine, "mysql")

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
    connection = pymysql.connect(host="127.0.0.1", user="root", autocommit=True, connect_timeout=2, sql_mode=SQL_MODE)
    try:
        for name in names:
            connection.query(f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
        yield [_Mysql(connection, name) for name in names]
    finally:
        for name in names:
            connection.query(f"DROP DATABASE IF EXISTS {name}")
        connection.close()
