"""Every shape of question: its SQL as a reviewer reads it, and its rows on four databases."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ai_engine.catalogue import Dialect
from ai_engine.guard import check
from ai_engine.guard.policy import Policy
from ai_engine.semantics.compiler import compile_intent

from .bank import AS_OF, MODEL, ROWS, catalogue, comparable, ddl, duckdb_bank, sqlite_bank
from .intents import SHAPES

FOLDER = Path(__file__).parent / "shapes"
DIALECTS: tuple[Dialect, ...] = ("duckdb", "sqlite", "postgres", "mysql")
DATABASE_OF_THIS_TEST = f"compiler_shapes_test_{os.getpid()}"  # two processes may have tests of this file


def compiled(name: str, dialect: Dialect) -> str:
    return compile_intent(SHAPES[name], MODEL, dialect, AS_OF).sql


def expected(name: str) -> tuple[str, list[str]]:
    """Read a shape's file: the SQL for DuckDB, and after `-- rows:` one row per comment line."""
    sql, _, rows = (FOLDER / f"{name}.sql").read_text(encoding="utf-8").partition("-- rows:\n")
    return sql.strip(), [line.removeprefix("-- ") for line in rows.strip().splitlines()]


def written(rows: list[tuple[Any, ...]], name: str) -> list[str]:
    """Write rows as the files have them; where nothing asks for an order, sorted."""
    intent = SHAPES[name]
    lines = [" | ".join(_text(value) for value in row) for row in rows]
    return lines if intent.order or intent.dimensions or intent.limit else sorted(lines)


def _text(value: Any) -> str:
    if value is None:
        return "NULL"
    return f"{value + 0.0:.3f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def test_every_shape_has_a_file_and_every_file_a_shape() -> None:
    assert {path.stem for path in FOLDER.glob("*.sql")} == set(SHAPES)


@pytest.mark.parametrize("name", SHAPES)
def test_the_sql_reads_as_written_in_the_file(name: str) -> None:
    assert compiled(name, "duckdb") == expected(name)[0]


@pytest.mark.parametrize("name", SHAPES)
def test_duckdb_and_sqlite_return_the_rows_of_the_file(name: str) -> None:
    with duckdb_bank() as duck:
        on_duckdb = comparable(duck.execute(compiled(name, "duckdb")).fetchall())
    lite = sqlite_bank()
    on_sqlite = comparable(lite.execute(compiled(name, "sqlite")).fetchall())
    lite.close()
    assert written(on_duckdb, name) == expected(name)[1]
    assert written(on_sqlite, name) == expected(name)[1]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", SHAPES)
def test_the_guard_lets_every_compiled_statement_through(name: str, dialect: Dialect) -> None:
    check(compiled(name, dialect), catalogue(dialect), Policy())


@pytest.mark.parametrize("name", SHAPES)
def test_columns_are_described_in_the_order_of_the_result(name: str) -> None:
    draft = compile_intent(SHAPES[name], MODEL, "duckdb", AS_OF)
    with duckdb_bank() as duck:
        names = [item[0] for item in duck.execute(draft.sql).description]
    assert names == [column.name for column in draft.columns]
    assert len(set(names)) == len(names)
    assert all(column.label for column in draft.columns)


def _absent(what: str, error: Exception) -> None:
    if os.environ.get("CI") == "true":
        raise error
    pytest.skip(f"{what} does not answer on loopback: {error}")


@pytest.fixture(scope="module")
def postgres() -> Iterator[Any]:
    psycopg = pytest.importorskip("psycopg")
    try:
        connection = psycopg.connect("host=127.0.0.1 user=postgres dbname=postgres", autocommit=True)
    except psycopg.OperationalError as error:
        _absent("PostgreSQL", error)
    connection.execute(f"CREATE SCHEMA {DATABASE_OF_THIS_TEST}")
    connection.execute(f"SET search_path TO {DATABASE_OF_THIS_TEST}")
    _fill(connection, "postgres")
    yield connection
    connection.execute(f"DROP SCHEMA {DATABASE_OF_THIS_TEST} CASCADE")
    connection.close()


@pytest.fixture(scope="module")
def mariadb() -> Iterator[Any]:
    pymysql = pytest.importorskip("pymysql")
    try:
        connection = pymysql.connect(host="127.0.0.1", user="root", autocommit=True)
    except pymysql.err.OperationalError as error:
        _absent("MariaDB", error)
    cursor = connection.cursor()
    cursor.execute(f"CREATE DATABASE {DATABASE_OF_THIS_TEST}")
    cursor.execute(f"USE {DATABASE_OF_THIS_TEST}")
    _fill(cursor, "mysql")
    yield cursor
    cursor.execute(f"DROP DATABASE {DATABASE_OF_THIS_TEST}")
    connection.close()


def _fill(cursor: Any, dialect: Dialect) -> None:
    for statement in ddl(dialect):
        cursor.execute(statement)
    for name, items in ROWS.items():
        for item in items:
            cursor.execute(f"INSERT INTO {name} VALUES ({', '.join(['%s'] * len(item))})", item)


@pytest.mark.server
@pytest.mark.parametrize("name", SHAPES)
def test_postgresql_returns_the_same_rows(postgres: Any, name: str) -> None:
    rows = comparable(postgres.execute(compiled(name, "postgres").replace("%", "%%"), ()).fetchall())
    assert written(rows, name) == expected(name)[1]


@pytest.mark.server
@pytest.mark.parametrize("name", SHAPES)
def test_mariadb_returns_the_same_rows(mariadb: Any, name: str) -> None:
    mariadb.execute(compiled(name, "mysql"))
    rows = comparable(mariadb.fetchall())
    assert written(rows, name) == expected(name)[1]
