"""Columns, conditions, order and limits of a grouped statement, put together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from ai_engine.errors import IntentNotCovered
from ai_engine.semantics.compiler.day_conditions import COMPARE
from ai_engine.semantics.compiler.dialects import identifier, literal, ordered, so_many_times
from ai_engine.semantics.compiler.facts import Group, Question
from ai_engine.semantics.compiler.places import LEVEL, POSITION, RANKED, first_rows, has_place
from ai_engine.semantics.compiler.scope import Setting, bare_when_alone, named
from ai_engine.semantics.compiler.source import Source
from ai_engine.semantics.intent import Dimension, FieldRef, Having, Intent, Measure, Order
from ai_engine.types import OutputColumn


@dataclass(frozen=True)
class Figured:
    """One column of figures; hidden ones only sort or filter."""

    name: str
    measure: Measure
    value: exp.Expr
    meaning: OutputColumn
    shown: bool = True
    never_null: bool = False


@dataclass(frozen=True)
class Statement:
    """A grouped statement before it is written."""

    intent: Intent
    setting: Setting
    question: Question
    groups: tuple[Group, ...]
    columns: Sequence[Figured]
    source: Source

    def written(self) -> exp.Select:
        """Return the statement; conditions and limits on window figures take one more SELECT."""
        intent, tables = self.intent, list(self.source.tables)
        if intent.limit_within and intent.limit is None:
            raise IntentNotCovered("a limit within groups needs a number")
        by_position = intent.limit is not None and bool(intent.limit_within or intent.with_ties)
        late_having = bool(intent.having) and any(column.measure.transform for column in self.columns)
        if by_position or late_having:
            tables.append((RANKED, self._with_position(by_position=by_position, late_having=late_having)))
            query = self._from_ranked(by_position=by_position, late_having=late_having)
        else:
            query = self._direct()
        query = query if by_position else first_rows(query, intent)
        for name, table in tables:
            query = query.with_(name, as_=table)
        return query

    def _direct(self) -> exp.Select:
        query = self._having(self.source.query.select(*self._items(hidden=False)), self._value, self.source.keep)
        if self.groups:
            query = query.order_by(*self._order(self._asked(), self._by_name))
        return bare_when_alone(query)

    def _with_position(self, *, by_position: bool, late_having: bool) -> exp.Select:
        items = self._items(hidden=True)
        items += [self._alias(key.copy(), f"{name}_order") for name, key in self.source.sort_keys.items()]
        if by_position:
            items.append(self._alias(self._position(ties=self.intent.with_ties), POSITION))
        if by_position and self.setting.level_too:
            items.append(self._alias(self._position(ties=True), LEVEL))
        query = self.source.query.select(*items)
        return bare_when_alone(query if late_having else self._having(query, self._value, self.source.keep))

    def _from_ranked(self, *, by_position: bool, late_having: bool) -> exp.Select:
        names = [group.name for group in self.groups if group.shown]
        names += [column.name for column in self.columns if column.shown]
        names += [POSITION] if self.setting.level_too else []
        query = exp.Select().select(*(self._column(name) for name in names)).from_(RANKED)
        if late_having:
            query = self._having(query, lambda column: self._column(column.name), exp.Select.where)
        if by_position:
            query = query.where(has_place(self.intent, level_too=self.setting.level_too))
        within = [Order(field=ref) for ref in self.intent.limit_within]
        return query.order_by(*self._order([*within, *self._asked()], self._in_ranked))

    def _position(self, *, ties: bool) -> exp.Expr:
        """Number the groups in the order asked for; equal ones share a number where ties are kept."""
        within = [self._group_value(self._group(ref).name) for ref in self.intent.limit_within]
        order = self._order(self._asked(), self._by_value, break_ties=not ties)
        call: exp.Expr = exp.Anonymous(this="RANK", expressions=[]) if ties else exp.RowNumber()
        return exp.Window(this=call, partition_by=within, order=exp.Order(expressions=order))

    def _items(self, *, hidden: bool) -> list[exp.Expr]:
        apart = set() if hidden else {group.name for group in self.groups if not group.shown}
        items = [
            named(value.copy(), name, self.setting.dialect) for name, value in self.source.groups if name not in apart
        ]
        return items + [
            named(column.value.copy(), column.name, self.setting.dialect)
            for column in self.columns
            if column.shown or hidden
        ]

    def _having(
        self,
        query: exp.Select,
        value: Callable[[Figured], exp.Expr],
        keep: Callable[[exp.Select, exp.Expr], exp.Select],
    ) -> exp.Select:
        for having in self.intent.having:
            left, right = value(self._column_of(having.measure)), self._bound(having)
            query = keep(query, COMPARE[having.operator](this=left, expression=right))
        return query

    def _bound(self, having: Having) -> exp.Expr:
        if having.versus is not None:
            return so_many_times(self.question.own_figure(having.versus), having.times)
        if having.value is None:
            raise IntentNotCovered("there is nothing to compare a group's figure with")
        return literal(having.value)

    def _asked(self) -> list[Order]:
        """Return the order asked for, else that of time and bands, else by the first figure."""
        if self.intent.order:
            return list(self.intent.order)
        along = [group for group in self.groups if self._has_an_order(group.dimension)]
        if along:
            return [Order(field=group.dimension.field) for group in along]
        return [Order(measure=self.intent.measures[0], descending=True)]

    def _has_an_order(self, dimension: Dimension) -> bool:
        return bool(dimension.field.grain or dimension.edges) or self.setting.field(dimension.field).is_year

    def _order(
        self, asked: Sequence[Order], reference: Callable[[Group | Figured], exp.Expr], *, break_ties: bool = True
    ) -> list[exp.Expr]:
        keys: list[tuple[Group | Figured, bool]] = []
        for order in asked:
            key = self._group(order.field) if order.field else self._column_of(order.measure)
            keys.append((key, order.descending))
        if break_ties:
            keys += [
                (group, False)
                for group in sorted(self.groups, key=lambda group: (not group.shown, not self._is_key(group)))
            ]
        written: dict[str, exp.Expr] = {}
        for key, descending in keys:
            nullable = not key.never_null if isinstance(key, Figured) else not self._is_key(key)
            written.setdefault(
                key.name, ordered(reference(key), self.setting.dialect, descending=descending, nullable=nullable)
            )
        return list(written.values())

    def _by_name(self, key: Group | Figured) -> exp.Expr:
        if isinstance(key, Figured):
            return self._column(key.name) if key.shown and not self._is_ambiguous(key) else key.value.copy()
        number = self.source.sort_keys.get(key.name)
        if number is not None:
            return number.copy()
        value = self._group_value(key.name)
        return value if isinstance(value, exp.Column) else self._column(key.name)

    def _is_ambiguous(self, key: Figured) -> bool:
        """Tell whether several of the joined tables call a column so, which SQLite does not take for the result's."""
        held = [column.value.name for column in self.columns if isinstance(column.value, exp.Column)]
        return held.count(key.name) > 1

    def _by_value(self, key: Group | Figured) -> exp.Expr:
        if isinstance(key, Figured):
            return key.value.copy()
        number = self.source.sort_keys.get(key.name)
        return self._group_value(key.name) if number is None else number.copy()

    def _in_ranked(self, key: Group | Figured) -> exp.Expr:
        banded = isinstance(key, Group) and key.name in self.source.sort_keys
        return self._column(f"{key.name}_order" if banded else key.name)

    def _value(self, column: Figured) -> exp.Expr:
        return column.value.copy()

    def _column_of(self, measure: Measure | None) -> Figured:
        for column in self.columns:
            if column.measure == measure:
                return column
        raise IntentNotCovered("the result can be neither sorted nor filtered by a figure it does not have")

    def _group(self, ref: FieldRef) -> Group:
        exact = [group for group in self.groups if group.dimension.field == ref]
        near = [
            group
            for group in self.groups
            if (group.dimension.field.dataset, group.dimension.field.field) == (ref.dataset, ref.field)
        ]
        if not exact and not near:
            raise IntentNotCovered(f"the result has no column {ref.field!r}")
        return (exact or near)[0]

    def _is_key(self, group: Group) -> bool:
        ref = group.dimension.field
        return ref.grain is None and (ref.field,) == self.setting.dataset(ref.dataset).primary_key

    def _group_value(self, name: str) -> exp.Expr:
        return next(value for known, value in self.source.groups if known == name).copy()

    def _alias(self, value: exp.Expr, name: str) -> exp.Expr:
        return exp.Alias(this=value, alias=identifier(name, self.setting.dialect))

    def _column(self, name: str) -> exp.Column:
        return exp.Column(this=identifier(name, self.setting.dialect))
