"""The chart of an answer, which can be switched to any other that fits."""

from __future__ import annotations

import streamlit as st

from ai_engine.insight.chart_choice import possible_charts
from ai_engine.types import ChartKind, OutputColumn, QueryResult
from backend.charts import caption, draw

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
    "table": "Table only",
}
_CONFIG = {"displayModeBar": False, "displaylogo": False, "scrollZoom": False}

_EDGE_PX = 4
"""Room is kept before the chart is drawn, so that nothing below it jumps."""


@st.fragment
def draw_chart(
    result: QueryResult, columns: tuple[OutputColumn, ...], suggested: ChartKind, currency: str | None, *, key: str
) -> None:
    """Draw the suggested chart, and a switch when others fit too; switching redraws only the chart."""
    kinds = possible_charts(result, columns)
    kind = suggested if suggested in kinds else kinds[0]
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
        figure = draw(result, columns, kind, currency)
        with st.container(height=figure.layout.height + _EDGE_PX, border=False, key=f"chart_box_{key}"):
            st.plotly_chart(figure, key=f"chart_{key}", config=_CONFIG, alt=caption(result, columns, kind))
