"""The chart of an answer, which can be switched to any other that fits."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from ai_engine.formats import Formats
from ai_engine.insight.chart_choice import possible_charts
from ai_engine.insight.rewritten import in_formats
from ai_engine.types import Answer, ChartKind
from backend.charts import caption, figure_of
from pages.drawing.drill import can_drill, choose_clicked, draw_drill
from pages.drawing.escaping import as_html

CHART_NAMES: dict[ChartKind, str] = {
    "metric": "Figure",
    "bar": "Columns",
    "horizontal_bar": "Bars",
    "line": "Line",
    "area": "Area",
    "pie": "Pie",
    "scatter": "Scatter",
    "histogram": "Histogram",
    "heatmap": "Heatmap",
}
CHART_CONFIG = {
    "modeBarButtons": [["toImage"]],
    "displaylogo": False,
    "scrollZoom": False,
}

_TALLEST_PX = 840
"""About twenty bars; more are scrolled."""
_EDGE_PX = 4
"""Room is kept before the chart is drawn, so that nothing below it jumps."""


def kinds_of(answer: Answer) -> tuple[ChartKind, ...]:
    """Return the charts that show more than the words: a figure that stands alone is the headline already."""
    result, columns = answer.result, answer.columns
    if result is None or (result.row_count == 1 and sum(column.role == "measure" for column in columns) == 1):
        return ()
    return tuple(kind for kind in possible_charts(result, columns) if kind != "table")


@st.fragment
def draw_chart(answer: Answer, kinds: tuple[ChartKind, ...], formats: Formats, *, key: str) -> None:
    """Draw the suggested chart, and a switch when others fit too; switching redraws only the chart."""
    result, columns = answer.result, answer.columns
    if result is None:
        return
    kind = answer.chart if answer.chart in kinds else kinds[0]
    if len(kinds) > 1:
        kind = st.segmented_control(
            "Chart type",
            kinds,
            default=kind,
            required=True,
            format_func=CHART_NAMES.__getitem__,
            key=f"kind_{key}",
            label_visibility="collapsed",
        ) or kind  # fmt: skip
    figure = figure_of(answer, formats, kind, heading_apart=True)
    if said := figure.layout.meta:
        heading, counted = as_html(said["heading"]), as_html(said["counted"])
        st.html(f'<p class="ba-chart-title">{heading}<small>{counted}</small></p>')
    height_px = int(min(figure.layout.height, _TALLEST_PX * answer.chart_size)) + _EDGE_PX
    with st.container(height=height_px, border=False, key=f"chart_box_{key}"):
        alt = caption(result, columns, kind, in_formats(answer.scope, formats), formats)
        chart_key = f"chart_{key}"
        clicks: dict[str, Any] = {"selection_mode": "points", "on_select": partial(choose_clicked, key, chart_key)}
        st.plotly_chart(figure, key=chart_key, config=CHART_CONFIG, alt=alt, **(clicks if can_drill(answer) else {}))
    draw_drill(answer, formats, key, "Click in the chart")
