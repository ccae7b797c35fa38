"""Filtered rows with their dimensions beside them, and the ways to aggregate them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from ai_engine.catalogue import Dialect
from ai_engine.semantics.compiler.dialects import DIVIDES_IN_DOUBLES, identifier, literal, only_where, ordered
from ai_engine.semantics.compiler.leaves import Leaf, aggregate_call
from ai_engine.semantics.compiler.naming import Names
from ai_engine.semantics.compiler.scope import Setting
from ai_engine.semantics.intent import FieldRef

Named = tuple[tuple[str, exp.Expr], ...]


@dataclass(frozen=True)
class Grouped:
    """Rows ready to be selected from.

    Attributes:
        query: FROM, WHERE and GROUP BY, nothing selected yet.
        groups: name and SQL of each dimension.
        values: SQL of each aggregate.
        sort_keys: what sorts a dimension whose names do not sort by themselves.
    """

    query: exp.Select
    groups: Named
    values: Mapping[Leaf, exp.Expr]
    sort_keys: Mapping[str, exp.Expr] = field(default_factory=dict)


@dataclass(frozen=True)
class Rows:
    """Rows before grouping.

    Attributes:
        query: FROM and WHERE, nothing selected yet.
        groups: name and SQL of each dimension.
        fields: SQL of each field that an aggregate reads.
        conditions: which rows each aggregate sees, None for all.
        sort_keys: the number behind each banded dimension.
    """

    setting: Setting
    query: exp.Select
    groups: Named
    fields: Mapping[FieldRef, exp.Expr]
    conditions: Mapping[Leaf, exp.Expr | None]
    sort_keys: Mapping[str, exp.Expr]

    def grouped(self, leaves: Sequence[Leaf], key: exp.Expr | None = None) -> Grouped:
        """Aggregate; rows that joins repeat are counted once where their `key` is given."""
        values = {
            leaf: aggregate_call(leaf, self.setting, self.fields, self.conditions.get(leaf), key) for leaf in leaves
        }
        return self._grouped(self.query, self.groups, values, self.sort_keys)

    def each_once(self, key: Sequence[exp.Expr], alias: str) -> Rows:
        """Keep each row once per combination of dimensions, however often the joins repeat it."""
        given = Names(name for name, _ in self.groups)
        names = {ref: given.unique(f"{ref.field}_{ref.grain}" if ref.grain else ref.field) for ref in self.fields}
        items = [self._alias(column.copy(), f"key_{number}") for number, column in enumerate(key, 1)]
        items += [self._alias(value, name) for name, value in self.groups]
        items += [self._alias(value, f"{name}_number") for name, value in self.sort_keys.items()]
        items += [self._alias(value, names[ref]) for ref, value in self.fields.items()]
        return replace(
            self,
            query=self._from(self.query.select(*items).distinct(), alias),
            groups=tuple((name, self._column(name)) for name, _ in self.groups),
            fields={ref: self._column(name) for ref, name in names.items()},
            conditions={},
            sort_keys={name: self._column(f"{name}_number") for name in self.sort_keys},
        )

    def spread(self, leaf: Leaf) -> Grouped:
        """Compute a percentile or a deviation from each row's position or distance within its group."""
        assert leaf.argument is not None  # noqa: S101 - both aggregates are of a field
        value = only_where(self.conditions.get(leaf), self.fields[leaf.argument].copy())
        within = [group.copy() for _, group in self.groups]
        items = [self._alias(group.copy(), name) for name, group in self.groups]
        items += [self._alias(number.copy(), f"{name}_number") for name, number in self.sort_keys.items()]
        items.append(self._alias(value.copy(), "value"))
        if leaf.aggregate == "median":
            position = exp.Window(
                this=exp.RowNumber(),
                partition_by=within,
                order=exp.Order(expressions=[ordered(value, self.setting.dialect, descending=False)]),
            )
            size = exp.Window(this=exp.Count(this=value.copy()), partition_by=[item.copy() for item in within])
            items += [self._alias(position, "position"), self._alias(size, "filled")]
            result = _interpolated(0.5 if leaf.quantile is None else leaf.quantile, self.setting.dialect)
        else:
            items.append(self._alias(exp.Window(this=exp.Avg(this=value.copy()), partition_by=within), "mean"))
            result = _deviation()
        groups = tuple((name, self._column(name)) for name, _ in self.groups)
        sort_keys = {name: self._column(f"{name}_number") for name in self.sort_keys}
        return self._grouped(self._from(self.query.select(*items), "spread"), groups, {leaf: result}, sort_keys)

    def _grouped(
        self, query: exp.Select, groups: Named, values: Mapping[Leaf, exp.Expr], numbers: Mapping[str, exp.Expr]
    ) -> Grouped:
        sort_keys = {name: exp.Min(this=number.copy()) for name, number in numbers.items()}
        return Grouped(group_by(query, groups, self.setting.dialect), groups, values, sort_keys)

    def _from(self, inner: exp.Select, alias: str) -> exp.Select:
        named = exp.TableAlias(this=identifier(alias, self.setting.dialect))
        return exp.Select().from_(exp.Subquery(this=inner, alias=named))

    def _alias(self, value: exp.Expr, name: str) -> exp.Expr:
        return exp.Alias(this=value.copy(), alias=identifier(name, self.setting.dialect))

    def _column(self, name: str) -> exp.Column:
        return exp.Column(this=identifier(name, self.setting.dialect))


def group_by(query: exp.Select, groups: Named, dialect: Dialect) -> exp.Select:
    """Group by plain columns as they are, and by anything longer under its name."""
    keys = [
        value.copy() if isinstance(value, exp.Column) else exp.Column(this=identifier(name, dialect))
        for name, value in groups
    ]
    return query.group_by(*keys) if keys else query


def _interpolated(quantile: float, dialect: Dialect) -> exp.Expr:
    """Return the quantile of `value` over rows that carry their `position` among `filled` known values."""
    # Products of exact numbers outgrow what warehouses keep of decimals.
    share_below = exp.Literal.number(f"{quantile!r}e0") if DIVIDES_IN_DOUBLES[dialect] else literal(quantile)
    place = exp.Mul(this=share_below, expression=exp.paren(exp.column("filled") - 1, copy=False))
    gap = exp.Abs(this=exp.Sub(this=exp.Sub(this=exp.column("position"), expression=literal(1)), expression=place))
    share = exp.Mul(
        this=exp.column("value"), expression=exp.paren(exp.Sub(this=literal(1), expression=gap), copy=False)
    )
    near = exp.LT(this=gap.copy(), expression=literal(1))
    return exp.Sum(this=exp.Case(ifs=[exp.If(this=near, true=share)]))


def _deviation() -> exp.Expr:
    """Return the sample standard deviation of `value` over rows that carry their group's `mean`."""
    distance = exp.paren(exp.Sub(this=exp.column("value"), expression=exp.column("mean")), copy=False)
    squares = exp.Sum(this=exp.Mul(this=distance, expression=distance.copy()))
    others = exp.Sub(this=exp.Count(this=exp.column("value")), expression=literal(1))
    below = exp.func("NULLIF", others, literal(0))
    return exp.Sqrt(this=exp.Div(this=squares, expression=below, typed=True))
