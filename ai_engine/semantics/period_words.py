"""Days as people say them: "August 2026", "1 to 22 November 2026", "FY 2025-26", "since 1 April 2026"."""

from __future__ import annotations

import calendar
import re
from datetime import date, timedelta

from ai_engine.semantics.intent import Period

_MONTHS_PER_YEAR = 12
_JANUARY = 1
_SHORT_MONTH_CHARS = 3
_END, _LATEST = "end of", "latest date"
_ONE_DAY = re.compile(r"\d{1,2} |\d{4}-\d\d-\d\d$|\d\d/\d\d/\d{4}$")
_MONTH = re.compile(rf"\b(?:{'|'.join(calendar.month_name[1:])})\b")


def said_days(start: date | None, end: date | None, fiscal_start: int) -> str:
    """Name the days from `start` up to but not including `end`; None leaves that side open.

    Args:
        start: the first day.
        end: the day after the last.
        fiscal_start: month (1-12) in which the fiscal year begins.
    """
    if start is None or end is None:
        if start is not None:
            return f"since {_day(start)}"
        return f"until {_day(end - timedelta(days=1))}" if end is not None else ""
    if start.day == end.day == 1 and start < end:
        return _months(start, end, fiscal_start)
    return _range(start, end - timedelta(days=1))


def covered_days(period: Period, fiscal_start: int) -> str:
    """Name the days of a period that the data can cover; all of them where it covers none.

    Args:
        period: the period, with `until` where it is known.
        fiscal_start: month (1-12) in which the fiscal year begins.
    """
    cut = period.until is not None and not lies_behind_the_data(period)
    end = period.until + timedelta(days=1) if cut and period.until is not None else period.end
    return said_days(period.start, end, fiscal_start)


def lies_behind_the_data(period: Period) -> bool:
    """Tell whether a period begins after the last day that the data covers."""
    return period.until is not None and period.start is not None and period.start > period.until


def during(days: str) -> str:
    """Put the preposition before days: "in August 2026", "on 5 March 2026", "from April to June 2026"."""
    if not days or days.startswith(("since ", "until ")):
        return days
    if days.startswith((_END, _LATEST)):
        return f"{'at the' if days.startswith(_END) else 'on the'} {days}"
    if " to " in days:
        return f"from {days}"
    is_day = _ONE_DAY.match(days) is not None
    return f"{'on' if is_day else 'in'} {days}"


def on_latest_of(days: str) -> str:
    """Name the latest date among days: "end of January to March 2026", "latest date since 1 April 2026"."""
    return f"{_LATEST if days.startswith(('since ', 'until ')) else _END} {days}"


def short_months(days: str) -> str:
    """Shorten the names of months in days: "1 Jan to 23 Nov 2026"."""
    return _MONTH.sub(lambda found: found[0][:_SHORT_MONTH_CHARS], days)


def said_fiscal_year(start: date) -> str:
    """Name the fiscal year that begins on a day: "FY 2025-26"; the calendar year where it is one."""
    return str(start.year) if start.month == _JANUARY else f"FY {start.year}-{(start.year + 1) % 100:02d}"


def _months(start: date, end: date, fiscal_start: int) -> str:
    count = (end.year - start.year) * _MONTHS_PER_YEAR + end.month - start.month
    last = end - timedelta(days=1)
    years = count % _MONTHS_PER_YEAR == 0
    if count == 1:
        return f"{calendar.month_name[start.month]} {start.year}"
    if years and start.month in (_JANUARY, fiscal_start):
        first, final = said_fiscal_year(start), said_fiscal_year(date(end.year - 1, end.month, 1))
        return first if first == final else f"{first} to {final}"
    year = "" if start.year == last.year else f" {start.year}"
    return f"{calendar.month_name[start.month]}{year} to {calendar.month_name[last.month]} {last.year}"


def _range(first: date, last: date) -> str:
    if first >= last:
        return _day(first)
    if (first.year, first.month) == (last.year, last.month):
        return f"{first.day} to {_day(last)}"
    year = "" if first.year == last.year else f" {first.year}"
    return f"{first.day} {calendar.month_name[first.month]}{year} to {_day(last)}"


def _day(day: date) -> str:
    return f"{day.day} {calendar.month_name[day.month]} {day.year}"
