"""What a chart is drawn from: one result, the columns that stand on its axes, and their texts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from ai_engine.insight.amounts import exact
from ai_engine.insight.chart_choice import ChartAxes
from ai_engine.types import OutputColumn, QueryResult, Scalar
from backend.chart_scale import FigureScale, read_scale
from backend.chart_text import hover_label, spelled

PALETTE = ("#2F78C4", "#C8641B", "#2E8B6F", "#B0568F", "#8A7A1F", "#7467C9", "#C24A4A", "#5D7F99")
"""Each is at least 3:1 against white and against the dark page, so that a shape is seen on both (WCAG 1.4.11)."""

_ISO_START = re.compile(r"\d{4}(-\d{2})?")


@dataclass(frozen=True)
class Sketch:
    """One result with the columns a chart draws, and their texts."""

    result: QueryResult
    columns: tuple[OutputColumn, ...]
    axes: ChartAxes
    currency: str | None

    @cached_property
    def rows(self) -> tuple[tuple[Scalar, ...], ...]:
        """The result's rows; along time in its order, whatever the statement sorted by."""
        if self.axes.x is None or self.columns[self.axes.x].role != "time":
            return self.result.rows
        return _chronological(self.result.rows, self.axes.x)

    @property
    def x(self) -> int:
        """The column on the horizontal axis, for charts that have one."""
        if self.axes.x is None:
            raise ValueError("this chart has no axis of groups")
        return self.axes.x

    def cells(self, position: int) -> list[Scalar]:
        """Return one column, top to bottom."""
        return [row[position] for row in self.rows]

    def said(self, cell: Scalar, position: int) -> str:
        """Write one cell of a column for people."""
        return spelled(cell, self.columns[position], self._cells_of[position], self.currency)

    def hover(self, row: tuple[Scalar, ...], *positions: int | None) -> str:
        """Write some cells of a row, one a line, each behind its label."""
        shown = [position for position in positions if position is not None]
        return "<br>".join(
            hover_label(f"{self.columns[position].label}: {self.said(row[position], position)}") for position in shown
        )

    def scale(self, figures: list[float], position: int, *, from_zero: bool = True, intervals: int = 4) -> FigureScale:
        """Choose the ticks of an axis in the unit of a column."""
        unit = self.columns[position].unit
        return read_scale(figures or [0.0], unit, self.currency, from_zero=from_zero, intervals=intervals)

    @cached_property
    def _cells_of(self) -> dict[int, list[Scalar]]:
        return {position: self.cells(position) for position in range(len(self.columns))}

    @cached_property
    def groups(self) -> list[Scalar]:
        """Different values on the x axis, in the order in which the rows bring them."""
        return list(dict.fromkeys(self.cells(self.axes.x))) if self.axes.x is not None else []

    @cached_property
    def series(self) -> list[Series]:
        """What is drawn in one colour each: a value of the series column, or a measure."""
        if self.axes.series is None:
            return [
                Series(self.columns[value].label, value, list(self.rows), colour_of(place))
                for place, value in enumerate(self.axes.values)
            ]
        by_value: dict[Scalar, list[tuple[Scalar, ...]]] = {}
        for row in self.rows:
            by_value.setdefault(row[self.axes.series], []).append(row)
        return [
            Series(self.said(value, self.axes.series), self.axes.values[0], rows, colour_of(place))
            for place, (value, rows) in enumerate(by_value.items())
        ]


@dataclass(frozen=True, slots=True)
class Series:
    """Rows that share a colour; `value` is the column that is drawn."""

    name: str
    value: int
    rows: list[tuple[Scalar, ...]]
    colour: str

    def figures(self) -> list[float | None]:
        """Return what is drawn, None for a gap."""
        return [as_float(row[self.value]) for row in self.rows]


def _chronological(rows: tuple[tuple[Scalar, ...], ...], time: int) -> tuple[tuple[Scalar, ...], ...]:
    """Sort by time where the cells tell it; "Q1 FY25" does not, and keeps the statement's order."""
    if all(isinstance(row[time], (date, int)) or _ISO_START.match(str(row[time])) for row in rows):
        return tuple(sorted(rows, key=lambda row: str(row[time])))
    return rows


def colour_of(place: int) -> str:
    """Return the palette's colour for the n-th series."""
    return PALETTE[place % len(PALETTE)]


def as_float(cell: Scalar) -> float | None:
    """Return where a figure stands on its axis; the exact figure is in the hover."""
    number = exact(cell)
    return float(number) if number is not None else None
