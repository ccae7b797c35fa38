"""Which columns of a result are figures over many rows, or name the groups that these are of.

Columns are followed to their tables through the statement as the guard reads it, in which every name is written out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain

from sqlglot import exp

from ai_engine.errors import SqlRejected
from ai_engine.llm.lineage import Lineage, Stored, reads_outside, stored_as
from ai_engine.llm.read_sources import branches
from ai_engine.ports import InsightTask
from ai_engine.semantics.people import calls_people
from ai_engine.semantics.vocabulary import Vocabulary

_SHOWN_TYPES = frozenset({"integer", "decimal", "float", "date", "timestamp", "time", "boolean"})
_PICKING = (exp.ArrayAgg, exp.GroupConcat, exp.AnyValue, exp.First, exp.Last, exp.ArgMax, exp.ArgMin, exp.Mode)
"""Aggregates that give values of single rows, whatever their type."""
_COUNTING = (exp.Count, exp.CountIf, exp.ApproxDistinct)
"""Aggregates that give no value of what they take in."""
_AROUND_AGGREGATES = (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)


@dataclass(frozen=True, slots=True)
class _Part:
    """A column of a table that comes through by itself.

    Attributes:
        names_groups: it is of the kind that names groups, or only chooses among texts of the statement's own.
        adds_up: a figure over its rows tells none of them: it is no person's name, no key and no free text.
        grouped: a query on the way groups by it.
    """

    names_groups: bool = False
    adds_up: bool = False
    grouped: bool = False


@dataclass(frozen=True, slots=True)
class _Reading:
    """What an expression shows: a figure over rows, and the columns that no aggregate takes in."""

    is_figure: bool = False
    parts: frozenset[_Part] = frozenset()

    @property
    def shows_groups(self) -> bool:
        return all(part.names_groups and part.grouped for part in self.parts)

    @property
    def adds_up(self) -> bool:
        return all(part.adds_up for part in self.parts)


_ROW = _Reading(parts=frozenset({_Part()}))
_OWN_ROW = _Reading(parts=frozenset({_Part(adds_up=True)}))


def aggregated_columns(task: InsightTask, vocabulary: Vocabulary) -> frozenset[int]:
    """Find the columns that show no single row; none of a statement that cannot be read.

    A figure has gone through an aggregate that is no window, and is no text: the highest name is a name. Below one that
    does not only count is no person's name, no key and no free text: the highest code of a letter is a letter. A group
    is a column or expression of a GROUP BY, made of fields that are categories, flags, dates or names of what is no
    person, or a choice among texts of the statement's own by such fields and amounts. What the statement brings along
    (a series of months) is shown too.
    """
    try:
        lineage = Lineage(task.sql, vocabulary.catalogue)
    except SqlRejected:
        return frozenset()
    if any(len(select.selects) != len(task.columns) for select in lineage.lists):
        return frozenset()
    follow = _Follow(lineage, _columns(vocabulary))
    shown = set()
    for place, kind in enumerate(task.result.types):
        read = [follow.item(select, place) for select in lineage.lists]
        if any(one.is_figure for one in read) and kind not in _SHOWN_TYPES:
            continue
        if all(one.shows_groups for one in read):
            shown.add(place)
    return frozenset(shown)


class _Follow:
    """Reads the values of one statement; `kinds` says what the columns of tables may show."""

    def __init__(self, lineage: Lineage, kinds: dict[Stored, _Part]) -> None:
        self._lineage = lineage
        self._kinds = kinds
        self._visiting: set[tuple[str, str]] = set()

    def item(self, select: exp.Select, place: int) -> _Reading:
        """Read an item of the list of columns."""
        return self._value(select.selects[place].unalias(), select)

    def _value(self, value: exp.Expr, select: exp.Select) -> _Reading:
        read = self._ungrouped(value, select)
        if any(value == by for by in _grouped_by(select)):
            return replace(read, parts=frozenset(replace(part, grouped=True) for part in read.parts))
        return read

    def _ungrouped(self, value: exp.Expr, select: exp.Select) -> _Reading:
        if isinstance(value, exp.Column):
            return self._column(value)
        if isinstance(value, exp.Query):
            return self._query(value)
        if isinstance(value, exp.Window):
            called = _called(value.this)
            given = called.iter_expressions() if isinstance(called, exp.Func) else iter((called,))
            rest = (part for part in value.iter_expressions() if part.arg_key != "this")
            return self._together(chain(given, rest), select)
        if isinstance(_called(value), exp.AggFunc):
            return self._aggregate(value, select)
        read = self._together(value.iter_expressions(), select)
        if _is_choice(value):
            return _Reading(parts=frozenset(replace(part, names_groups=part.adds_up) for part in read.parts))
        if isinstance(value, exp.Is) and isinstance(value.expression, exp.Null):
            return _Reading(parts=frozenset(replace(part, adds_up=True) for part in read.parts))
        return read

    def _aggregate(self, value: exp.Expr, select: exp.Select) -> _Reading:
        called = _called(value)
        if isinstance(called, _PICKING):
            return _ROW
        if isinstance(called, _COUNTING) or self._together(_taken_in(value), select).adds_up:
            return _Reading(is_figure=True)
        return _ROW

    def _together(self, values: Iterable[exp.Expr], select: exp.Select) -> _Reading:
        return _all_of([self._value(value, select) for value in values])

    def _query(self, query: exp.Expr) -> _Reading:
        """Read a query that stands for a value; one that reads what is around it gives a value per row there."""
        read = self._items((select, place) for select in branches(query) for place in range(len(select.selects)))
        if reads_outside(query):
            return _OWN_ROW if read.adds_up else _ROW
        return read

    def _column(self, column: exp.Column) -> _Reading:
        found = self._lineage.of(column)
        key = (column.table, column.name)
        if found is None or key in self._visiting:
            return _ROW
        if isinstance(found, Stored):
            return _Reading(parts=frozenset({self._kinds.get(found, _Part())}))
        self._visiting.add(key)
        try:
            return self._items(found.items)
        finally:
            self._visiting.discard(key)

    def _items(self, items: Iterable[tuple[exp.Select, int]]) -> _Reading:
        return _all_of([self.item(select, place) for select, place in items])


def _all_of(read: list[_Reading]) -> _Reading:
    return _Reading(any(one.is_figure for one in read), frozenset().union(*(one.parts for one in read)))


def _called(value: exp.Expr) -> exp.Expr:
    """Return the function that a FILTER, an order or a treatment of NULL belongs to."""
    while isinstance(value, _AROUND_AGGREGATES):
        value = value.this
    return value


def _taken_in(value: exp.Expr) -> Iterator[exp.Expr]:
    """Yield what an aggregate takes in, a quantile's order too; the condition of a FILTER is like that of a WHERE."""
    while isinstance(value, _AROUND_AGGREGATES):
        if not isinstance(value, exp.Filter):
            yield from (part for part in value.iter_expressions() if part.arg_key != "this")
        value = value.this
    yield from value.iter_expressions()


