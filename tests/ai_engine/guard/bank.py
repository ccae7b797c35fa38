"""The small bank of the guard's tests: its catalogue, its policy, its text fixtures and its databases."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import duckdb

from ai_engine.catalogue import Catalogue, Dialect
from ai_engine.catalogue_from_ddl import catalogue_from_ddl
from ai_engine.guard import Policy
from ai_engine.types import CheckedStatement

FIXTURES = Path(__file__).parents[2] / "fixtures" / "sql"
DIALECTS: tuple[Dialect, ...] = ("duckdb", "sqlite", "postgres", "mysql")
WAREHOUSES: tuple[Dialect, ...] = (
    *("trino", "spark", "databricks", "snowflake", "bigquery"),
    *("tsql", "oracle", "clickhouse"),
)
POLICY = Policy(
    hidden_tables=frozenset({"staff_logins"}),
    restricted_columns={"customers": frozenset({"national_id", "phone"}), "cards": frozenset({"pan"})},
)
UNION_POLICY = replace(POLICY, allow_union=True)


@dataclass(frozen=True, slots=True)
class Case:
    """One statement of a fixture file, with the comment above it."""

    dialect: Dialect
    reason: str
    sql: str


@cache
def catalogue(dialect: Dialect) -> Catalogue:
    return catalogue_from_ddl((FIXTURES / "schema.sql").read_text(), dialect)


def cases(kind: str, dialects: Sequence[Dialect] = DIALECTS) -> list[Case]:
    """Read `<folder>/<kind>.sql` for every dialect; what stands under `common` holds for all four, and for most others.

    A comment stands above one statement; in `analyst` above several of a kind, each on a line of its own.
    """
    found = []
    for dialect in dialects:
        for path in (FIXTURES / "common" / f"{kind}.sql", FIXTURES / dialect / f"{kind}.sql"):
            text = path.read_text() if path.exists() else ""
            for block in filter(None, text.strip().split("\n\n")):
                comment, *statements = block.strip().split("\n")
                assert comment.startswith("-- ") and statements, f"a fixture needs its reason above it: {block}"
                whole = statements if kind == "analyst" else ["\n".join(statements)]
                found.extend(Case(dialect, comment[3:], sql) for sql in whole)
    return found


def setup_statements() -> list[str]:
    script = (FIXTURES / "schema.sql").read_text() + (FIXTURES / "rows.sql").read_text()
    lines = [line for line in script.splitlines() if not line.startswith("--")]
    return [statement for statement in "\n".join(lines).split(";") if statement.strip()]


def sqlite_bank() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.executescript(";".join(setup_statements()))
    return connection


def duckdb_bank() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(":memory:", config={"threads": 1})
    for statement in setup_statements():
        connection.execute(statement)
    return connection


def require_same_result(connection: Any, case: Case, checked: CheckedStatement) -> None:
    """What runs gives the rows and names of the text that is shown, and the rows of the one that was written.

    A star that leaves columns out gives other rows than the one that was written. DuckDB calls a column without a name
    by a text of its own, the guard by the text of the page.
    """
    names, rows = _result_of(connection, checked.run_sql)
    shown_names, shown_rows = _result_of(connection, checked.sql)
    assert _alike(rows, shown_rows), case.sql
    if "*" not in case.sql.split("FROM")[0] and case.reason not in _ROUNDED_DIFFERENTLY:
        assert _alike(rows, rows_of(connection, case.sql)), case.sql
    for name, shown in zip(names, shown_names, strict=True):
        is_text = case.dialect == "duckdb" and _plain(name) in _plain(checked.sql)
        assert is_text or _plain(name) == _plain(shown), case.sql


_ROUNDED_DIFFERENTLY = {"math"}


def _alike(ran: list[tuple[Any, ...]], written: list[tuple[Any, ...]]) -> bool:
    return ran == written or Counter(map(repr, ran)) == Counter(map(repr, written))


def _plain(text: str) -> str:
    """A text without blanks, in which line breaks and indentation make no difference."""
    return "".join(text.split())


def _result_of(connection: Any, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    cursor = connection.cursor()
    try:
        cursor.execute(sql)
        return [column[0] for column in cursor.description], list(cursor.fetchall())
    finally:
        cursor.close()


def rows_of(connection: Any, sql: str) -> list[tuple[Any, ...]]:
    """Run one statement without parameters on any of the four databases."""
    cursor = connection.cursor()
    try:
        cursor.execute(sql)
        return list(cursor.fetchall())
    finally:
        cursor.close()
