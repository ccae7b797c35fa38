"""How long a series is at most, told from its bounds alone: numbers, dates, and what is counted from today."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from fractions import Fraction

from sqlglot import exp

from ai_engine.guard.refusal import refuse, written

_A_SECOND, _A_DAY = Fraction(1, 86_400), Fraction(1)
_DAYS_PER_UNIT: dict[str, Fraction] = {
    **{"MICROSECOND": _A_SECOND / 1_000_000, "MILLISECOND": _A_SECOND / 1_000, "SECOND": _A_SECOND},
    **{"MINUTE": _A_SECOND * 60, "HOUR": _A_SECOND * 3_600, "DAY": _A_DAY, "WEEK": _A_DAY * 7, "MONTH": _A_DAY * 28},
    **{"QUARTER": _A_DAY * 90, "YEAR": _A_DAY * 365, "DECADE": _A_DAY * 3_650, "CENTURY": _A_DAY * 36_500},
}
_LONGEST_UNIT = Fraction(31, 28)  # how much longer a month, a quarter or a year can be than the shortest
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TODAY_IS_AFTER, _TODAY_IS_BEFORE = ((day - _EPOCH.date()).days for day in (date(2020, 1, 1), date(2040, 1, 1)))
_TODAY = (exp.CurrentDate, exp.CurrentTimestamp, exp.CurrentDatetime, exp.Localtimestamp)
_NUMBER = re.compile(r"\d{1,12}(?:\.\d{1,6})?|\.\d{1,6}", re.ASCII)
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)?", re.ASCII)
_AMOUNT_AND_UNIT = re.compile(r"(\d{1,9}) ([A-Za-z]+)", re.ASCII)
_WHOLE_NUMBERS = frozenset({"SMALLINT", "INT", "BIGINT", "INT128", "DECIMAL"})
_MOMENTS = frozenset({"TIMESTAMP", "TIMESTAMPNTZ", "DATETIME"})
_SHIFTED_MOMENTS = frozenset({"DATE", "TIMESTAMPTZ"})  # by the time of day, or by summer time
_NOT_CONSTANT = "a series must run between constants, such as generate_series(1, 12)"


@dataclass(frozen=True, slots=True)
class _Bound:
    """Where a series begins or ends.

    Attributes:
        days: numbers as they are, dates in days, since 1970 or since today.
        is_moment: a date or a time, no number.
        slack: so far it can lie from there.
        from_today: counted from today, which the guard does not know.
    """

    days: Fraction
    is_moment: bool = False
    slack: Fraction = Fraction(0)
    from_today: bool = False


def series_length(first: exp.Expr | None, last: exp.Expr | None) -> Fraction:
    """Numbers or days from one bound to the other, at most.

    Raises:
        SqlRejected: a bound is not constant.
    """
    one, other = _bound(first), _bound(last)
    if one.is_moment is not other.is_moment:
        raise refuse(_NOT_CONSTANT, written(last) if last is not None else "")
    slack = one.slack + other.slack
    if one.from_today is other.from_today:
        return abs(one.days - other.days) + slack
    apart = one.days - other.days if one.from_today else other.days - one.days
    return max(abs(apart + today) for today in (_TODAY_IS_AFTER, _TODAY_IS_BEFORE)) + slack


def stride_length(step: exp.Expr | None) -> Fraction:
    """Numbers or days from one row of a series to the next, at least; 1 where none is given."""
    if step is None:
        return Fraction(1)
    value = step.this if isinstance(step, exp.Cast) else step
    if isinstance(value, exp.Literal) and value.is_string:
        found = _AMOUNT_AND_UNIT.fullmatch(value.name)
        if found is None:
            raise refuse(_NOT_CONSTANT, value.name)
        return int(found[1]) * _days(found[2])
    if isinstance(value, exp.Interval):
        return _interval(value)
    stride = _bound(value)
    if stride.is_moment or stride.slack:
        raise refuse(_NOT_CONSTANT, written(value))
    return abs(stride.days)


def _bound(value: exp.Expr | None) -> _Bound:
    if isinstance(value, exp.Paren):
        return _bound(value.this)
    if isinstance(value, exp.Literal):
        return _literal(value)
    if isinstance(value, _TODAY):
        return _Bound(Fraction(0), is_moment=True, slack=Fraction(1), from_today=True)
    if isinstance(value, exp.Cast):
        return _cast(value)
    if isinstance(value, (exp.DateTrunc, exp.TimestampTrunc)):
        inner = _bound(value.this)
        unit = value.args.get("unit")
        return replace(inner, slack=inner.slack + _days(unit.name if unit is not None else "") * _LONGEST_UNIT)
    if isinstance(value, exp.Neg):
        inner = _bound(value.this)
        if not inner.is_moment:
            return replace(inner, days=-inner.days)
    if isinstance(value, (exp.Add, exp.Sub)):
        inner = _bound(value.left)
        by = _Bound(_interval(value.right)) if isinstance(value.right, exp.Interval) else _bound(value.right)
        if not by.is_moment:  # days between two dates are a number that is not told here
            slack = inner.slack + by.slack + abs(by.days) * (_LONGEST_UNIT - 1) * inner.is_moment
            return replace(inner, days=inner.days + (by.days if isinstance(value, exp.Add) else -by.days), slack=slack)
    raise refuse(_NOT_CONSTANT, written(value) if value is not None else "")


def _cast(cast: exp.Cast) -> _Bound:
    """A bound of another type, which may round it; refused where a number would become a date, or a date a number."""
    inner, kind = _bound(cast.this), cast.to
    name = kind.this.name if isinstance(kind.this, exp.DataType.Type) else ""
    is_known = name in (_MOMENTS | _SHIFTED_MOMENTS if inner.is_moment else _WHOLE_NUMBERS)
    if not is_known or kind.expressions:
        raise refuse(_NOT_CONSTANT, written(cast))
    is_rounded = inner.days.denominator > 1 or name == "TIMESTAMPTZ"
    return inner if name in _MOMENTS or not is_rounded else replace(inner, slack=inner.slack + 1)


def _literal(value: exp.Literal) -> _Bound:
    """A plain number, or a date or time without a zone: text of digits alone is a number to some engines."""
    if not value.is_string and _NUMBER.fullmatch(value.name):
        return _Bound(Fraction(value.name))
    if not value.is_string or not _MOMENT.fullmatch(value.name):
        raise refuse(_NOT_CONSTANT, value.name)
    try:
        since = datetime.fromisoformat(value.name).replace(tzinfo=UTC) - _EPOCH
    except ValueError as error:
        raise refuse(_NOT_CONSTANT, value.name) from error
    return _Bound(since.days + (since.seconds + Fraction(since.microseconds, 1_000_000)) * _A_SECOND, is_moment=True)


def _interval(interval: exp.Interval) -> Fraction:
    """Days of an interval, months at their shortest; refused unless it is one number and one unit."""
    amount, unit = interval.this, interval.args.get("unit")
    if isinstance(amount, exp.Literal) and unit is not None and amount.this.isdecimal():
        return int(amount.this) * _days(unit.name)
    raise refuse(_NOT_CONSTANT, written(interval))


def _days(unit: str) -> Fraction:
    """The shortest that a unit of time can be."""
    days = _DAYS_PER_UNIT.get(unit.upper().removesuffix("S"))
    if days is None:
        raise refuse(_NOT_CONSTANT, unit)
    return days
