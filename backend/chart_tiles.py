"""Charts that are written rather than plotted: one figure large, or rows as a drawn table."""

from __future__ import annotations

import plotly.graph_objects as go

from backend.chart_sketch import Sketch, colour_of
from backend.chart_text import hover_label, tick_label

_TILE_ROW_PX = 110
_MOST_TABLE_ROWS = 100
_TABLE_ROW_PX = 30
_TALLEST_TABLE_PX = 800


def tiles(sketch: Sketch) -> go.Figure:
    """One tile per figure, two beside each other."""
    values, row = sketch.axes.values, sketch.rows[0]
    wide = min(len(values), 2)
    high = (len(values) + 1) // 2
    figure = go.Figure()
    for place, value in enumerate(values):
        figure.add_annotation(
            text=f"<span style='font-size:13px'>{tick_label(sketch.columns[value].label)}</span><br>"
            f"<b>{hover_label(sketch.said(row[value], value))}</b>",
            font={"size": 30 if wide == 1 else 22, "color": colour_of(0)},
            x=(place % wide + 0.5) / wide,
            y=1 - (place // wide + 0.5) / high,
            xref="paper",
            yref="paper",
            showarrow=False,
        )
    figure.update_xaxes(visible=False, fixedrange=True)
    figure.update_yaxes(visible=False, fixedrange=True)
    figure.update_layout(height=_TILE_ROW_PX * high, margin={"l": 8, "r": 8, "t": 8, "b": 8})
    return figure


def table(sketch: Sketch) -> go.Figure:
    """The first rows as a drawn table, for whoever has no better one."""
    order = range(len(sketch.columns))
    rows = sketch.rows[:_MOST_TABLE_ROWS]
    aligned = ["right" if column.role == "measure" else "left" for column in sketch.columns]
    figure = go.Figure(
        go.Table(
            header={"values": [tick_label(column.label) for column in sketch.columns], "align": aligned},
            cells={
                "values": [[hover_label(sketch.said(row[place], place)) for row in rows] for place in order],
                "align": aligned,
                "height": _TABLE_ROW_PX,
            },
        )
    )
    figure.update_layout(
        height=min(90 + _TABLE_ROW_PX * len(rows), _TALLEST_TABLE_PX), margin={"l": 0, "r": 0, "t": 8, "b": 0}
    )
    return figure
