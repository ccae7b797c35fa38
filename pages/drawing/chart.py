"""The chart of an answer, which can be switched to any other that fits."""

from __future__ import annotations

import streamlit as st

from ai_engine.insight.chart_choice import possible_charts
from ai_engine.types import Answer, ChartKind
from backend.charts import caption, figure_of
from pages.drawing.escaping import as_html

_NAMES: dict[ChartKind, str] = {
    "metric": "Figure",
    "bar": "Columns",
    "horizontal_bar": "Bars",
    "line": "Line",
    "area": "Area",
    "pie": "Pie",
    "scatter": "Scatter",
    "histogram": "Histogram",
    "heatmap": "Heatmap",
    "table": "Table",
}
_CONFIG = {
    "modeBarButtons": [["toImage"]],
    "displaylogo": False,
    "scrollZoom": False,
}

_TALLEST_PX = 840
"""About twenty bars; more are scrolled."""
_EDGE_PX = 4
"""Room is kept before the chart is drawn, so that nothing below it jumps."""


@st.fragment
def draw_chart(answer: Answer, currency: str | None, *, key: str) -> None:
    """Draw the suggested chart, and a switch when others fit too; switching redraws only the chart.

    A figure that stands alone is the headline already, and exact in the table.
    """
    result, columns = answer.result, answer.columns
    if result is None or (result.row_count == 1 and sum(column.role == "measure" for column in columns) == 1):
        return
    kinds = possible_charts(result, columns)
    kind = answer.chart if answer.chart in kinds else kinds[0]
    if len(kinds) > 1 and kinds != ("metric", "table"):
        kind = st.segmented_control(
            "Chart type",
            kinds,
            default=kind,
            required=True,
            format_func=_NAMES.__getitem__,
            key=f"kind_{key}",
            label_visibility="collapsed",
        ) or kind  # fmt: skip
    if kind != "table":
        figure = figure_of(answer, currency, kind, heading_apart=True)
        if said := figure.layout.meta:
            heading, counted = as_html(said["heading"]), as_html(said["counted"])
            st.html(f'<p class="ba-chart-title">{heading}<small>{counted}</small></p>')
        height_px = int(min(figure.layout.height, _TALLEST_PX * answer.chart_size)) + _EDGE_PX
        with st.container(height=height_px, border=False, key=f"chart_box_{key}"):
            alt = caption(result, columns, kind, answer.scope)
            st.plotly_chart(figure, key=f"chart_{key}", config=_CONFIG, alt=alt)
