"""What the four databases write differently: names, texts, patterns, ordering and dates that are shifted."""

from __future__ import annotations

import re
from datetime import date, datetime
from decimal import Decimal

from sqlglot import exp

from ai_engine.catalogue import Dialect
from ai_engine.semantics.intent import Value

PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
LOWER_NAME = re.compile(r"[a-z_][a-z0-9_]*")
_MISSING_IS_LEAST = ("sqlite", "mysql")
LIKE_ESCAPE = "!"
# Words that at least one of the four databases refuses as a bare table or column name.
RESERVED = frozenset(
    """
    all alter analyse analyze and any array as asc asymmetric authorization before between bigint binary both by call
    cascade case cast change char check collate collation column commit condition constraint continue convert create
    cross current current_date current_role current_time current_timestamp current_user cursor database databases dec
    decimal declare default deferrable delayed delete desc describe deterministic distinct div do double drop each else
    elseif end escape except exists exit explain false fetch float for force foreign freeze from full fulltext function
    generated glob grant group grouping groups having if ignore ilike in index indexed infile initially inner inout
    insert int integer intersect interval into is isnull join key keys kill lateral leading leave left like limit linear
    lines load localtime localtimestamp lock long loop match maxvalue mod modifies natural not notnull null numeric of
    offset on only open optimize option or order out outer over overlaps partition pivot placing primary procedure
    purge qualify range rank read real recursive references regexp release rename repeat replace require restrict
    return returning revoke right rlike row row_number rows schema schemas select sensitive separator session_user set
    show similar smallint some spatial specific sql ssl starting straight_join summarize symmetric system table
    tablesample terminated then to trailing transaction trigger true undo union unique unlock unpivot unsigned update
    usage use user using values varchar variadic varying verbose virtual when where while window with write xor
    """.split()
)


def identifier(name: str, dialect: Dialect) -> exp.Identifier:
    """Return a name, quoted only where the database would misread it bare."""
    folds_case = dialect == "postgres"
    plain = LOWER_NAME if folds_case else PLAIN_NAME
    return exp.to_identifier(name, quoted=not plain.fullmatch(name) or name.lower() in RESERVED)


def literal(value: Value | float) -> exp.Expr:
    """Return a value as every one of the databases reads it; dates and timestamps are ISO texts."""
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


def divide(numerator: exp.Expr, denominator: exp.Expr, dialect: Dialect, factor: int = 1) -> exp.Expr:
    """Divide without losing decimals; NULL where the denominator is zero."""
    # MySQL keeps only four more digits than its operands have, unless one of them is a double.
    one = exp.Literal.number(f"{factor}e0" if dialect == "mysql" else f"{factor}.0")
    below = unwrapped(denominator)
    if not isinstance(below, exp.Nullif):
        below = exp.func("NULLIF", below, exp.Literal.number(0))
    above = unwrapped(numerator)
    if factor != 1 or dialect == "mysql" or not _has_decimals(above):
        above = exp.Mul(this=one, expression=wrapped(numerator))
    return exp.Div(this=above, expression=below, typed=True)


def _has_decimals(node: exp.Expr) -> bool:
    """Tell whether a product has a factor written with a decimal point, as in 100.0 * SUM(x)."""
    factors = (node.this, node.expression) if isinstance(node, exp.Mul) else ()
    return any(isinstance(item, exp.Literal) and "." in item.name and not item.is_string for item in factors)


def wrapped(node: exp.Expr) -> exp.Expr:
    """Return an operand with the parentheses it needs inside another operation."""
    return exp.paren(node.copy(), copy=False) if isinstance(node, exp.Binary | exp.Neg | exp.Not) else node.copy()


def unwrapped(node: exp.Expr) -> exp.Expr:
    """Return an expression without the parentheses around it."""
    return node.unnest().copy()


def contains(text: exp.Expr, fragment: str, *, before: bool, after: bool) -> exp.Expr:
    """Match a fragment regardless of case, with anything `before` or `after` it."""
    special = re.compile(f"[%_{LIKE_ESCAPE}]")
    safe = special.sub(lambda found: LIKE_ESCAPE + found[0], fragment.lower())
    pattern = ("%" if before else "") + safe + ("%" if after else "")
    match: exp.Expr = exp.Like(this=exp.Lower(this=text), expression=exp.Literal.string(pattern))
    if safe != fragment.lower():
        match = exp.Escape(this=match, expression=exp.Literal.string(LIKE_ESCAPE))
    return match


def only_where(condition: exp.Expr | None, value: exp.Expr) -> exp.Expr:
    """Return a value where a condition holds and NULL, which aggregates skip, where it does not."""
    return value if condition is None else exp.Case(ifs=[exp.If(this=condition.copy(), true=value)])


def percentile(values: exp.Expr, quantile: float, dialect: Dialect) -> exp.Expr | None:
    """Return the interpolated quantile of the values, None where the database has no such aggregate."""
    if dialect == "duckdb":
        if quantile == 0.5:
            return exp.Anonymous(this="MEDIAN", expressions=[values])
        return exp.Anonymous(this="QUANTILE_CONT", expressions=[values, literal(quantile)])
    if dialect == "postgres":
        return exp.WithinGroup(
            this=exp.PercentileCont(this=literal(quantile)),
            expression=exp.Order(expressions=[exp.Ordered(this=values)]),
        )
    return None


def ordered(value: exp.Expr, dialect: Dialect, *, descending: bool, nullable: bool = True) -> exp.Ordered:
    """Sort with missing values last; where none are missing, without saying so."""
    by_itself = (dialect in _MISSING_IS_LEAST and not descending) or (dialect == "postgres" and descending)
    return exp.Ordered(this=value, desc=descending or None, nulls_first=by_itself and not nullable)
