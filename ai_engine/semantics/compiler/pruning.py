"""What conditions on a date say of the partitions in which its rows lie, so that an engine reads no others.

A column that is computed from the date follows from it: beside the date's own condition, one on the column changes no
rows, in no place where the first one stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from typing import TypeAlias

from sqlglot import exp

from ai_engine.semantics.compiler.dialects import literal, moment
from ai_engine.semantics.compiler.scope import Scope, table_column
from ai_engine.semantics.intent import FIRST_YEAR, LAST_YEAR, Condition, FieldRef
from ai_engine.semantics.join_paths import Path

_DAY = timedelta(days=1)
_Days: TypeAlias = tuple[date | None, date | None]


def partition_conditions(scope: Scope, placed: Sequence[tuple[Condition, Path]], *, required: bool) -> list[exp.Expr]:
    """Return what conditions that all hold say of partition columns.

    Args:
        scope: of the tables that they are about.
        placed: each condition with the walk to the table of its field.
        required: as in `Predicates.all_of`.
    """
    spans: dict[tuple[Path, FieldRef], _Days] = {}
    for condition, path in placed:
        days = _days(condition)
        if days is not None:
            known = spans.get((path, condition.field), (None, None))
            spans[path, condition.field] = _both(known, days)
    return [
        written
        for (path, ref), days in spans.items()
        if None in days or days[0] <= days[1]  # type: ignore[operator]
        for written in _written(scope, path, ref, days, required=required)
    ]


def _written(scope: Scope, path: Path, ref: FieldRef, days: _Days, *, required: bool) -> Iterator[exp.Expr]:
    dialect = scope.setting.dialect
    for partition in scope.setting.dataset(ref.dataset).partitions:
        if partition.field != ref.field or partition.type is None:
            continue
        low, high = (
            None if value is None else moment(value, "date", dialect) if isinstance(value, date) else literal(value)
            for value in partition.span(*days)
        )
        column = table_column(scope.join(path, required=required), partition.column, dialect)
        if low is not None and low == high:
            yield exp.EQ(this=column, expression=low)
        elif low is not None and high is not None:
            yield exp.Between(this=column, low=low, high=high)
        elif low is not None:
            yield exp.GTE(this=column, expression=low)
        elif high is not None:
            yield exp.LTE(this=column, expression=high)


def _days(condition: Condition) -> _Days | None:
    """Return the first and the last day on which a condition can hold; None where it says nothing of days."""
    ref, values = condition.field, [value for value in condition.values if isinstance(value, date)]
    if ref.grain is not None or ref.since is not None or not values or len(values) < len(condition.values):
        return None
    if any(isinstance(value, datetime) and value.tzinfo is not None for value in values):
        return None
    if not all(FIRST_YEAR <= value.year <= LAST_YEAR for value in values):
        return None
    first, last = values[0], values[-1]
    match condition.operator:
        case ">=":
            return _day(first), None
        case ">":
            return (_day(first) if isinstance(first, datetime) else first + _DAY), None
        case "<":
            before = timedelta(microseconds=1) if isinstance(first, datetime) else _DAY
            return None, _day(first - before)
        case "<=":
            return None, _day(first)
        case "=" | "in":
            days = [_day(value) for value in values]
            return min(days), max(days)
        case "between":
            return _day(first), _day(last)
    return None


def _day(value: date) -> date:
    return value.date() if isinstance(value, datetime) else value


def _both(one: _Days, other: _Days) -> _Days:
    starts = [day for day in (one[0], other[0]) if day is not None]
    ends = [day for day in (one[1], other[1]) if day is not None]
    return max(starts, default=None), min(ends, default=None)
