"""What an expression of a statement comes to: computed from tables, or written into the statement in some guise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal, DecimalException
from enum import Enum
from itertools import product
from typing import TypeAlias

from sqlglot import exp

from ai_engine.llm.read_sources import Sources, branches


class Origin(Enum):
    """Where a value comes from that is none of a few known ones."""

    COMPUTED = "from tables"
    WRITTEN = "from nothing but the statement"
    DATE = "a day or a time from nothing but the statement"


Value: TypeAlias = Origin | frozenset[Decimal | str | None]
"""An origin, or the few values that it can only be: those of a CASE, or one that no row changes."""

_ZERO, _ONE, _NULL = frozenset({Decimal(0)}), frozenset({Decimal(1)}), frozenset({None})
_SIGNS = frozenset(map(Decimal, (-1, 0, 1)))
_TRUTHS = frozenset(map(Decimal, (0, 1)))
_MOST_VALUES = 64
_MOST_PAIRS = 256
_SAME = (
    exp.Alias, exp.Paren, exp.Window, exp.Filter, exp.IgnoreNulls, exp.RespectNulls, exp.Distinct,
    exp.Max, exp.Min, exp.AnyValue, exp.First, exp.Last, exp.FirstValue, exp.LastValue, exp.Lag, exp.Lead, exp.Mode,
    exp.Round, exp.Floor, exp.Ceil, exp.Trunc, exp.Abs,
)  # fmt: skip
"""What comes out of them is one of the values that go in, or near one."""
_MEANS = (exp.Avg, exp.Median, exp.Sum, exp.PercentileCont, exp.PercentileDisc, exp.Quantile)
CHOICES = (exp.Case, exp.If, exp.Coalesce, exp.Greatest, exp.Least, exp.Nullif, exp.Nvl2)
_TRUE_OR_FALSE = (exp.Predicate, exp.Connector, exp.Not, exp.Between, exp.In, exp.Exists, exp.Is)
_DAYS = (
    exp.CurrentDate, exp.CurrentTimestamp, exp.DateAdd, exp.DateSub, exp.DateTrunc, exp.TimestampTrunc, exp.LastDay,
    exp.DateFromParts, exp.Date, exp.TsOrDsToDate, exp.TsOrDsAdd, exp.TsOrDsToTimestamp, exp.StrToDate, exp.StrToTime,
)  # fmt: skip
_SHIFTS = (exp.Add, exp.Sub, exp.DateAdd, exp.DateSub, exp.DatetimeAdd, exp.DatetimeSub, exp.TsOrDsAdd)
_DIFFERENCES = (exp.DateDiff, exp.DatetimeDiff, exp.TimestampDiff, exp.TimeDiff, exp.MonthsBetween)
_CUT_OFF: dict[str, frozenset[str]] = {
    "YEAR": frozenset({"MONTH", "QUARTER", "DOY", "DAYOFYEAR", "DAY"}), "QUARTER": frozenset({"DAY"}),
    "MONTH": frozenset({"DAY"}), "WEEK": frozenset({"DOW", "DAYOFWEEK", "ISODOW"}),
    "DAY": frozenset({"HOUR", "MINUTE", "SECOND"}),
}  # fmt: skip
"""Parts of a time that are the same whatever it was, once it is cut off to the unit."""
_PARTS_OF_DAYS: dict[type[exp.Expr], str] = {
    exp.DayOfYear: "DOY", exp.DayOfMonth: "DAY", exp.Day: "DAY", exp.Month: "MONTH", exp.Quarter: "QUARTER",
    exp.DayOfWeek: "DOW", exp.Hour: "HOUR",
}  # fmt: skip
_COUNTS_ROWS = (exp.Star, exp.AggFunc, exp.RowNumber, exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist, exp.Ntile)


class Values:
    """Says of the expressions of one statement what they come to.

    Args:
        sources: of the names in it.
    """

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._known: dict[int, Value] = {}
        self._bases: dict[int, tuple[object, ...]] = {}

    def of(self, node: exp.Expr) -> Value:
        """Return what an expression comes to; a name that leads back to itself adds nothing."""
        if id(node) not in self._known:
            self._known[id(node)] = frozenset()
            self._known[id(node)] = self._of(node)
        return self._known[id(node)]

    def _of(self, node: exp.Expr) -> Value:
        if isinstance(node, exp.Column):
            meanings = self._sources.meanings(node)
            return _any_of([self.of(one) for one in meanings]) if meanings else Origin.COMPUTED
        if isinstance(node, exp.Literal):
            return frozenset({node.name if node.is_string else Decimal(node.name)})
        if isinstance(node, exp.Null):
            return _NULL
        if isinstance(node, exp.Boolean):
            return frozenset({node.sql()})
        if isinstance(node, exp.Neg):
            return _folded(lambda one, other: one - other, _ZERO, self.of(node.this))
        if isinstance(node, exp.Cast):
            return _cast(self.of(node.this), node.to)
        if isinstance(node, exp.Distinct):
            return _any_of([self.of(one) for one in node.expressions])
        if isinstance(node, exp.Subquery):
            return _any_of([self.of(one.selects[0]) for one in branches(node) if one.selects])
        if isinstance(node, _TRUE_OR_FALSE):
            return _TRUTHS
        if isinstance(node, CHOICES):
            return self._chosen(node)
        if isinstance(node, (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Pow)):
            return self._calculated(node)
        if isinstance(node, exp.Sign):
            return _SIGNS if self.of(node.this) is Origin.COMPUTED else self._made(node)
        if isinstance(node, exp.WithinGroup):
            ordered = node.expression.find(exp.Ordered)
            return (
                self.of(ordered.this) if ordered is not None and isinstance(node.this, _MEANS) else self._of_rows(node)
            )
        if isinstance(node, _SAME) and self.of(node.this) is not Origin.WRITTEN:
            return self.of(node.this)
        if isinstance(node, _MEANS):
            return self._mean(node)
        return self._made(node)

    def _base(self, node: exp.Expr) -> tuple[object, ...]:
        """Return what an expression is of, without what is only added to it or taken off."""
        if id(node) not in self._bases:
            self._bases[id(node)] = self._base_of(node)
        return self._bases[id(node)]

    def _base_of(self, node: exp.Expr) -> tuple[object, ...]:
        if isinstance(node, (exp.Paren, exp.Cast)):
            return self._base(node.this)
        if isinstance(node, _SHIFTS):
            read = [part for part in (node.this, node.expression) if self.of(part) is Origin.COMPUTED]
            if len(read) == 1:
                return self._base(read[0])
        parts = tuple(self._base(part) for part in _parts(node))
        return (type(node), *parts) if parts else (node,)

    def _made(self, node: exp.Expr) -> Value:
        """Judge what is not calculated here by what it is made of."""
        if isinstance(node, _DIFFERENCES) and self._base(node.this) == self._base(node.expression):
            return Origin.WRITTEN
        if _is_cut_off(node):
            return Origin.WRITTEN
        if isinstance(node, _COUNTS_ROWS):
            return self._of_rows(node)
        parts = [self.of(part) for part in _parts(node)]
        if Origin.COMPUTED in parts:
            return Origin.COMPUTED
        makes_days = isinstance(node, _DAYS) or (
            isinstance(node, (exp.Table, exp.Unnest, exp.Lateral, exp.GenerateSeries, exp.GenerateDateArray))
            and (Origin.DATE in parts or node.find(exp.Interval, exp.Cast) is not None)
        )
        return Origin.DATE if makes_days else Origin.WRITTEN

    def _of_rows(self, node: exp.Expr) -> Value:
        """Rows of a table are computed; those that a statement makes are not."""
        return Origin.COMPUTED if self._sources.reads_table(node.find_ancestor(exp.Select)) else Origin.WRITTEN

    def _mean(self, node: exp.Expr) -> Value:
        of = self.of(node.this)
        if isinstance(of, frozenset):
            numbers = of - _NULL
            if len(numbers) <= 1 and (not isinstance(node, exp.Sum) or numbers <= _ZERO):
                return of
            return self._of_rows(node)
        return of

    def _chosen(self, node: exp.Expr) -> Value:
        chosen = [self.of(one) for one in alternatives(node)]
        if isinstance(node, exp.Case) and node.args.get("default") is None:
            chosen.append(_NULL)
        found = _any_of([*chosen, _NULL] if isinstance(node, exp.Nullif) else chosen)
        if isinstance(node, exp.Coalesce) and isinstance(found, frozenset) and found != _NULL:
            return found - _NULL
        return found

    def _calculated(self, node: exp.Expr) -> Value:
        one, other = self.of(node.this), self.of(node.expression)
        if _NULL in (one, other):
            return _NULL
        if isinstance(node.expression, exp.Interval) and one is not Origin.COMPUTED:
            return Origin.DATE
        if Origin.COMPUTED in (one, other):
            left = _cancelled(node, one, other)
            if isinstance(node, (exp.Div, exp.IntDiv)) and left is one is other and _scales(node.this, node.expression):
                return Origin.WRITTEN
            shifted = isinstance(node, exp.Sub) and left is one is other
            return Origin.WRITTEN if shifted and self._base(node.this) == self._base(node.expression) else left
        return _folded(_OPERATIONS[type(node)], one, other)


_OPERATIONS: dict[type[exp.Expr], Callable[[Decimal, Decimal], Decimal]] = {
    exp.Add: lambda one, other: one + other,
    exp.Sub: lambda one, other: one - other,
    exp.Mul: lambda one, other: one * other,
    exp.Div: lambda one, other: one / other,
    exp.IntDiv: lambda one, other: one // other,
    exp.Mod: lambda one, other: one % other,
    exp.Pow: lambda one, other: one**other,
}


def alternatives(node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the expressions one of which comes out of a choice."""
    if isinstance(node, exp.Case):
        yield from (branch.args["true"] for branch in node.args["ifs"])
        if node.args.get("default") is not None:
            yield node.args["default"]
    elif isinstance(node, (exp.If, exp.Nvl2)):
        yield from (node.args[name] for name in ("true", "false") if node.args.get(name) is not None)
    elif isinstance(node, exp.Nullif):
        yield node.this
    elif isinstance(node, (exp.Coalesce, exp.Greatest, exp.Least)):
        yield from (node.this, *node.expressions)


