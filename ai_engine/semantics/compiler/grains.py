"""Dates seen at a grain, in each database's own functions.

Results are the same everywhere: hours are timestamps, days to quarters are dates (the first day), years are whole
numbers, fiscal years and quarters are texts named by the year in which they end, cyclic parts are whole numbers.
"""

from __future__ import annotations

from datetime import date
from functools import lru_cache

from sqlglot import exp, parse_one

from ai_engine.catalogue import Dialect
from ai_engine.errors import IntentNotCovered
from ai_engine.semantics.intent import Grain

TRUNCATED: frozenset[Grain] = frozenset(
    {"hour", "day", "week", "month", "quarter", "year", "fiscal_quarter", "fiscal_year"}
)
CYCLIC: frozenset[Grain] = frozenset({"hour_of_day", "weekday", "day_of_month", "month_of_year"})
_SQLITE_CODES = {"hour_of_day": "%H", "day_of_month": "%d", "month_of_year": "%m", "year": "%Y"}
_PARTS = {"hour_of_day": "HOUR", "day_of_month": "DAY", "month_of_year": "MONTH", "year": "YEAR"}


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
    if grain == "age_years":
        return _age(moment, dialect, as_of)
    if grain in ("fiscal_year", "fiscal_quarter"):
        return _fiscal(moment, grain, dialect, fiscal_start)
    if grain in _PARTS:
        return _part(moment, grain, dialect)
    if grain == "weekday":
        return _template(_WEEKDAY[dialect], dialect, moment)
    if grain == "day" and is_date:
        return moment
    return _template(_TRUNCATED[dialect][grain], dialect, moment)


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


def shifted(moment: exp.Expr, dialect: Dialect, *, months: int = 0, days: int = 0) -> exp.Expr:
    """Return a date moved by whole months or days; give months only for the first day of a month."""
    amount, unit = (months, "months") if months else (days, "days")
    if dialect == "sqlite":
        return exp.Anonymous(this="DATE", expressions=[moment, exp.Literal.string(f"{amount:+d} {unit}")])
    sql = {
        "duckdb": f"CAST(x + INTERVAL '{amount}' {unit[:-1]} AS DATE)",
        "postgres": f"CAST(x + INTERVAL '{amount} {unit}' AS DATE)",
        "mysql": f"DATE_ADD(x, INTERVAL {amount} {unit[:-1].upper()})",
    }[dialect]
    return _template(sql, dialect, moment)


def days_between(start: exp.Expr, end: exp.Expr, dialect: Dialect) -> exp.Expr:
    """Return the whole days from one date or timestamp to another; NULL where one of them is."""
    pair = {"x": start, "y": end}
    return _parsed(_DAYS_BETWEEN[dialect], dialect).transform(
        lambda node: pair[node.name].copy() if isinstance(node, exp.Column) and node.name in pair else node
    )


def day_spelled(text: exp.Expr, dialect: Dialect) -> exp.Expr:
    """Return the date that a text of the form 20261121 spells, NULL where it spells none."""
    return _template(_SPELLED[dialect], dialect, text)


