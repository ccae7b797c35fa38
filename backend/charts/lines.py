"""Lines and areas along time."""

from __future__ import annotations

from typing import Any

from ai_engine.types import Scalar
from backend.charts.axes import figure_axis, figure_name, time_axis, times
from backend.charts.frame import HEIGHT_PX, dressed, framed, legend_names, name_panel
from backend.charts.picture import Picture
from backend.charts.sketch import MUTED, Series, Sketch, colour_of
from backend.charts.titles import caption

_MOST_MARKED_POINTS = 40
_MOST_NAMED_LINES = 7
_PANEL_SHARE = 0.62
_OTHERS = "Others"


def line(sketch: Sketch) -> Picture:
    """Draw one line per colour; figures of another unit or size below, on a scale of their own."""
    panels, picture, names = sketch.axes.panels, Picture(), []
    named: list[str] = []
    share = 1 / len(panels)
    for place, values in enumerate(panels):
        series = sketch.series_of(values)
        scale = sketch.scale(sketch.figures(*values), values[0], from_zero=False)
        name = figure_name(sketch, values, scale)
        named += _draw_lines(picture, sketch, series, f"y{place + 1}" if place else "y")
        top = 1 - place * share
        domain = [top - share * (0.8 if len(panels) > 1 else 1), top]
        picture.axis(f"yaxis{place + 1 if place else ''}", **figure_axis(scale), domain=domain)
        names.append(name_panel(picture, name, x=0, y=top) if len(panels) > 1 else name)
    picture.axis("xaxis", **time_axis(sketch), anchor=f"y{len(panels)}" if len(panels) > 1 else "y")
    height_px = HEIGHT_PX * (1 if len(panels) == 1 else _PANEL_SHARE * len(panels))
    heading = caption(sketch.result, sketch.columns, "line", sketch.scope)
    return framed(picture, heading, names, height_px=int(height_px), legend=named)


def _draw_lines(picture: Picture, sketch: Sketch, series: list[Series], axis: str) -> list[str]:
    """Draw the lines of one scale, and return what the legend names: of many, the highest ones."""
    named = {id(one): one.colour for one in series}
    if len(series) > _MOST_NAMED_LINES:
        highest = sorted(series, key=lambda one: -sum(number or 0 for number in one.figures()))[:_MOST_NAMED_LINES]
        named = {id(one): colour_of(place) for place, one in enumerate(highest)}
    entries: list[str] = []
    for one in sorted(series, key=lambda one: id(one) in named):
        behind = id(one) not in named
        colour = named.get(id(one), MUTED)
        looks = dressed(sketch, one) | ({"name": _OTHERS} if behind else {})
        is_entry = len(series) > 1 and looks["name"] not in entries
        part = [row[sketch.x] in sketch.parts for row in one.rows]
        picture.add(
            "scatter",
            x=times(sketch, one),
            y=[None if is_part else number for number, is_part in zip(one.figures(), part, strict=True)],
            yaxis=axis,
            mode="lines+markers" if len(one.rows) <= _MOST_MARKED_POINTS and colour != MUTED else "lines",
            line={"color": colour, "width": 1.5 if behind else 2.5, "dash": _dash(colour, behind)},
            marker={"size": 6},
            cliponaxis=False,  # a point on the edge is drawn whole
            showlegend=is_entry,
            legendrank=1001 if behind else 1000,
            **looks,
        )
        if any(part):
            _draw_parts(picture, sketch, one, part, {"yaxis": axis, "marker": _hollow(colour)})
        entries += [looks["name"]] * is_entry
    return entries


def _draw_parts(picture: Picture, sketch: Sketch, one: Series, part: list[bool], looks: dict[str, Any]) -> None:
    """Draw steps covered only in part as points of their own: a line to them would show a fall that is none."""
    places, figures, looked = times(sketch, one), one.figures(), dressed(sketch, one)
    hovers, ids = looked["customdata"], looked["ids"]
    picture.add(
        "scatter",
        x=[place for place, is_part in zip(places, part, strict=True) if is_part],
        y=[number for number, is_part in zip(figures, part, strict=True) if is_part],
        mode="markers",
        cliponaxis=False,
        showlegend=False,
        customdata=[hover for hover, is_part in zip(hovers, part, strict=True) if is_part],
        ids=[row for row, is_part in zip(ids, part, strict=True) if is_part],
        hovertemplate="%{customdata}<extra></extra>",
        **looks,
    )


def _hollow(colour: str) -> dict[str, Any]:
    return {"symbol": "circle-open", "color": colour, "size": 9, "opacity": 0.75, "line": {"width": 2}}


def _dash(colour: str, behind: bool) -> str:
    """An earlier period is told from the asked one without its colour too."""
    return "dot" if colour == MUTED and not behind else "solid"


def area(sketch: Sketch) -> Picture:
    """Draw layers that add up along time."""
    picture = Picture()
    series = sketch.series
    for one in series:
        picture.add(
            "scatter",
            x=times(sketch, one),
            y=one.figures(),
            mode="lines",
            stackgroup="all",
            line={"color": one.colour, "width": 1.5},
            **dressed(sketch, one),
        )
    scale = sketch.scale(_stacked(sketch, series), series[0].value)
    picture.axis("xaxis", **time_axis(sketch))
    picture.axis("yaxis", **figure_axis(scale))
    heading = caption(sketch.result, sketch.columns, "area", sketch.scope)
    return framed(
        picture, heading, [figure_name(sketch, sketch.axes.values, scale)], legend=legend_names(sketch, series)
    )


def _stacked(sketch: Sketch, series: list[Series]) -> list[float]:
    heights: dict[Scalar, float] = {}
    for one in series:
        for row, number in zip(one.rows, one.figures(), strict=True):
            heights[row[sketch.x]] = heights.get(row[sketch.x], 0.0) + (number or 0.0)
    return list(heights.values())
