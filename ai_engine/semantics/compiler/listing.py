"""Lists: rows of the subject with chosen columns."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from ai_engine.errors import IntentNotCovered
from ai_engine.semantics.compiler.day_conditions import COMPARE
from ai_engine.semantics.compiler.dialects import identifier, literal, ordered, so_many_times
from ai_engine.semantics.compiler.facts import Question
from ai_engine.semantics.compiler.leaves import Leaf
from ai_engine.semantics.compiler.naming import Names, column_names, group_column
from ai_engine.semantics.compiler.places import LEVEL, POSITION, RANKED, first_rows, has_place
from ai_engine.semantics.compiler.predicates import Predicates
from ai_engine.semantics.compiler.routes import route, to_one
from ai_engine.semantics.compiler.row_figures import RowFigures
from ai_engine.semantics.compiler.scope import Scope, Setting, bare_when_alone, named
from ai_engine.semantics.compiler.snapshots import as_of_latest, latest
from ai_engine.semantics.intent import Condition, Dimension, FieldRef, Intent, Measure
from ai_engine.semantics.restatement import dimension_label
from ai_engine.semantics.wording import Words
from ai_engine.types import OutputColumn


def compile_list(intent: Intent, setting: Setting, question: Question) -> tuple[exp.Select, list[OutputColumn]]:
    """Return one statement with a row per row of the subject, and what its columns mean."""
    base = intent.subject or next((ref.dataset for ref in intent.columns), None)
    if base is None:
        raise IntentNotCovered("nothing is asked for")
    return _List(intent, setting, question, base).written()


class _List:
    def __init__(self, intent: Intent, setting: Setting, question: Question, base: str) -> None:
        self.intent, self.setting, self.question, self.base = intent, setting, question, base
        self.scope = Scope(setting, base)
        self.predicates = Predicates(self.scope, None, question.figure)
        self.has_figures = any(order.measure for order in intent.order) or bool(intent.having)
        self.figures = RowFigures(self.scope, question, intent.period if self.has_figures else None)

    def written(self) -> tuple[exp.Select, list[OutputColumn]]:
        intent = self.intent
        names, items, columns = self._shown()
        where, order = self._where(), self._order(names, items)
        within = [self._value(ref) for ref in intent.limit_within]
        by_position = intent.limit is not None and bool(intent.limit_within or intent.with_ties)
        if by_position:
            items.append(self._position(within, order, ties=intent.with_ties))
        if by_position and self.setting.level_too:
            items.append(self._position(within, order[: len(intent.order)], ties=True, name=LEVEL))
        query = self.figures.joined(self.scope.select().select(*items))
        query = query.where(*where) if where else query
        query = query.distinct() if intent.distinct else query
        if by_position:
            return self._first_of_each(bare_when_alone(query), names), columns
        query = query.order_by(*order) if order else query
        return self.figures.with_tables(bare_when_alone(first_rows(query, intent))), columns

    def _shown(self) -> tuple[list[str], list[exp.Expr], list[OutputColumn]]:
        given, names = Names([POSITION, LEVEL, *(f"within_{number}" for number in range(9))]), []
        items: list[exp.Expr] = []
        columns: list[OutputColumn] = []
        for ref in self.intent.columns or self._display():
            name = given.unique(*column_names(ref, self.setting))
            dimension = Dimension(field=ref)
            names.append(name)
            items.append(named(self._value(ref), name, self.setting.dialect))
            columns.append(group_column(name, dimension_label(dimension, self.setting.model), dimension, self.setting))
        return names, items, columns

    def _value(self, ref: FieldRef) -> exp.Expr:
        path = route(self.setting, self.base, ref.dataset, ref.via)
        if not to_one(path):
            many, one = self.setting.dataset(ref.dataset).label, self.setting.dataset(self.base).label
            self.setting.note(f"Each {one} is listed once per {many}; one without any is left out.")
        return self.scope.shown(ref, path, required=not to_one(path))

    def _display(self) -> tuple[FieldRef, ...]:
        dataset = self.setting.dataset(self.base)
        names = dataset.display or tuple(field.name for field in dataset.fields)
        return tuple(FieldRef(dataset=self.base, field=name) for name in names)

    def _where(self) -> list[exp.Expr]:
        where = self.predicates.all_of(self.intent.filters)
        period = self.intent.period
        if period is not None and (period.field is not None or not self.has_figures):
            own = self.setting.dataset(self.base).default_time
            if period.field is None and own is None:
                raise IntentNotCovered(f"rows of {self.base!r} have no date, so {period.label!r} cannot be applied")
            where += self.predicates.period(period, period.field or FieldRef(dataset=self.base, field=str(own)))
        where += self._as_of_latest() if self.intent.period is None else []
        for having in self.intent.having:
            left = self.figures.value(having.measure)
            if having.versus is not None:
                right = so_many_times(self.question.own_figure(having.versus), having.times)
            elif having.value is not None:
                right = literal(having.value)
            else:
                raise IntentNotCovered("there is nothing to compare a row's figure with")
            where.append(COMPARE[having.operator](this=left, expression=right))
        return where

    def _as_of_latest(self) -> list[exp.Expr]:
        """Keep each thing's latest row, where a list of snapshots neither shows nor names nor sorts by their date."""
        rows = Leaf(self.base)
        named = [*self.intent.columns, *(order.field for order in self.intent.order if order.field)]
        if not as_of_latest(self.setting, rows, groups=named, filters=self.intent.filters, period=None):
            return []
        return [latest(self.setting, rows, self.scope.alias, self.question.figure)]

    def _order(self, names: Sequence[str], items: Sequence[exp.Expr]) -> list[exp.Expr]:
        written: list[exp.Expr] = []
        sorted_by: set[str | None] = set()
        for order in self.intent.order:
            if order.measure is not None:
                value = self.figures.value(order.measure)
            elif order.field is not None:
                value = self._sort_key(order.field, descending=order.descending)
            else:
                raise IntentNotCovered("a list is to be sorted by nothing")
            shown = next((name for name, item in zip(names, items, strict=True) if item.unalias() == value), None)
            if self.intent.distinct and shown is None:
                raise IntentNotCovered("distinct rows can be sorted only by what is shown")
            by_name = shown is not None and not isinstance(value, exp.Column)
            written.append(
                ordered(self._name(str(shown)) if by_name else value, self.setting.dialect, descending=order.descending)
            )
            sorted_by.add(shown)
        if self.intent.distinct:
            left = [(name, item.unalias()) for name, item in zip(names, items, strict=True) if name not in sorted_by]
            keys = [value.copy() if isinstance(value, exp.Column) else self._name(name) for name, value in left]
            written += [ordered(key, self.setting.dialect, descending=False) for key in keys]
        ranked_by_ties = self.intent.with_ties and self.intent.limit is not None
        if not self.intent.distinct and not ranked_by_ties:
            written += [
                ordered(self.scope.column(name), self.setting.dialect, descending=False, nullable=False)
                for name in self._key_that_may_be_read()
            ]
        return written

    def _key_that_may_be_read(self) -> tuple[str, ...]:
        dataset = self.setting.dataset(self.base)
        key = dataset.primary_key
        return () if any(dataset.has(name) and dataset.field(name).sensitive for name in key) else key

    def _sort_key(self, ref: FieldRef, *, descending: bool) -> exp.Expr:
        """Sort by a field; by the extreme of several rows' where they are not listed themselves."""
        listed = {shown.dataset for shown in self.intent.columns}
        if ref.dataset in listed or to_one(route(self.setting, self.base, ref.dataset, ref.via)):
            return self._value(ref)
        kept = tuple(
            item for item in self.intent.filters if isinstance(item, Condition) and item.field.dataset == ref.dataset
        )
        extreme = Measure(aggregate="max" if descending else "min", field=ref.model_copy(update={"via": ()}))
        words = Words(self.setting.model).measure(extreme)
        self.setting.note(f"Each {self.setting.dataset(self.base).label} is ranked by its {words}, if it has any.")
        return self.figures.extreme(extreme.model_copy(update={"filters": kept}), ref.via)

    def _position(
        self, within: Sequence[exp.Expr], order: Sequence[exp.Expr], *, ties: bool, name: str = POSITION
    ) -> exp.Expr:
        if self.intent.distinct:
            raise IntentNotCovered("distinct rows cannot be limited within groups")
        call: exp.Expr = exp.Anonymous(this="RANK", expressions=[]) if ties else exp.RowNumber()
        by = exp.Order(expressions=[item.copy() for item in order]) if order else None
        window = exp.Window(this=call, partition_by=[item.copy() for item in within], order=by)
        return exp.Alias(this=window, alias=exp.to_identifier(name))

    def _first_of_each(self, ranked: exp.Select, names: Sequence[str]) -> exp.Select:
        """Keep the first rows of each group; the groups themselves sort by their name where it is shown."""
        shown = [self._name(name) for name in names]
        places = [exp.column(POSITION)] if self.setting.level_too else []
        query = exp.Select().select(*shown, *places).from_(RANKED)
        query = query.where(has_place(self.intent, level_too=self.setting.level_too))
        columns = list(self.intent.columns or self._display())
        groups = [self._name(names[columns.index(ref)]) for ref in self.intent.limit_within if ref in columns]
        order = [ordered(column, self.setting.dialect, descending=False) for column in groups]
        order += [ordered(exp.column(POSITION), self.setting.dialect, descending=False, nullable=False)]
        order += [
            ordered(column.copy(), self.setting.dialect, descending=False) for column in shown if self.intent.with_ties
        ]
        return self.figures.with_tables(query.order_by(*order)).with_(RANKED, as_=ranked)

    def _name(self, name: str) -> exp.Column:
        return exp.Column(this=identifier(name, self.setting.dialect))
