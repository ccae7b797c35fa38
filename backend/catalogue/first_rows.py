"""The first rows of a table, column by column: what cannot be read together, or as a whole, is read in parts.

What one column holds decides nothing of what is read of another, as one of them may be kept back.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from ai_engine.catalogue import Table
from ai_engine.errors import DatabaseUnavailable, QueryFailed, ResultTooLarge
from ai_engine.guard.row_order import every_byte_of, ignore_telling_indexes, kept_by
from ai_engine.semantics.infer.code_lists import code_list_columns
from ai_engine.semantics.infer.fields import is_secret_name
from ai_engine.semantics.infer.inner_names import may_have_keys
from ai_engine.types import ColumnType, Scalar
from backend.catalogue.said_bytes import as_digits, bytes_in_digits, seen_bytes
from backend.databases import Database
from backend.databases.hidden_columns import ANY_COLUMN

MOST_ROWS = 1_000
_KEPT_CHARS = 1_000
_SLICES_CHARS = (16_000, 4_000, _KEPT_CHARS)
_OVERLAP_CHARS = 200  # a key that is cut apart is whole in the next slice
_CLOSED_BY_FORM: frozenset[ColumnType] = frozenset({"text", "other", "integer", "decimal"})


@dataclass(frozen=True)
class Cells:
    """What was read of one column.

    Attributes:
        values: in the order of rows, long texts cut; none where the order of rows would tell of another column.
        looked_at: what there is to look into, in any order, bytes as the text that they are.
        parts: what texts go on with that were too long to be read at once.
        is_whole: nothing is left that was not read.
    """

    values: Sequence[Scalar] | None
    looked_at: Sequence[Scalar]
    parts: Sequence[str] = ()
    is_whole: bool = True


def read_first_rows(database: Database, table: Table, hidden: frozenset[str], timeout_s: float) -> dict[str, Cells]:
    """Read the first thousand rows of all columns but those that are hidden, in small letters.

    The columns that look personal by their names are read apart from the others. What takes longer than `timeout_s`, or
    as long again in parts, is not there.
    """
    names = [name for name in table.column_names if name.lower() not in hidden]
    apart = [name for name in names if is_secret_name(name)]
    reader = _Reader(database, table, frozenset(map(str.lower, apart)) | hidden, timeout_s)
    return {**reader.read([name for name in names if name not in apart]), **reader.read(apart)}


class _Reader:
    """Reads one table; `held` are columns that do not decide which of its rows come first."""

    def __init__(self, database: Database, table: Table, held: frozenset[str], timeout_s: float) -> None:
        self._database, self._table, self._timeout_s = database, table, timeout_s
        # an index that has all columns which are read would decide which rows come first
        self._runner = database.without(ANY_COLUMN) if database.dialect == "postgres" else database.runner
        self._order = list(_order(table, held, database.dialect))
        self._is_sorted = bool(self._order)
        self._deadline: float | None = None

    def read(self, names: Sequence[str]) -> dict[str, Cells]:
        """Read these columns together, where that cannot be done in parts."""
        if not names:
            return {}
        try:
            rows = self._rows([self._column(name) for name in names], self._timeout_s)
        except DatabaseUnavailable:
            return {}
        except QueryFailed as fault:
            if not isinstance(fault, ResultTooLarge):
                self._order = []  # the rows as they come are looked into, and nothing is told of them
            return {name: cells for part in self._parts(names) for name, cells in self._part(part).items()}
        return self._found(names, rows)

    def _parts(self, names: Sequence[str]) -> Iterator[Sequence[str]]:
        """The columns one by one, but those of a list of codes, whose rows belong together."""
        places = code_list_columns(self._table) or ()
        listed = [name for name in (self._table.column_names[place] for place in places) if name in names]
        if listed:
            yield listed
        yield from ([name] for name in names if name not in listed)

    def _part(self, names: Sequence[str]) -> dict[str, Cells]:
        try:
            return self._found(names, self._rows([self._column(name) for name in names]))
        except ResultTooLarge:
            found = ((name, self._in_slices(name, self._text(name))) for name in names)
            return {name: self._with_bytes(name, cells) for name, cells in found if cells is not None}
        except QueryFailed:
            return {}

    def _found(self, names: Sequence[str], rows: Sequence[tuple[Scalar, ...]]) -> dict[str, Cells]:
        columns = list(zip(*rows, strict=True)) or [()] * len(names)
        read = {name: Cells(self._told(cells), cells) for name, cells in zip(names, columns, strict=True)}
        return {name: self._with_bytes(name, cells) for name, cells in read.items()}

    def _told(self, cells: Sequence[Scalar]) -> Sequence[Scalar] | None:
        if self._is_sorted and not self._order:
            return None
        return [cell[:_KEPT_CHARS] if isinstance(cell, str) else cell for cell in cells]

    def _in_slices(self, name: str, text: exp.Expr) -> Cells | None:
        """Read texts from their beginning on, as much of each at once as a result may hold."""
        for size in _SLICES_CHARS:
            try:
                cells = [row[0] for row in self._rows([_slice(text, 0, size)])]
            except ResultTooLarge:
                continue
            except QueryFailed:
                return None
            kind = self._kind(name)
            long = (cell for cell in cells if isinstance(cell, str) and len(cell) >= size)
            if not any(may_have_keys(kind, bytes_in_digits(cell) or cell) for cell in long):
                return Cells(self._told(cells), cells)
            parts, is_whole = self._following(name, text, size)
            return Cells(self._told(cells), cells, parts, is_whole)
        return None

    def _following(self, name: str, text: exp.Expr, size: int) -> tuple[list[str], bool]:
        parts: list[str] = []
        start = size
        inner = self._query([self._column(name)]).subquery("first_rows")
        while True:
            query = exp.select(_slice(text, start - _OVERLAP_CHARS, size + _OVERLAP_CHARS)).from_(inner)
            query = query.where(exp.GT(this=exp.Length(this=text.copy()), expression=exp.Literal.number(start)))
            try:
                rows = self._run(query)
            except QueryFailed:
                return parts, False
            if not rows:
                return parts, True
            parts += [str(row[0]) for row in rows]
            start += size

    def _with_bytes(self, name: str, cells: Cells) -> Cells:
        """Read bytes as the text that they may be, of which the worker hands out no more than the first few."""
        seen = seen_bytes(cells.looked_at)
        if not seen.are_longer:
            return replace(cells, looked_at=seen.texts)
        read = self._in_slices(name, as_digits(self._column(name), self._database.dialect))
        if read is None:
            return replace(cells, looked_at=seen.texts, is_whole=False)
        said = [bytes_in_digits(str(cell)) or "" for cell in read.looked_at if cell is not None]
        parts = [bytes_in_digits(part) or "" for part in read.parts]
        return Cells(cells.values, [*seen.texts, *said], [*cells.parts, *parts], cells.is_whole and read.is_whole)

    def _rows(self, columns: Sequence[exp.Expr], timeout_s: float | None = None) -> Sequence[tuple[Scalar, ...]]:
        return self._run(self._query(columns), timeout_s)

    def _query(self, columns: Sequence[exp.Expr]) -> exp.Select:
        table, dialect = self._table, self._database.dialect
        source = exp.table_(exp.to_identifier(table.name, quoted=True), db=table.schema, quoted=True)
        # one that has all of the columns would decide which rows come first, perhaps by one that is closed later
        ignore_telling_indexes(source, table, frozenset(map(str.lower, table.column_names)), dialect)
        query = exp.select(*columns).from_(source).limit(MOST_ROWS)
        return query.order_by(*(key.copy() for key in self._order)) if self._order else query

    def _run(self, query: exp.Select, timeout_s: float | None = None) -> Sequence[tuple[Scalar, ...]]:
        if timeout_s is None:
            self._deadline = self._deadline or time.monotonic() + self._timeout_s
            timeout_s = self._deadline - time.monotonic()
        if timeout_s <= 0:
            raise QueryFailed("no time is left to look into this table")
        return self._runner.run(
            query.sql(self._database.catalogue.dialect), max_rows=MOST_ROWS, timeout_s=timeout_s, stop=threading.Event()
        ).rows

    def _column(self, name: str) -> exp.Column:
        return exp.column(exp.to_identifier(name, quoted=True))

    def _text(self, name: str) -> exp.Expr:
        as_it_is = self._kind(name) == "text" or self._database.dialect == "sqlite"
        return self._column(name) if as_it_is else exp.cast(self._column(name), "text")

    def _kind(self, name: str) -> ColumnType:
        return next(column.type for column in self._table.columns if column.name == name)


def _slice(text: exp.Expr, start: int, size: int) -> exp.Expr:
    first, length = exp.Literal.number(start + 1), exp.Literal.number(size)
    return exp.alias_(exp.Substring(this=text.copy(), start=first, length=length), "slice", quoted=True)


def _order(table: Table, held: frozenset[str], dialect: str) -> Iterator[exp.Expr]:
    """What rows are sorted by where the order in which they are kept may tell of a column that is or will be closed.

    Not by what they are parted by, if that may be closed, and by others that may be only where the rest leaves it open.
    The last columns first: figures and days, which vary most, mostly stand there.
    """
    doubtful = _may_be_closed(table)
    kept = set(kept_by(table, dialect))
    unseen = kept.difference(map(str.lower, table.column_names))  # what the role may not read, or what is computed
    telling = kept & (held | doubtful.intersection(table.parted_by)) | unseen
    seen = [column.name for column in reversed(table.columns) if column.name.lower() not in held | telling]
    for name in sorted(seen, key=lambda name: name.lower() in doubtful) if telling else ():
        yield from _keys(exp.column(exp.to_identifier(name, quoted=True)), table, dialect)


def _may_be_closed(table: Table) -> frozenset[str]:
    """The columns, in small letters, that the form of their values might close, as it closes no key."""
    keys = {one.lower() for key in (table.primary_key, *(key.columns for key in table.foreign_keys)) for one in key}
    return frozenset(one.name.lower() for one in table.columns if one.type in _CLOSED_BY_FORM) - keys


def _keys(column: exp.Column, table: Table, dialect: str) -> Iterator[exp.Expr]:
    """What rows are sorted by; on MySQL not by digests of texts, which all rows of a large table would wait for."""
    known = table.column(column.name)
    if dialect != "mysql":
        yield from every_byte_of(column, table, dialect)
    elif known is not None and known.type != "other":
        yield column.copy()
