"""Columns that keep the year in which something happened, and no finer day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from ai_engine.semantics.infer.naming import Key, NamedColumn, NamedTable
from ai_engine.types import Scalar

_EARLIEST, _LATEST = 1000, 2200
_NUMERIC = frozenset({"integer", "decimal", "float"})
_NO_CALENDAR_YEAR = frozenset({"fiscal", "financial", "fy", "number", "per", "to"})
_OTHER_PARTS = frozenset({"month", "quarter", "week"})


def year_columns(named: NamedTable, sampled: Mapping[Key, tuple[Scalar, ...]]) -> set[str]:
    """Return the lower-case columns that are years by their words and by every sampled value.

    A year beside the month of the same thing is a part of its date, not a date of its own.

    Args:
        named: the table.
        sampled: lower-case (table, column) to sampled values.
    """
    parts = [set(item.words) for item in named.columns if _OTHER_PARTS & set(item.words)]
    found = set()
    for item in named.columns:
        samples = sampled.get((named.table.name.lower(), item.column.name.lower()), ())
        if says_a_year(item.words) and holds_years(item, samples):
            what = set(item.words) - {"year"}
            if not any(what <= part for part in parts):
                found.add(item.column.name.lower())
    return found


def says_a_year(words: Sequence[str]) -> bool:
    """Tell whether words name a calendar year: "birth year", "year opened", "year of birth"."""
    return "year" in {*words[:1], *words[-1:]} and not _NO_CALENDAR_YEAR & set(words)


def holds_years(item: NamedColumn, samples: Sequence[Scalar]) -> bool:
    """Tell whether there are values and each of them is a year, as a number or as its four digits."""
    present = [value for value in samples if value is not None]
    if item.column.type not in _NUMERIC | {"text"} or not present:
        return False
    return all(_is_year(value) for value in present)


def _is_year(value: Scalar) -> bool:
    if isinstance(value, str):
        text = value.strip()
        return len(text) == len("1999") and text.isdecimal() and _EARLIEST <= int(text) <= _LATEST
    whole = isinstance(value, int | float | Decimal) and not isinstance(value, bool) and value == int(value)
    return whole and _EARLIEST <= int(value) <= _LATEST  # type: ignore[arg-type]


def year_expression(column: str, kind: str) -> str:
    """Return the SQL that reads such a column as whole numbers."""
    return column if kind == "integer" else f"CAST({column} AS BIGINT)"
