"""The steps of a period as rows, so that a month without data is still a row.

A statement may not read from VALUES, table functions, UNION or recursion. What is left to turn a written list into
rows: grouping one row that holds all steps by fewer and fewer of them, or joining one-row tables that never match.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import TypeAlias

from sqlglot import exp

from ai_engine.catalogue import Dialect
from ai_engine.semantics.compiler.dialects import identifier, literal
from ai_engine.semantics.compiler.periods import moved
from ai_engine.semantics.intent import Grain

MAX_STEPS = 60  # SQLite joins at most 64 tables
Step: TypeAlias = int | str | date
_MONTHS: dict[Grain, int] = {"month": 1, "quarter": 3, "fiscal_quarter": 3, "year": 12, "fiscal_year": 12}
_DAYS: dict[Grain, int] = {"day": 1, "week": 7}


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
    if dialect == "sqlite":
        query = exp.Select().select(exp.Column(this=column.copy()))
        for number, value in enumerate(values, 1):
            row = exp.Select().select(exp.Alias(this=_value(value, dialect), alias=column.copy()))
            table = exp.Subquery(this=row, alias=exp.TableAlias(this=exp.to_identifier(f"step_{number}")))
            if number == 1:
                query = query.from_(table)
            else:
                query.append("joins", exp.Join(this=table, side="FULL", using=[column.copy()]))
        return query
    names = [f"step_{number}" for number in range(1, len(values) + 1)]
    written = zip(names, values, strict=True)
    row = exp.Select().select(*(exp.alias_(_value(value, dialect), step) for step, value in written))
    within = exp.Subquery(this=row, alias=exp.TableAlias(this=exp.to_identifier("steps")))
    columns: list[exp.Expr] = [exp.column(step) for step in names]
    by = exp.Group(rollup=[exp.Rollup(expressions=[] if dialect == "mysql" else columns)])
    if dialect == "mysql":
        by.set("expressions", columns)
    last_known = exp.func("COALESCE", *(exp.column(step) for step in reversed(names)))
    query = exp.Select().select(exp.Alias(this=last_known, alias=column)).from_(within)
    query.set("group", by)
    return query.having(exp.Not(this=exp.Is(this=exp.column(names[0]), expression=exp.Null())))


def _first(day: date, grain: Grain, fiscal_start: int) -> date:
    if grain == "day":
        return day
    if grain == "week":
        return day - timedelta(days=day.weekday())
    start = fiscal_start if grain in ("fiscal_quarter", "fiscal_year") else 1
    return moved(day.replace(day=1), months=-((day.month - start) % _MONTHS[grain]))


def _value(value: Step, dialect: Dialect) -> exp.Expr:
    day = isinstance(value, date) and dialect != "sqlite"
    return exp.cast(literal(value), "date") if day else literal(value)
