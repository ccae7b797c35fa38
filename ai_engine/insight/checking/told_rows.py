"""Which rows the words right beside a figure give it to: "Pune has 240", "130 in Mumbai"."""

from __future__ import annotations

import re

from ai_engine.insight.checking.figure import Figure
from ai_engine.insight.checking.named_rows import NamedRows

_FILLED = r"(?:\s+(?:an?|the|total|sum|balance|about|around|nearly|roughly|some|only|just|still|exactly|of))*"
_MONEY = r"\s*(?:Rs\.?|[A-Z]{3}|[₹$€£])?\s*[-\N{MINUS SIGN}]?\s*"
_HAS = re.compile(
    rf"\s+(?:has|have|had|holds?|held|(?:leads|led|follows|followed|trails|stands|stood)\s+(?:with|at))\b{_FILLED}{_MONEY}"
)
_BRACKET = re.compile(rf"\s*\({_MONEY}")
_BESIDE = re.compile(rf"(?:,?\s+(?:with|at)\b{_FILLED}|\s*[:=]|\s)?{_MONEY}")
_IN = re.compile(r"(?:\s+[a-z]+s)?(?:\s+(?:are|is|were|was|live))?\s+(?:in|at|for)\s+(?:the\s+)?")
_NO_SUBJECT = re.compile(r"\b(?!(?:in|for|at|on)\b)[a-z]+\s+(?:the\s+)?$", re.IGNORECASE)
"""A word before a name that makes another the one that has: "the city after Mumbai has", "Delhi and Pune have"."""
_COMPARED = re.compile(
    r"\s*%|\s+(?:[a-z]+\s+)?(?:more|fewer|less|higher|lower|larger|smaller|ahead|behind|above|below)\b"
)


def is_compared(figure: Figure, text: str) -> bool:
    """Tell whether a row is compared with another by a figure, which then is no cell of its own."""
    return _COMPARED.match(text, figure.end) is not None


def given_to(figure: Figure, text: str, named: NamedRows) -> frozenset[int]:
    """Return the rows that words give a figure to; none where they do not say."""
    start, mentions = named.in_sentence(figure)
    before = [one for one in mentions if one.end <= figure.start]
    if before:
        last, between = before[-1], text[before[-1].end : figure.start]
        has, is_subject = _HAS.fullmatch(between), not _NO_SUBJECT.search(text[start : last.start])
        if _BRACKET.fullmatch(between) or (has and is_subject):
            return last.rows
        if _BESIDE.fullmatch(between) or (has and len(before) > 1):
            return frozenset().union(*(one.rows for one in before))
    after = next((one for one in mentions if one.start >= figure.end), None)
    return after.rows if after and _IN.fullmatch(text[figure.end : after.start]) else frozenset()
