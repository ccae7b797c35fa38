"""What DuckDB computes in types that lose no digit: of anything else it may matter in which order rows arrive.

A value is exact where values that are level are the same; 0.0 and -0.0 are not, nor are texts of a collation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from sqlglot import exp

_MOST_DIGITS = 28
"""Of what is added up: ten thousand million rows of them stay below the 38 digits that DuckDB has."""
_LONGEST_LITERAL = 18
_DECIMAL = re.compile(r"(?:DECIMAL|NUMERIC)\((\d+), ?(\d+)\)")
_WIDTHS = {
    **dict.fromkeys(("TINYINT", "UTINYINT"), 3),
    **dict.fromkeys(("SMALLINT", "USMALLINT"), 5),
    **dict.fromkeys(("INTEGER", "INT", "UINTEGER", "UINT"), 10),
    "BIGINT": 19,
}
_PLAIN = frozenset({"VARCHAR", "TEXT", "UUID", "DATE", "TIMESTAMP", "BOOLEAN"})
_LEVEL_AND_DIFFERENT = frozenset({"FLOAT", "DOUBLE", "TIMESTAMP WITH TIME ZONE", "INTERVAL"})
_PARTS = frozenset({"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "DOW", "ISODOW", "DOY", "HOUR", "MINUTE"})
_ALWAYS_EXACT = frozenset(
    {
        *(exp.And, exp.Or, exp.Not, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Is, exp.Between, exp.In),
        *(exp.Like, exp.ILike, exp.Escape, exp.Exists, exp.NullSafeEQ, exp.NullSafeNEQ),
        *(exp.Lower, exp.Upper, exp.Trim, exp.Substring, exp.DPipe, exp.Left, exp.Right, exp.TimeToStr),
        *(exp.Var, exp.Null, exp.Boolean),
    }
)
_INEXACT_OR_RARE = frozenset({exp.Div, exp.Interval, exp.CurrentDate, exp.CurrentTimestamp, exp.Localtimestamp})
_WHOLE_NUMBERS = frozenset({exp.Year, exp.Quarter, exp.Month, exp.Week, exp.Day, exp.Length})


class OrderMatters(Exception):
    """It may matter in which order rows arrive, as far as is known."""


@dataclass(frozen=True, slots=True)
class Value:
    """What an expression gives.

    Attributes:
        is_exact: values that are level are the same.
        digits: before and behind the point at most, of numbers that can be added up without loss.
        is_total: it was added up, in a type that DuckDB may combine with others by floating point.
    """

    is_exact: bool = True
    digits: tuple[int, int] | None = None
    is_total: bool = False


EXACT = Value()
INEXACT = Value(is_exact=False)
WHOLE = Value(digits=(19, 0))


def stored_as(native_type: str) -> Value | None:
    """What a column of a type holds; None of a type that is not listed."""
    spelled = native_type.upper()
    decimal = _DECIMAL.fullmatch(spelled)
    if decimal:
        return _number(int(decimal[1]) - int(decimal[2]), int(decimal[2]))
    if spelled in _WIDTHS:
        return _number(_WIDTHS[spelled], 0)
    if spelled in _PLAIN:
        return EXACT
    return INEXACT if spelled in _LEVEL_AND_DIFFERENT else None


def cast_to(kind: exp.DataType) -> Value:
    """What a cast gives, whatever it is given."""
    return stored_as(kind.sql(dialect="duckdb")) or INEXACT


def literal(node: exp.Literal) -> Value:
    """A text, or a number, which is a DECIMAL where it has a point and no exponent."""
    if node.is_string:
        return EXACT
    before, _, behind = node.name.partition(".")
    if not (before + behind).isdecimal() or len(before + behind) > _LONGEST_LITERAL:
        return INEXACT
    return _number(len(before), len(behind))


def added_up(value: Value) -> Value:
    """What SUM gives; raises OrderMatters where a digit may be lost."""
    if value.digits is None:
        raise OrderMatters
    return Value(digits=value.digits, is_total=True)


def one_of(values: Iterable[Value], *, beside_whole_literals: bool) -> Value:
    """What is one of several, as CASE and COALESCE give it."""
    known = list(values)
    digits = [value.digits for value in known if value.digits is not None]
    is_total = any(value.is_total for value in known)
    if not all(value.is_exact for value in known) or (is_total and not beside_whole_literals):
        return INEXACT
    if not digits or len(digits) < len(known):
        return EXACT
    return _number(max(whole for whole, _ in digits), max(scale for _, scale in digits), is_total=is_total)


def computed(node: exp.Expr, parts: list[Value]) -> Value:
    """What a function or an operator gives that looks at one row; raises OrderMatters for one that is not listed."""
    kind = type(node)
    if kind in _ALWAYS_EXACT:
        return EXACT
    if kind in _WHOLE_NUMBERS:
        return WHOLE
    if kind in (exp.Paren, exp.Neg, exp.Abs):
        return parts[0]
    if kind is exp.Round:  # of a whole number it may be floating point
        digits = parts[0].digits
        return _number(digits[0] + 1, digits[1]) if digits and digits[1] and not parts[0].is_total else INEXACT
    if kind in (exp.Add, exp.Sub, exp.Mul):
        return _combined(kind, parts)
    if kind in (exp.DateTrunc, exp.TimestampTrunc):
        return parts[0]
    if kind is exp.Extract:
        return WHOLE if node.name.upper() in _PARTS else INEXACT
    if kind in _INEXACT_OR_RARE:
        return INEXACT
    raise OrderMatters


def _combined(kind: type[exp.Expr], parts: list[Value]) -> Value:
    one, other = (part.digits for part in parts)
    if one is None or other is None or any(part.is_total for part in parts):
        return INEXACT
    if kind is exp.Mul:
        return _number(one[0] + other[0], one[1] + other[1])
    return _number(max(one[0], other[0]) + 1, max(one[1], other[1]))


def _number(whole: int, scale: int, *, is_total: bool = False) -> Value:
    return Value(digits=(whole, scale), is_total=is_total) if whole + scale <= _MOST_DIGITS else INEXACT
