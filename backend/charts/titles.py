"""What a picture, a table and a file of an answer are called."""

from __future__ import annotations

from ai_engine.formats import PLAIN, Formats
from ai_engine.insight.chart_choice import chart_axes
from ai_engine.insight.wording import enumerate_words, inside
from ai_engine.semantics.scope_words import titled
from ai_engine.types import Answer, ChartKind, OutputColumn, QueryResult
from backend.charts.text import spelled


def title_of(answer: Answer) -> str:
    """Name an answer by what it shows and all that narrows it: "Deposits by month where city is Pune, 2026"; unescaped.

    An answer whose columns nobody described is called by its question as it was understood.
    """
    if answer.result is None:
        return answer.question
    named = answer.things[:1].upper() + answer.things[1:] if answer.chart != "histogram" else ""
    if not named and answer.result.rows:
        named = _figures_by_groups(answer.result, answer.columns, answer.chart)
    return titled(named, answer.scope) if named else answer.restatement or answer.question


def caption(
    result: QueryResult,
    columns: tuple[OutputColumn, ...],
    kind: ChartKind,
    scope: str = "",
    formats: Formats = PLAIN,
) -> str:
    """Say what a chart shows, as in "Deposits by month and segment where city is Pune, 2026"; unescaped."""
    return titled(_figures_by_groups(result, columns, kind, formats), scope)


def _figures_by_groups(
    result: QueryResult, columns: tuple[OutputColumn, ...], kind: ChartKind, formats: Formats = PLAIN
) -> str:
    axes = chart_axes(kind, result, columns)
    drawn = axes.values or tuple(place for place, column in enumerate(columns) if column.role == "measure")
    values = [value for value in drawn if columns[value].compared is None] or list(drawn)
    first, *others = [columns[value].label for value in values] or [""]
    figures = enumerate_words([first, *map(inside, others)])
    if kind == "metric":
        named = [place for place, column in enumerate(columns) if column.role not in ("measure", "identifier")]
        names = [spelled(result.rows[0][place], columns[place], [result.rows[0][place]], formats) for place in named]
        return f"{', '.join(names)}: {inside(figures)}" if names else figures
    if kind == "scatter" and axes.x is not None:
        return f"{figures} against {inside(columns[axes.x].label)}"
    if kind == "histogram":
        return f"Distribution of {inside(figures)}"
    beside = [place for place in (axes.x, axes.series) if place is not None] if axes.values else _groups(columns)
    groups = enumerate_words([inside(columns[place].label) for place in beside])
    return f"{figures} by {groups}" if figures and groups else figures


def _groups(columns: tuple[OutputColumn, ...]) -> list[int]:
    """What the figures of a table stand beside: names and steps, keys only where there is nothing else."""
    beside = [place for place, column in enumerate(columns) if column.role != "measure"]
    return [place for place in beside if columns[place].role != "identifier"] or beside
