"""Aggregate calls over the rows of one dataset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import sqlglot
from sqlglot import exp

from ai_engine.catalogue import Dialect
from ai_engine.errors import IntentNotCovered
from ai_engine.semantics.compiler.dialects import PERCENTILE, divide, only_where, percentile, wrapped
from ai_engine.semantics.compiler.scope import Setting
from ai_engine.semantics.intent import FieldRef, Filter, Period
from ai_engine.semantics.model import Aggregate

_SIMPLE: dict[str, type[exp.AggFunc]] = {
    "count": exp.Count, "sum": exp.Sum, "avg": exp.Avg, "min": exp.Min, "max": exp.Max, "stddev": exp.StddevSamp,
}  # fmt: skip
_NO_DEVIATION = ("sqlite", "clickhouse")  # or one that is no number, and not NULL, of a single row


@dataclass(frozen=True)
class Leaf:
    """One aggregate over the rows of one dataset.

    Attributes:
        dataset: whose rows are aggregated.
        aggregate: which aggregate; None when `call` says it.
        argument: what is aggregated; None for rows.
        call: SQL of an aggregate call over columns written `dataset.field`, from a metric.
        time: what dates the rows, None for a figure as of now.
    """

    dataset: str
    aggregate: Aggregate | None = None
    argument: FieldRef | None = None
    weight: FieldRef | None = None
    quantile: float | None = None
    call: str | None = None
    filters: tuple[Filter, ...] = ()
    time: FieldRef | None = None

    @property
    def empty_is_zero(self) -> bool:
        """Nothing to count or add up is zero; an average of nothing is not."""
        if self.call is not None:
            return self.call.upper().startswith(("COUNT(", "SUM("))
        return self.aggregate in ("count", "count_distinct", "sum")

    @property
    def is_count(self) -> bool:
        """Never NULL, even over no rows."""
        return self.call.upper().startswith("COUNT(") if self.call else self.aggregate in ("count", "count_distinct")

    @property
    def ignores_repeats(self) -> bool:
        """The figure is the same when a row is seen twice, because rows are counted by their key."""
        if self.call is not None:
            return False
        return self.argument is None or self.aggregate in ("count_distinct", "min", "max")

    def needs_spread(self, dialect: Dialect) -> bool:
        """The database has no aggregate for it: rows must carry their position or the group's mean first."""
        if self.aggregate == "stddev":
            return dialect in _NO_DEVIATION
        return self.aggregate == "median" and PERCENTILE[dialect] is None

    def fields(self) -> tuple[FieldRef, ...]:
        """Return every field the aggregate reads."""
        if self.call is not None:
            columns = sqlglot.parse_one(self.call).find_all(exp.Column)
            return tuple(
                dict.fromkeys(
                    _reference(column, self.dataset) for column in columns if not isinstance(column.this, exp.Star)
                )
            )
        return tuple(ref for ref in (self.argument, self.weight) if ref is not None)


def dated_by(period: Period, leaf: Leaf) -> FieldRef:
    """Return the field that a period is about; IntentNotCovered for a figure as of now."""
    if period.field is not None:
        return period.field
    if leaf.time is None:
        raise IntentNotCovered(f"rows of {leaf.dataset!r} have no date, so {period.label!r} cannot be applied")
    return leaf.time


def aggregate_call(
    leaf: Leaf,
    setting: Setting,
    fields: Mapping[FieldRef, exp.Expr],
    condition: exp.Expr | None,
    key: exp.Expr | None,
) -> exp.Expr:
    """Write one aggregate call.

    Args:
        leaf: what to aggregate.
        setting: for the dialect.
        fields: SQL of each field it reads.
        condition: rows to aggregate, None for all.
        key: counts rows by this column instead of as they come.
    """  # fmt: skip
    dialect = setting.dialect
    if leaf.call is not None:
        return _metric_call(leaf, fields, condition)
    if leaf.argument is None:
        if key is not None:
            return exp.Count(this=exp.Distinct(expressions=[only_where(condition, key)]))
        return exp.Count(this=exp.Star() if condition is None else only_where(condition, exp.Literal.number(1)))
    value = fields[leaf.argument].copy()
    if leaf.weight is not None:
        return _weighted_average(value, fields[leaf.weight].copy(), condition, dialect)
    argument = only_where(condition, value)
    if leaf.aggregate == "median":
        call = percentile(argument, 0.5 if leaf.quantile is None else leaf.quantile, dialect)
        if call is None:
            raise IntentNotCovered(f"{dialect} has no median")
        return call
    if leaf.aggregate == "count_distinct":
        return exp.Count(this=exp.Distinct(expressions=[argument]))
    return _SIMPLE[str(leaf.aggregate)](this=argument)


