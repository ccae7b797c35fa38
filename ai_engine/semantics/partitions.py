"""Columns by which a warehouse keeps its rows apart, and what a date of those rows says of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal, TypeAlias

from ai_engine.types import ColumnType

PartitionGrain: TypeAlias = Literal["year", "month", "day", "month_of_year", "day_of_month"]
FORMATS: Mapping[str, PartitionGrain] = {
    "%Y": "year", "%Y%m": "month", "%Y-%m": "month", "%Y%m%d": "day", "%Y-%m-%d": "day",
    "%m": "month_of_year", "%d": "day_of_month",
}  # fmt: skip
"""How a text may spell a grain so that texts sort as their days do."""
_AS_NUMBER: Mapping[PartitionGrain, str] = {
    "year": "%Y", "month": "%Y%m", "day": "%Y%m%d", "month_of_year": "%m", "day_of_month": "%d",
}  # fmt: skip
_ZONES_ARE_ANY = timedelta(days=1)
_WITHOUT_ZONE = frozenset({"duckdb", "sqlite", "postgres", "trino", "oracle", "snowflake"})
"""Where a TIMESTAMP of which nothing else is said is the same moment of the day for everybody."""


@dataclass(frozen=True)
class Partition:
    """A column that is computed from a date of the same row; the vocabulary says so, and is believed.

    Attributes:
        column: of the dataset's table; no field needs to stand for it, as nobody asks for it.
        field: the date of the dataset from which it is computed.
        grain: what of the date it keeps: a number such as 2026, 202611, 20261121, 11 or 21, a date (the first day), or
            a text of this `format`.
        type: what the column holds; None where this database has no such column, and rows are not kept apart by it.
        zoned: the date is a moment whose day depends on the time zone, so that the column may be of the day beside.
    """

    column: str
    field: str
    grain: PartitionGrain
    format: str | None = None
    type: ColumnType | None = None
    zoned: bool = False

    def span(self, first: date | None, last: date | None) -> tuple[int | str | date | None, int | str | date | None]:
        """Return the least and the greatest value of rows from a first to a last day; None leaves a side open."""
        slack = _ZONES_ARE_ANY if self.zoned else timedelta()
        first = first - slack if first is not None else None
        last = last + slack if last is not None else None
        if self.grain in ("month_of_year", "day_of_month"):
            if first is None or last is None or first.year != last.year:
                return None, None
            if self.grain == "day_of_month" and first.month != last.month:
                return None, None
        return self._of(first), self._of(last)

    def _of(self, day: date | None) -> int | str | date | None:
        if day is None:
            return None
        if self.type == "date":
            return day if self.grain == "day" else day.replace(day=1, month=1 if self.grain == "year" else day.month)
        if self.type == "text" and self.format is not None:
            return day.strftime(self.format)
        return int(day.strftime(_AS_NUMBER[self.grain]))


def has_zone(native_type: str, dialect: str) -> bool:
    """Tell whether the day of a moment of this type depends on a time zone; in doubt it does."""
    spelled = native_type.upper()
    if "NTZ" in spelled or "WITHOUT" in spelled:
        return False
    if spelled.startswith(("DATETIME", "SMALLDATETIME")):
        return "OFFSET" in spelled or dialect == "clickhouse"
    return "TZ" in spelled or "ZONE" in spelled or dialect not in _WITHOUT_ZONE