def _grouped_by(select: exp.Select) -> Iterator[exp.Expr]:
    """Yield what a SELECT groups by, a place in the list of columns as what stands there."""
    group = select.args.get("group")
    stack = list(group.expressions) if group is not None else []
    while stack:
        by = stack.pop()
        if isinstance(by, (exp.Rollup, exp.Cube, exp.GroupingSets, exp.Tuple)):
            stack += by.expressions
        elif isinstance(by, exp.Literal) and by.is_int and 0 < int(by.this) <= len(select.selects):
            yield select.selects[int(by.this) - 1].unalias()
        else:
            yield by.unnest()


def _columns(vocabulary: Vocabulary) -> dict[Stored, _Part]:
    """Return what each column of a table may show: what every field may that is the column."""
    found: dict[Stored, _Part] = {}
    for table in vocabulary.catalogue.tables:
        keys = {*table.primary_key, *(name for key in table.foreign_keys for name in key.columns)}
        for column in table.columns:
            adds_up = column.type in _SHOWN_TYPES and column.name not in keys
            found[Stored(table.name.lower(), column.name.lower())] = _Part(adds_up=adds_up)
    fields: dict[Stored, _Part] = {}
    for dataset in vocabulary.model.datasets:
        people = calls_people(dataset)
        for item in dataset.fields:
            may = not item.sensitive and (
                item.role in {"category", "flag", "time"} or (item.role == "name" and not people)
            )
            adds_up = may or (item.role == "measure" and not item.sensitive)
            known = fields.get(key := stored_as(dataset, item.expression), _Part(names_groups=True, adds_up=True))
            fields[key] = _Part(known.names_groups and may, known.adds_up and adds_up)
    return found | fields


def _is_choice(item: exp.Expr) -> bool:
    """Tell whether an expression gives one of the statement's own texts: the bands of a number."""
    if not isinstance(item, exp.Case):
        return False
    default = item.args.get("default")
    results = [one.args["true"] for one in item.args["ifs"]] + ([default] if default is not None else [])
    return all(isinstance(result, (exp.Literal, exp.Null)) for result in results)
