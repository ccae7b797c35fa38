"""Arithmetic on periods: the one before, the same one a year earlier, and the steps inside one."""

from __future__ import annotations

import calendar
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from ai_engine.errors import IntentNotCovered
from ai_engine.semantics.intent import FIRST_YEAR, Period

_NO_SUCH_DAYS = "there are no days as far back, or as far ahead, as this asks for"
Compare = Literal["previous_period", "same_period_last_year"]


@dataclass(frozen=True)
class Shift:
    """How far an earlier period must move forward to lie on the later one; one of the two is zero."""

    months: int = 0
    days: int = 0


def like_with_like(period: Period | None, compare: Compare) -> tuple[Period, Period, Shift]:
    """Return the days of a period that are compared, the earlier days they are held against, and the distance.

    Whole months go back by whole months, anything else by as many days as the period has. Of a period that is not over
    only the days until `until` are compared, with the same days of the earlier one.

    Raises:
        IntentNotCovered: the period is open on a side, or nothing lies before it.
    """
    if period is None or period.start is None or period.end is None:
        raise IntentNotCovered("a comparison needs a period with a start and an end")
    shift = _distance(period.start, period.end, compare)
    covered = None if period.until is None or period.until < period.start else period.until + timedelta(days=1)
    end = period.end if covered is None else min(period.end, covered)
    label = "the year before" if compare == "same_period_last_year" else "the period before"
    before, before_end = (moved(day, -shift.months, -shift.days) for day in (period.start, end))
    now = period.model_copy(update={"end": end})
    return now, Period(start=before, end=before_end, label=label, field=period.field), shift


def _distance(start: date, end: date, compare: Compare) -> Shift:
    if compare == "same_period_last_year":
        return Shift(months=12)
    if start.day == 1 and end.day == 1:
        return Shift(months=(end.year - start.year) * 12 + end.month - start.month)
    return Shift(days=(end - start).days)


def moved(day: date, months: int = 0, days: int = 0) -> date:
    """Return a day moved by calendar months (clamped to the month's end) and days.

    Raises:
        IntentNotCovered: there are no periods as far back or ahead.
    """
    count = day.year * 12 + day.month - 1 + months
    year, month = divmod(count, 12)
    try:
        last = calendar.monthrange(year, month + 1)[1]
        there = date(year, month + 1, min(day.day, last)) + timedelta(days=days)
    except (ValueError, OverflowError) as error:
        raise IntentNotCovered(_NO_SUCH_DAYS) from error
    if there.year < FIRST_YEAR:
        raise IntentNotCovered(_NO_SUCH_DAYS)
    return there
