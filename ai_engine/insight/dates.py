"""Dates and positions in time as people say them: 31 March 2025, March 2025, Q1 FY 2025-26, Monday."""

from __future__ import annotations

import calendar
import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import Literal, TypeAlias

from ai_engine.types import OutputColumn, Scalar

Step: TypeAlias = Literal["day", "week", "month", "quarter", "year", "fiscal_quarter", "fiscal_year"]
Cycle: TypeAlias = Literal["weekday", "month_of_year", "hour_of_day", "day_of_month"]

_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_ISO_MONTH = re.compile(r"(\d{4})-(0[1-9]|1[0-2])")
_STEP_WORDS: tuple[tuple[str, Step], ...] = (
    ("fiscal quarter", "fiscal_quarter"),
    ("fiscal year", "fiscal_year"),
    ("financial year", "fiscal_year"),
    ("quarter", "quarter"),
    ("month", "month"),
    ("week", "week"),
    ("year", "year"),
)
_CYCLE_WORDS: tuple[tuple[str, Cycle], ...] = (
    ("weekday", "weekday"),
    ("day of week", "weekday"),
    ("month of year", "month_of_year"),
    ("hour", "hour_of_day"),
    ("day of month", "day_of_month"),
)
_MONTHS_IN: dict[Step, int] = {"month": 1, "quarter": 3, "fiscal_quarter": 3, "year": 12, "fiscal_year": 12}
_CYCLE_BOUNDS: dict[Cycle, tuple[int, int]] = {
    "weekday": (1, 7),
    "month_of_year": (1, 12),
    "hour_of_day": (0, 23),
    "day_of_month": (1, 31),
}


def spell_date(day: date) -> str:
    """Write a day as "31 March 2025"."""
    return f"{day.day} {calendar.month_name[day.month]} {day.year}"


def spell_timestamp(moment: datetime) -> str:
    """Write a moment to the minute; midnight without a zone is just the day."""
    if moment.time() == time() and moment.tzinfo is None:
        return spell_date(moment)
    return f"{spell_date(moment)}, {moment:%H:%M}{f' {moment:%Z}' if moment.tzinfo else ''}"


def cycle_of(column: OutputColumn, values: Sequence[Scalar]) -> Cycle | None:
    """Tell whether a column holds parts that come round again (Monday, 14 o'clock) rather than one run of time."""
    words = _words(column)
    for word, cycle in _CYCLE_WORDS:
        if word in words and _all_within(values, *_CYCLE_BOUNDS[cycle]):
            return cycle
    if "month" in words and _all_within(values, 1, 12):
        return "month_of_year"
    return None


def spell_position(value: Scalar, column: OutputColumn, values: Sequence[Scalar], fiscal_start_month: int = 4) -> str:
    """Write one value of a time column as finely as its column steps.

    Args:
        value: the cell to write.
        column: its column, whose name or label may say "month" or "fiscal quarter".
        values: all cells of that column, which show the step where the name does not.
        fiscal_start_month: 1-12.
    """
    cycle = cycle_of(column, values)
    if cycle is not None and isinstance(value, (int, float)):
        return _spell_part(int(value), cycle)
    day = _as_day(value)
    if day is None:
        return _spell_text(value)
    if isinstance(value, datetime) and value.time() != time():
        return spell_timestamp(value)
    return _spell_step(day, _step_of(column, values), fiscal_start_month)


def is_unfinished(value: Scalar, column: OutputColumn, values: Sequence[Scalar], as_of: date) -> bool:
    """Tell whether the month, quarter or year that begins at `value` was still running on the as-of date."""
    day = _as_day(value)
    months = _MONTHS_IN.get(_step_of(column, values)) if day is not None else None
    if day is None or months is None:
        return False
    over = day.year * 12 + day.month - 1 + months
    return day <= as_of and as_of + timedelta(days=1) < date(over // 12, over % 12 + 1, 1)


def _words(column: OutputColumn) -> str:
    return f"{column.name} {column.label}".lower().replace("_", " ")


def _all_within(values: Sequence[Scalar], low: int, high: int) -> bool:
    present = [value for value in values if value is not None]
    return bool(present) and all(
        isinstance(value, (int, float)) and not isinstance(value, bool) and low <= value <= high for value in present
    )


def _spell_part(number: int, cycle: Cycle) -> str:
    if cycle == "weekday":
        return calendar.day_name[number - 1]
    if cycle == "month_of_year":
        return calendar.month_name[number]
    return f"{number:02d}:00" if cycle == "hour_of_day" else f"day {number}"


def _as_day(value: Scalar) -> date | None:
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    if isinstance(value, str) and _ISO_DATE.fullmatch(value):
        try:
            return date.fromisoformat(value)
        except ValueError:
            return None
    return None


def _spell_text(value: Scalar) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = "(no date)" if value is None else str(value)
    month = _ISO_MONTH.fullmatch(text)
    return f"{calendar.month_name[int(month[2])]} {month[1]}" if month else text


def _step_of(column: OutputColumn, values: Sequence[Scalar]) -> Step:
    days = {day for day in map(_as_day, values) if day is not None}
    if not days or any(day.day != 1 for day in days):
        return "week" if "week" in _words(column) else "day"
    words = _words(column)
    for word, step in _STEP_WORDS:
        if word in words:
            return step
    return "month" if len(days) > 1 else "day"


def _spell_step(day: date, step: Step, fiscal_start_month: int) -> str:
    if step == "week":
        return f"week of {spell_date(day)}"
    if step == "month":
        return f"{calendar.month_name[day.month]} {day.year}"
    if step == "quarter":
        return f"Q{(day.month - 1) // 3 + 1} {day.year}"
    if step == "year":
        return str(day.year)
    if step in {"fiscal_year", "fiscal_quarter"}:
        months = (day.month - fiscal_start_month) % 12
        first = day.year - (1 if day.month < fiscal_start_month else 0)
        year = f"FY {first}-{(first + 1) % 100:02d}"
        return year if step == "fiscal_year" else f"Q{months // 3 + 1} {year}"
    return spell_date(day)
