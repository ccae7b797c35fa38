"""Which columns of a result are figures, positions in time, groups or mere names; shared by charts and summaries."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property
from operator import itemgetter

from ai_engine.insight.amounts import exact
from ai_engine.insight.dates import cycle_of
from ai_engine.types import OutputColumn, QueryResult, Scalar

_STARTS_WITH_YEAR = re.compile(r"\d{4}\b")


@dataclass(frozen=True)
class ResultShape:
    """Column positions by what they can do; every position stands in exactly one list, in the result's order.

    Attributes:
        measures: figures with at least one number.
        times: one run of time; parts that come round again (weekdays) are groups.
        groups: values that name a group.
        names: identifiers and free text, which name a single row.
    """

    result: QueryResult
    columns: tuple[OutputColumn, ...]
    measures: tuple[int, ...]
    times: tuple[int, ...]
    groups: tuple[int, ...]
    names: tuple[int, ...]

    def cells(self, position: int) -> list[Scalar]:
        """Return one column's cells, top to bottom."""
        return [row[position] for row in self.result.rows]

    def numbers(self, position: int) -> list[Decimal | None]:
        """Return a measure's cells as exact numbers, None where there is none."""
        return self._numbers[position]

    @cached_property
    def _numbers(self) -> dict[int, list[Decimal | None]]:
        return {position: [exact(cell) for cell in self.cells(position)] for position in self.measures}

    def distinct(self, *positions: int) -> int:
        """Count the different combinations in these columns."""
        if positions not in self._distinct:
            cells = map(itemgetter(*positions), self.result.rows) if positions else self.result.rows and ((),)
            self._distinct[positions] = len(set(cells))
        return self._distinct[positions]

    @cached_property
    def _distinct(self) -> dict[tuple[int, ...], int]:
        return {}

    def whole_steps(self) -> list[bool]:
        """Tell which rows have a place in time whose days are all covered; where there is no time, all do."""
        part = {(place, cell) for place in self.times for cell, _ in self.columns[place].part_steps}
        return [
            all(row[place] is not None and (place, row[place]) not in part for place in self.times)
            for row in self.result.rows
        ]

    def figures(self) -> tuple[int, ...]:
        """Return the measures to draw: of a comparison now and before, as the change is said in words."""
        return tuple(i for i in self.measures if self.columns[i].compared != "change" or not self.is_compared())

    def is_compared(self) -> bool:
        """Tell whether figures of an earlier period stand beside those asked for."""
        return any(self.columns[i].compared == "earlier" for i in self.measures)

    def keys(self) -> tuple[int, ...]:
        """Return the columns that tell rows apart without being read."""
        return tuple(i for i in self.names if self.columns[i].role == "identifier")


def read_shape(result: QueryResult, columns: Sequence[OutputColumn]) -> ResultShape:
    """Sort a result's columns by what they can do; a measure without a number in it counts as a name."""
    places: dict[str, list[int]] = {"measures": [], "times": [], "groups": [], "names": []}
    for position, column in enumerate(columns):
        places[_place(column, [row[position] for row in result.rows])].append(position)
    return ResultShape(result, tuple(columns), **{name: tuple(found) for name, found in places.items()})


def _place(column: OutputColumn, cells: list[Scalar]) -> str:
    if column.role == "measure":
        present = [cell for cell in cells if cell is not None]
        return "measures" if all(exact(cell) is not None for cell in present) else "names"
    if column.role == "time":
        return "groups" if cycle_of(column, cells) else "times"
    return "groups" if column.role == "category" else "names"


def in_time(cells: Sequence[Scalar]) -> Sequence[Scalar]:
    """Sort where the order of the values is the order of time; else keep the result's own order."""
    moments = [cell for cell in cells if isinstance(cell, date)]
    if len(moments) == len(cells) and len({isinstance(cell, datetime) for cell in moments}) == 1:
        return sorted(moments, key=lambda moment: moment.isoformat())
    numbers = [exact(cell) for cell in cells]
    if all(number is not None for number in numbers):
        return sorted(cells, key=lambda cell: exact(cell) or Decimal(0))
    words = [cell for cell in cells if isinstance(cell, str) and _STARTS_WITH_YEAR.match(cell)]
    return sorted(words) if len(words) == len(cells) else cells
