"""What stands where on a chart: its axis, its colours, and which figures may share a scale."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from ai_engine.insight.shape import ResultShape

NARROW_AXIS_CHARS = 48
"""As many characters stand side by side below a chart on a phone before labels are turned."""
_COMPARABLE = 20
"""A figure this many times smaller than another would be drawn too small to be read on its scale."""


@dataclass(frozen=True, slots=True)
class ChartAxes:
    """Result columns that a chart draws.

    Attributes:
        x: axis of groups, points in time or, for a scatter, numbers; None where the chart has no such axis.
        series: column whose values become colours, or the second axis of a heatmap.
        panels: measures drawn, those in one panel on one scale: of one unit and size, unless each is a figure of its
            own (a metric); a scatter has one, its y.
    """

    x: int | None = None
    series: int | None = None
    panels: tuple[tuple[int, ...], ...] = ()

    @property
    def values(self) -> tuple[int, ...]:
        """All measures drawn."""
        return tuple(value for panel in self.panels for value in panel)


def panels_of(shape: ResultShape) -> tuple[tuple[int, ...], ...]:
    """Put figures of one unit and size on one scale; others get a picture of their own."""
    panels: list[list[int]] = []
    for figure in shape.figures():
        panel = next((panel for panel in panels if _shares_scale(shape, panel[0], figure)), None)
        if panel is None:
            panels.append([figure])
        else:
            panel.append(figure)
    return tuple(map(tuple, panels))


def _shares_scale(shape: ResultShape, first: int, other: int) -> bool:
    if shape.columns[first].unit != shape.columns[other].unit:
        return False
    if shape.columns[other].compared == "earlier":
        return True
    low, high = sorted((_largest(shape, first), _largest(shape, other)))
    return low == 0 or high / low < _COMPARABLE


def _largest(shape: ResultShape, position: int) -> Decimal:
    return max((abs(number) for number in shape.numbers(position) if number is not None), default=Decimal(0))
