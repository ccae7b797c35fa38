"""Which columns of a result are figures, positions in time, groups or mere names; shared by charts and summaries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from ai_engine.insight.amounts import exact
from ai_engine.insight.dates import cycle_of
from ai_engine.types import OutputColumn, QueryResult, Scalar


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
        return len({tuple(row[position] for position in positions) for row in self.result.rows})

    def alike(self) -> tuple[int, ...]:
        """Return the measures that may share an axis with the first one: those in its unit."""
        if not self.measures:
            return ()
        unit = self.columns[self.measures[0]].unit
        return tuple(position for position in self.measures if self.columns[position].unit == unit)


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
