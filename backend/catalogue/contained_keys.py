"""Asks the values whether a column is the foreign key that its name lets one guess."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable, Mapping, Sequence

from sqlglot import exp

from ai_engine.errors import QueryFailed
from ai_engine.guard.row_order import distinct_by_bytes
from ai_engine.semantics.infer.keys import KeyGuesses, guess_keys
from ai_engine.types import ColumnType, Scalar
from backend.databases import Database

Place = tuple[str, str]  # table, column
Values = Mapping[Place, Sequence[Scalar]]

_MOST_STATEMENTS = 400
_FEWEST_VALUES = 5
_SHORTEST_TELLING_TEXT = 3
_TELLING_BITS = 20  # so many numbers are all among the keys by chance once in a million times


def contained_keys(database: Database, sampled: Values, *, timeout_s: float) -> dict[Place, Place | None]:
    """Return what the sampled values say of columns that look like foreign keys; what they leave open is not there.

    A column whose name says a key is refuted (None) when most of its values are not there. One whose name says none
    gets the only key that has all of its values, unless any numbers would be there: keys that count on without gaps
    hold every number.

    Args:
        database: asked at most 400 statements, each for keys among at most a few thousand values.
        sampled: (table, column) to some distinct values.
        timeout_s: for each statement; a table that does not answer in time tells nothing.
    """
    guesses = guess_keys(database.catalogue)
    asked = _Keys(database, sampled, timeout_s)
    refuted = {place: None for place, key in guesses.by_name.items() if asked.refute(place, key)}
    return {**refuted, **_only_holders(asked, guesses, sampled)}


def _only_holders(asked: _Keys, guesses: KeyGuesses, sampled: Values) -> dict[Place, Place]:
    """Return the one key that has all values of a column, for the columns whose names say nothing."""
    nameless = {place: values for place in guesses.nameless if (values := _telling(sampled.get(place, ())))}
    holders: dict[Place, list[Place]] = {place: [] for place in nameless}
    for key in guesses.targets:
        kind = asked.type_of(key)
        fitting = [place for place in nameless if asked.type_of(place) == kind and place != key]
        fitting = [place for place in fitting if len(holders[place]) <= 1]
        if not fitting or kind not in ("integer", "text"):
            continue
        there = asked.among(key, frozenset().union(*(nameless[place] for place in fitting)))
        for place in fitting:
            if there is not None and nameless[place] <= there:
                holders[place].append(key)
    return {
        place: keys[0]
        for place, keys in holders.items()
        if len(keys) == 1 and not _by_chance(nameless[place], sampled.get(keys[0], ()))
    }


def _telling(values: Iterable[Scalar]) -> frozenset[Scalar]:
    """Return the values where there are enough of them, and none is so short that any list of codes may have it."""
    found = frozenset(values)
    return found if len(found) >= _FEWEST_VALUES and all(map(_is_long, found)) else frozenset()


def _is_long(value: Scalar) -> bool:
    return len(str(value)) >= _SHORTEST_TELLING_TEXT


def _by_chance(values: Iterable[Scalar], keys: Iterable[Scalar]) -> bool:
    """Tell whether as many numbers would be among the keys whatever they stand for."""
    numbers = [int(str(key)) for key in keys if str(key).isdigit()]
    if not numbers:
        return False
    share = len(numbers) / (max(numbers) - min(numbers) + 1)
    return -math.log2(share) * len(frozenset(values)) < _TELLING_BITS


class _Keys:
    """Looks values up among the keys of tables."""

    def __init__(self, database: Database, sampled: Values, timeout_s: float) -> None:
        self._database, self._sampled, self._timeout_s = database, sampled, timeout_s
        self._statements_left = _MOST_STATEMENTS

    def type_of(self, place: Place) -> ColumnType | None:
        """Return the type of a column."""
        table = self._database.catalogue.table(place[0])
        column = table.column(place[1]) if table else None
        return column.type if column else None

    def refute(self, place: Place, key: Place) -> bool:
        """Tell whether most values of a column are not among the keys that its name says."""
        values = frozenset(self._sampled.get(place, ()))
        if len(values) < _FEWEST_VALUES or self.type_of(place) != self.type_of(key):
            return False
        there = self.among(key, values)
        return there is not None and 2 * len(there) < len(values)

    def among(self, key: Place, values: frozenset[Scalar]) -> frozenset[Scalar] | None:
        """Return those values that are keys; None where the table is empty, or nothing more may be asked."""
        known = frozenset(self._sampled.get(key, ()))
        if not known:
            return None
        unknown = values - known
        if not unknown:
            return values
        if not self._statements_left:
            return None
        self._statements_left -= 1
        try:
            rows = self._database.runner.run(
                self._lookup(key, unknown), max_rows=len(unknown), timeout_s=self._timeout_s, stop=threading.Event()
            ).rows
        except QueryFailed:
            return None
        return values & known | {row[0] for row in rows}

    def _lookup(self, key: Place, values: Iterable[Scalar]) -> str:
        catalogue = self._database.catalogue
        table = catalogue.table(key[0])
        assert table is not None, "keys are guessed of tables in the catalogue"  # noqa: S101
        column = exp.column(exp.to_identifier(key[1], quoted=True))
        source = exp.table_(exp.to_identifier(table.name, quoted=True), db=table.schema, quoted=True)
        listed = [exp.convert(value) for value in sorted(values, key=str)]
        kind = self.type_of(key) or "other"
        query = distinct_by_bytes(column.copy(), kind, catalogue.dialect).from_(source)
        query = query.where(exp.In(this=column, expressions=listed))
        return query.sql(catalogue.dialect)
