"""Two small banks per engine that differ in restricted columns and in a hidden table, and in nothing else."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import cache
from typing import Any

import duckdb
import psycopg
import pymysql

from ai_engine.catalogue import Catalogue, Dialect
from ai_engine.catalogue_from_ddl import catalogue_from_ddl
from ai_engine.guard import Policy

POLICY = Policy(
    hidden_tables=frozenset({"vault"}),
    restricted_columns={
        "customers": frozenset({"phone", "national_id"}),
        "cards": frozenset({"pan"}),
        "people": frozenset({"contact"}),
        "clocks": frozenset(
            {"current_date", "current_time", "current_timestamp", "localtime", "localtimestamp", "true", "false"}
        ),
    },
    allow_union=True,
)
TABLES: dict[str, tuple[str, ...]] = {
    "customers": ("customer_id", "full_name", "segment", "city", "phone", "national_id"),
    "cards": ("card_id", "customer_id", "kind", "city", "pan"),
    "segment": ("segment", "label", "phone"),
    "people": ("person_id", "city", "contact"),
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
_OPEN_ROWS = {
    "customers": (("1", "a", "x", "p"), ("2", "b", "y", "q"), ("3", "c", "x", None), ("4", "a", None, "p")),
    "cards": (("1", "1", "debit", "p"), ("2", "2", "debit", "q"), ("3", "1", "credit", "p"), ("4", "9", "x", None)),
    "segment": (("x", "a", "1"), ("y", "b", "2"), ("z", "c", "a")),
    "people": (("1", "p"), ("2", "q"), ("3", "r")),
    "clocks": (("1",),),
    "vault": (("1",), ("2",)),
}
_SECRETS: dict[str, tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]]] = {
    "customers": ((("a", "1"), ("b", "2"), ("c", "3"), ("d", "x")), (("c", "x"), ("1", "3"), ("a", "1"), ("b", "a"))),
    "cards": ((("a",), ("b",), ("c",), ("1",)), (("2",), ("a",), ("x",), ("b",))),
    "people": ((("a",), ("b",), ("c",)), (("c",), ("x",), ("a",))),
    "clocks": ((("a",) * 7,), (("b",) * 7,)),
    "vault": ((("a",), ("b",)), (("b",), ("c",))),
}
_MOST_RUNS = 30


@cache
def catalogue(dialect: Dialect) -> Catalogue:
    return catalogue_from_ddl(";\n".join(_tables(dialect)) + ";", dialect)


def _tables(dialect: Dialect) -> list[str]:
    lines = []
    for table, columns in TABLES.items():
        types = {"contact": "STRUCT(email VARCHAR, phone VARCHAR)"} if dialect == "duckdb" else {}
        quote = "`" if dialect == "mysql" else '"'
        defined = ", ".join(f"{quote}{name}{quote} {types.get(name, 'VARCHAR(20)')}" for name in columns)
        lines.append(f"CREATE TABLE {table} ({defined})")
    return lines


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


Answer = tuple[str, Any]


def answer(bank: Any, sql: str) -> Answer:
    """The rows in their order, or the class of the error."""
    cursor = bank.cursor()
    try:
        cursor.execute(sql)
        return "rows", list(cursor.fetchall())
    except (duckdb.Error, sqlite3.Error, psycopg.Error) as error:
        return "error", f"{type(error).__name__} {getattr(error, 'sqlstate', '')}"
    except pymysql.MySQLError as error:
        return "error", str(error.args[0])
    finally:
        cursor.close()


def tells_apart(banks: tuple[Any, Any], sql: str) -> bool:
    """Whether the answers to a statement tell which bank gave them; an order left to chance tells nothing."""
    answers: tuple[list[Answer], list[Answer]] = ([], [])
    for _ in range(_MOST_RUNS):
        for bank, given in zip(banks, answers, strict=True):
            given.append(answer(bank, sql))
        if any(one in answers[1] for one in answers[0]):
            return False
    return True


@contextmanager
def twins(dialect: Dialect) -> Iterator[tuple[Any, Any]]:
    """Both banks, readable in full: nothing but the guard keeps a statement from their secrets."""
    names = [f"guard_twin_{os.getpid()}_{twin}" for twin in (0, 1)]
    with ExitStack() as stack:
        if dialect == "duckdb":
            banks = [stack.enter_context(closing(duckdb.connect(":memory:", config={"threads": 1}))) for _ in names]
        elif dialect == "sqlite":
            banks = [stack.enter_context(closing(sqlite3.connect(":memory:"))) for _ in names]
        elif dialect == "postgres":
            banks = [stack.enter_context(_postgres(name)) for name in names]
        else:
            banks = stack.enter_context(_mysql(names))
        for twin, bank in enumerate(banks):
            cursor = bank.cursor()
            for statement in setup_statements(dialect, twin):
                cursor.execute(statement)
        yield banks[0], banks[1]


@contextmanager
def _postgres(name: str) -> Iterator[Any]:
    with psycopg.connect("host=127.0.0.1 user=postgres", autocommit=True, connect_timeout=2) as admin:
        admin.execute(f"CREATE DATABASE {name}")
        try:
            with psycopg.connect(f"host=127.0.0.1 user=postgres dbname={name}", autocommit=True) as bank:
                yield bank
        finally:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


class _Database:
    """One database of a MySQL connection; both share the connection, whose memory decides the order of equal rows."""

    def __init__(self, connection: Any, name: str) -> None:
        self._connection = connection
        self._name = name

    def cursor(self) -> Any:
        self._connection.select_db(self._name)
        return self._connection.cursor()


@contextmanager
def _mysql(names: list[str]) -> Iterator[list[Any]]:
    connection = pymysql.connect(host="127.0.0.1", user="root", autocommit=True, connect_timeout=2)
    cursor = connection.cursor()
    try:
        for name in names:
            cursor.execute(f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
        yield [_Database(connection, name) for name in names]
    finally:
        for name in names:
            cursor.execute(f"DROP DATABASE IF EXISTS {name}")
        connection.close()
