"""Periods as conditions on a date, and how one precedes another."""

from __future__ import annotations

from datetime import date, timedelta

from ai_engine.built_in.meanings import Days
from ai_engine.semantics.intent import Condition, FieldRef, Filter

_DAYS_BETWEEN_LENGTHS = 4  # of two months or quarters that follow each other


def in_days(days: Days, field: FieldRef) -> tuple[Filter, ...]:
    """A period as conditions on a date."""
    found = []
    if days.start is not None:
        found.append(Condition(field=field, operator=">=", values=(days.start,)))
    if days.end is not None:
        found.append(Condition(field=field, operator="<", values=(days.end,)))
    return tuple(found)


def next_to(first: Days, second: Days) -> str | None:
    """How one period precedes another: right before it, or a year earlier."""
    if first.start is None or first.end is None or second.start is None or second.end is None:
        return None
    lengths = abs((first.end - first.start) - (second.end - second.start))
    if second.end == first.start and lengths <= timedelta(days=_DAYS_BETWEEN_LENGTHS):
        return "previous_period"
    if _year_before(first.start) == second.start and _year_before(first.end) == second.end:
        return "same_period_last_year"
    return None


def _year_before(day: date) -> date:
    last = 28 if day.month == 2 else day.day
    return day.replace(year=day.year - 1, day=min(day.day, last))
