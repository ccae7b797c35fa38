"""How long a series is at most, told from its bounds alone: numbers, dates, and what is counted from today."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from sqlglot import exp

from ai_engine.guard.refusal import refuse, written

_DAYS_PER_UNIT = {"MICROSECOND": 1e-6 / 86400, "MILLISECOND": 1e-3 / 86400, "SECOND": 1 / 86400, "MINUTE": 1 / 1440} | {
    **{"HOUR": 1 / 24, "DAY": 1, "WEEK": 7, "MONTH": 28, "QUARTER": 90, "YEAR": 365, "DECADE": 3650, "CENTURY": 36500}
}
_LONGEST_UNIT = 31 / 28  # how much longer a month, a quarter or a year can be than the shortest
_EPOCH = date(1970, 1, 1)
_TODAY_IS_AFTER, _TODAY_IS_BEFORE = ((day - _EPOCH).days for day in (date(2020, 1, 1), date(2040, 1, 1)))
_TODAY = (exp.CurrentDate, exp.CurrentTimestamp, exp.CurrentDatetime, exp.Localtimestamp)
_NOT_CONSTANT = "a series must run between constants, such as generate_series(1, 12)"


@dataclass(frozen=True, slots=True)
class _Bound:
    """Where a series begins or ends.

    Attributes:
        days: numbers as they are, dates in days, since 1970 or since today.
        slack: so far it can lie from there.
        from_today: counted from today, which the guard does not know.
    """

    days: float
    slack: float = 0.0
    from_today: bool = False


def series_length(first: exp.Expr | None, last: exp.Expr | None) -> float:
    """Numbers or days from one bound to the other, at most.

    Raises:
        SqlRejected: a bound is not constant.
    """
    one, other = _bound(first), _bound(last)
    slack = one.slack + other.slack
    if one.from_today is other.from_today:
        return abs(one.days - other.days) + slack
    apart = one.days - other.days if one.from_today else other.days - one.days
    return max(abs(apart + today) for today in (_TODAY_IS_AFTER, _TODAY_IS_BEFORE)) + slack


def stride_length(step: exp.Expr | None) -> float:
    """Numbers or days from one row of a series to the next, at least; 1 where none is given."""
    if step is None:
        return 1.0
    value = step.this if isinstance(step, exp.Cast) else step
    if isinstance(value, exp.Literal) and value.is_string:
        value = exp.to_interval(value)
    return _interval(value) if isinstance(value, exp.Interval) else abs(_bound(value).days)


def _bound(value: exp.Expr | None) -> _Bound:
    if isinstance(value, (exp.Paren, exp.Cast)):
        return _bound(value.this)
    if isinstance(value, exp.Neg):
        return replace(_bound(value.this), days=-_bound(value.this).days)
    if isinstance(value, _TODAY):
        return _Bound(0.0, slack=1.0, from_today=True)
    if isinstance(value, (exp.DateTrunc, exp.TimestampTrunc)):
        inner = _bound(value.this)
        unit = value.args.get("unit")
        return replace(inner, slack=inner.slack + _days(unit.name if unit is not None else "") * _LONGEST_UNIT)
    if isinstance(value, (exp.Add, exp.Sub)):
        inner, by = _bound(value.left), value.right
        away = _interval(by) if isinstance(by, exp.Interval) else _bound(by).days
        slack = inner.slack + abs(away) * (_LONGEST_UNIT - 1)
        return replace(inner, days=inner.days + (away if isinstance(value, exp.Add) else -away), slack=slack)
    if isinstance(value, exp.Literal):
        return _Bound(_literal(value))
    raise refuse(_NOT_CONSTANT, written(value) if value is not None else "")


def _literal(value: exp.Literal) -> float:
    if not value.is_string:
        return float(value.this)
    try:
        moment = datetime.fromisoformat(value.this).replace(tzinfo=None)
    except ValueError as error:
        raise refuse(_NOT_CONSTANT, value.this) from error
    return (moment - datetime.combine(_EPOCH, moment.time().min)) / timedelta(days=1)


def _interval(interval: exp.Interval) -> float:
    """Days of an interval, months at their shortest; refused unless it is one number and one unit."""
    amount, unit = interval.this, interval.args.get("unit")
    if isinstance(amount, exp.Literal) and unit is not None and amount.this.isdecimal():
        return float(amount.this) * _days(unit.name)
    raise refuse(_NOT_CONSTANT, written(interval))


def _days(unit: str) -> float:
    """The shortest that a unit of time can be."""
    days = _DAYS_PER_UNIT.get(unit.upper().removesuffix("S"))
    if days is None:
        raise refuse(_NOT_CONSTANT, unit)
    return days
