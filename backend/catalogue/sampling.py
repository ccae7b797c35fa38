"""A few rows of every table, from which a vocabulary is inferred."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from sqlglot import exp

from ai_engine.catalogue import Table
from ai_engine.errors import QueryFailed
from ai_engine.guard.row_order import every_byte_of, ignore_telling_indexes, kept_by
from ai_engine.semantics.data_dictionary import EMPTY, DataDictionary
from ai_engine.semantics.infer import infer_vocabulary
from ai_engine.semantics.infer.code_lists import CodeList, read_code_list
from ai_engine.semantics.infer.fields import is_secret_name
from ai_engine.semantics.model import SemanticModel
from ai_engine.types import QueryResult, Scalar
from backend.catalogue.contained_keys import contained_keys
from backend.databases import Database

_ROWS = 1_000
_KEPT = 60
NOTHING_HELD: Mapping[str, frozenset[str]] = MappingProxyType({})
_FEWEST_UNIQUE_ROWS = 10  # fewer rows differ by chance


@dataclass(frozen=True)
class Samples:
    """What the first thousand rows of every table tell.

    Attributes:
        values: (table, column) to distinct values among them, most frequent first, NULL left out; a table that cannot
            be read in time has no entries.
        unique: (table, column) of each column whose values are all there and all different, in tables read to the end.
        code_lists: what codes mean by the tables that are lists of codes.
        contained: what the values say of columns that look like foreign keys, as in `infer_vocabulary`.
    """

    values: Mapping[tuple[str, str], tuple[Scalar, ...]]
    unique: frozenset[tuple[str, str]]
    code_lists: tuple[CodeList, ...]
    contained: Mapping[tuple[str, str], tuple[str, str] | None]


def collect_samples(
    database: Database, held: Mapping[str, frozenset[str]] = NOTHING_HELD, *, timeout_s: float = 5.0
) -> Samples:
    """Read the first thousand rows of every table, and look for their keys, each statement within `timeout_s`.

    Args:
        held: table → columns that are known to be sensitive, in small letters: nothing is told of them.
    """
    values: dict[tuple[str, str], tuple[Scalar, ...]] = {}
    unique: set[tuple[str, str]] = set()
    lists: list[CodeList] = []
    for table in database.catalogue.tables:
        hidden = table.columns_among(held)
        rows = _first_rows(database, table, hidden, timeout_s)
        if rows is None:
            continue
        lists += read_code_list(table, rows.rows, hidden)
        whole = _FEWEST_UNIQUE_ROWS <= len(rows.rows) < _ROWS
        for index, column in enumerate(table.columns):
            if column.name.lower() in hidden:
                continue
            counted = Counter(row[index] for row in rows.rows if row[index] is not None)
            values[table.name, column.name] = tuple(value for value, _ in counted.most_common(_KEPT))
            if whole and len(counted) == len(rows.rows):
                unique.add((table.name, column.name))
    return Samples(values, frozenset(unique), tuple(lists), contained_keys(database, values, timeout_s=timeout_s))


def infer_from(database: Database, samples: Samples, dictionary: DataDictionary = EMPTY) -> SemanticModel:
    """Infer the vocabulary of a database from what its rows and the bank's dictionary tell."""
    return infer_vocabulary(
        database.catalogue,
        samples.values,
        dictionary,
        unique=samples.unique,
        code_lists=samples.code_lists,
        contained=samples.contained,
    )


def _first_rows(database: Database, table: Table, hidden: frozenset[str], timeout_s: float) -> QueryResult | None:
    columns = [exp.column(exp.to_identifier(column.name, quoted=True)) for column in table.columns]
    source = exp.table_(exp.to_identifier(table.name, quoted=True), db=table.schema, quoted=True)
    held = hidden | {column.name.lower() for column in table.columns if is_secret_name(column.name)}
    # whichever of them has all of the columns would decide which rows come first, perhaps by one that is closed later
    ignore_telling_indexes(source, table, frozenset(map(str.lower, table.column_names)), database.dialect)
    query = exp.select(*columns).from_(source).limit(_ROWS)
    if not held.isdisjoint(kept_by(table, database.dialect)):  # else which rows come first would tell of it
        seen = [column for column in columns if column.name.lower() not in held]
        # the last first: figures and days, which vary most, mostly stand there
        query = query.order_by(*(key for column in reversed(seen) for key in _keys(column, table, database.dialect)))
    try:
        return database.runner.run(
            query.sql(database.catalogue.dialect), max_rows=_ROWS, timeout_s=timeout_s, stop=threading.Event()
        )
    except QueryFailed:
        return None


def _keys(column: exp.Column, table: Table, dialect: str) -> Iterator[exp.Expr]:
    """What rows are sorted by; on MySQL not by digests of texts, which all rows of a large table would wait for."""
    known = table.column(column.name)
    if dialect != "mysql":
        yield from every_byte_of(column, table, dialect)
    elif known is not None and known.type != "other":
        yield column.copy()
