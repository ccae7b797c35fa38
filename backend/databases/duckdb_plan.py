"""What DuckDB's plan of a statement says that it will read.

A plan names the columns of each scan, and how many rows are expected behind its filters; a scan reads more than those,
so rows are taken from the table. DuckDB passes over blocks whose least and greatest value a filter rules out, of which
its plans tell nothing: the estimate is what is read at most. Bytes are those of the columns' types, as what they take
of the file would tell of all its other columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import duckdb

from ai_engine.types import ScanEstimate

_WIDTHS_BYTES = {
    **dict.fromkeys(("BOOLEAN", "TINYINT", "UTINYINT"), 1),
    **dict.fromkeys(("SMALLINT", "USMALLINT"), 2),
    **dict.fromkeys(("INTEGER", "UINTEGER", "FLOAT", "DATE"), 4),
    **dict.fromkeys(("HUGEINT", "UHUGEINT", "UUID", "INTERVAL", "VARCHAR"), 16),
}
_DECIMAL = re.compile(r"DECIMAL\((\d+)")
_OTHER_WIDTH_BYTES = 8
_WORD = re.compile(r"\w+")
_SCANS = ("SEQ_SCAN", "TABLE_SCAN", "INDEX_SCAN")
_LIMITS = ("STREAMING_LIMIT", "LIMIT")

_TABLES = """
    SELECT t.database_name || '.' || t.schema_name || '.' || t.table_name, t.estimated_size,
        list(c.column_name), list(c.data_type)
    FROM duckdb_tables() AS t JOIN duckdb_columns() AS c USING (table_oid, database_name, schema_name)
    WHERE NOT t.internal GROUP BY ALL"""


@dataclass(frozen=True, slots=True)
class StoredTable:
    """Rows of a table, and what a row takes of each column by its type; the file is shorter, as DuckDB compresses."""

    rows: int
    widths_bytes: Mapping[str, int]


def stored_tables(connection: duckdb.DuckDBPyConnection) -> dict[str, StoredTable]:
    """Return the tables by the names that plans give them."""
    return {
        name: StoredTable(rows, dict(zip(columns, map(_width_bytes, types), strict=True)))
        for name, rows, columns, types in connection.execute(_TABLES).fetchall()
    }


def _width_bytes(declared: str) -> int:
    decimal = _DECIMAL.match(declared)
    if decimal:
        digits = int(decimal[1])
        return 2 if digits <= 4 else 4 if digits <= 9 else 8 if digits <= 18 else 16
    return _WIDTHS_BYTES.get(declared, _OTHER_WIDTH_BYTES)


def read_plan(plan: list[dict[str, Any]], tables: Mapping[str, StoredTable], most_rows: int | None) -> ScanEstimate:
    """Add up what each scan reads; None of rows and bytes where one is of a table that is not known.

    `most_rows` is the statement's own limit, of which the plan tells no more than the place.
    """
    work = float(sum(_expected(step) for step in _steps(plan)))
    rows, read_bytes = 0, 0
    for scan, ends_early in _scans(plan, ends_early=False):
        told = scan.get("extra_info", {})
        table = tables.get(str(told.get("Table")))
        if table is None:
            return ScanEstimate(work=work)
        by_index = told.get("Type") == "Index Scan"
        looked_at = min(_expected(scan), table.rows) if by_index else table.rows
        looked_at = min(looked_at, most_rows) if ends_early and most_rows is not None else looked_at
        rows += looked_at
        read_bytes += looked_at * sum(table.widths_bytes[name] for name in _columns(told) & table.widths_bytes.keys())
    return ScanEstimate(rows, read_bytes, work)


def _steps(steps: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for step in steps:
        yield step
        yield from _steps(step.get("children", []))


def _scans(steps: list[dict[str, Any]], *, ends_early: bool) -> Iterator[tuple[dict[str, Any], bool]]:
    """Yield each scan, and whether a limit ends it: where nothing between the two needs all rows."""
    for step in steps:
        name = str(step.get("name", "")).strip()
        if name in _SCANS:
            yield step, ends_early and not step.get("extra_info", {}).get("Filters")
        below = name in _LIMITS or (ends_early and name == "PROJECTION")
        yield from _scans(step.get("children", []), ends_early=below)


def _expected(step: dict[str, Any]) -> int:
    return int(step.get("extra_info", {}).get("Estimated Cardinality", 0))


def _columns(told: dict[str, Any]) -> set[str]:
    """Name the columns that a scan reads: those that it hands on, and those that it filters by."""
    said = [told.get("Projections", []), told.get("Filters", [])]
    projected, filters = ([part] if isinstance(part, str) else part for part in said)
    return {*projected, *(word for text in filters for word in _WORD.findall(text))}
