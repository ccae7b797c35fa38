"""Where things stand on a chart: groups side by side, moments at their distances, figures on round steps."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from ai_engine.insight.chart_axes import NARROW_AXIS_CHARS
from ai_engine.insight.dates import cycle_of
from ai_engine.types import Scalar
from backend.charts.scale import FigureScale
from backend.charts.sketch import Series, Sketch
from backend.charts.text import row_label, tick_label, time_label

GRID = "rgba(128,128,128,0.22)"
_MOST_TIME_TICKS = 7
_FIXED = {"fixedrange": True, "automargin": True}


def times(sketch: Sketch, series: Series) -> list[Any]:
    """Return where the rows of a series stand in time: ISO dates, or positions where they are no dates."""
    if _is_calendar(sketch):
        return [row[sketch.x].isoformat() for row in series.rows]  # type: ignore[union-attr]
    return list(series.places)


def _is_calendar(sketch: Sketch) -> bool:
    """Real dates keep their distances; other positions ("2025-03", a NULL among dates) stand side by side."""
    return all(isinstance(group, date) for group in sketch.groups)


def time_axis(sketch: Sketch) -> dict[str, Any]:
    """Lay out a run of time with few enough ticks for a narrow screen, each on a moment of the data."""
    if not _is_calendar(sketch):
        return group_axis(sketch)
    moments = sorted(set(sketch.groups), key=str)
    shown, labels = _few(*_time_labels(sketch, moments))
    return {
        "type": "date",
        "tickvals": [moments[place].isoformat() for place in shown],  # type: ignore[union-attr]
        "ticktext": labels,
        "showgrid": False,
        **_FIXED,
    }


def group_axis(sketch: Sketch, *, room_chars: int = NARROW_AXIS_CHARS) -> dict[str, Any]:
    """Lay out the groups side by side; of those in a known order, as many are named as there is room for."""
    ordered = sketch.columns[sketch.x].role == "time" or cycle_of(sketch.columns[sketch.x], sketch.groups)
    if not ordered:
        return labelled([tick_label(name) for name in sketch.group_names])
    places, labels = _few(*_time_labels(sketch, sketch.groups), room_chars)
    return labelled(labels, places)


def row_axis(sketch: Sketch) -> dict[str, Any]:
    """Lay out the groups below each other, the first on top, with room for their names on two lines."""
    labels = [row_label(name) for name in sketch.group_names]
    return {**labelled(labels), "range": [len(labels) - 0.5, -0.5]}


def _time_labels(sketch: Sketch, moments: Sequence[Scalar]) -> tuple[list[list[str]], list[int]]:
    """Write the ticks of a run of time, and say which must stand: steps covered in part, with the days they cover."""
    labels = [time_label(sketch.said(moment, sketch.x)) for moment in moments]
    part = [place for place, moment in enumerate(moments) if moment in sketch.parts]
    for place in part:
        labels[place] = [sketch.parts[moments[place]], *labels[place][1:]]
    return labels, part


def _few(
    labels: list[list[str]], always: list[int], room_chars: int = NARROW_AXIS_CHARS
) -> tuple[list[int], list[str]]:
    """Choose places at even distances whose labels stand side by side on a narrow screen, around those that must."""
    widest = max((len(line) for lines in labels for line in lines), default=0)
    most = min(_MOST_TIME_TICKS, max(1, room_chars // (widest + 1)))
    step = -(-len(labels) // most) or 1
    even = [place for place in range(0, len(labels), step) if all(abs(place - other) >= step for other in always)]
    shown = sorted({*even, *always[-1:], *(always[:1] if step == 1 or always[-1:] != always[:1] else ())})
    return shown, ["<br>".join(labels[place]) for place in shown]


def labelled(labels: list[str], places: list[int] | None = None) -> dict[str, Any]:
    """Lay out ready labels at 0, 1, 2 ... or at the places given."""
    return {
        "tickvals": list(range(len(labels))) if places is None else places,
        "ticktext": labels,
        "showgrid": False,
        "zeroline": False,
        **_FIXED,
    }


def figure_axis(scale: FigureScale) -> dict[str, Any]:
    """Lay out figures on round steps."""
    return {
        "tickvals": scale.positions,
        "ticktext": scale.texts,
        "range": [scale.positions[0], scale.positions[-1]],
        "gridcolor": GRID,
        "zerolinecolor": GRID,
        **_FIXED,
    }


def figure_name(sketch: Sketch, panel: tuple[int, ...], scale: FigureScale) -> str:
    """Name what a panel shows and what it is counted in: "Deposits (Rs. crore)"; of several, the legend names them."""
    label = sketch.columns[panel[0]].label
    if len(panel) > 1 and not any(sketch.columns[value].compared for value in panel):
        return scale.counted_in[:1].upper() + scale.counted_in[1:]
    return f"{label} ({scale.counted_in})" if scale.counted_in else label
