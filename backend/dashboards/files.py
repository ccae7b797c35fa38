"""A dashboard as files: one page that needs nothing from elsewhere, or the rows of each tile."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from plotly.offline import get_plotlyjs

from ai_engine.formats import PLAIN, Formats
from ai_engine.insight.amounts import format_cell
from ai_engine.insight.chart_choice import possible_charts
from ai_engine.insight.rewritten import in_formats
from ai_engine.seen_text import seen
from ai_engine.types import Answer
from backend.answers.exports import file_name, to_csv
from backend.charts import figure_json, figure_of
from backend.dashboards.tile_results import TileResult
from backend.store.dashboards import Tile

_MOST_ROWS = 200
_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #1B2430; background: #fff; }
body { margin: 1.5rem auto; max-width: 84rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.05rem; margin: 0 0 .35rem; overflow-wrap: anywhere; }
.grid { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 1rem; margin-top: 1rem; }
section { border: 1px solid #D9E0E8; border-radius: .5rem; padding: .8rem; min-width: 0; }
.w2 { grid-column: span 2; } .w3 { grid-column: span 3; }
@media (max-width: 720px) { .grid { display: block; } section { margin-bottom: 1rem; } }
.note { color: #4A5563; font-size: .85rem; margin: .25rem 0 0; overflow-wrap: anywhere; }
.problem { border-left: 3px solid #C8641B; padding-left: .6rem; }
.figure { font-size: 2rem; font-weight: 600; margin: .5rem 0; }
.rows { overflow-x: auto; max-height: 24rem; } table { border-collapse: collapse; font-size: .85rem; }
th, td { text-align: left; padding: .2rem .8rem .2rem 0; border-bottom: 1px solid #E5EAF0; } .n { text-align: right; }
summary { cursor: pointer; font-size: .85rem; margin-top: .35rem; }
"""
_DRAW = """
for (const place of document.querySelectorAll("[data-figure]")) {
  const figure = JSON.parse(place.dataset.figure);
  Plotly.newPlot(place, figure.data, figure.layout, {displayModeBar: false, responsive: true});
}
"""


def dashboard_html(
    name: str,
    narrowed_by: Sequence[str],
    tiles: Sequence[tuple[Tile, TileResult]],
    made_at: datetime,
    formats: Formats = PLAIN,
) -> bytes:
    """Write a dashboard as one page that asks no other address for anything; rows stand below each chart.

    Args:
        name: of the dashboard.
        narrowed_by: its period and filters in words.
        tiles: with what each shows.
        made_at: when, with its zone.
        formats: the reader's; currencies are those of the tiles.
    """
    sections = "".join(_section(tile, result, formats) for tile, result in tiles)
    library = get_plotlyjs().replace("</script", "<\\/script")
    scripts = f"{_hashed(library)} {_hashed(_DRAW)}"
    policy = f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src {scripts}"
    narrowed = f'<p class="note">{_text(in_formats(", ".join(narrowed_by), formats))}</p>' if narrowed_by else ""
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{_text(name)}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}</style></head><body>'
        f'<h1>{_text(name)}</h1>{narrowed}<p class="note">Made {formats.day(made_at)}, {made_at:%H:%M %Z}</p>'
        f'<div class="grid">{sections}</div><script>{library}</script><script>{_DRAW}</script></body></html>'
    ).encode("utf-8", "replace")


def dashboard_csvs(tiles: Sequence[tuple[Tile, TileResult]]) -> list[tuple[str, bytes]]:
    """Write the rows of each tile that was answered now as CSV, under its title; equal titles are numbered."""
    found: list[tuple[str, bytes]] = []
    for tile, result in tiles:
        if result.answer is not None and result.answer.result is not None and not result.problem:
            name = file_name(tile.title, "csv")
            if any(name == other for other, _ in found):
                name = file_name(f"{tile.title} {len(found) + 1}", "csv")
            found.append((name, b"".join(to_csv(result.answer.result, bom=True))))
    return found


def _section(tile: Tile, result: TileResult, formats: Formats) -> str:
    parts = [f"<h2>{_text(tile.title)}</h2>"]
    if result.problem:
        parts.append(f'<p class="problem">{_text(result.problem)}</p>')
    if result.answer is not None:
        parts.append(_shown(tile, result.answer, replace(formats, currency=result.currency)))
        old = "Last good result, as" if result.problem else "As"
        parts.append(f'<p class="note">{_text(in_formats(result.answer.restatement, formats))}</p>')
        parts += [
            f'<p class="note">Assumed: {_text(in_formats(said, formats))}</p>' for said in result.answer.assumptions
        ]
        parts.append(f'<p class="note">{old} of {formats.day(result.as_of) if result.as_of else ""}</p>')
    parts += [f'<p class="note">{_text(said)}</p>' for said in result.left_out]
    return f'<section class="w{tile.columns}">{"".join(parts)}</section>'


def _shown(tile: Tile, answer: Answer, formats: Formats) -> str:
    result, columns = answer.result, answer.columns
    if result is None or not result.rows:
        return '<p class="note">No rows.</p>'
    if result.row_count == 1 and len(columns) == 1:
        return f'<p class="figure">{_text(format_cell(result.rows[0][0], columns[0], formats))}</p>'
    kinds = possible_charts(result, columns)
    kind = tile.chart if tile.chart in kinds else answer.chart
    if kind == "table":
        return _table(answer, formats)
    drawn = json.dumps(figure_json(figure_of(answer, formats, kind)))
    return (
        f'<div data-figure="{html.escape(drawn)}"></div>'
        f"<details><summary>{result.row_count:,} rows</summary>{_table(answer, formats)}</details>"
    )


def _table(answer: Answer, formats: Formats) -> str:
    result, columns = answer.result, answer.columns
    assert result is not None  # noqa: S101 - it has rows
    marks = [' class="n"' if column.role == "measure" else "" for column in columns]
    head = "".join(f"<th{mark}>{_text(column.label)}</th>" for mark, column in zip(marks, columns, strict=True))
    body = "".join(
        "<tr>"
        + "".join(
            f"<td{mark}>{_text('' if cell is None else format_cell(cell, column, formats))}</td>"
            for mark, cell, column in zip(marks, row, columns, strict=False)
        )
        + "</tr>"
        for row in result.rows[:_MOST_ROWS]
    )
    more = f'<p class="note">First {_MOST_ROWS} rows.</p>' if result.row_count > _MOST_ROWS else ""
    return f'<div class="rows"><table><tr>{head}</tr>{body}</table></div>{more}'


def _hashed(script: str) -> str:
    """Name the one script that a browser is to run, as a content policy does."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def _text(text: str) -> str:
    return html.escape(seen(text))
