"""Where things stand on a chart: groups side by side, moments at their distances, figures on round steps."""

from __future__ import annotations

from datetime import date
from typing import Any

from ai_engine.insight.chart_choice import NARROW_AXIS_CHARS
from ai_engine.types import OutputColumn
from backend.chart_sketch import Series, Sketch
from backend.chart_text import tick_label, time_label, title

GRID = "rgba(128,128,128,0.22)"
_MOST_TIME_TICKS = 7


def places(sketch: Sketch, series: Series) -> list[int]:
    """Groups stand at 0, 1, 2 ..., so that two with the same shortened label stay apart."""
    place_of = {group: place for place, group in enumerate(sketch.groups)}
    return [place_of[row[sketch.x]] for row in series.rows]


def times(sketch: Sketch, series: Series) -> list[Any]:
    """Return where the rows of a series stand in time: ISO dates, or positions where they are no dates."""
    if _is_calendar(sketch):
        return [row[sketch.x].isoformat() for row in series.rows]  # type: ignore[union-attr]
    return places(sketch, series)


def _is_calendar(sketch: Sketch) -> bool:
    """Real dates keep their distances; other positions ("2025-03", a NULL among dates) stand side by side."""
    return all(isinstance(group, date) for group in sketch.groups)


def time_axis(sketch: Sketch) -> dict[str, Any]:
    """Lay out a run of time with few enough ticks for a narrow screen, each on a moment of the data."""
    if not _is_calendar(sketch):
        return group_axis(sketch, sketch.x)
    moments = sorted(sketch.groups, key=str)
    shown, labels = _few([time_label(sketch.said(moment, sketch.x)) for moment in moments])
    return {
        "type": "date",
        "title": {"text": title(sketch.columns[sketch.x].label)},
        "tickvals": [moments[place].isoformat() for place in shown],  # type: ignore[union-attr]
        "ticktext": labels,
        "showgrid": False,
        "fixedrange": True,
        "automargin": True,
    }


def group_axis(sketch: Sketch, position: int, *, room_chars: int = NARROW_AXIS_CHARS) -> dict[str, Any]:
    """Lay out the groups of a column side by side; of a run of time, as many are named as there is room for."""
    said = [sketch.said(group, position) for group in sketch.groups]
    laid_out = labelled([tick_label(text) for text in said], sketch.columns[position])
    if sketch.columns[position].role == "time":
        laid_out["tickvals"], laid_out["ticktext"] = _few([time_label(text) for text in said], room_chars)
    return laid_out


def _few(labels: list[list[str]], room_chars: int = NARROW_AXIS_CHARS) -> tuple[list[int], list[str]]:
    """Choose places at even distances whose labels stand side by side on a narrow screen."""
    widest = max((len(line) for lines in labels for line in lines), default=0)
    most = min(_MOST_TIME_TICKS, max(1, room_chars // (widest + 1)))
    shown = list(range(0, len(labels), -(-len(labels) // most) or 1))
    return shown, ["<br>".join(labels[place]) for place in shown]


def labelled(labels: list[str], column: OutputColumn) -> dict[str, Any]:
    """Lay out ready labels at 0, 1, 2 ..."""
    return {
        "title": {"text": title(column.label)},
        "tickvals": list(range(len(labels))),
        "ticktext": labels,
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
        "automargin": True,
    }


def figure_axis(sketch: Sketch, position: int, figures: list[float], *, from_zero: bool = True) -> dict[str, Any]:
    """Lay out the figures of a column on round steps that hold all of `figures`."""
    scale = sketch.scale(figures, position, from_zero=from_zero)
    alone = len(sketch.axes.values) == 1  # of several, the legend says which is which
    return {
        "title": {"text": axis_title(sketch.columns[position], scale.counted_in) if alone else title(scale.counted_in)},
        "tickvals": scale.positions,
        "ticktext": scale.texts,
        "range": [scale.positions[0], scale.positions[-1]],
        "gridcolor": GRID,
        "zerolinecolor": GRID,
        "fixedrange": True,
        "automargin": True,
    }


def axis_title(column: OutputColumn, counted_in: str) -> str:
    """Name an axis and what it is counted in: "Deposits (Rs. crore)"."""
    return title(f"{column.label} ({counted_in})" if counted_in else column.label)
