"""What a result shows: its summary, the charts that fit it, and how its cells are written."""

from __future__ import annotations

from ai_engine.insight.chart_choice import chart_axes, fitting_chart, possible_charts, suggest_chart
from ai_engine.insight.columns import describe_columns
from ai_engine.insight.part_steps import with_part_steps
from ai_engine.insight.plain_telling import Judge
from ai_engine.insight.retold import (
    LONGEST_CHARS,
    WrittenFigures,
    figures_of_text,
    unretold_figures,
    unsaid_figures,
    unwritten_figures,
)
from ai_engine.insight.rewritten import in_formats
from ai_engine.insight.statement import with_parts
from ai_engine.insight.summary import explain, summarise
from ai_engine.insight.told_anew import words_for

__all__ = [
    "LONGEST_CHARS",
    "Judge",
    "WrittenFigures",
    "chart_axes",
    "describe_columns",
    "explain",
    "figures_of_text",
    "fitting_chart",
    "in_formats",
    "possible_charts",
    "suggest_chart",
    "summarise",
    "unretold_figures",
    "unsaid_figures",
    "unwritten_figures",
    "with_part_steps",
    "with_parts",
    "words_for",
]
