"""A result as a Plotly figure: pure, readable on light and dark ground, free of markup that came from outside."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import plotly.graph_objects as go

from ai_engine.insight.chart_choice import NARROW_AXIS_CHARS, chart_axes
from ai_engine.insight.wording import enumerate_words
from ai_engine.types import ChartKind, OutputColumn, QueryResult, Scalar
from backend.chart_axes import GRID, axis_title, figure_axis, group_axis, labelled, places, time_axis, times
from backend.chart_sketch import Series, Sketch, as_float, colour_of
from backend.chart_text import distinct, hover_label, tick_label, title
from backend.chart_tiles import table, tiles

_HEAT = ((0.0, "#D6E6F5"), (0.5, "#5E9BD1"), (1.0, "#123E6B"))
_DASHES = ("solid", "dash", "dot", "dashdot")
_GROUND = "rgba(0,0,0,0)"
_HEIGHT_PX = 400
_ROW_PX = 30
_MOST_MARKED_POINTS = 40
_MOST_WRITTEN_TILES = 80
_MOST_BINS = 20
_COLOUR_BAR_CHARS = 12


def draw(result: QueryResult, columns: tuple[OutputColumn, ...], kind: ChartKind, currency: str | None) -> go.Figure:
    """Draw a result.

    Args:
        result: the rows; how many each kind can bear is `possible_charts`' business.
        columns: one per result column.
        kind: one of `possible_charts(result, columns)`; any other is drawn as a table.
        currency: the bank's own, which decides between lakh and thousands where a column has no currency.
    """
    sketch = Sketch(result, columns, chart_axes(kind, result, columns), currency)
    figure = _DRAWN[kind](sketch) if sketch.axes.values else table(sketch)
    figure.update_layout(
        paper_bgcolor=_GROUND,
        plot_bgcolor=_GROUND,
        hoverlabel={"align": "left", "namelength": 0},
        dragmode=False,
    )
    return figure


def caption(result: QueryResult, columns: tuple[OutputColumn, ...], kind: ChartKind) -> str:
    """Say what a chart shows, as in "Deposits by month and segment"; unescaped."""
    axes = chart_axes(kind, result, columns)
    first, *others = [columns[value].label for value in axes.values] or [""]
    figures = enumerate_words([first, *map(_inside, others)])
    if kind == "scatter" and axes.x is not None:
        return f"{figures} against {_inside(columns[axes.x].label)}"
    if kind == "histogram":
        return f"Distribution of {_inside(figures)}"
    beside = " and ".join(_inside(columns[place].label) for place in (axes.x, axes.series) if place is not None)
    return f"{figures} by {beside}" if beside else figures


def _inside(label: str) -> str:
    """Write a label within a sentence; an abbreviation keeps its capitals."""
    return label if label[1:2].isupper() else label[:1].lower() + label[1:]


def _bar(sketch: Sketch) -> go.Figure:
    figure = go.Figure([_bars(sketch, series, upright=True) for series in sketch.series])
    figure.update_xaxes(**group_axis(sketch, sketch.x))
    figure.update_yaxes(**figure_axis(sketch, sketch.axes.values[0], _drawn(sketch)))
    return _framed(figure, sketch, "bar")


def _horizontal_bar(sketch: Sketch) -> go.Figure:
    figure = go.Figure([_bars(sketch, series, upright=False) for series in sketch.series])
    figure.update_yaxes(**group_axis(sketch, sketch.x), autorange="reversed")
    figure.update_xaxes(**figure_axis(sketch, sketch.axes.values[0], _drawn(sketch)))
    per_group = _ROW_PX * (1 + 0.5 * (len(sketch.series) - 1))
    return _framed(figure, sketch, "horizontal_bar", height_px=int(150 + per_group * len(sketch.groups)))


def _bars(sketch: Sketch, series: Series, *, upright: bool) -> go.Bar:
    grouped, figures = places(sketch, series), series.figures()
    return go.Bar(
        x=grouped if upright else figures,
        y=figures if upright else grouped,
        orientation="v" if upright else "h",
        **_dressed(sketch, series),
        marker={"color": series.colour},
    )


def _line(sketch: Sketch) -> go.Figure:
    figure = go.Figure()
    for place, series in enumerate(sketch.series):
        marked = len(series.rows) <= _MOST_MARKED_POINTS
        figure.add_scatter(
            x=times(sketch, series),
            y=series.figures(),
            mode="lines+markers" if marked else "lines",
            line={"color": series.colour, "width": 2.5, "dash": _DASHES[place % len(_DASHES)]},
            marker={"size": 6},
            cliponaxis=False,  # a point on the edge is drawn whole
            **_dressed(sketch, series),
        )
    figure.update_xaxes(**time_axis(sketch))
    figure.update_yaxes(**figure_axis(sketch, sketch.axes.values[0], _drawn(sketch), from_zero=False))
    return _framed(figure, sketch, "line")


def _area(sketch: Sketch) -> go.Figure:
    figure = go.Figure()
    for series in sketch.series:
        figure.add_scatter(
            x=times(sketch, series),
            y=series.figures(),
            mode="lines",
            stackgroup="all",
            line={"color": series.colour, "width": 1.5},
            **_dressed(sketch, series),
        )
    figure.update_xaxes(**time_axis(sketch))
    figure.update_yaxes(**figure_axis(sketch, sketch.axes.values[0], _stacked(sketch)))
    return _framed(figure, sketch, "area")


def _pie(sketch: Sketch) -> go.Figure:
    series = sketch.series[0]
    figure = go.Figure(
        go.Pie(
            labels=distinct([tick_label(sketch.said(row[sketch.x], sketch.x)) for row in series.rows]),
            values=series.figures(),
            hole=0.5,
            sort=False,
            direction="clockwise",
            textinfo="percent",
            textposition="outside",
            marker={"colors": [colour_of(place) for place in range(len(series.rows))]},
            customdata=[sketch.hover(row, sketch.x, series.value) for row in series.rows],
            hovertemplate="%{customdata}<br>%{percent}<extra></extra>",
        )
    )
    return _framed(figure, sketch, "pie", legend=True)


def _scatter(sketch: Sketch) -> go.Figure:
    across, up = sketch.x, sketch.axes.values[0]
    figure = go.Figure()
    for series in sketch.series:
        figure.add_scatter(
            x=[as_float(row[across]) for row in series.rows],
            y=series.figures(),
            mode="markers",
            name=tick_label(series.name),
            customdata=[sketch.hover(row, *range(len(sketch.columns))) for row in series.rows],
            hovertemplate="%{customdata}<extra></extra>",
            marker={"color": series.colour, "size": 8, "opacity": 0.75},
        )
    figure.update_xaxes(**figure_axis(sketch, across, _figures(sketch, across), from_zero=False))
    figure.update_yaxes(**figure_axis(sketch, up, _figures(sketch, up), from_zero=False))
    return _framed(figure, sketch, "scatter")


def _histogram(sketch: Sketch) -> go.Figure:
    value = sketch.axes.values[0]
    column = sketch.columns[value]
    figures = _figures(sketch, value)
    edges = sketch.scale(figures, value, from_zero=False, intervals=min(_MOST_BINS, max(5, round(len(figures) ** 0.5))))
    counts = [0] * (len(edges.positions) - 1)
    width = edges.positions[1] - edges.positions[0]
    for number in figures:
        counts[min(int((number - edges.positions[0]) / width), len(counts) - 1)] += 1
    bounds = [sketch.said(Decimal(f"{edge:.12g}"), value) for edge in edges.positions]
    figure = go.Figure(
        go.Bar(
            x=[edge + width / 2 for edge in edges.positions[:-1]],
            y=counts,
            width=width * 0.96,
            marker={"color": colour_of(0)},
            customdata=[
                hover_label(f"{bounds[place]} to {bounds[place + 1]}: {count} row{'s' * (count != 1)}")
                for place, count in enumerate(counts)
            ],
            hovertemplate="%{customdata}<extra></extra>",
        )
    )
    figure.update_xaxes(**figure_axis(sketch, value, figures, from_zero=False))
    figure.update_yaxes(title={"text": "Rows"}, gridcolor=GRID, rangemode="tozero", fixedrange=True, automargin=True)
    figure.update_xaxes(title={"text": axis_title(column, edges.counted_in)})
    return _framed(figure, sketch, "histogram")


def _heatmap(sketch: Sketch) -> go.Figure:
    value, down = sketch.axes.values[0], sketch.axes.series
    assert down is not None, "a heatmap has two axes of groups"  # noqa: S101
    rows = list(dict.fromkeys(sketch.cells(down)))
    cells = {(row[down], row[sketch.x]): row for row in sketch.rows}
    grid = [[cells.get((beside, above)) for above in sketch.groups] for beside in rows]
    scale = sketch.scale(_figures(sketch, value), value)
    written = len(rows) * len(sketch.groups) <= _MOST_WRITTEN_TILES
    figure = go.Figure(
        go.Heatmap(
            z=[[as_float(row[value]) if row else None for row in line] for line in grid],
            customdata=[[sketch.hover(row, sketch.x, down, value) if row else "" for row in line] for line in grid],
            hovertemplate="%{customdata}<extra></extra>",
            hoverongaps=False,
            colorscale=_HEAT,
            xgap=2,
            ygap=2,
            text=[[scale.short(as_float(row[value])) if row else "" for row in line] for line in grid],
            texttemplate="%{text}" if written else None,
            colorbar={
                "title": {"text": title(scale.counted_in), "side": "top"},
                "tickvals": scale.positions,
                "ticktext": scale.texts,
                "thickness": 12,
                "outlinewidth": 0,
            },
        )
    )
    labels = [tick_label(sketch.said(cell, down)) for cell in rows]
    room_chars = NARROW_AXIS_CHARS - _COLOUR_BAR_CHARS - max(map(len, labels), default=0)
    figure.update_xaxes(**group_axis(sketch, sketch.x, room_chars=room_chars))
    figure.update_yaxes(**labelled(labels, sketch.columns[down]), autorange="reversed")
    return _framed(figure, sketch, "heatmap", height_px=170 + _ROW_PX * len(rows))


def _dressed(sketch: Sketch, series: Series) -> dict[str, Any]:
    """What every trace over groups or time has: its name and a hover that says the exact figure."""
    return {
        "name": tick_label(series.name),
        "customdata": [sketch.hover(row, sketch.axes.x, sketch.axes.series, series.value) for row in series.rows],
        "hovertemplate": "%{customdata}<extra></extra>",
    }


def _figures(sketch: Sketch, position: int) -> list[float]:
    return [number for cell in sketch.cells(position) if (number := as_float(cell)) is not None]


def _drawn(sketch: Sketch) -> list[float]:
    return [number for series in sketch.series for number in series.figures() if number is not None]


def _stacked(sketch: Sketch) -> list[float]:
    heights: dict[Scalar, float] = {}
    for series in sketch.series:
        for row, number in zip(series.rows, series.figures(), strict=True):
            heights[row[sketch.x]] = heights.get(row[sketch.x], 0.0) + (number or 0.0)
    return list(heights.values())


def _framed(
    figure: go.Figure, sketch: Sketch, kind: ChartKind, *, height_px: int = _HEIGHT_PX, legend: bool | None = None
) -> go.Figure:
    """Give a chart its title, height and, where colours need one, a legend."""
    heading = title(caption(sketch.result, sketch.columns, kind))
    lines = heading.count("<br>") + 1
    figure.update_layout(
        title={"text": heading, "x": 0, "xanchor": "left", "y": 1, "yanchor": "top", "yref": "container",
               "pad": {"t": 10, "l": 4}, "font": {"size": 15}},
        height=height_px + 20 * (lines - 1),
        margin={"l": 8, "r": 12, "t": 30 + 20 * lines, "b": 8},
        showlegend=len(sketch.series) > 1 if legend is None else legend,
        legend={"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom", "x": 0, "xanchor": "left"},
        barcornerradius=2,
        bargap=0.25,
    )  # fmt: skip
    return figure


_DRAWN: dict[ChartKind, Callable[[Sketch], go.Figure]] = {
    "metric": tiles,
    "bar": _bar,
    "horizontal_bar": _horizontal_bar,
    "line": _line,
    "area": _area,
    "pie": _pie,
    "scatter": _scatter,
    "histogram": _histogram,
    "heatmap": _heatmap,
    "table": table,
}
