"""Wishes for a picture, a small closed grammar: of the answer above ("show as pie", "bigger"), or beside a question."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

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
    "bar": ("horizontal_bar", "bar"), "bars": ("horizontal_bar", "bar"), "horizontal bar": ("horizontal_bar",),
    "horizontal bars": ("horizontal_bar",), "column": ("bar",), "columns": ("bar",), "vertical bars": ("bar",),
    "line": ("line",), "lines": ("line",), "trend line": ("line",), "area": ("area",),
    "scatter": ("scatter",), "points": ("scatter",), "histogram": ("histogram",),
    "heatmap": ("heatmap",), "heat map": ("heatmap",), "table": ("table",),
}  # fmt: skip
_ANY_PICTURE: tuple[ChartKind, ...] = (
    "line", "bar", "horizontal_bar", "heatmap", "scatter", "pie", "area", "histogram",
)  # fmt: skip
_NEEDS: dict[ChartKind, str] = {
    "metric": "one row",
    "bar": "two to fifty groups with one figure each",
    "horizontal_bar": "two to fifty groups that are no steps in time",
    "line": "a run of time",
    "area": "a run of time whose steps are all whole and whose figures are not negative",
    "pie": "two to six parts of one whole",
    "scatter": "two figures for each of several things",
    "histogram": "all the values of one figure, five of them at least",
    "heatmap": "two groupings",
    "table": "rows",
}
_A_PICTURE_NEEDS = "two or more groups, steps or values with a figure"
_LARGER, _LARGEST = 1.5, 3.0


@dataclass(frozen=True, slots=True)
class Wish:
    """How an answer is to be drawn: the charts that would do, any where none is named, and how large."""

    kinds: tuple[ChartKind, ...] = ()
    size: float = 1.0


_POLITE = r"(?:(?:please|now|and|can you|could you|i want you to) )*"
_MAKE = r"(?P<make>(?:draw|plot|make)(?: me)? )"
_VERB = r"(?:(?:show|draw|plot|make|display|give|turn|want|i want|see|view)(?: me)? )?"
_IT = r"(?:(?:it|this|that|them|these|the (?:chart|graph|picture|answer|result)) )?"
_END = r"(?: (?:instead|please|again|now))*"
_ANY_KIND = "|".join(sorted((*_KINDS, "heat map"), key=len, reverse=True))
_ONLY_CHARTS = r"pie|donut|doughnut|bars|histogram|heat\s?map|scatter"
"""Words of charts that mean nothing else in a bank: a column, a line and an area may be its own."""
_NOUN = r"(?:chart|graph|plot|diagram)s?"
_PICTURE = r"(?:chart|graph|plot|diagram|picture)"
_DRAW = r"draw|plot|graph|chart|visuali[sz]e"
_LARGE = r"big|bigger|large|larger"
_AS = re.compile(
    rf"{_POLITE}(?:{_MAKE}|{_VERB}){_IT}(?P<as>(?:as|into|in|like|with) )?(?:an? |the )?"
    rf"(?P<kind>{_ANY_KIND})(?P<noun> {_NOUN})?(?P<end>{_END})"
)
_ONE_WORD = re.compile(rf"{_POLITE}(?P<kind>{_ONLY_CHARTS}){_END}")
_DRAW_IT = re.compile(
    rf"{_POLITE}(?:(?:{_DRAW}) (?:me )?(?:it|this|that|them|these|those|the (?:above|answer|result|figures|rows))"
    rf"|{_VERB}{_IT}(?:(?:as|in|into) )?(?:an? |the )?{_PICTURE}){_END}"
)
_RESIZED = re.compile(
    rf"{_POLITE}{_VERB}{_IT}(?:an? )?(?:(?P<larger>bigger|larger|taller)|smaller)(?: {_PICTURE})?{_END}"
)
_BEHIND = re.compile(
    rf"(?:[\s,;:]+(?:as\s+(?:an?\s+)?(?:(?P<large>{_LARGE})\s+)?(?:(?P<kind>{_ANY_KIND})(?:\s+{_NOUN})?|{_PICTURE})"
    rf"|(?:in|into|on|with|using)\s+(?:an?\s+)?(?:(?P<great>{_LARGE})\s+)?(?:(?P<chart>{_ANY_KIND})\s+)?{_PICTURE}"
    r"|in\s+(?:an?\s+)?(?P<written>table|heat\s?map))"
    rf"|(?<!\ba)(?<!\ban)(?<!\bis)(?<!\bthe)[\s,;:]+(?P<named>{_ANY_KIND})\s+{_NOUN}"
    rf"|\s*[,;:]\s*(?:and\s+)?(?P<listed>{_ONLY_CHARTS}|table)"
    r"|(?P<then>\s*[,;:]\s*(?:and\s+)?(?:make\s+it\s+)?(?:bigger|larger)|\s+and\s+make\s+it\s+(?:bigger|larger)))"
    r"(?:,?\s+please)?[\s.?!]*\Z",
    re.IGNORECASE,
)
_ASKED = r"\s*(?:(?:please|can you|could you)\s+)*"
_AHEAD = re.compile(
    rf"{_ASKED}(?:(?:show|make|give|create|display|see|{_DRAW})\s+(?:me\s+)?)?(?:an?\s+|the\s+)?"
    rf"(?:(?P<large>{_LARGE})\s+)?(?:(?:(?P<kind>{_ANY_KIND})\s+{_NOUN}|(?P<drawn>{_ONLY_CHARTS})"
    rf"|{_NOUN}(?!\s+of\s+accounts\s*\Z))\s+(?:of|for|showing)\s+(?=\S))"
    rf"|{_ASKED}(?P<verb>{_DRAW})\s+(?:me\s+)?(?=[^\W\d])(?!(?:up|down|on|from|of|for|it|this|that|them|these)\b)",
    re.IGNORECASE,
)
_NAMING = frozenset({"kind", "chart", "written", "named", "listed", "drawn"})
_WISH_CHARS = 60
"""What a wish beside a question takes at the most."""
_IS_LISTED = re.compile(
    r"\s*(?:list|show|display|give|which|what|who|how)\b|.*\b(?:by|per|each|every|against|with)\b", re.I
)


def redrawn(wish: str, above: Answer | None) -> Answer | None:
    """Return the answer above drawn as wished, a refusal that says what fits, or None where the words are no such wish.

    Args:
        wish: what was typed.
        above: the answer before it, None at the start of a conversation.
    """
    words = re.sub(r"[^a-z ]", "", re.sub(r"[-\s]+", " ", wish.lower())).strip()
    if above is None or above.status != "answered" or above.result is None:
        return None
    if (size := _RESIZED.fullmatch(words)) is not None:
        return _resized(wish, above, larger=size["larger"] is not None)
    kinds = _wished(words)
    if kinds is None:
        return None
    kind = _fitting(kinds, above)
    if kind is not None:
        return replace(above, question=wish, chart=kind)
    return _refused(wish, above, f"{_said_to_need(kinds)}.")


def _wished(words: str) -> tuple[ChartKind, ...] | None:
    found = _AS.fullmatch(words)
    if found is not None and (
        found["make"] or found["as"] or found["noun"] or words.rsplit(maxsplit=1)[-1] == "instead"
    ):
        return _KINDS[found["kind"]]
    found = _ONE_WORD.fullmatch(words)
    if found is not None:
        return _KINDS[found["kind"]]
    return _ANY_PICTURE if _DRAW_IT.fullmatch(words) else None


def _resized(wish: str, above: Answer, *, larger: bool) -> Answer:
    if above.chart not in _ANY_PICTURE:
        return _refused(wish, above, f"{CHART_NAMES[above.chart].capitalize()} has no size to change.")
    if above.chart_size == (_LARGEST if larger else 1):
        return _refused(wish, above, f"It is drawn as {'large' if larger else 'small'} as it can be.")
    size = above.chart_size * _LARGER if larger else above.chart_size / _LARGER
    return replace(above, question=wish, chart_size=min(max(size, 1.0), _LARGEST))


def _refused(wish: str, above: Answer, reason: str) -> Answer:
    assert above.result is not None, "only rows can be drawn"  # noqa: S101
    fits = [CHART_NAMES[other] for other in possible_charts(above.result, above.columns) if other != "metric"]
    return Answer(
        question=wish,
        status="refused",
        model=above.model,
        error=f"{reason} What fits the answer above: {enumerate_words(fits)}.",
        suggestions=tuple(f"Show as {other}" for other in fits),
    )


def part_wish(question: str, *, is_named: Callable[[str], bool] = lambda _word: False) -> tuple[str, Wish | None]:
    """Part "Deposits by region as a pie chart" into the question and the wish; None where none is said.

    Only a question beside the wish makes it one: "show as pie" stays whole. A histogram of a figure is one of a list.

    Args:
        is_named: whether a word is part of a name that the bank has, where "plot" is a piece of land.
    """
    asked, kinds, large = question, None, False
    tail = max(0, len(asked) - _WISH_CHARS)
    behind = _BEHIND.search(asked, tail)
    if behind is not None and len(asked[: behind.start()].split()) > 1:
        asked, kinds, large = asked[: behind.start()], _kinds(behind), _is_large(behind)
    ahead = _AHEAD.match(asked[:_WISH_CHARS])
    if ahead is not None and not is_named((ahead["verb"] or "").lower()):
        asked, large = asked[ahead.end() :], large or _is_large(ahead)
        kinds = _kinds(ahead) if kinds is None else kinds
    if kinds is None:
        return question, None
    if kinds == _KINDS["histogram"] and not _IS_LISTED.match(asked):
        asked = f"List {asked}"
    return asked, Wish(kinds, _LARGER if large else 1.0)


def drawn_as(answer: Answer, question: str, wish: Wish) -> Answer:
    """Give an answer to the parted question its whole text again, and the chart that was wished where it fits."""
    answer = replace(answer, question=question)
    if answer.status != "answered" or answer.result is None or not answer.result.rows:
        return answer
    kind = _fitting(wish.kinds, answer) if wish.kinds else answer.chart
    if kind is not None:
        return replace(answer, chart=kind, chart_size=wish.size if kind in _ANY_PICTURE else 1.0)
    said = f"{_said_to_need(wish.kinds)}, so it is drawn as {CHART_NAMES[answer.chart]}."
    return replace(answer, assumptions=(*answer.assumptions, said))


def _kinds(found: re.Match[str]) -> tuple[ChartKind, ...]:
    groups = found.groupdict()
    name = next((text for part, text in groups.items() if text and part in _NAMING), None)
    if name is None:
        return () if groups.get("then") else _ANY_PICTURE
    return _KINDS[" ".join(name.lower().split())]


def _is_large(found: re.Match[str]) -> bool:
    return any(found.groupdict().get(part) for part in ("large", "great", "then"))


def _fitting(wished: tuple[ChartKind, ...], answer: Answer) -> ChartKind | None:
    assert answer.result is not None, "only rows can be drawn"  # noqa: S101
    fitting = possible_charts(answer.result, answer.columns)
    if wished == _ANY_PICTURE:
        return next((kind for kind in (answer.chart, *fitting) if kind in wished), None)
    return next((kind for kind in wished if kind in fitting), None)


def _said_to_need(wished: tuple[ChartKind, ...]) -> str:
    if wished == _ANY_PICTURE:
        return f"A chart needs {_A_PICTURE_NEEDS}"
    name = CHART_NAMES[wished[0]]
    return f"{name.capitalize()} {'needs' if name.startswith('a') else 'need'} {_NEEDS[wished[0]]}"
