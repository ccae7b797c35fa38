"""Months as people name them: "October 2026", "Oct 2026", "2026-10", "last month", "in October"."""

from __future__ import annotations

import calendar
import re
from datetime import date, timedelta
from typing import NamedTuple

_NAMES = {name.lower(): number for number, name in enumerate(calendar.month_name) if name}
_NAMES |= {name.lower(): number for number, name in enumerate(calendar.month_abbr) if name} | {"sept": 9}
_NAME = "|".join(sorted(_NAMES, key=len, reverse=True))
_SAID = re.compile(
    rf"\b(?:(?P<ago>last|previous|this|current) month"
    rf"|(?P<name>{_NAME})\.?,? (?P<year>20\d\d)"
    rf"|(?P<iso_year>20\d\d)-(?P<iso>0[1-9]|1[0-2])\b(?!-)"
    rf"|(?P<before>in|for|of|end) (?P<alone>{_NAME})\b(?! \d))",
    re.IGNORECASE,
)


class SaidMonth(NamedTuple):
    """Where a month is named, and its first day."""

    start: int
    end: int
    first: date


def find_month(text: str, as_of: date) -> SaidMonth | None:
    """Find the first month that a text names; one without a year is the latest that has begun by `as_of`."""
    found = _SAID.search(text)
    if found is None:
        return None
    if found["ago"]:
        this = as_of.replace(day=1)
        first = this if found["ago"].lower() in {"this", "current"} else before(this)
        return SaidMonth(found.start(), found.end(), first)
    if found["alone"]:
        number = _NAMES[found["alone"].lower()]
        year = as_of.year if number <= as_of.month else as_of.year - 1
        return SaidMonth(found.start("alone"), found.end(), date(year, number, 1))
    year = int(found["year"] or found["iso_year"])
    number = _NAMES[found["name"].lower()] if found["name"] else int(found["iso"])
    return SaidMonth(found.start(), found.end(), date(year, number, 1))


def before(first: date) -> date:
    """Return the first day of the month before."""
    return (first - timedelta(days=1)).replace(day=1)


def last_day(first: date) -> date:
    """Return the last day of a month."""
    return first.replace(day=calendar.monthrange(first.year, first.month)[1])


def said_month(first: date) -> str:
    """Name a month: "October 2026"."""
    return f"{calendar.month_name[first.month]} {first.year}"


def last_over(as_of: date) -> date:
    """Return the first day of the last month that is over on a day."""
    this = as_of.replace(day=1)
    return this if last_day(this) == as_of else before(this)
