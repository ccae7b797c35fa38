"""Conditions on dates and moments that are said by whole days and years."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta

from sqlglot import exp

from ai_engine.catalogue import Dialect
from ai_engine.errors import IntentNotCovered
from ai_engine.semantics.compiler.dialects import moment
from ai_engine.semantics.intent import Condition, Value

COMPARE: dict[str, type[exp.Binary]] = {
    "=": exp.EQ, "!=": exp.NEQ, "<": exp.LT, "<=": exp.LTE, ">": exp.GT, ">=": exp.GTE,
}  # fmt: skip
DAY = timedelta(days=1)


def are_dates(values: Sequence[Value]) -> bool:
    """Tell whether all values are days or moments."""
    return all(isinstance(value, date) for value in values)


def are_days(values: Sequence[Value]) -> bool:
    """Tell whether all values are whole days."""
    return all(isinstance(value, date) and not isinstance(value, datetime) for value in values)


def by_year(condition: Condition) -> Condition:
    """Compare with the years of the dates given."""
    years = tuple(value.year for value in condition.values if isinstance(value, date))
    return condition.model_copy(update={"values": years})


def by_whole_years(condition: Condition) -> Condition:
    """Compare years with the first days of years: before 1 January 1995 is before 1995."""
    starts = all((value.month, value.day) == (1, 1) for value in condition.values if isinstance(value, date))
    if condition.operator not in ("<", ">=") or not starts:
        raise IntentNotCovered(f"{condition.field.field!r} knows years only, and the period is finer")
    return by_year(condition)


def days_of_timestamps(left: exp.Expr, condition: Condition, dialect: Dialect) -> exp.Expr:
    """Compare moments with whole days: the 5th means from its midnight to the next."""
    days = [value for value in condition.values if isinstance(value, date)]
    operator, first = condition.operator, days[0]
    if operator in ("<", ">="):
        return COMPARE[operator](this=left, expression=moment(first, "timestamp", dialect))
    if operator in ("<=", ">"):
        return COMPARE["<" if operator == "<=" else ">="](
            this=left, expression=moment(first + DAY, "timestamp", dialect)
        )
    if operator == "between":
        return _within(left, first, days[-1] + DAY, dialect)
    if operator in ("=", "in", "!=", "not in"):
        spans = [_within(left, day, day + DAY, dialect) for day in days]
        found = exp.paren(exp.or_(*spans), copy=False) if len(spans) > 1 else spans[0]
        if operator in ("=", "in"):
            return found
        return exp.Not(this=found if len(spans) > 1 else exp.paren(found, copy=False))
    raise IntentNotCovered(f"{operator!r} does not go with a date")


def _within(left: exp.Expr, start: date, end: date, dialect: Dialect) -> exp.Expr:
    first, last = (moment(day, "timestamp", dialect) for day in (start, end))
    return exp.and_(exp.GTE(this=left.copy(), expression=first), exp.LT(this=left.copy(), expression=last))
