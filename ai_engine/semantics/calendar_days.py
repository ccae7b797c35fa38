"""Calendar arithmetic on days: the unit around a day, days moved by units, how days are written."""

from __future__ import annotations

import calendar
from datetime import date, timedelta
from typing import Literal, TypeAlias

Unit: TypeAlias = Literal["day", "week", "month", "quarter", "year", "fiscal year", "fiscal quarter"]


_LAST_DAY, _WHOLE_YEAR, _THIS_CENTURY = 31, 100, 50


def around(unit: Unit, day: date, shift: int, fiscal_start: int) -> tuple[date, date]:
    """First day of the unit that lies `shift` units from the one holding `day`, and the first day after it."""
    if unit == "day":
        start = day + timedelta(days=shift)
        return start, start + timedelta(days=1)
    if unit == "week":
        start = day - timedelta(days=day.weekday()) + timedelta(weeks=shift)
        return start, start + timedelta(weeks=1)
    if unit == "month":
        start = add_months(day.replace(day=1), shift)
        return start, add_months(start, 1)
    if unit in {"quarter", "fiscal quarter"}:
        first_month = fiscal_start if unit == "fiscal quarter" else 1
        start = add_months(day.replace(day=1), 3 * shift - (day.month - first_month) % 3)
        return start, add_months(start, 3)
    first_month = fiscal_start if unit == "fiscal year" else 1
    start = date(day.year - (day.month < first_month) + shift, first_month, 1)
    return start, add_months(start, 12)


def moved(day: date, unit: Unit, count: int) -> date:
    """The day that lies `count` units on; negative counts go back."""
    if unit in {"day", "week"}:
        return day + timedelta(days=count * (7 if unit == "week" else 1))
    return add_months(day, count * {"month": 1, "quarter": 3}.get(unit, 12))


def spell(day: date) -> str:
    """Write a day as people do: 15 March 2024."""
    return f"{day.day} {calendar.month_name[day.month]} {day.year}"


def add_months(day: date, months: int) -> date:
    """Move by whole months; the last day of a month stays within its month."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def written_day(text: str, *, month_first: bool = False) -> date | None:
    """Read a day in figures: year first as in ISO, else day first as in India, unless the month is known to be first.

    Of a year only the last two digits may be written; those below 50 are of this century.
    """
    first, second, third = (int(part) for part in text.replace("/", "-").replace(".", "-").split("-"))
    if first > _LAST_DAY:
        year, month, day = first, second, third
    else:
        year = third if third >= _WHOLE_YEAR else third + (2000 if third < _THIS_CENTURY else 1900)
        day, month = (second, first) if month_first else (first, second)
    try:
        return date(year, month, day)
    except ValueError:
        return None


def same_year(start: date, end: date) -> date:
    """The first of two dates takes its year from the second: "January to March 2024"."""
    moved = start.replace(year=end.year, day=min(start.day, calendar.monthrange(end.year, start.month)[1]))
    return moved if moved < end else add_months(moved, -12)
