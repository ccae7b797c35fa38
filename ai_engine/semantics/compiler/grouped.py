"""Figures by dimensions: from the measures of an intent to one statement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from ai_engine.errors import IntentNotCovered
from ai_engine.semantics.compiler.dialects import identifier, literal, ordered
from ai_engine.semantics.compiler.facts import Group, Question
from ai_engine.semantics.compiler.figures import Figure, figure_of
from ai_engine.semantics.compiler.grains import CYCLIC, TRUNCATED
from ai_engine.semantics.compiler.naming import Names, group_column, group_names, measure_column, measure_name
from ai_engine.semantics.compiler.scope import Setting, bare_when_alone, named
from ai_engine.semantics.compiler.source import Source, source_of
from ai_engine.semantics.intent import Having, Intent, Measure, Order
from ai_engine.semantics.restatement import dimension_label, measure_label
from ai_engine.types import OutputColumn


@dataclass(frozen=True)
class Item:
    """One measure of a statement; hidden ones only sort or filter."""

    measure: Measure
    name: str
    figure: Figure
    shown: bool


def compile_grouped(intent: Intent, setting: Setting, question: Question) -> tuple[exp.Select, list[OutputColumn]]:
    """Return one statement with a row per combination of the dimensions, and what its columns mean."""
    names = Names()
    groups = [Group(names.unique(*group_names(dimension, setting)), dimension) for dimension in intent.dimensions]
    items = _items(intent, setting, names)
    source = source_of(intent, setting, question, groups, [item.figure for item in items])
    statement = _Statement(intent, setting, question, groups, items, source)
    columns = [group_column(group.name, dimension_label(group.dimension, setting.model), group.dimension, setting)
               for group in groups]  # fmt: skip
    columns += [measure_column(item.name, measure_label(item.measure, setting.model), item.measure, setting)
                for item in items if item.shown]  # fmt: skip
    return statement.written(), columns


def _items(intent: Intent, setting: Setting, names: Names) -> list[Item]:
    items = [Item(measure, names.unique(measure_name(measure, setting)), figure_of(measure, setting), shown=True)
             for measure in intent.measures]  # fmt: skip
    others = [having.measure for having in intent.having] + [order.measure for order in intent.order if order.measure]
    for measure in others:
        if all(item.measure != measure for item in items):
            name = names.unique(measure_name(measure, setting))
            items.append(Item(measure, name, figure_of(measure, setting), shown=False))
    return items


class _Statement:
    def __init__(
        self, intent: Intent, setting: Setting, question: Question, groups: Sequence[Group], items: Sequence[Item],
        source: Source,
    ) -> None:  # fmt: skip
        self.intent = intent
        self.setting = setting
        self.question = question
        self.groups = groups
        self.items = items
        self.source = source

    def written(self) -> exp.Select:
        dialect = self.setting.dialect
        items = [named(value, name, dialect) for name, value in self.source.groups]
        items += [named(self.value(item.measure), item.name, dialect) for item in self.items if item.shown]
        query = self.source.query.select(*items)
        for having in self.intent.having:
            query = self.source.keep(query, self._having(having))
        order = self._order()
        if order and self.groups:
            query = query.order_by(*order)
        if self.intent.limit is not None:
            query = query.limit(self.intent.limit)
        return bare_when_alone(query)

    def value(self, measure: Measure) -> exp.Expression:
        item = next(item for item in self.items if item.measure == measure)
        return item.figure.with_values(self.source.values)

    def _having(self, having: Having) -> exp.Expression:
        operators: dict[str, type[exp.Binary]] = {
            "=": exp.EQ, "!=": exp.NEQ, "<": exp.LT, "<=": exp.LTE, ">": exp.GT, ">=": exp.GTE,
        }  # fmt: skip
        if having.versus is not None:
            right = self.question.figure(having.versus)
        elif having.value is not None:
            right = literal(having.value)
        else:
            raise IntentNotCovered("nothing to compare a group's figure with")
        return operators[having.operator](this=self.value(having.measure), expression=right)

    def _order(self) -> list[exp.Ordered]:
        """Sort as asked, else in time, else by the first figure; dimensions break ties."""
        asked = list(self.intent.order) or self._natural_order()
        written = [self._ordered(order) for order in asked]
        used = {self._group(order).name for order in asked if order.measure is None}
        rest = [group for group in self.groups if group.name not in used]
        return written + [ordered(self._column(group.name), descending=False) for group in rest]

    def _natural_order(self) -> list[Order]:
        if any(group.dimension.edges or group.dimension.field.grain for group in self.groups):
            return [Order(field=group.dimension.field) for group in self.groups if group.dimension.field.grain]
        return [Order(measure=self.intent.measures[0], descending=True)]

    def _ordered(self, order: Order) -> exp.Ordered:
        if order.measure is None:
            return ordered(self._column(self._group(order).name), descending=order.descending)
        item = next(item for item in self.items if item.measure == order.measure)
        value = self._column(item.name) if item.shown else self.value(item.measure)
        counts = all(leaf.is_count for leaf in item.figure.leaves) and len(item.figure.leaves) == 1
        return ordered(value, descending=order.descending, nullable=not counts)

    def _group(self, order: Order) -> Group:
        ref = order.field
        exact = [group for group in self.groups if group.dimension.field == ref]
        near = [group for group in self.groups
                if ref and (group.dimension.field.dataset, group.dimension.field.field) == (ref.dataset, ref.field)]  # fmt: skip
        if not exact and not near:
            raise IntentNotCovered(f"the result cannot be sorted by {ref.field if ref else 'nothing'!r}")
        return (exact or near)[0]

    def _column(self, name: str) -> exp.Column:
        return exp.Column(this=identifier(name, self.setting.dialect))


ORDERED_GRAINS = TRUNCATED | CYCLIC
