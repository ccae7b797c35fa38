"""Words and marks of a text that a summary may have: a closed list, and what question and result are called."""

from __future__ import annotations

import re
import string
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from importlib import resources

from ai_engine.insight.checking.claim_words import CLAIMS
from ai_engine.insight.checking.ways import speaks_of_a_change
from ai_engine.semantics.words import stem, words

MARKS = frozenset(
    string.ascii_letters + string.digits + " .,;:!?'\"()%&/-+" + "₹$€£¥"
    "\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}\N{LEFT SINGLE QUOTATION MARK}"
    "\N{RIGHT SINGLE QUOTATION MARK}\N{EN DASH}\N{EM DASH}\N{MINUS SIGN}\N{NON-BREAKING HYPHEN}\N{NO-BREAK SPACE}"
)
"""Characters of a summary; others only where question or result have them."""
TIME_UNITS = "day week month quarter year"
"""Words that stand in no list: a time is told that question, result or period speaks of."""
_WORD = re.compile(r"[^\W\d_]+")
_NO_WORDS_OF_THEIR_OWN = re.compile(
    r"(?<=\u25a1)[\s-]*(?:times|fold|percent|per\s+cent|percentage\s+points?|points?|pct|x|rupees?)\b(?!\s*\u25a1)"
    r"|\b(?:rs|inr)\b(?=[.\s]*[-\N{MINUS SIGN}]?\u25a1)|(?<=\u25a1)\s*(?:rs|inr)\b"
    r"|\bas\s+(?:many|much)\b(?=(?:\s+\w+)?\s+as\b)|\b[QH][1-4]\b|\bone\s+of\b|\b(?:account|accounted|accounting)s?\s+for\b|\bminus\s+(?=(?:rs\.?\s*)?\W*\u25a1)",
    re.IGNORECASE,
)
"""What is judged with a figure, or as a part of the year."""
_PARTS = re.compile(r"\b(?:most|the\s+majority|a\s+majority|majority|minority|bulk)\b", re.IGNORECASE)


@cache
def plain_words() -> frozenset[str]:
    """Read the closed list."""
    text = resources.files(__package__).joinpath("plain_words.txt").read_text(encoding="utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())


def other_marks(text: str, said: Iterable[str]) -> Iterator[str]:
    """Yield the characters of a text that neither stand in the list nor in any of the texts `said`."""
    unknown = set(text) - MARKS
    for part in said if unknown else ():
        unknown.difference_update(part)
    yield from sorted(unknown)


def other_words(text: str, said: Iterable[str]) -> Iterator[str]:
    """Yield the words of a text that are neither plain, nor claim something, nor stand in any of the texts `said`.

    Args:
        text: without its figures, dates and names.
        said: question, restatement, labels and cells.
    """
    told = dict.fromkeys(word.lower() for word in _WORD.findall(_NO_WORDS_OF_THEIR_OWN.sub(" ", text)))
    unknown = [word for word in told if word not in plain_words() and not _claims(word)]
    yield from _unsaid(unknown, said)


def _claims(word: str) -> bool:
    return word in CLAIMS or speaks_of_a_change(word) or _PARTS.fullmatch(word) is not None


def _unsaid(unknown: Collection[str], said: Iterable[str]) -> list[str]:
    left = {word: stem(word) for word in unknown}
    for part in said if left else ():
        of_part = words(part)
        known = {*of_part, *map(stem, of_part)}
        left = {word: root for word, root in left.items() if word not in known and root not in known}
        if not left:
            break
    return list(left)
