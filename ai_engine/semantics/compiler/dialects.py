"""What databases write differently: names, texts, moments, divisions, patterns, quantiles and ordering."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime, time
from decimal import Decimal
from typing import Literal

from sqlglot import exp

from ai_engine.catalogue import Dialect
from ai_engine.semantics.compiler.reserved_words import is_reserved
from ai_engine.semantics.intent import Value
from ai_engine.types import ColumnType

PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LOWER_NAME = re.compile(r"[a-z_][a-z0-9_]*")
# Bare names become upper case, so that one is meant by its small letters as well as by its capitals.
_ONE_CASE = re.compile(r"[a-z][a-z0-9_]*|[A-Z][A-Z0-9_]*")
_BARE: Mapping[Dialect, re.Pattern[str]] = {
    "duckdb": PLAIN_NAME,
    "sqlite": PLAIN_NAME,
    "postgres": _LOWER_NAME,
    "mysql": PLAIN_NAME,
    "trino": PLAIN_NAME,
    "spark": PLAIN_NAME,
    "tsql": PLAIN_NAME,
    "oracle": _ONE_CASE,
    "snowflake": _ONE_CASE,
    "bigquery": PLAIN_NAME,
    "databricks": PLAIN_NAME,
    "clickhouse": PLAIN_NAME,
}
_MISSING_IS: Mapping[Dialect, Literal["least", "greatest", "last"]] = {
    "duckdb": "last",
    "sqlite": "least",
    "postgres": "greatest",
    "mysql": "least",
    "trino": "last",
    "spark": "least",
    "tsql": "least",
    "oracle": "greatest",
    "snowflake": "greatest",
    "bigquery": "least",
    "databricks": "least",
    "clickhouse": "last",
}
# Divisions of exact numbers keep few decimals there, or none, unless one of the two is a double.
DIVIDES_IN_DOUBLES: Mapping[Dialect, bool] = {
    "duckdb": False,
    "sqlite": False,
    "postgres": False,
    "mysql": True,
    "trino": True,
    "spark": True,
    "tsql": True,
    "oracle": False,
    "snowflake": False,
    "bigquery": True,
    "databricks": True,
    "clickhouse": True,
}
LIKE_ESCAPE = "!"
# Beside % and _, what a pattern gives a meaning to.
_SPECIAL: Mapping[Dialect, str] = {
    "duckdb": "",
    "sqlite": "",
    "postgres": "",
    "mysql": "",
    "trino": "",
    "spark": "",
    "tsql": "[",
    "oracle": "",
    "snowflake": "",
    "bigquery": "",
    "databricks": "",
    "clickhouse": "",
}
_NO_ESCAPE_CLAUSE = ("bigquery", "clickhouse")
_MOMENTS_ARE: Mapping[Dialect, Literal["texts", "typed", "typed dates", "functions"]] = {
    "duckdb": "texts",
    "sqlite": "texts",
    "postgres": "texts",
    "mysql": "texts",
    "trino": "typed",
    "spark": "typed",
    "tsql": "typed",
    "oracle": "typed",
    "snowflake": "typed",
    "bigquery": "typed dates",  # a text is read as whichever of its two types of moments it stands beside
    "databricks": "typed",
    "clickhouse": "functions",
}


def identifier(name: str, dialect: Dialect) -> exp.Identifier:
    """Return a name, quoted only where the database would misread it bare."""
    bare = _BARE[dialect].fullmatch(name)
    if not bare or not is_reserved(name, dialect):
        return exp.to_identifier(name, quoted=not bare)
    return exp.to_identifier(name.upper() if _BARE[dialect] is _ONE_CASE else name, quoted=True)


def literal(value: Value | float) -> exp.Expr:
    """Return a value as every one of the databases reads it; dates and timestamps, where no type is known, as texts."""
    if isinstance(value, bool):
        return exp.Boolean(this=value)
    if isinstance(value, datetime):
        return exp.Literal.string(value.isoformat(sep=" "))
    if isinstance(value, date):
        return exp.Literal.string(value.isoformat())
    if isinstance(value, str):
        return exp.Literal.string(value)
    text = format(value, "f") if isinstance(value, Decimal) else repr(value)
    number = exp.Literal.number(text.removeprefix("-"))
    return exp.Neg(this=number) if text.startswith("-") else number


def moment(value: date, kept_as: ColumnType, dialect: Dialect) -> exp.Expr:
    """Return a day or a moment to compare with a column, in the column's type where texts are not read as such.

    The column itself stays bare, so that an index or a partition can be used.
    """
    text = value if kept_as == "date" or isinstance(value, datetime) else datetime.combine(value, time.min)
    match _MOMENTS_ARE[dialect], kept_as:
        case ("typed", "timestamp") | ("typed", "date"):
            return exp.cast(literal(text), kept_as)
        case ("typed dates", "date"):
            return exp.cast(literal(text), "date")
        case ("functions", "date") if not isinstance(value, datetime):
            return exp.Anonymous(this="toDate32", expressions=[literal(value)])
        case ("functions", "date") | ("functions", "timestamp"):
            return exp.Anonymous(this="toDateTime", expressions=[literal(text)])
    return literal(value)


def as_text(value: exp.Expr, dialect: Dialect) -> exp.Expr:
    """Return a value of another type as a text."""
    match dialect:
        case "oracle":
            return exp.Anonymous(this="TO_CHAR", expressions=[value])
        case "clickhouse":
            return exp.Anonymous(this="toString", expressions=[value])
        case "tsql":
            return exp.cast(value, "nvarchar(4000)")
    return exp.cast(value, "text")


def divide(numerator: exp.Expr, denominator: exp.Expr, dialect: Dialect, factor: int = 1) -> exp.Expr:
    """Divide without losing decimals; NULL where the denominator is zero."""
    doubles = DIVIDES_IN_DOUBLES[dialect]
    one = exp.Literal.number(f"{factor}e0" if doubles else f"{factor}.0")
    below = unwrapped(denominator)
    if not isinstance(below, exp.Nullif):
        below = exp.func("NULLIF", below, exp.Literal.number(0))
    above = unwrapped(numerator)
    if factor != 1 or doubles or not _has_decimals(above):
        above = exp.Mul(this=one, expression=wrapped(numerator))
    return exp.Div(this=above, expression=below, typed=True)


def divide_by_number(value: exp.Expr, number: str, dialect: Dialect) -> exp.Expr:
    """Return a division by a written number that keeps its decimals."""
    exact = number if "." in number else f"{number}.0"
    below = exp.Literal.number(f"{number}e0" if DIVIDES_IN_DOUBLES[dialect] else exact)
    return exp.Div(this=value.copy(), expression=below, typed=True)


def _has_decimals(node: exp.Expr) -> bool:
    """Tell whether a product has a factor written with a decimal point, as in 100.0 * SUM(x)."""
    factors = (node.this, node.expression) if isinstance(node, exp.Mul) else ()
    return any(isinstance(item, exp.Literal) and "." in item.name and not item.is_string for item in factors)


def wrapped(node: exp.Expr) -> exp.Expr:
    """Return an operand with the parentheses it needs inside another operation."""
    return exp.paren(node.copy(), copy=False) if isinstance(node, exp.Binary | exp.Neg | exp.Not) else node.copy()


def so_many_times(node: exp.Expr, times: Decimal | None) -> exp.Expr:
    """Return a product, the expression itself where no factor is given."""
    return node if times is None else exp.Mul(this=literal(times), expression=wrapped(node))


def unwrapped(node: exp.Expr) -> exp.Expr:
    """Return an expression without the parentheses around it."""
    return node.unnest().copy()


def contains(text: exp.Expr, fragment: str, dialect: Dialect, *, before: bool, after: bool) -> exp.Expr:
    """Match a fragment regardless of case, with anything `before` or `after` it."""
    escape = "\\" if dialect in _NO_ESCAPE_CLAUSE else LIKE_ESCAPE
    special = re.compile(f"[%_{re.escape(escape + _SPECIAL[dialect])}]")
    safe = special.sub(lambda found: escape + found[0], fragment.lower())
    pattern = exp.Literal.string(("%" if before else "") + safe + ("%" if after else ""))
    # Its LOWER knows the letters of English only.
    lower = exp.Anonymous(this="lowerUTF8", expressions=[text]) if dialect == "clickhouse" else exp.Lower(this=text)
    match: exp.Expr = exp.Like(this=lower, expression=pattern)
    # Where nothing else is said, some databases escape by a backslash.
    if dialect not in _NO_ESCAPE_CLAUSE and (safe != fragment.lower() or "\\" in fragment):
        match = exp.Escape(this=match, expression=exp.Literal.string(LIKE_ESCAPE))
    return match


def only_where(condition: exp.Expr | None, value: exp.Expr) -> exp.Expr:
    """Return a value where a condition holds and NULL, which aggregates skip, where it does not."""
    return value if condition is None else exp.Case(ifs=[exp.If(this=condition.copy(), true=value)])


PERCENTILE: Mapping[Dialect, Literal["MEDIAN", "PERCENTILE", "WITHIN GROUP"] | None] = {
    "duckdb": "MEDIAN",
    "sqlite": None,
    "postgres": "WITHIN GROUP",
    "mysql": None,
    "trino": None,  # its APPROX_PERCENTILE is not exact
    "spark": "PERCENTILE",
    "tsql": None,  # not as an aggregate, which is true of BigQuery too
    "oracle": "WITHIN GROUP",
    "snowflake": "WITHIN GROUP",
    "bigquery": None,
    "databricks": "PERCENTILE",
    "clickhouse": None,
}
"""The aggregate that gives an interpolated quantile; None where positions have to be counted."""


def percentile(values: exp.Expr, quantile: float, dialect: Dialect) -> exp.Expr | None:
    """Return the interpolated quantile of the values, None where the database has no such aggregate."""
    match PERCENTILE[dialect]:
        case "MEDIAN" if quantile == 0.5:
            return exp.Anonymous(this="MEDIAN", expressions=[values])
        case "MEDIAN":
            return exp.Anonymous(this="QUANTILE_CONT", expressions=[values, literal(quantile)])
        case "PERCENTILE":
            return exp.Anonymous(this="PERCENTILE", expressions=[values, literal(quantile)])
        case "WITHIN GROUP":
            return exp.WithinGroup(
                this=exp.PercentileCont(this=literal(quantile)),
                expression=exp.Order(expressions=[exp.Ordered(this=values)]),
            )
    return None


def ordered(value: exp.Expr, dialect: Dialect, *, descending: bool, nullable: bool = True) -> exp.Ordered:
    """Sort with missing values last; where none are missing, without saying so."""
    first = {"least": not descending, "greatest": descending, "last": False}[_MISSING_IS[dialect]]
    return exp.Ordered(this=value, desc=descending or None, nulls_first=first and not nullable)
