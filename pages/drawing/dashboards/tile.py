"""One tile: its title, its chart, figure or table, and how old it is."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from ai_engine.formats import Formats
from ai_engine.insight.amounts import format_cell
from ai_engine.insight.chart_choice import possible_charts
from ai_engine.types import Answer, ChartKind
from backend.charts import caption, figure_of
from backend.dashboards.tile_results import TileResult
from backend.store.dashboards import Tile
from pages.drawing.chart import CHART_CONFIG
from pages.drawing.escaping import as_html
from pages.drawing.table import draw_table
from pages.formats import chosen_formats, for_visitor

CHART_PX = 300
"""All charts of a row are as tall, whatever stands in them."""


def draw_title(tile: Tile) -> None:
    """Head a tile."""
    st.html(f'<h3 class="ba-tile-title">{as_html(tile.title)}</h3>')


def draw_waiting(tile: Tile) -> None:
    """Draw a tile whose result is on its way."""
    draw_title(tile)
    st.html('<p class="ba-note ba-waiting" role="status">Asking …</p>')


def draw_tile(tile: Tile, result: TileResult) -> None:
    """Draw a tile with what came of it; a failure leaves the last good result in sight."""
    draw_title(tile)
    if result.problem:
        st.html(f'<p class="ba-problem ba-small" role="alert">{as_html(result.problem)}</p>')
    if result.answer is not None:
        _draw_rows(tile, result.answer, replace(chosen_formats(), currency=result.currency))
    if foot := foot_html(tile, result):
        st.html(foot)


def foot_html(tile: Tile, result: TileResult) -> str:
    """Say what a tile is about where its title does not, how old it is, and what of the scope does not fit it."""
    lines = [f'<p class="ba-note ba-left-out">{as_html(sentence)}</p>' for sentence in result.left_out]
    if result.answer is not None:
        read = for_visitor(result.answer.restatement)
        about = f"{as_html(read)}<br>" if read and read.casefold() != tile.title.casefold() else ""
        old = "Last good result, " if result.problem else ""
        made = result.made_at.astimezone()
        lines.append(f'<p class="ba-note ba-small">{about}{old}as of {part_day(result)}, asked {made:%d %b %H:%M}</p>')
    return "".join(lines)


def part_day(result: TileResult) -> str:
    """Write the data's day of a result."""
    return chosen_formats().day(result.as_of) if result.as_of is not None else ""


def chart_of(tile: Tile, answer: Answer) -> ChartKind:
    """Return the kind of chart that a tile shows now; where the pinned one no longer fits, the suggested one."""
    assert answer.result is not None  # noqa: S101 - tiles show answers with rows
    kinds = possible_charts(answer.result, answer.columns)
    return tile.chart if tile.chart in kinds else answer.chart if answer.chart in kinds else kinds[0]


def _draw_rows(tile: Tile, answer: Answer, formats: Formats) -> None:
    result, columns = answer.result, answer.columns
    if result is None:
        return
    kind = chart_of(tile, answer)
    if not result.rows:
        st.html('<p class="ba-muted">No rows.</p>')
    elif result.row_count == 1 and len(columns) == 1:
        figure = format_cell(result.rows[0][0], columns[0], formats)
        label = columns[0].label
        counted = f'<p class="ba-muted">{as_html(label)}</p>' if label.casefold() != tile.title.casefold() else ""
        st.html(f'<p class="ba-figure">{as_html(figure)}</p>{counted}')
    elif kind == "table":
        with st.container(height=CHART_PX, border=False):
            draw_table(result, columns, formats, key=f"tile_{tile.id}")
    else:
        figure = figure_of(answer, formats, kind, heading_apart=True)
        if said := figure.layout.meta:
            st.html(f'<p class="ba-muted ba-counted">{as_html(said["counted"])}</p>')
        scrolls = kind == "horizontal_bar"  # whose bars would lie over each other
        figure.layout.height = max(int(figure.layout.height), CHART_PX) if scrolls else CHART_PX
        with st.container(height=CHART_PX + 4, border=False, key=f"chart_box_{tile.id}"):
            alt = caption(result, columns, kind, for_visitor(answer.scope), formats)
            st.plotly_chart(figure, key=f"tile_chart_{tile.id}", config=CHART_CONFIG, alt=alt)