def taken_out(leaf: Leaf) -> tuple[Leaf, str | None]:
    """Return an aggregate over all rows, and the condition that a metric's own call sets on them.

    `SUM(CASE WHEN c THEN x ELSE 0 END)` is `SUM(x)` and `c`, `COUNT(*) FILTER (WHERE c)` is `COUNT(*)` and `c`.
    """
    bare = replace(leaf, filters=())
    if leaf.call is None:
        return bare, None
    tree = sqlglot.parse_one(leaf.call)
    if isinstance(tree, exp.Filter):
        return replace(bare, call=tree.this.sql()), tree.expression.this.sql()
    argument = tree.this.expressions[0] if isinstance(tree.this, exp.Distinct) else tree.this
    if not isinstance(argument, exp.Case) or argument.this is not None or len(argument.args["ifs"]) > 1:
        return bare, None
    otherwise, (only,) = argument.args.get("default"), argument.args["ifs"]
    adds_nothing = isinstance(otherwise, exp.Literal) and otherwise.name == "0" and isinstance(tree, exp.Sum)
    if otherwise is not None and not isinstance(otherwise, exp.Null) and not adds_nothing:
        return bare, None
    value = only.args["true"]
    counts = argument is tree.this and isinstance(tree, exp.Sum | exp.Count) and value == exp.Literal.number(1)
    argument.replace(value.copy())
    return replace(bare, call="COUNT(*)" if counts else tree.sql()), only.this.sql()


def metric_condition(sql: str, dataset: str, fields: Mapping[FieldRef, exp.Expr]) -> exp.Expr:
    """Return a condition of a metric over the columns of a statement."""
    return sqlglot.parse_one(sql).transform(
        lambda node: fields[_reference(node, dataset)].copy() if isinstance(node, exp.Column) else node
    )


def _metric_call(leaf: Leaf, fields: Mapping[FieldRef, exp.Expr], condition: exp.Expr | None) -> exp.Expr:
    """Write a metric's aggregate call; a FILTER clause and the measure's own filter both become a CASE."""
    tree = sqlglot.parse_one(str(leaf.call))
    for column in list(tree.find_all(exp.Column)):
        within_star = isinstance(column.this, exp.Star)
        column.replace(exp.Star() if within_star else fields[_reference(column, leaf.dataset)].copy())
    if isinstance(tree, exp.Filter):
        own = tree.expression.this
        condition = own if condition is None else exp.and_(own, condition)
        tree = tree.this
    if condition is not None:
        argument = tree.this.expressions[0] if isinstance(tree.this, exp.Distinct) else tree.this
        counted = exp.Literal.number(1) if isinstance(argument, exp.Star) else argument.copy()
        argument.replace(only_where(condition, counted))
    return tree


def _weighted_average(value: exp.Expr, weight: exp.Expr, condition: exp.Expr | None, dialect: Dialect) -> exp.Expr:
    """Rows without a value count in neither the sum nor the weights."""
    product = exp.Mul(this=wrapped(value), expression=wrapped(weight))
    known = exp.Not(this=exp.Is(this=value, expression=exp.Null()))
    among = known if condition is None else exp.and_(condition.copy(), known)
    above, below = only_where(condition, product), only_where(among, weight)
    return divide(exp.Sum(this=above), exp.Sum(this=below), dialect)


def _reference(column: exp.Expr, dataset: str) -> FieldRef:
    return FieldRef(dataset=getattr(column, "table", "") or dataset, field=column.name)
