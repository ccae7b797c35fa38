"""Dates seen at a grain, in each database's own functions.

Results are the same everywhere: hours are timestamps, days to quarters are dates (the first day), years are whole
numbers, fiscal years and quarters are texts named by the year in which they end, cyclic parts are whole numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from functools import lru_cache

from sqlglot import exp, parse_one

from ai_engine.catalogue import Dialect
from ai_engine.errors import IntentNotCovered
from ai_engine.semantics.compiler.date_sql import DATE_SQL
from ai_engine.semantics.intent import Grain
from ai_engine.types import ColumnType

TRUNCATED: frozenset[Grain] = frozenset(
    {"hour", "day", "week", "month", "quarter", "year", "fiscal_quarter", "fiscal_year"}
)
CYCLIC: frozenset[Grain] = frozenset({"hour_of_day", "weekday", "day_of_month", "month_of_year"})


def at_grain(
    moment: exp.Expr, grain: Grain, dialect: Dialect, *, fiscal_start: int, as_of: date, is_date: bool
) -> exp.Expr:
    """Return a date or timestamp seen at a grain.

    Args:
        moment: the column.
        grain: what to see.
        dialect: whose functions to use.
        fiscal_start: month (1-12) in which the fiscal year starts.
        as_of: day at which ages are taken.
        is_date: the column holds days without a time.
    """
    if grain == "day" and is_date:
        return moment
    sql = DATE_SQL[dialect][grain]
    if grain == "age_years":
        if not is_date:  # a birthday has come from its first hour
            moment = _template(DATE_SQL[dialect]["day"], dialect, {"x": moment})
        sql = sql.format(
            as_of=as_of.isoformat(),
            year=as_of.year,
            month_day=f"{as_of:%m-%d}",
            month_and_day=as_of.month * 100 + as_of.day,
        )
    if grain in ("fiscal_year", "fiscal_quarter") and fiscal_start > 1:
        in_year = DATE_SQL[dialect]["fiscal_date"].format(months=13 - fiscal_start)
        moment = _template(in_year, dialect, {"x": moment})
    return _template(sql, dialect, {"x": moment})


def year_seen_at(year: exp.Expr, grain: Grain, as_of: date) -> exp.Expr:
    """Return a calendar year seen at a grain: itself, or the age at the end of the as-of day's year.

    Raises:
        IntentNotCovered: the grain is finer than a year, or its years begin on another day.
    """
    if grain == "year":
        return year
    if grain == "age_years":
        return exp.Sub(this=exp.Literal.number(as_of.year), expression=year)
    raise IntentNotCovered(f"years cannot be seen by {grain}")


def kind_at(grain: Grain | None, kept_as: ColumnType) -> ColumnType:
    """Return what a column is once it is seen at a grain: a date, a timestamp, or whatever else."""
    if grain is None or grain not in TRUNCATED:
        return kept_as if grain is None else "other"
    if grain == "hour":
        return "timestamp"
    return "other" if grain in ("year", "fiscal_year", "fiscal_quarter") else "date"


def shifted(moment: exp.Expr, dialect: Dialect, *, months: int = 0, days: int = 0) -> exp.Expr:
    """Return a date moved by whole months or days; give months only for the first day of a month."""
    sql = DATE_SQL[dialect]["months_later" if months else "days_later"].format(amount=months or days)
    return _template(sql, dialect, {"x": moment})


def days_between(start: exp.Expr, end: exp.Expr, dialect: Dialect) -> exp.Expr:
    """Return the whole days from one date or timestamp to another; NULL where one of them is."""
    return _template(DATE_SQL[dialect]["days_between"], dialect, {"x": start, "y": end})


def day_spelled(text: exp.Expr, dialect: Dialect) -> exp.Expr:
    """Return the date that a text of the form 20261121 spells, NULL where it spells none."""
    return _template(DATE_SQL[dialect]["day_spelled"], dialect, {"x": text})


@lru_cache(maxsize=256)
def _parsed(sql: str, dialect: Dialect) -> exp.Expr:
    return parse_one(sql, read=dialect)


def _template(sql: str, dialect: Dialect, moments: Mapping[str, exp.Expr]) -> exp.Expr:
    """Read SQL of a dialect and put each moment where it says its name."""
    return _parsed(sql, dialect).transform(
        lambda node: moments[node.name].copy() if isinstance(node, exp.Column) and node.name in moments else node
    )
