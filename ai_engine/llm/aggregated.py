"""Which columns of a result are figures over many rows, or name the groups that these are of.

Columns are followed to their tables through the statement as the guard reads it, in which every name is written out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sqlglot import exp

from ai_engine.errors import SqlRejected
from ai_engine.llm.lineage import Lineage, Stored, stored_as
from ai_engine.llm.read_sources import branches
from ai_engine.llm.statement_parts import (
    atoms,
    called_by,
    filters_of,
    grouped_by,
    is_choice,
    reads_outside,
    results_of,
    taken_in,
)
from ai_engine.ports import InsightTask
from ai_engine.semantics.people import calls_people
from ai_engine.semantics.vocabulary import Vocabulary

_SHOWN_TYPES = frozenset({"integer", "decimal", "float", "date", "timestamp", "time", "boolean"})
_PICKING = (exp.ArrayAgg, exp.GroupConcat, exp.AnyValue, exp.First, exp.Last, exp.ArgMax, exp.ArgMin, exp.Mode)
"""Aggregates that give values of single rows, whatever their type."""
_COUNTING = (exp.Count, exp.CountIf, exp.ApproxDistinct)
"""Aggregates that give no value of what they take in, but tell how often it is missing."""
_AS_MISSING = (exp.Distinct, exp.Paren, exp.Tuple, exp.Cast, exp.Upper, exp.Lower, exp.Trim, exp.Concat, exp.DPipe)
"""What is missing where a part is, whatever the parts are."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A column of a table that comes through by itself.

    Attributes:
        names_groups: it is of the kind that names groups, or only chooses among texts of the statement's own.
        adds_up: a figure over its rows tells none of them: it is no person's name, no key and no free text.
        grouped: a query on the way groups by it.
        ranks: rows are only numbered by it, or within it.
    """

    names_groups: bool = False
    adds_up: bool = False
    grouped: bool = False
    ranks: bool = False


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

    @property
    def looks_into(self) -> bool:
        """A condition by it tells of a name, a key or a free text."""
        return any(not part.adds_up and not part.ranks for part in self.parts)


_ROW = _Reading(parts=frozenset({_Part()}))
_OWN_ROW = _Reading(parts=frozenset({_Part(adds_up=True)}))


def aggregated_columns(task: InsightTask, vocabulary: Vocabulary) -> frozenset[int]:
    """Find the columns that show no single row; none of a statement that cannot be read.

    A figure has gone through an aggregate that is no window, and is no text: the highest name is a name. Below one that
    does not only count is no person's name, no key and no free text: the highest code of a letter is a letter. A group
    is a column or expression of a GROUP BY, made of fields that are categories, flags, dates or names of what is no
    person, or a choice among texts of the statement's own by such fields and amounts. What the statement brings along
    (a series of months) is shown too. Nothing is where what a name, a key or a text says sorts rows, or picks
    them otherwise than as one condition of all rows may.
    """
    try:
        lineage = Lineage(task.sql, vocabulary.catalogue)
    except SqlRejected:
        return frozenset()
    follow = _Follow(lineage, _columns(vocabulary))
    if (
        follow.sorts_by_letters()
        or follow.tells_of_names()
        or any(len(select.selects) != len(task.columns) for select in lineage.lists)
    ):
        return frozenset()
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
        self._ties: dict[str, frozenset[_Part]] = {}

    def item(self, select: exp.Select, place: int) -> _Reading:
        """Read an item of the list of columns."""
        return self._value(select.selects[place].unalias(), select)

    def sorts_by_letters(self) -> bool:
        """Tell whether rows are sorted or picked by what is in a name, a key or a free text, and not as these sort."""
        ways = ((self._numbered_by if alone else self._value)(one, of) for one, of, alone in self._lineage.sorted_by)
        return any(way.looks_into for way in ways)

    def tells_of_names(self) -> bool:
        """Tell whether rows are chosen or become one by what is in a name, a key or a free text.

        A statement may ask for one, row by row, in one WHERE or ON by which all its rows go.
        """
        lineage = self._lineage
        asked = [one for one in lineage.choices if self._condition(one.condition, one.select).looks_into]
        if len({one.asked_in for one in asked}) > 1:
            return True
        if not all(one.asked_in is not None and lineage.of_one_column(one.condition) for one in asked):
            return True
        return any(
            any(self._value(one, select).looks_into for one in merged)
            and not all(map(lineage.is_stored, merged))
            and not (len(merged) == 1 and (lineage.only_sorts(merged[0]) or lineage.of_one_column(merged[0])))
            for select, merged in lineage.merged_by
        )

    def _value(self, value: exp.Expr, select: exp.Select) -> _Reading:
        read = self._ungrouped(value, select)
        if any(value == by for by in grouped_by(select)):
            return replace(read, parts=frozenset(replace(part, grouped=True) for part in read.parts))
        return read

    def _ungrouped(self, value: exp.Expr, select: exp.Select) -> _Reading:
        if isinstance(value, exp.Column):
            return self._column(value)
        if isinstance(value, exp.Query):
            return self._query(value)
        if isinstance(value, exp.Window):
            called = called_by(value.this)
            given = called.iter_expressions() if isinstance(called, exp.Func) else iter((called,))
            rest = [part for part in value.iter_expressions() if part.arg_key != "this"]
            by = [one for part in rest for one in (part.expressions if isinstance(part, exp.Order) else (part,))]
            return _all_of([self._together(given, select), *(self._numbered_by(one, select) for one in by)])
        if isinstance(called_by(value), exp.AggFunc):
            return self._aggregate(value, select)
        read = self._together(value.iter_expressions(), select)
        if is_choice(value):
            return _Reading(parts=frozenset(replace(part, names_groups=part.adds_up) for part in read.parts))
        if isinstance(value, exp.Is) and isinstance(value.expression, exp.Null):
            return self._missing(value.this, select)
        return read

    def _numbered_by(self, value: exp.Expr, select: exp.Select) -> _Reading:
        read = self._value(value, select)
        if not self._lineage.only_sorts(value.this if isinstance(value, exp.Ordered) else value):
            return read
        return replace(read, parts=frozenset(replace(part, ranks=True) for part in read.parts))

    def _missing(self, value: exp.Expr, select: exp.Select) -> _Reading:
        """Read what it tells that a value is missing: of a stored column nothing else, of a choice what it goes by."""
        if isinstance(value, exp.Column) and self._lineage.is_stored(value):
            read = self._followed(value)
            stored = frozenset(replace(part, adds_up=True) for part in read.parts)
            return replace(read, parts=stored | self._tied(value.table))
        if isinstance(value, _AS_MISSING):
            return _all_of([self._missing(part, select) for part in value.iter_expressions()])
        if isinstance(value, exp.Case) and value.this is None:
            chosen = [self._condition(one.this, select) for one in value.args["ifs"]]
            return _all_of([*chosen, *(self._missing(result, select) for result in results_of(value))])
        return self._value(value, select)

    def _condition(self, condition: exp.Expr, select: exp.Select) -> _Reading:
        """Read what it tells that a condition holds; that stored columns are equal tells nothing of what is in them."""
        return self._together((one for one in atoms(condition) if not self._lineage.is_plain_tie(one)), select)

    def _chosen(self, query: exp.Expr) -> _Reading:
        """Read what a query chooses its rows by."""
        return _all_of([self._condition(part, select) for part, select in self._lineage.conditions(query)])

    def _aggregate(self, value: exp.Expr, select: exp.Select) -> _Reading:
        called = called_by(value)
        if isinstance(called, _PICKING):
            return _ROW
        filtered = _all_of([self._condition(one, select) for one in filters_of(value)])
        if isinstance(called, exp.CountIf):
            adds_up = not self._condition(called.this, select).looks_into
        elif isinstance(called, _COUNTING):
            adds_up = not _all_of([self._missing(one, select) for one in called.iter_expressions()]).looks_into
        else:
            adds_up = self._together(taken_in(value), select).adds_up
        return _Reading(is_figure=True) if adds_up and not filtered.looks_into else _ROW

    def _together(self, values: Iterable[exp.Expr], select: exp.Select) -> _Reading:
        return _all_of([self._value(value, select) for value in values])

    def _query(self, query: exp.Expr) -> _Reading:
        """Read a query that stands for a value; one that reads what is around it gives a value per row there."""
        read = self._items((select, place) for select in branches(query) for place in range(len(select.selects)))
        if reads_outside(query):
            return _OWN_ROW if read.adds_up else _ROW
        return read

    def _column(self, column: exp.Column) -> _Reading:
        """Read a column; what the statement lists itself shows what it is tied to, any other what that may not show."""
        read, tied = self._followed(column), self._tied(column.table)
        if read.parts or read.is_figure:
            tied = frozenset(part for part in tied if not part.adds_up)
        return replace(read, parts=read.parts | tied)

    def _tied(self, source: str) -> frozenset[_Part]:
        """Return what a source's rows stand there by, beside those of others; through sources in between too."""
        if source not in self._ties:
            self._ties[source] = frozenset()
            parts, seen, left = set[_Part](), set[str](), [source]
            while left:
                one = left.pop()
                if one in seen:
                    continue
                seen.add(one)
                query = self._lineage.joined_query(one)
                if query is not None and self._chosen(query).looks_into:
                    parts.add(_Part())
                for tie, is_missing in self._lineage.ties(one):
                    columns = list(tie.find_all(exp.Column))
                    left += (column.table for column in columns)
                    told = (item for item in columns if item.table != source or (is_missing and one == source))
                    parts.update(*(self._followed(item).parts for item in told))
            self._ties[source] = frozenset(parts)
        return self._ties[source]

    def _followed(self, column: exp.Column) -> _Reading:
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
