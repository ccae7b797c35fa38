"""Charts that are written rather than plotted: one figure large, shades with their figures, a ring, a drawn table."""

from __future__ import annotations

from ai_engine.insight.chart_axes import NARROW_AXIS_CHARS
from ai_engine.semantics.scope_words import titled
from backend.charts.axes import figure_name, group_axis, labelled
from backend.charts.frame import framed
from backend.charts.picture import Picture
from backend.charts.sketch import Sketch, as_float, colour_of
from backend.charts.text import NARROW_PX, chars_in, distinct, hover_label, tick_label, title, width_px
from backend.charts.titles import caption

_HEAT = ((0.0, "#D6E6F5"), (0.5, "#7DB0DC"), (1.0, "#123E6B"))
_HEAT_ROW_PX = 30
_TILE_GAP_PX = 6
_TILE_ROW_PX = 72
_EDGE_PX = 8
_LINE_EM = 1.3
"""Plotly sets lines so far apart, by the size of the whole text and not by that of a span."""
_MOST_TABLE_ROWS = 100
_TABLE_ROW_PX = 30
_TALLEST_TABLE_PX = 800
_RING_PX = 300
_LEAST_WRITTEN_SHARE = 0.04


def tiles(sketch: Sketch) -> Picture:
    """One tile per figure below each other, as a long amount fills a narrow screen.

    The first says what narrows them all; how a figure changed stands with it.
    """
    values = sketch.axes.values
    size = 30 if len(values) == 1 else 24
    texts = [_tile(sketch, place) for place in range(len(values))]
    heights = [_TILE_ROW_PX + round(_LINE_EM * size) * (text.count("<br>") - 1) for text in texts]
    picture = Picture()
    for place, text in enumerate(texts):
        middle = sum(heights[:place]) + heights[place] / 2
        picture.note(
            text=text,
            font={"size": size},
            x=0,
            y=1 - middle / sum(heights),
            xref="paper",
            yref="paper",
            xanchor="left",
            yanchor="middle",
            align="left",
            showarrow=False,
        )
    picture.axis("xaxis", visible=False, fixedrange=True)
    picture.axis("yaxis", visible=False, fixedrange=True)
    picture.lay_out(height=sum(heights) + 2 * _EDGE_PX, margin=dict.fromkeys("lrtb", _EDGE_PX))
    return picture


def _tile(sketch: Sketch, place: int) -> str:
    """Write what a figure is, itself, and how it changed."""
    values, row = sketch.axes.values, sketch.rows[0]
    value = values[place]
    change = sketch.change_said(row, value, places=2)
    said = sketch.columns[value].label
    if change or len(values) == 1:
        said = caption(sketch.result, sketch.columns, "metric", sketch.scope, sketch.formats)
    elif place == 0:
        said = titled(said, sketch.scope)
    lines = [_small(title(said, chars_in(NARROW_PX))), f"<b>{hover_label(sketch.said(row[value], value))}</b>"]
    return "<br>".join([*lines, *([_small(change)] if change else [])])


def _small(text: str) -> str:
    return f"<span style='font-size:13px'>{text}</span>"


def heatmap(sketch: Sketch) -> Picture:
    """Draw a shade for each pair of groups, with its figure where there is room."""
    value, down = sketch.axes.values[0], sketch.axes.series
    assert down is not None, "a heatmap has two axes of groups"  # noqa: S101
    rows = list(dict.fromkeys(sketch.cells(down)))
    cells = {(row[down], row[sketch.x]): row for row in sketch.rows}
    grid = [[cells.get((beside, above)) for above in sketch.groups] for beside in rows]
    scale = sketch.scale(sketch.figures(value), value)
    texts = [[scale.short(as_float(row[value])) if row else "" for row in line] for line in grid]
    labels = [tick_label(sketch.said(cell, down)) for cell in rows]
    tile_px = (NARROW_PX - width_px(labels) - _TILE_GAP_PX) / len(sketch.groups)
    written = width_px(text for line in texts for text in line) + _TILE_GAP_PX <= tile_px
    picture = Picture()
    picture.add(
        "heatmap",
        z=[[as_float(row[value]) if row else None for row in line] for line in grid],
        customdata=[[sketch.hover(row, sketch.x, down, value) if row else "" for row in line] for line in grid],
        hovertemplate="%{customdata}<extra></extra>",
        hoverongaps=False,
        colorscale=_HEAT,
        xgap=2,
        ygap=2,
        text=texts,
        texttemplate="%{text}" if written else None,
        showscale=not written,
        colorbar={
            "orientation": "h",
            "tickvals": scale.positions,
            "ticktext": scale.texts,
            "thickness": 10,
            "outlinewidth": 0,
            "len": 0.9,
            "y": 0,
            "yref": "container",
            "yanchor": "bottom",
        },
    )
    room_chars = NARROW_AXIS_CHARS - max(map(len, labels), default=0)
    picture.axis("xaxis", **group_axis(sketch, room_chars=room_chars))
    picture.axis("yaxis", **labelled(labels), autorange="reversed")
    heading = caption(sketch.result, sketch.columns, "heatmap", sketch.scope)
    name = figure_name(sketch, (value,), scale)
    return framed(picture, heading, [name], height_px=90 + (0 if written else 45) + _HEAT_ROW_PX * len(rows))


def ring(sketch: Sketch) -> Picture:
    """Draw the parts of a whole, each with its share."""
    series = sketch.series[0]
    labels = distinct([tick_label(name) for name in sketch.group_names])
    numbers = [number or 0.0 for number in series.figures()]
    total = sum(numbers)
    shares = [f"{number / total:.1%}" if number / total >= _LEAST_WRITTEN_SHARE else "" for number in numbers]
    picture = Picture()
    picture.add(
        "pie",
        labels=labels,
        values=series.figures(),
        hole=0.5,
        sort=False,
        direction="clockwise",
        text=shares,
        textinfo="text",
        textposition="inside",
        insidetextorientation="horizontal",
        insidetextfont={"color": "#FFFFFF", "size": 13},
        marker={
            "colors": [colour_of(place) for place in range(len(series.rows))],
            "line": {"color": "rgba(128,128,128,0.35)", "width": 1},
        },
        customdata=[sketch.hover(row, sketch.x, series.value) for row in series.rows],
        hovertemplate="%{customdata}<br>%{percent}<extra></extra>",
    )
    name = sketch.columns[series.value].label
    heading = caption(sketch.result, sketch.columns, "pie", sketch.scope)
    return framed(picture, heading, [name], height_px=_RING_PX, legend=labels)


def table(sketch: Sketch) -> Picture:
    """The first rows as a drawn table, for whoever has no better one."""
    order = range(len(sketch.columns))
    rows = sketch.rows[:_MOST_TABLE_ROWS]
    aligned = ["right" if column.role == "measure" else "left" for column in sketch.columns]
    picture = Picture()
    picture.add(
        "table",
        header={"values": [tick_label(column.label) for column in sketch.columns], "align": aligned},
        cells={
            "values": [[hover_label(sketch.said(row[place], place)) for row in rows] for place in order],
            "align": aligned,
            "height": _TABLE_ROW_PX,
        },
    )
    picture.lay_out(
        height=min(90 + _TABLE_ROW_PX * len(rows), _TALLEST_TABLE_PX), margin={"l": 0, "r": 0, "t": 8, "b": 0}
    )
    return picture
