"""A result as a Plotly figure: pure, readable on light and dark ground, free of markup that came from outside."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import plotly.graph_objects as go

from ai_engine.formats import Formats
from ai_engine.insight.chart_choice import chart_axes, possible_charts
from ai_engine.insight.rewritten import in_formats
from ai_engine.types import Answer, ChartKind, OutputColumn, QueryResult
from backend.charts.bars import lying_bars, upright_bars
from backend.charts.frame import set_heading_apart
from backend.charts.lines import area, line
from backend.charts.picture import Picture
from backend.charts.points import histogram, scatter
from backend.charts.sketch import Sketch
from backend.charts.tiles import heatmap, ring, table, tiles

_GROUND = "rgba(0,0,0,0)"


def figure_of(
    answer: Answer, formats: Formats, kind: ChartKind | None = None, *, heading_apart: bool = False
) -> go.Figure:
    """Draw an answer that has rows; page, API and export all take this figure.

    Args:
        answer: with a result.
        formats: as for `draw`.
        kind: another than the suggested chart; where it does not fit, the suggested one is drawn.
        heading_apart: leave the title to the page, in `layout.meta` as in `set_heading_apart`.
    """
    assert answer.result is not None, "there are rows to draw"  # noqa: S101
    fitting = possible_charts(answer.result, answer.columns)
    kind = kind if kind in fitting else answer.chart
    picture = _picture(answer.result, answer.columns, kind, formats, in_formats(answer.scope, formats))
    if heading_apart:
        set_heading_apart(picture)
    picture.lay_out(height=int(picture.layout["height"] * answer.chart_size))
    return picture.figure()


def figure_json(figure: go.Figure) -> dict[str, Any]:
    """Write a figure as the object that plotly.js and `plotly.io.from_json` read; whoever shows it brings the theme."""
    figure.layout.template = None
    written: dict[str, Any] = json.loads(figure.to_json(engine="json"))
    return written


def draw(
    result: QueryResult, columns: tuple[OutputColumn, ...], kind: ChartKind, formats: Formats, scope: str = ""
) -> go.Figure:
    """Draw a result.

    Args:
        result: the rows; how many each kind can bear is `possible_charts`' business.
        columns: one per result column.
        kind: one of `possible_charts(result, columns)`; any other is drawn as a table.
        formats: the reader's.
        scope: what narrows the figures, said in the title, as in `Answer.scope`.
    """
    return _picture(result, columns, kind, formats, scope).figure()


def _picture(
    result: QueryResult, columns: tuple[OutputColumn, ...], kind: ChartKind, formats: Formats, scope: str
) -> Picture:
    sketch = Sketch(result, columns, chart_axes(kind, result, columns), formats, scope)
    picture = _DRAWN[kind](sketch) if sketch.axes.values else table(sketch)
    picture.lay_out(
        paper_bgcolor=_GROUND,
        plot_bgcolor=_GROUND,
        hoverlabel={"align": "left", "namelength": 0},
        dragmode=False,
    )
    return picture


_DRAWN: dict[ChartKind, Callable[[Sketch], Picture]] = {
    "metric": tiles,
    "bar": upright_bars,
    "horizontal_bar": lying_bars,
    "line": line,
    "area": area,
    "pie": ring,
    "scatter": scatter,
    "histogram": histogram,
    "heatmap": heatmap,
    "table": table,
}
