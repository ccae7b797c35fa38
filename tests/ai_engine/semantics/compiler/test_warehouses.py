"""What is written for databases that cannot be started here: read back, and judged by DuckDB."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

import pytest

from ai_engine.catalogue import Dialect
from ai_engine.semantics.compiler import compile_intent, dialects, idioms, reserved_words, source
from ai_engine.semantics.compiler.date_sql import DATE_SQL

from .bank import AS_OF, MODEL, comparable, duckdb_bank
from .intents import SHAPES
from .other_engines import NOT_STARTED, read_back, rows_in_duckdb
from .test_shapes import expected, written

EVERY: tuple[Dialect, ...] = get_args(Dialect)
TABLES: dict[str, Mapping[Dialect, Any]] = {
    f"{module.__name__}.{name}": value
    for module in (dialects, idioms, reserved_words, source)
    for name, value in vars(module).items()
    if isinstance(value, dict) and set(value) & set(EVERY)
}


def test_every_table_of_the_compiler_knows_every_dialect() -> None:
    assert len(TABLES) > 5
    assert {name for name, table in TABLES.items() if set(table) != set(EVERY)} == set()
    assert set(DATE_SQL) == set(EVERY)
    assert {dialect for dialect in EVERY if set(DATE_SQL[dialect]) != set(DATE_SQL["duckdb"])} == set()


def compiled(dialect: Dialect) -> dict[str, str]:
    return {name: compile_intent(intent, MODEL, dialect, AS_OF).sql for name, intent in SHAPES.items()}


@pytest.mark.parametrize("dialect", NOT_STARTED)
def test_every_shape_is_read_back_as_it_was_written(dialect: Dialect) -> None:
    other = {name: (sql, back) for name, sql in compiled(dialect).items() if (back := read_back(sql, dialect)) != sql}
    assert other == {}


@pytest.mark.parametrize("dialect", NOT_STARTED)
def test_every_shape_means_the_rows_of_its_file(dialect: Dialect) -> None:
    other = {}
    with duckdb_bank() as bank:
        for name, sql in compiled(dialect).items():
            found = days(written(comparable(rows_in_duckdb(sql, dialect, bank)), name))
            if found != days(expected(name)[1]):
                other[name] = (sql, found)
    assert other == {}


def days(lines: list[str]) -> list[str]:
    """Write moments at midnight as days: adding months to a date makes one of the other in DuckDB."""
    return [line.replace(" 00:00:00", "") for line in lines]
