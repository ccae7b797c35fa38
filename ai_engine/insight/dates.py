"""Dates and positions in time as people say them: 31 March 2025, March 2025, Q1 FY 2025-26, Monday."""

from __future__ import annotations

import calendar
import re
from collections.abc import Sequence
from datetime import date, datetime, time
from typing import Literal, TypeAlias

from ai_engine.formats import PLAIN, Formats
from ai_engine.semantics.calendar_days import add_months
from ai_engine.semantics.period_words import said_fiscal_year
from ai_engine.types import OutputColumn, Scalar

Step: TypeAlias = Literal["day", "week", "month", "quarter", "year", "fiscal_quarter", "fiscal_year"]
Cycle: TypeAlias = Literal["weekday", "month_of_year", "hour_of_day", "day_of_month"]

_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_FISCAL = re.compile(r"FY(\d{4})(?:-Q([1-4]))?")
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
_EARLIEST_YEAR, _LATEST_YEAR = 1800, 2200
_CYCLE_BOUNDS: dict[Cycle, tuple[int, int]] = {
    "weekday": (1, 7),
    "month_of_year": (1, 12),
    "hour_of_day": (0, 23),
    "day_of_month": (1, 31),
}


def spell_timestamp(moment: datetime, formats: Formats = PLAIN) -> str:
    """Write a moment to the minute; midnight without a zone is just the day."""
    if moment.time() == time() and moment.tzinfo is None:
        return formats.day(moment)
    return f"{formats.day(moment)}, {moment:%H:%M}{f' {moment:%Z}' if moment.tzinfo else ''}"


def cycle_of(column: OutputColumn, values: Sequence[Scalar]) -> Cycle | None:
    """Tell whether a column holds parts that come round again (Monday, 14 o'clock) rather than one run of time."""
    words = _words(column)
    for word, cycle in _CYCLE_WORDS:
        if word in words and _all_within(values, *_CYCLE_BOUNDS[cycle]):
            return cycle
    if "month" in words and _all_within(values, 1, 12):
        return "month_of_year"
    return None


def spell_position(
    value: Scalar,
    column: OutputColumn,
    values: Sequence[Scalar],
    fiscal_start_month: int = 4,
    formats: Formats = PLAIN,
) -> str:
    """Write one value of a time column as finely as its column steps.

    Args:
        value: the cell to write.
        column: its column, whose name or label may say "month" or "fiscal quarter".
        values: all cells of that column, which show the step where the name does not.
        fiscal_start_month: 1-12.
        formats: how a day is written.
    """
    cycle = cycle_of(column, values)
    if cycle is not None and isinstance(value, (int, float)):
        return _spell_part(int(value), cycle)
    day = _as_day(value)
    if isinstance(value, str) and _FISCAL.fullmatch(value):
        day = first_day_of(value, fiscal_start_month)
    if day is None:
        return _spell_text(value)
    if isinstance(value, datetime) and value.time() != time():
        return spell_timestamp(value, formats)
    return _spell_step(day, step_of(column, values), fiscal_start_month, formats)


def first_day_of(value: Scalar, fiscal_start_month: int) -> date | None:
    """Return the day with which a step of time begins, as its cell tells it; None where it tells none."""
    if isinstance(value, int) and not isinstance(value, bool) and _EARLIEST_YEAR <= value <= _LATEST_YEAR:
        return date(value, 1, 1)
    if isinstance(value, str) and (fiscal := _FISCAL.fullmatch(value)):
        january = date(int(fiscal[1]), 1, 1)
        start = add_months(january, fiscal_start_month - 1 - (12 if fiscal_start_month > 1 else 0))
        return add_months(start, 3 * (int(fiscal[2] or 1) - 1))
    if isinstance(value, str) and (month := _ISO_MONTH.fullmatch(value)):
        return date(int(month[1]), int(month[2]), 1)
    return _as_day(value)


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


def step_of(column: OutputColumn, values: Sequence[Scalar]) -> Step:
    """Tell how finely a column of time steps: by its name, else by its cells."""
    different = {(type(value), value) for value in values}  # a few months stand in many rows
    days = {day for day in (first_day_of(value, 1) for _, value in different) if day is not None}
    if not days or any(day.day != 1 for day in days):
        return "week" if "week" in _words(column) else "day"
    words = _words(column)
    for word, step in _STEP_WORDS:
        if word in words:
            return step
    return "month" if len(days) > 1 else "day"


def _spell_step(day: date, step: Step, fiscal_start_month: int, formats: Formats) -> str:
    if step == "week":
        return f"week of {formats.day(day)}"
    if step == "month":
        return f"{calendar.month_name[day.month]} {day.year}"
    if step == "quarter":
        return f"Q{(day.month - 1) // 3 + 1} {day.year}"
    if step == "year":
        return str(day.year)
    if step in {"fiscal_year", "fiscal_quarter"}:
        months = (day.month - fiscal_start_month) % 12
        year = said_fiscal_year(date(day.year - (day.month < fiscal_start_month), fiscal_start_month, 1))
        return year if step == "fiscal_year" else f"Q{months // 3 + 1} {year}"
    return formats.day(day)