def _cancelled(node: exp.Expr, one: Value, other: Value) -> Value:
    """Return what is left of a calculation with what tables give: x * 0, x - x, x / x, x % 1 and x to the power 0."""
    same = node.this == node.expression
    if isinstance(node, exp.Mul) and _ZERO in (one, other):
        return _ZERO
    if isinstance(node, (exp.Sub, exp.Mod)) and same:
        return _ZERO
    if isinstance(node, (exp.Div, exp.IntDiv)) and same:
        return _ONE
    if isinstance(node, (exp.Div, exp.IntDiv, exp.Mod)) and one == _ZERO:
        return _ZERO
    if isinstance(node, exp.Mod) and other == _ONE:
        return _ZERO
    if isinstance(node, exp.Pow) and (other == _ZERO or one in (_ZERO, _ONE)):
        return _ONE
    return Origin.COMPUTED


def _scales(one: exp.Expr, other: exp.Expr) -> bool:
    """Tell whether two expressions differ by nothing but the numbers that they are multiplied with: 12 * x and x."""
    return _without_factors(one) == _without_factors(other)


def _without_factors(node: exp.Expr) -> exp.Expr:
    tree = exp.Paren(this=node.copy())
    for part in reversed(list(tree.this.walk())):
        by_number = isinstance(part, (exp.Mul, exp.Div)) and isinstance(part.expression, exp.Literal)
        if by_number or isinstance(part, (exp.Paren, exp.Cast, exp.Neg)):
            part.replace(part.this)
        elif isinstance(part, exp.Mul) and isinstance(part.this, exp.Literal):
            part.replace(part.expression)
    return tree


