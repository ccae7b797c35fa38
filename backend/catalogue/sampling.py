"""A few rows of every table, from which a vocabulary is inferred."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ai_engine.catalogue import Column, Table
from ai_engine.semantics.data_dictionary import EMPTY, DataDictionary
from ai_engine.semantics.infer import infer_vocabulary
from ai_engine.semantics.infer.code_lists import CodeList, code_list_columns, read_code_list
from ai_engine.semantics.infer.sightings import UNSEEN, Sighting, look_into
from ai_engine.semantics.model import SemanticModel
from ai_engine.types import Scalar
from backend.catalogue.contained_keys import contained_keys
from backend.catalogue.first_rows import MOST_ROWS, Cells, read_first_rows
from backend.databases import Database

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
        looked: (table, column) to what all values that were read tell of people.
    """

    values: Mapping[tuple[str, str], tuple[Scalar, ...]]
    unique: frozenset[tuple[str, str]]
    code_lists: tuple[CodeList, ...]
    contained: Mapping[tuple[str, str], tuple[str, str] | None]
    looked: Mapping[tuple[str, str], Sighting]


def collect_samples(
    database: Database, held: Mapping[str, frozenset[str]] = NOTHING_HELD, *, timeout_s: float = 5.0
) -> Samples:
    """Read the first thousand rows of every table, and look for their keys, each statement within `timeout_s`.

    Args:
        held: table → columns that are known to be sensitive, in small letters: nothing is told of them.
    """
    values: dict[tuple[str, str], tuple[Scalar, ...]] = {}
    looked: dict[tuple[str, str], Sighting] = {}
    unique: set[tuple[str, str]] = set()
    lists: list[CodeList] = []
    for table in database.catalogue.tables:
        hidden = table.columns_among(held)
        read = read_first_rows(database, table, hidden, timeout_s)
        lists += _code_lists(table, read, hidden)
        for column in table.columns:
            place, cells = (table.name, column.name), read.get(column.name)
            seen = _look_into(column, cells)
            looked[place] = looked[place] | seen if place in looked else seen
            if cells is None or cells.values is None:
                continue
            counted = Counter(value for value in cells.values if value is not None)
            values[place] = tuple(value for value, _ in counted.most_common(_KEPT))
            if _FEWEST_UNIQUE_ROWS <= len(cells.values) < MOST_ROWS and len(counted) == len(cells.values):
                unique.add(place)
    contained = contained_keys(database, values, timeout_s=timeout_s)
    return Samples(values, frozenset(unique), tuple(lists), contained, looked)


def _look_into(column: Column, cells: Cells | None) -> Sighting:
    if cells is None:
        return UNSEEN
    distinct = list(dict.fromkeys(cells.looked_at))
    return look_into(column.type, column.native_type, distinct, parts=cells.parts, is_whole=cells.is_whole)


def _code_lists(table: Table, read: Mapping[str, Cells], hidden: frozenset[str]) -> tuple[CodeList, ...]:
    places = code_list_columns(table) or ()
    columns = [read[name].values if (name := table.columns[place].name) in read else None for place in places]
    if not columns or None in columns:
        return ()
    at = dict(zip(places, columns, strict=True))
    empty: list[Scalar] = [None] * len(columns[0] or ())
    return read_code_list(table, zip(*(at.get(n) or empty for n in range(len(table.columns))), strict=True), hidden)


def infer_from(database: Database, samples: Samples, dictionary: DataDictionary = EMPTY) -> SemanticModel:
    """Infer the vocabulary of a database from what its rows and the bank's dictionary tell."""
    return infer_vocabulary(
        database.catalogue,
        samples.values,
        dictionary,
        unique=samples.unique,
        code_lists=samples.code_lists,
        contained=samples.contained,
        looked=samples.looked,
    )
