"""The rows of one dataset, filtered and grouped: the building block of every figure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from ai_engine.errors import IntentNotCovered
from ai_engine.semantics.compiler.bands import banded
from ai_engine.semantics.compiler.dialects import identifier
from ai_engine.semantics.compiler.figures import Leaf, aggregate_call
from ai_engine.semantics.compiler.predicates import FigureOverAll, Predicates
from ai_engine.semantics.compiler.routes import route, to_one
from ai_engine.semantics.compiler.scope import Scope, Setting
from ai_engine.semantics.intent import Dimension, FieldRef, Filter, Period
from ai_engine.semantics.join_paths import Path


@dataclass(frozen=True)
class Group:
    """What the rows of one fact are grouped by, as that fact sees it."""

    name: str
    dimension: Dimension


@dataclass(frozen=True)
class Question:
    """What all facts of one intent share."""

    subject: str | None
    filters: tuple[Filter, ...]
    figure: FigureOverAll


@dataclass(frozen=True)
class Grouped:
    """A fact ready to be selected from.

    Attributes:
        query: FROM, WHERE and GROUP BY, nothing selected yet.
        groups: name and SQL of each dimension.
        values: SQL of each aggregate.
    """

    query: exp.Select
    groups: tuple[tuple[str, exp.Expression], ...]
    values: dict[Leaf, exp.Expression]


def grouped_fact(
    setting: Setting, question: Question, leaves: Sequence[Leaf], groups: Sequence[Group], periods: Sequence[Period]
) -> Grouped:
    """Aggregate the rows of one dataset by its dimensions.

    Args:
        setting: what is fixed.
        question: filters and subject.
        leaves: aggregates over the same dataset, dated by the same field.
        groups: dimensions, in order.
        periods: the rows of any of these are aggregated; none means all rows.
    """
    fact = leaves[0].dataset
    scope = Scope(setting, fact)
    paths = [route(setting, fact, group.dimension.field.dataset, group.dimension.field.via, question.subject)
             for group in groups]  # fmt: skip
    values = [_dimension(scope, group, path) for group, path in zip(groups, paths, strict=True)]
    predicates = Predicates(scope, question.subject, question.figure)
    where = predicates.all_of(question.filters)
    if periods:
        where.append(_any_period(predicates, periods, leaves[0]))
    pairs = tuple((group.name, value) for group, value in zip(groups, values, strict=True))
    rows = _Rows(scope, pairs, lambda ref: _value(scope, ref), predicates)
    if all(to_one(path) for path in paths):
        return rows.grouped(leaves, where)
    if all(leaf.ignores_repeats for leaf in leaves):
        return rows.grouped(leaves, where, by_key=True)
    return rows.each_once(leaves, where)


@dataclass
class _Rows:
    """The rows of a fact with its dimensions beside them."""

    scope: Scope
    groups: tuple[tuple[str, exp.Expression], ...]
    value: Callable[[FieldRef], exp.Expression]
    predicates: Predicates

    def grouped(self, leaves: Sequence[Leaf], where: list[exp.Expression], *, by_key: bool = False) -> Grouped:
        key = self._key_column() if by_key else None
        values = {leaf: aggregate_call(leaf, self.scope.setting, self.value, self._condition(leaf), key)
                  for leaf in leaves}  # fmt: skip
        query = self.scope.select()
        if where:
            query = query.where(*where)
        return Grouped(group_by(query, self.groups, self.scope.setting), self.groups, values)

    def each_once(self, leaves: Sequence[Leaf], where: list[exp.Expression]) -> Grouped:
        """Aggregate each row once per combination of dimensions, however often the joins repeat it."""
        setting = self.scope.setting
        if any(leaf.filters for leaf in leaves):
            where = [*where, *self.predicates.all_of(leaves[0].filters)]
        wanted = dict.fromkeys(ref for leaf in leaves for ref in leaf.fields())
        key = [self.scope.column(name) for name in setting.key(self.scope.base)]
        names = {ref: f"{ref.field}_{ref.grain}" if ref.grain else ref.field for ref in wanted}
        items = [exp.alias_(column.copy(), f"key_{number}", quoted=False) for number, column in enumerate(key, 1)]
        items += [exp.Alias(this=value, alias=identifier(name, setting.dialect)) for name, value in self.groups]
        items += [exp.Alias(this=self.value(ref), alias=identifier(names[ref], setting.dialect)) for ref in wanted]
        inner = self.scope.select().select(*items).distinct()
        if where:
            inner = inner.where(*where)
        alias = identifier(f"each_{self.scope.base}", setting.dialect)
        query = exp.Select().from_(exp.Subquery(this=inner, alias=exp.TableAlias(this=alias)))

        def column(name: str) -> exp.Column:
            return exp.Column(this=identifier(name, setting.dialect))

        groups = tuple((name, column(name)) for name, _ in self.groups)
        values = {leaf: aggregate_call(leaf, setting, lambda ref: column(names[ref]), None, None) for leaf in leaves}
        return Grouped(group_by(query, groups, setting), groups, values)

    def _condition(self, leaf: Leaf) -> exp.Expression | None:
        if not leaf.filters:
            return None
        return exp.and_(*self.predicates.all_of(leaf.filters, required=False))

    def _key_column(self) -> exp.Expression:
        key = self.scope.setting.key(self.scope.base)
        if len(key) > 1:
            raise IntentNotCovered(f"rows of {self.scope.base!r} have a composite key and cannot be counted once")
        return self.scope.column(key[0])


def group_by(query: exp.Select, groups: Sequence[tuple[str, exp.Expression]], setting: Setting) -> exp.Select:
    """Group by plain columns as they are, and by anything longer under its name."""
    keys = [value.copy() if isinstance(value, exp.Column) else exp.Column(this=identifier(name, setting.dialect))
            for name, value in groups]  # fmt: skip
    return query.group_by(*keys) if keys else query


def _dimension(scope: Scope, group: Group, path: Path) -> exp.Expression:
    value = scope.value(group.dimension.field, path, required=True)
    if not group.dimension.edges:
        return value
    field = scope.setting.field(group.dimension.field)
    whole = field.type == "integer" or group.dimension.field.grain is not None
    return banded(value, group.dimension.edges, whole=whole)


def _value(scope: Scope, ref: FieldRef) -> exp.Expression:
    path = route(scope.setting, scope.base, ref.dataset, ref.via)
    if not to_one(path):
        raise IntentNotCovered(f"rows of {scope.base!r} have no single {ref.field!r}")
    return scope.value(ref, path, required=False)


def _any_period(predicates: Predicates, periods: Sequence[Period], leaf: Leaf) -> exp.Expression:
    spans = [exp.and_(*predicates.period(period, dated_by(period, leaf))) for period in periods]
    return exp.paren(exp.or_(*spans), copy=False) if len(spans) > 1 else spans[0]


def dated_by(period: Period, leaf: Leaf) -> FieldRef:
    """Return the field that a period is about; IntentNotCovered for a figure as of now."""
    if period.field is not None:
        return period.field
    if leaf.time is None:
        raise IntentNotCovered(f"rows of {leaf.dataset!r} have no date, so {period.label!r} cannot be applied")
    return leaf.time
