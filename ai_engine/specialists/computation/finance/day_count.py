"""Which part of a year lies between two dates, by the conventions that contracts name."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

DAY_COUNT_CONVENTIONS = ("actual/360", "actual/365 fixed", "actual/actual isda", "30/360 us", "30e/360")


def day_count_fraction(start: date, end: date, convention: str = "actual/365 fixed") -> Decimal:
    """Return the part of a year from `start` to `end`.

    Args:
        start: first day, counted.
        end: last day, not counted; not before `start`.
        convention: one of `DAY_COUNT_CONVENTIONS`, in any case.

    Returns:
        Years, unrounded.

    Raises:
        ValueError: the dates are in the wrong order, or the convention is not known.

    Source: 2006 ISDA Definitions, section 4.16: (b) actual/actual, (d) actual/365 fixed, (e) actual/360, (f) 30/360,
    (g) 30E/360.
    """
    if end < start:
        raise ValueError("the end lies before the start")
    name = convention.lower()
    if name == "actual/360":
        return Decimal((end - start).days) / 360
    if name == "actual/365 fixed":
        return Decimal((end - start).days) / 365
    if name == "actual/actual isda":
        return _actual_actual(start, end)
    if name in {"30/360 us", "30e/360"}:
        return _thirty(start, end, name == "30e/360")
    raise ValueError(f"unknown day count convention {convention}: use one of {', '.join(DAY_COUNT_CONVENTIONS)}")


def _actual_actual(start: date, end: date) -> Decimal:
    """Days in leap years over 366, the others over 365."""
    fraction = Decimal(0)
    for year in range(start.year, end.year + 1):
        first = max(start, date(year, 1, 1))
        after = min(end, date(year + 1, 1, 1))
        days_of_year = (date(year + 1, 1, 1) - date(year, 1, 1)).days
        fraction += Decimal(max(0, (after - first).days)) / days_of_year
    return fraction


def _thirty(start: date, end: date, european: bool) -> Decimal:
    """Every month has 30 days; the conventions differ in what the 31st becomes."""
    first_day = min(start.day, 30)
    last_day = end.day
    if last_day == 31 and (european or first_day == 30):
        last_day = 30
    days = 360 * (end.year - start.year) + 30 * (end.month - start.month) + last_day - first_day
    return Decimal(days) / 360
