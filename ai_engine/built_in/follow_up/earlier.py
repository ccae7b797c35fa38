"""The stretch of days before another one."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Literal, TypeAlias

from ai_engine.built_in.follow_up.address import Lean
from ai_engine.semantics.intent import Period

Unit: TypeAlias = Literal["month", "quarter", "year", "period"]
BEFORE: Mapping[Lean, Unit] = {
    "month_before": "month", "quarter_before": "quarter", "year_before": "year", "period_before": "period",
}  # fmt: skip
_MONTHS = {"month": 1, "quarter": 3, "year": 12}


def earlier_period(period: Period, unit: Unit) -> Period | None:
    """Return the month, quarter or year before a period, or the equally long stretch before it.

    A year before keeps the days of the year. None where the period is open or the day does not exist then.
    """
    if period.start is None or period.end is None:
        return None
    if unit == "year":
        start, end = _shifted(period.start, -12), _shifted(period.end, -12)
    elif unit in _MONTHS:
        first = period.start.replace(day=1)
        if unit == "quarter":
            first = first.replace(month=(first.month - 1) // 3 * 3 + 1)
        start, end = _shifted(first, -_MONTHS[unit]), first
    elif period.start.day == period.end.day == 1:
        months = (period.end.year - period.start.year) * 12 + period.end.month - period.start.month
        start, end = _shifted(period.start, -months), period.start
    else:
        start, end = period.start - (period.end - period.start), period.start
    return (
        None
        if start is None or end is None
        else Period(start=start, end=end, label=_label(start, end), field=period.field)
    )


def _shifted(day: date, months: int) -> date | None:
    count = day.year * 12 + day.month - 1 + months
    try:
        return day.replace(year=count // 12, month=count % 12 + 1)
    except ValueError:
        return None


def _label(start: date, end: date) -> str:
    if start.day == end.day == 1 and _shifted(start, 1) == end:
        return f"{start:%B %Y}"
    if start.day == end.day == 1 and start.month == 1 and _shifted(start, 12) == end:
        return str(start.year)
    return "the period before"
