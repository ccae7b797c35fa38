"""A conversation as one HTML file that opens anywhere: no script, nothing from another host, every text escaped."""

from __future__ import annotations

import html
from collections.abc import Sequence

from ai_engine.formats import Formats
from ai_engine.insight.rewritten import in_formats
from ai_engine.insight.told_anew import words_for
from ai_engine.seen_text import seen
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import Answer, QueryResult
from backend.charts import caption, figure_of
from backend.charts.static import svg_of
from backend.charts.text import spelled

_MOST_ROWS = 1_000
_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 48rem; margin: 2rem auto; padding: 0 1rem }
article { border-top: 1px solid #8886; padding: 1rem 0 }
h2 { font-size: 1.15rem } .answer { font-size: 1.25rem; font-weight: 600 } .note { opacity: .75; font-size: .9rem }
.scroll { overflow-x: auto } table { border-collapse: collapse; font-size: .9rem }
th, td { border-bottom: 1px solid #8884; padding: .25rem .75rem .25rem 0; text-align: left; vertical-align: top }
.figure { text-align: right; font-variant-numeric: tabular-nums }
pre { overflow-x: auto; padding: .5rem; background: #8882 } figure { margin: .5rem 0 }
svg { width: 100%; height: auto; margin: .5rem 0 } svg text { font: 12px system-ui, sans-serif; fill: currentColor }
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def conversation_html(answers: Sequence[Answer], vocabulary: Vocabulary, formats: Formats, source: str) -> str:
    """Write questions and answers, oldest first, each with its chart, its rows, its SQL and what was assumed.

    Args:
        answers: of one conversation.
        vocabulary: of the source that was asked.
        formats: the reader's.
        source: its name.
    """
    title = answers[0].question if answers else "Conversation"
    body = "".join(_article(answer, vocabulary, formats) for answer in answers)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f'<meta name="viewport" content="width=device-width"><title>{_text(title)}</title>'
        f"<style>{_STYLE}</style></head><body><h1>Conversation</h1>"
        f'<p class="note">From {_text(source)}</p>{body}</body></html>\n'
    )


def _article(answer: Answer, vocabulary: Vocabulary, formats: Formats) -> str:
    said = words_for(answer, vocabulary, formats)[1] if answer.status == "answered" else answer.error or ""
    as_of = f"as of {formats.day(answer.as_of)}" if answer.as_of else ""
    at = f"Answered {answer.answered_at:%Y-%m-%d %H:%M} UTC" if answer.answered_at else ""
    notes = [
        f"Understood as: {in_formats(answer.restatement, formats)}" if answer.restatement else "",
        *(f"Assumed: {in_formats(assumption, formats)}" for assumption in answer.assumptions),
        ", ".join(filter(None, (at, as_of, f"by {answer.model}" if answer.model else "", answer.question_id))),
    ]
    parts = [f"<h2>{_text(answer.question)}</h2>", f'<p class="answer">{_text(said)}</p>']
    parts += [f'<p class="note">{_text(note)}</p>' for note in notes if note]
    if answer.result is not None and answer.result.rows:
        parts += [_chart(answer, formats), _table(answer, answer.result, formats)]
    if answer.sql:
        parts.append(f"<details><summary>SQL</summary><pre>{_text(answer.sql)}</pre></details>")
    return f"<article>{''.join(parts)}</article>"


def _chart(answer: Answer, formats: Formats) -> str:
    assert answer.result is not None, "there are rows to draw"  # noqa: S101
    if answer.chart in ("table", "metric"):
        return ""
    figure = figure_of(answer, formats, heading_apart=True)
    svg = svg_of(figure)
    if svg is None:
        return ""
    said = figure.layout.meta or {
        "heading": caption(answer.result, answer.columns, answer.chart, in_formats(answer.scope, formats))
    }
    head = f"{said['heading']} {said.get('counted', '')}".strip()
    return f'<figure><figcaption class="note">{_text(head)}</figcaption>{svg}</figure>'


def _table(answer: Answer, result: QueryResult, formats: Formats) -> str:
    columns = answer.columns
    sides = [' class="figure"' if column.role == "measure" else "" for column in columns]
    head = "".join(f"<th{side}>{_text(column.label)}</th>" for side, column in zip(sides, columns, strict=True))
    down = [[row[place] for row in result.rows] for place in range(len(columns))]
    rows = "".join(
        "<tr>" + "".join(
            f"<td{side}>{'' if cell is None else _text(spelled(cell, column, cells, formats))}</td>"
            for cell, side, column, cells in zip(row, sides, columns, down, strict=True)
        ) + "</tr>"
        for row in result.rows[:_MOST_ROWS]
    )  # fmt: skip
    of_all = f" of {result.total_rows:,}" if result.total_rows else ""
    cut = (
        f"The first {min(result.row_count, _MOST_ROWS):,} rows{of_all}."
        if (result.truncated or result.row_count > _MOST_ROWS)
        else ""
    )
    note = f'<p class="note">{cut}</p>' if cut else ""
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>{note}'


def _text(text: str) -> str:
    return html.escape(seen(text))
