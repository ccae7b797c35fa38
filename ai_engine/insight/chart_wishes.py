"""Wishes for a picture, a small closed grammar: of the answer above ("show as pie", "bigger"), or beside a question."""

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
_ANY_KIND = "|".join(name.replace(" ", r"\s+") for name in sorted(_KINDS, key=len, reverse=True))
_A_CHART = r"\s+(?:chart|graph|plot|diagram)s?"
_BEHIND = re.compile(
    rf"[\s,;:]+(?:as\s+(?:an?\s+)?(?P<kind>{_ANY_KIND})(?:{_A_CHART})?"
    rf"|(?:in|into|on|with|using)\s+(?:an?\s+)?(?P<chart>{_ANY_KIND}){_A_CHART}"
    r"|in\s+(?:an?\s+)?(?P<written>table|heat\s?map))(?:,?\s+please)?[\s.?!]*",
    re.IGNORECASE,
)
_AHEAD = re.compile(
    r"\s*(?:(?:please|can you|could you)\s+)*(?:(?:show|draw|plot|make|give|create|display)\s+(?:me\s+)?)?"
    rf"(?:an?\s+|the\s+)?(?:(?P<kind>{_ANY_KIND}){_A_CHART}|(?P<drawn>heat\s?map))\s+(?:of|for|showing)\s+(?=\S)",
    re.IGNORECASE,
)
_WISH_CHARS = 60
"""What a wish beside a question takes at the most."""
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
    wished = _KINDS[found["kind"]]
    kind = _fitting(wished, above)
    if kind is not None:
        return replace(above, question=wish, chart=kind)
    fits = [CHART_NAMES[other] for other in possible_charts(above.result, above.columns) if other != "metric"]
    return Answer(
        question=wish,
        status="refused",
        model=above.model,
        error=f"{_said_to_need(wished)}. What fits the answer above: {enumerate_words(fits)}.",
        suggestions=tuple(f"Show as {other}" for other in fits),
    )


def part_wish(question: str) -> tuple[str, tuple[ChartKind, ...]]:
    """Part "Deposits by region as a pie chart" into the question and the charts that would do; none where none is said.

    Only a question beside the wish makes it one: "show as pie" stays whole.
    """
    tail = max(0, len(question) - _WISH_CHARS)
    behind = next((found for found in _BEHIND.finditer(question, tail) if found.end() == len(question)), None)
    if behind is not None and len(question[: behind.start()].split()) > 1:
        return question[: behind.start()], _kinds(behind)
    ahead = _AHEAD.match(question[:_WISH_CHARS])
    return (question[ahead.end() :], _kinds(ahead)) if ahead is not None else (question, ())


def drawn_as(answer: Answer, question: str, wished: tuple[ChartKind, ...]) -> Answer:
    """Give an answer to the parted question its whole text again, and the chart that was wished where it fits."""
    answer = replace(answer, question=question)
    if not wished or answer.status != "answered" or answer.result is None or not answer.result.rows:
        return answer
    kind = _fitting(wished, answer)
    if kind is not None:
        return replace(answer, chart=kind)
    said = f"{_said_to_need(wished)}, so it is drawn as {CHART_NAMES[answer.chart]}."
    return replace(answer, assumptions=(*answer.assumptions, said))


def _kinds(found: re.Match[str]) -> tuple[ChartKind, ...]:
    name = next(text for text in found.groupdict().values() if text)
    return _KINDS[" ".join(name.lower().split())]


def _fitting(wished: tuple[ChartKind, ...], answer: Answer) -> ChartKind | None:
    assert answer.result is not None, "only rows can be drawn"  # noqa: S101
    fitting = possible_charts(answer.result, answer.columns)
    return next((kind for kind in wished if kind in fitting), None)


def _said_to_need(wished: tuple[ChartKind, ...]) -> str:
    name = CHART_NAMES[wished[0]]
    return f"{name.capitalize()} {'needs' if name.startswith('a') else 'need'} {_NEEDS[wished[0]]}"
