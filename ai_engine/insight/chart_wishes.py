"""Wishes for the picture above ("show as pie", "bigger"): a small closed grammar, answered with no query."""

from __future__ import annotations

import re
from dataclasses import replace

from ai_engine.insight.chart_choice import possible_charts
from ai_engine.insight.wording import enumerate_words
from ai_engine.types import Answer, ChartKind

CHART_NAMES: dict[ChartKind, str] = {
    "metric": "a figure",
    "bar": "columns",
    "horizontal_bar": "bars",
    "line": "a line",
    "area": "an area",
    "pie": "a pie",
    "scatter": "a scatter",
    "histogram": "a histogram",
    "heatmap": "a heatmap",
    "table": "a table",
}
_KINDS: dict[str, tuple[ChartKind, ...]] = {
    "pie": ("pie",), "ring": ("pie",), "donut": ("pie",), "doughnut": ("pie",),
    "bar": ("horizontal_bar", "bar"), "bars": ("horizontal_bar", "bar"), "horizontal bars": ("horizontal_bar",),
    "column": ("bar",), "columns": ("bar",), "vertical bars": ("bar",),
    "line": ("line",), "lines": ("line",), "trend line": ("line",), "area": ("area",),
    "scatter": ("scatter",), "points": ("scatter",), "histogram": ("histogram",),
    "heatmap": ("heatmap",), "heat map": ("heatmap",), "table": ("table",),
}  # fmt: skip
_NEEDS: dict[ChartKind, str] = {
    "metric": "one row",
    "bar": "two to fifty groups with one figure each",
    "horizontal_bar": "two to fifty groups that are no steps in time",
    "line": "a run of time",
    "area": "a run of time whose steps are all whole and whose figures are not negative",
    "pie": "two to six parts of one whole",
    "scatter": "two figures for each of several things",
    "histogram": "many values of one figure",
    "heatmap": "two groupings",
    "table": "rows",
}
_LARGER, _LARGEST = 1.5, 3.0
_POLITE = r"(?:(?:please|now|and|can you|could you) )*"
_VERB = r"(?:(?:show|draw|plot|make|display|give|turn|want|i want|see|view)(?: me)? )?"
_IT = r"(?:(?:it|this|that|them|these|the (?:chart|graph|picture|answer|result)) )?"
_END = r"(?: (?:instead|please|again|now))*"
_AS = re.compile(
    rf"{_POLITE}{_VERB}{_IT}(?P<as>(?:as|into|in|like|with) )?(?:an? |the )?"
    rf"(?P<kind>{'|'.join(sorted(_KINDS, key=len, reverse=True))})(?P<noun> (?:charts?|graphs?|plots?|diagram))?"
    rf"(?P<end>{_END})"
)
_BIGGER = re.compile(rf"{_POLITE}{_VERB}{_IT}(?:an? )?(?:bigger|larger|taller)(?: (?:chart|graph|picture))?{_END}")


def redrawn(wish: str, above: Answer | None) -> Answer | None:
    """Return the answer above drawn as wished, a refusal that says what fits, or None where the words are no such wish.

    Args:
        wish: what was typed.
        above: the answer before it, None at the start of a conversation.
    """
    words = re.sub(r"[^a-z ]", "", re.sub(r"[-\s]+", " ", wish.lower())).strip()
    if above is None or above.status != "answered" or above.result is None:
        return None
    if _BIGGER.fullmatch(words):
        return replace(above, question=wish, chart_size=min(above.chart_size * _LARGER, _LARGEST))
    found = _AS.fullmatch(words)
    if found is None or not (found["as"] or found["noun"] or words.split()[-1] == "instead"):
        return None
    fitting = possible_charts(above.result, above.columns)
    wished = _KINDS[found["kind"]]
    kind = next((kind for kind in wished if kind in fitting), None)
    if kind is not None:
        return replace(above, question=wish, chart=kind)
    fits = [CHART_NAMES[other] for other in fitting if other != "metric"]
    name = CHART_NAMES[wished[0]]
    needs = "needs" if name.startswith("a") else "need"
    return Answer(
        question=wish,
        status="refused",
        model=above.model,
        error=f"{name.capitalize()} {needs} {_NEEDS[wished[0]]}. What fits the answer above: {enumerate_words(fits)}.",
        suggestions=tuple(f"Show as {other}" for other in fits),
    )