_DAYS_BETWEEN: dict[Dialect, str] = {
    "duckdb": "DATE_DIFF('day', CAST(x AS DATE), CAST(y AS DATE))",
    "sqlite": "CAST(JULIANDAY(DATE(y)) - JULIANDAY(DATE(x)) AS INTEGER)",
    "postgres": "CAST(y AS DATE) - CAST(x AS DATE)",
    "mysql": "DATEDIFF(y, x)",
}
_SPELLED: dict[Dialect, str] = {
    "duckdb": "CAST(TRY_STRPTIME(x, '%Y%m%d') AS DATE)",
    "sqlite": "DATE(SUBSTR(x, 1, 4) || '-' || SUBSTR(x, 5, 2) || '-' || SUBSTR(x, 7, 2))",
    "postgres": "CASE WHEN LENGTH(x) = 8 THEN TO_DATE(x, 'YYYYMMDD') END",
    "mysql": "STR_TO_DATE(x, '%Y%m%d')",
}
_TRUNCATED: dict[Dialect, dict[str, str]] = {
    "duckdb": {
        "hour": "DATE_TRUNC('hour', x)",
        "day": "CAST(x AS DATE)",
        "week": "CAST(DATE_TRUNC('week', x) AS DATE)",
        "month": "CAST(DATE_TRUNC('month', x) AS DATE)",
        "quarter": "CAST(DATE_TRUNC('quarter', x) AS DATE)",
    },
    "sqlite": {
        "hour": "STRFTIME('%Y-%m-%d %H:00:00', x)",
        "day": "DATE(x)",
        "week": "DATE(x, 'weekday 0', '-6 days')",
        "month": "DATE(x, 'start of month')",
        "quarter": "DATE(x, 'start of month', '-' || ((STRFTIME('%m', x) + 2) % 3) || ' months')",
    },
    "mysql": {
        "hour": "CAST(DATE_FORMAT(x, '%Y-%m-%d %H:00:00') AS DATETIME)",
        "day": "DATE(x)",
        "week": "DATE_SUB(DATE(x), INTERVAL ((DAYOFWEEK(x) + 5) % 7) DAY)",
        "month": "CAST(DATE_FORMAT(x, '%Y-%m-01') AS DATE)",
        "quarter": "DATE_ADD(MAKEDATE(YEAR(x), 1), INTERVAL (3 * QUARTER(x) - 3) MONTH)",
    },
}
_TRUNCATED["postgres"] = _TRUNCATED["duckdb"]
_WEEKDAY: dict[Dialect, str] = {
    "duckdb": "EXTRACT(ISODOW FROM x)",
    "postgres": "CAST(EXTRACT(ISODOW FROM x) AS INT)",
    "sqlite": "(STRFTIME('%w', x) + 6) % 7 + 1",
    "mysql": "(DAYOFWEEK(x) + 5) % 7 + 1",
}
_AGE: dict[Dialect, str] = {
    "duckdb": "EXTRACT(YEAR FROM AGE(CAST('{as_of}' AS DATE), x))",
    "postgres": "CAST(EXTRACT(YEAR FROM AGE(CAST('{as_of}' AS DATE), x)) AS INT)",
    "sqlite": "{year} - STRFTIME('%Y', x) - (STRFTIME('%m-%d', x) > '{month_day}')",
    "mysql": "TIMESTAMPDIFF(YEAR, x, '{as_of}')",
}
_FISCAL_DATE: dict[Dialect, str] = {
    "duckdb": "x + INTERVAL '{months}' MONTH",
    "postgres": "x + INTERVAL '{months} MONTHS'",
    "mysql": "DATE_ADD(x, INTERVAL {months} MONTH)",
    # Without 'start of month', 31 December and nine months would be 1 October.
    "sqlite": "DATE(x, 'start of month', '+{months} months')",
}
_FISCAL: dict[Dialect, dict[str, str]] = {
    "duckdb": {
        "fiscal_year": "'FY' || EXTRACT(YEAR FROM x)",
        "fiscal_quarter": "'FY' || EXTRACT(YEAR FROM x) || '-Q' || EXTRACT(QUARTER FROM x)",
    },
    "sqlite": {
        "fiscal_year": "'FY' || STRFTIME('%Y', x)",
        "fiscal_quarter": "'FY' || STRFTIME('%Y', x) || '-Q' || CAST((STRFTIME('%m', x) + 2) / 3 AS INTEGER)",
    },
    "mysql": {
        "fiscal_year": "CONCAT('FY', YEAR(x))",
        "fiscal_quarter": "CONCAT('FY', YEAR(x), '-Q', QUARTER(x))",
    },
}
_FISCAL["postgres"] = _FISCAL["duckdb"]


@lru_cache(maxsize=256)
def _parsed(sql: str, dialect: Dialect) -> exp.Expr:
    return parse_one(sql, read=dialect)


def _template(sql: str, dialect: Dialect, moment: exp.Expr) -> exp.Expr:
    """Read SQL of a dialect and put the moment where it says `x`."""
    return _parsed(sql, dialect).transform(
        lambda node: moment.copy() if isinstance(node, exp.Column) and node.name == "x" else node
    )


def _part(moment: exp.Expr, grain: Grain, dialect: Dialect) -> exp.Expr:
    if dialect == "sqlite":
        return _template(f"CAST(STRFTIME('{_SQLITE_CODES[grain]}', x) AS INTEGER)", dialect, moment)
    sql = f"EXTRACT({_PARTS[grain]} FROM x)"
    return _template(f"CAST({sql} AS INT)" if dialect == "postgres" else sql, dialect, moment)


def _age(moment: exp.Expr, dialect: Dialect, as_of: date) -> exp.Expr:
    sql = _AGE[dialect].format(as_of=as_of.isoformat(), year=as_of.year, month_day=f"{as_of:%m-%d}")
    return _template(sql, dialect, moment)


def _fiscal(moment: exp.Expr, grain: Grain, dialect: Dialect, start_month: int) -> exp.Expr:
    months = (13 - start_month) % 12
    if months:
        moment = _template(_FISCAL_DATE[dialect].format(months=months), dialect, moment)
    return _template(_FISCAL[dialect][grain], dialect, moment)
