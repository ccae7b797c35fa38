"""What is set against something: "more than Pune", "above the average", "over 7,000", "Mumbai leads Pune"."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from itertools import pairwise, takewhile

from ai_engine.insight.checking.claim_words import TOGETHER, WORD
from ai_engine.insight.checking.figure import Figure
from ai_engine.insight.checking.named_rows import Mention
from ai_engine.insight.checking.told_text import Clause, ToldText, is_plain, is_value

_A_TIME = re.compile(
    r"\s+(?:the\s+|these\s+|those\s+)?(?:whole\s+|entire\s+|first\s+|last\s+|past\s+)?(?:\u25a1\W*)?"
    r"(?:time|period|days?|weeks?|months?|quarters?|years?)\b",
    re.IGNORECASE,
)
_MEAN = re.compile(r"\s+(?:than\s+|of\s+)?(?:the\s+|its\s+|an\s+|overall\s+)*(?:average|mean|median)\b", re.IGNORECASE)
_TO_BOUND = re.compile(r"\s+(?:than\s+)?(?:about\s+|around\s+)?(?:rs\.?\s*|inr\s*|[₹$€£¥]\s*)?", re.IGNORECASE)
_THAN = re.compile(r"\bthan\b", re.IGNORECASE)
_BY = re.compile(r"(?:%|\W|\b[a-z]+\b){0,5}", re.IGNORECASE)
_OTHERS = re.compile(r"\b(?:others?|rest|remaining)\b[^,;]*$", re.IGNORECASE)
_AND = re.compile(r"(?:[\s,]|\band\b|\bor\b|\bthe\b|\bof\b|\bin\b)+", re.IGNORECASE)
_OWN = re.compile(
    r"[,(]|\b(?:is|are|was|were|comes?|came|falls?|fell|lies?|sits?|stands?|stood|ranks?|finish(?:es)?|trails?|lags?|lands?)\b",
    re.IGNORECASE,
)
"""Behind a figure, before what is set against something, this makes the figure what a row has, and no difference."""
SIDES: dict[str, Callable[[Decimal, Decimal], bool]] = {
    "more": operator.gt, "less": operator.lt, "least": operator.ge, "most": operator.le,
}  # fmt: skip


def holds(
    side: str, start: int, end: int, clause: Clause, sentence: Sequence[Clause], text: ToldText,
    is_known: Callable[[Figure], bool],
) -> bool:  # fmt: skip
    """Tell whether what a word sets against a figure, or one row against others, is so; what is neither is not.

    Args:
        side: more, less, least ("at least 5") or most.
        start, end: where the word stands, in its clause and sentence.
        text: what is told.
        is_known: a figure is a bound of the statement, or a number of rows.
    """
    if _MEAN.match(text.words, end):
        return True  # held to the average by its own word
    figures = [one for of in sentence for one in of.figures]
    if text.words[start:end].lower() == "over" and _A_TIME.match(text.words, end):
        return True
    before = [one for one in figures if one.end <= start]
    if before and is_known(before[-1]) and not text.words[before[-1].end : start].strip():
        return True  # "and 2 more"
    bound = next((one for one in figures if one.start >= end), None)
    if bound is not None and _TO_BOUND.fullmatch(text.words, end, bound.start):
        return is_known(bound) or _is_beyond(side, start, bound, clause, sentence, text)
    return side in {"more", "less"} and _outdoes(side, start, end, sentence, text, before)


def _is_beyond(
    side: str, start: int, bound: Figure, clause: Clause, sentence: Sequence[Clause], text: ToldText
) -> bool:
    """Tell whether all rows that are named, or else all that there are, lie on that side of a figure in a column."""
    if not bound.readings or not is_plain(bound):
        return False
    told = max(one.value for way in bound.readings for one in way)
    mentions = [one for of in sentence for one in of.mentions]
    first = [one for one in mentions if one.end <= start][:1] if not clause.rows else []
    rows = clause.rows or (first[0].rows if first else frozenset[int]())
    return any(
        all(cell is not None and SIDES[side](cell, told) for cell in column)
        for column in _columns(text, rows or frozenset(range(text.reading.shape.result.row_count)))
    )


def _outdoes(
    side: str, start: int, end: int, sentence: Sequence[Clause], text: ToldText, before: Sequence[Figure]
) -> bool:
    """Tell whether the first row of a sentence has more, or less, than each of those behind the word."""
    said = text.words[sentence[0].start : sentence[-1].end].lower()
    if not TOGETHER.isdisjoint(WORD.findall(said)):
        return False
    mentions = [one for of in sentence for one in of.mentions]
    than = _THAN.search(text.words, end, sentence[-1].end)
    if not than and _OTHERS.search(text.words, sentence[0].start, start):
        return _others_have(side, start, text)
    others = list(_joined([one for one in mentions if one.start >= (than.end() if than else end)], text))
    if not others or mentions[0] is others[0] or (not than and mentions[0].start >= start):
        return False
    by = before[-1] if before and _BY.fullmatch(text.words, before[-1].end, start) else None
    own = by is not None and _OWN.search(text.words, by.end, start) is not None
    return all(_has_more(side, one, other, text, by, own=own) for one in mentions[:1] for other in others)


def _others_have(side: str, start: int, text: ToldText) -> bool:
    """Tell whether all rows that a text has not named so far have more, or less, than those that it has."""
    named = frozenset[int]().union(
        *(one.rows for of in text.sentences for each in of for one in each.mentions if one.end <= start)
    )
    others = frozenset(range(text.reading.shape.result.row_count)) - named
    return bool(named and others) and any(
        all(a is not None and b is not None and SIDES[side](a, b) for a in mine for b in theirs)
        for mine, theirs in zip(_columns(text, others), _columns(text, named), strict=True)
    )


def _joined(mentions: Sequence[Mention], text: ToldText) -> Iterator[Mention]:
    """Yield the first of some names, and those that "and" or "or" joins to it."""

    def is_joined(one: Mention, other: Mention) -> bool:
        return _AND.fullmatch(text.words, one.end, other.start) is not None

    yield from mentions[:1]
    yield from (two for _, two in takewhile(lambda pair: is_joined(*pair), pairwise(mentions)))


def _has_more(side: str, one: Mention, other: Mention, text: ToldText, by: Figure | None, *, own: bool) -> bool:
    for mine, theirs in zip(_columns(text, one.rows), _columns(text, other.rows), strict=True):
        pairs = [(a, b) for a in mine for b in theirs if a is not None and b is not None]
        if pairs and all(SIDES[side](a, b) for a, b in pairs):
            told = [one for a, b in pairs for one in (abs(a - b), *([a] if own else []))]
            return by is None or not is_plain(by) or is_value(by, told)
    return False


def _columns(text: ToldText, rows: frozenset[int]) -> list[list[Decimal | None]]:
    shape = text.reading.shape
    return [[shape.numbers(at)[row] for row in sorted(rows)] for at in shape.measures]
