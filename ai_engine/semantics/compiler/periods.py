"""Arithmetic on periods: the one before, the same one a year earlier, and the steps inside one."""

from __future__ import annotations

import calendar
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from ai_engine.errors import IntentNotCovered
from ai_engine.semantics.intent import Period

Compare = Literal["previous_period", "same_period_last_year"]


@dataclass(frozen=True)
class Shift:
    """How far an earlier period must move forward to lie on the later one; one of the two is zero."""

    months: int = 0
    days: int = 0


def earlier(period: Period | None, compare: Compare) -> tuple[Period, Shift]:
    """Return the period to compare with, and its distance.

    Whole months go back by whole months, anything else by as many days as the period has.

    Raises:
        IntentNotCovered: the period is open on a side.
    """
    if period is None or period.start is None or period.end is None:
        raise IntentNotCovered("a comparison needs a period with a start and an end")
    if compare == "same_period_last_year":
        shift = Shift(months=12)
    elif period.start.day == 1 and period.end.day == 1:
        months = (period.end.year - period.start.year) * 12 + period.end.month - period.start.month
        shift = Shift(months=months)
    else:
        shift = Shift(days=(period.end - period.start).days)
    start, end = (moved(day, -shift.months, -shift.days) for day in (period.start, period.end))
    label = "the year before" if compare == "same_period_last_year" else "the period before"
    return Period(start=start, end=end, label=label, field=period.field), shift


def moved(day: date, months: int = 0, days: int = 0) -> date:
    """Return a day moved by calendar months (clamped to the month's end) and days."""
    count = day.year * 12 + day.month - 1 + months
    year, month = divmod(count, 12)
    last = calendar.monthrange(year, month + 1)[1]
    return date(year, month + 1, min(day.day, last)) + timedelta(days=days)
