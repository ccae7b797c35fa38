"""What a chart is drawn from: one result, the columns that stand on its axes, and their texts."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from ai_engine.formats import Formats
from ai_engine.insight.amounts import PERCENTAGES, exact, format_percent, round_half_up
from ai_engine.insight.chart_axes import ChartAxes
from ai_engine.insight.rewritten import in_formats
from ai_engine.types import OutputColumn, QueryResult, Scalar
from backend.charts.scale import FigureScale, read_scale
from backend.charts.text import hover_label, part_label, spelled

PALETTE = ("#2F78C4", "#C8641B", "#2E8B6F", "#B0568F", "#8A7A1F", "#7467C9", "#C24A4A", "#5D7F99")
"""Each is at least 3:1 against white and against the dark page, so that a shape is seen on both (WCAG 1.4.11)."""
MUTED = "#7F8C9A"
"""For what stands behind: an earlier period, the many beside the few."""

_ISO_START = re.compile(r"\d{4}(-\d{2})?")


@dataclass(frozen=True)
class Sketch:
    """One result with the columns a chart draws, and their texts."""

    result: QueryResult
    columns: tuple[OutputColumn, ...]
    axes: ChartAxes
    formats: Formats
    scope: str = ""

    @cached_property
    def rows(self) -> tuple[tuple[Scalar, ...], ...]:
        """The result's rows; along time in its order, whatever the statement sorted by."""
        if self.axes.x is None or self.columns[self.axes.x].role != "time":
            return self.result.rows
        return _chronological(self.result.rows, self.axes.x)

    def place_of(self, row: tuple[Scalar, ...]) -> int:
        """Return where a row stands in the result: what is drawn of it bears that as its id, to be clicked."""
        return self._places[id(row)]

    @cached_property
    def _places(self) -> dict[int, int]:
        return {id(row): place for place, row in enumerate(self.result.rows)}

    @property
    def x(self) -> int:
        """The column on the axis of groups, for charts that have one."""
        if self.axes.x is None:
            raise ValueError("this chart has no axis of groups")
        return self.axes.x

    def cells(self, position: int) -> list[Scalar]:
        """Return one column, top to bottom."""
        return [row[position] for row in self.rows]

    def said(self, cell: Scalar, position: int) -> str:
        """Write one cell of a column for people."""
        return spelled(cell, self.columns[position], self._cells_of[position], self.formats)

    def hover(self, row: tuple[Scalar, ...], *positions: int | None) -> str:
        """Write some cells of a row, one a line, each behind its label."""
        lines = [
            f"{self.columns[place].label}: {self.said(row[place], place)}{self._said_part(row[place], place)}"
            for place in positions
            if place is not None
        ]
        return "<br>".join(map(hover_label, lines))

    def _said_part(self, cell: Scalar, position: int) -> str:
        days = dict(self.columns[position].part_steps).get(cell)
        return f" (only {in_formats(days, self.formats)})" if days else ""

    @cached_property
    def parts(self) -> dict[Scalar, str]:
        """Days covered by each step on the axis of time that is covered only in part: "1–22 Nov" for every reader, as
        whole dates would leave no room for other ticks.
        """
        if self.axes.x is None:
            return {}
        return {cell: part_label(days) for cell, days in self.columns[self.axes.x].part_steps}

    def scale(self, figures: list[float], position: int, *, from_zero: bool = True, intervals: int = 4) -> FigureScale:
        """Choose the ticks of an axis in the unit of a column."""
        unit = self.columns[position].unit
        return read_scale(figures or [0.0], unit, self.formats, from_zero=from_zero, intervals=intervals)

    def figures(self, *positions: int) -> list[float]:
        """Return all numbers in some columns."""
        cells = (cell for position in positions for cell in self.cells(position))
        return [number for cell in cells if (number := as_float(cell)) is not None]

    @cached_property
    def _cells_of(self) -> dict[int, list[Scalar]]:
        return {position: self.cells(position) for position in range(len(self.columns))}

    @cached_property
    def groups(self) -> list[Scalar]:
        """What stands on the x axis, in the order of the rows: each row where one colour has one row each."""
        if self.axes.x is None:
            return []
        cells = self.cells(self.axes.x)
        return cells if self.axes.series is None else list(dict.fromkeys(cells))

    @cached_property
    def group_names(self) -> list[str]:
        """What the groups are called; things of one name are told apart by their key."""
        said = [self.said(group, self.x) for group in self.groups]
        if self.axes.series is not None:
            return said
        key = next((place for place, column in enumerate(self.columns) if column.role == "identifier"), None)
        if key is None or key == self.x:
            return said
        times = Counter(said)
        return [
            f"{name} ({self.said(row[key], key)})" if times[name] > 1 else name
            for name, row in zip(said, self.rows, strict=True)
        ]

    @cached_property
    def series(self) -> list[Series]:
        """What is drawn in one colour each: a value of the series column, or a measure."""
        return [series for panel in self.axes.panels for series in self.series_of(panel)]

    def series_of(self, panel: tuple[int, ...]) -> list[Series]:
        """Return what is drawn on one scale."""
        if self.axes.series is None:
            return [
                Series(
                    self.columns[value].label, value, list(self.rows), list(range(len(self.rows))), self._colours[value]
                )
                for value in panel
            ]
        place_of = {group: place for place, group in enumerate(self.groups)}
        by_value: dict[Scalar, list[tuple[Scalar, ...]]] = {}
        for row in self.rows:
            by_value.setdefault(row[self.axes.series], []).append(row)
        return [
            Series(
                self.said(value, self.axes.series),
                panel[0],
                rows,
                [place_of[row[self.axes.x]] for row in rows] if self.axes.x is not None else [],
                colour_of(place),
            )
            for place, (value, rows) in enumerate(by_value.items())
        ]

    @cached_property
    def _colours(self) -> dict[int, str]:
        asked = [value for value in self.axes.values if self.columns[value].compared != "earlier"]
        return dict.fromkeys(self.axes.values, MUTED) | {value: colour_of(place) for place, value in enumerate(asked)}

    def change_said(self, row: tuple[Scalar, ...], value: int, *, places: int = 1) -> str:
        """Write how a figure changed against the one of the earlier period beside it; empty where there is none."""
        beside = value + 1
        if beside >= len(self.columns) or self.columns[beside].compared != "earlier":
            return ""
        now, before = exact(row[value]), exact(row[beside])
        if now is None or before is None:
            return ""
        if (percent := PERCENTAGES.get(self.columns[value].unit or "")) is not None:
            points = format_percent((now - before) * percent).removesuffix("%")
            return f"{'+' if now > before else ''}{points} points"
        if before <= 0:
            return ""
        change = round_half_up((now - before) / before * 100, places)
        return f"{'+' if change > 0 else ''}{format_percent(change)}"


@dataclass(frozen=True, slots=True)
class Series:
    """Rows that share a colour.

    Attributes:
        value: the column that is drawn.
        places: where each row stands on the axis of groups.
    """

    name: str
    value: int
    rows: list[tuple[Scalar, ...]]
    places: list[int]
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
    """Return the palette's colour for the n-th series; those beyond it stay in the background."""
    return PALETTE[place] if place < len(PALETTE) else MUTED


def as_float(cell: Scalar) -> float | None:
    """Return where a figure stands on its axis; the exact figure is in the hover."""
    number = exact(cell)
    return float(number) if number is not None else None