def _is_cut_off(node: exp.Expr) -> bool:
    """Tell whether a part of a time is taken that it has lost: the day of the year of the first of January."""
    if isinstance(node, exp.Extract):
        part, time = node.name.upper(), node.expression
    else:
        part, time = _PARTS_OF_DAYS.get(type(node), ""), node.this
    cuts = time.find_all(exp.DateTrunc, exp.TimestampTrunc) if part and isinstance(time, exp.Expr) else ()
    return any(part in _CUT_OFF.get(cut.text("unit").upper(), ()) for cut in cuts)


def _folded(calculate: Callable[[Decimal, Decimal], Decimal], one: Value, other: Value) -> Value:
    """Calculate with each pair of known values; texts and what is not known give no known number."""
    if Origin.COMPUTED in (one, other):
        return Origin.COMPUTED
    if not isinstance(one, frozenset) or not isinstance(other, frozenset) or len(one) * len(other) > _MOST_PAIRS:
        return Origin.WRITTEN
    found = set[Decimal | str | None]()
    for left, right in product(one, other):
        if isinstance(left, str) or isinstance(right, str):
            return Origin.WRITTEN
        try:
            found.add(None if left is None or right is None else calculate(left, right))
        except (DecimalException, OverflowError):
            found.add(None)
    return frozenset(found) if len(found) <= _MOST_VALUES else Origin.WRITTEN


def _cast(value: Value, to: exp.DataType) -> Value:
    """Bring a known text into a number where a cast does."""
    if not isinstance(value, frozenset) or not to.is_type(*exp.DataType.NUMERIC_TYPES):
        return value
    try:
        return frozenset(Decimal(one) if isinstance(one, str) else one for one in value)
    except DecimalException:
        return _TRUTHS if value <= {"TRUE", "FALSE"} else Origin.WRITTEN


def _any_of(values: list[Value]) -> Value:
    """Return what covers each of several values."""
    for origin in (Origin.COMPUTED, Origin.WRITTEN, Origin.DATE):
        if origin in values:
            return origin
    found = frozenset[Decimal | str | None]().union(*(one for one in values if isinstance(one, frozenset)))
    return found if len(found) <= _MOST_VALUES else Origin.WRITTEN


def _parts(node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the expressions that a function or an operator takes."""
    for part in node.iter_expressions():
        if isinstance(part, (exp.Condition, exp.Subquery)):
            yield part
        elif not isinstance(part, (exp.Query, exp.DataType, exp.Identifier, exp.TableAlias, exp.Var)):
            yield from _parts(part)
