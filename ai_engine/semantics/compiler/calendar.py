"""The steps of a period as rows, so that a month without data is still a row."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TypeAlias

from sqlglot import exp

from ai_engine.catalogue import Dialect
from ai_engine.semantics.compared_periods import moved
from ai_engine.semantics.compiler.dialects import identifier, literal, moment
from ai_engine.semantics.intent import Grain, Period

MAX_STEPS = 100  # the longest list that the guard lets stand beside a table without a join condition
Step: TypeAlias = int | str | date
_MONTHS: dict[Grain, int] = {"month": 1, "quarter": 3, "fiscal_quarter": 3, "year": 12, "fiscal_year": 12}
_DAYS: dict[Grain, int] = {"day": 1, "week": 7}


_WITHOUT_LISTS = frozenset({"oracle", "bigquery", "clickhouse"})


def shown_steps(period: Period | None, grain: Grain | None, fiscal_start: int, as_of: date) -> tuple[Step, ...]:
    """Return every step of a period, without those that have not come yet; none where they cannot be listed."""
    if period is None or period.start is None or grain is None:
        return ()
    tomorrow = (period.until or as_of) + timedelta(days=1)
    end = tomorrow if period.end is None else min(period.end, max(tomorrow, period.start + timedelta(days=1)))
    steps = steps_of(period.start, end, grain, fiscal_start) if period.start < end else ()
    return tuple(step_value(step, grain, fiscal_start) for step in steps) if len(steps) <= MAX_STEPS else ()


def steps_of(start: date, end: date, grain: Grain, fiscal_start: int) -> tuple[date, ...]:
    """Return the first days of the steps that the days from `start` to before `end` touch; none for other grains."""
    if grain not in _MONTHS and grain not in _DAYS:
        return ()
    found = [_first(start, grain, fiscal_start)]
    while len(found) <= MAX_STEPS:
        following = moved(found[-1], _MONTHS.get(grain, 0), _DAYS.get(grain, 0))
        if following >= end:
            break
        found.append(following)
    return tuple(found)


def step_value(first: date, grain: Grain, fiscal_start: int) -> Step:
    """Return a step as a grain shows it."""
    if grain == "year":
        return first.year
    if grain not in ("fiscal_year", "fiscal_quarter"):
        return first
    in_year = moved(first, months=(13 - fiscal_start) % 12)
    quarter = f"-Q{(in_year.month + 2) // 3}" if grain == "fiscal_quarter" else ""
    return f"FY{in_year.year}{quarter}"


def listed(name: str, values: tuple[Step, ...], dialect: Dialect) -> exp.Select:
    """Return a SELECT with one row per value, in a column `name`."""
    column = identifier(name, dialect)
    if dialect in _WITHOUT_LISTS:
        first, *others = (exp.Select().select(_value(value, dialect)) for value in values)
        for select in (first, *others) if dialect == "oracle" else ():  # older ones take no SELECT without a table
            select.from_("DUAL", copy=False)
        rows: exp.Query = first
        first.set("expressions", [exp.Alias(this=first.selects[0], alias=column)])
        for other in others:
            rows = rows.union(other, distinct=False, copy=False)
        return exp.Select().select(exp.Column(this=column.copy())).from_(rows.subquery("steps", copy=False))
    items = [exp.Tuple(expressions=[_value(value, dialect)]) for value in values]
    steps = exp.TableAlias(this=exp.to_identifier("steps"))
    shown: exp.Expr = exp.Column(this=column)
    if dialect == "sqlite":  # it has no aliases for the columns of a list
        shown = exp.Alias(this=exp.column("column1"), alias=column)
    else:
        steps.set("columns", [column.copy()])
    return exp.Select().select(shown).from_(exp.Values(expressions=items, alias=steps))


def _first(day: date, grain: Grain, fiscal_start: int) -> date:
    if grain == "day":
        return day
    if grain == "week":
        return day - timedelta(days=day.weekday())
    start = fiscal_start if grain in ("fiscal_quarter", "fiscal_year") else 1
    return moved(day.replace(day=1), months=-((day.month - start) % _MONTHS[grain]))


def _value(value: Step, dialect: Dialect) -> exp.Expr:
    if not isinstance(value, date) or dialect == "sqlite":
        return literal(value)
    if dialect == "clickhouse":  # whose functions are no constants
        return exp.cast(literal(value), exp.DataType.build("Date32", dialect=dialect))
    typed = moment(value, "date", dialect)
    return exp.cast(typed, "date") if isinstance(typed, exp.Literal) else typed
