"""What a question asks to be told (who, when, how long, how much), and whether a text can tell it."""

from __future__ import annotations

import re

from ai_engine.bm25 import FUNCTION_WORDS
from ai_engine.semantics.words import stem, words

_WHO = re.compile(r"\b(?:who|whom|whose)\b(?P<rest>[^?.;]*)", re.IGNORECASE)
_WHEN_DONE = re.compile(
    r"\bwhen\s+(?:is|are|was|were|(?:has|have|had|will|must|can|may)\b[^?.;]*?\bbe(?:en)?)\b(?P<rest>[^?.;]*)",
    re.IGNORECASE,
)
_HOW_LONG = re.compile(
    r"\b(?:how\s+(?:long|often|soon|fast|quickly|late|early)|(?:since|until|till|by)\s+when)\b", re.IGNORECASE
)
_HOW_MUCH = re.compile(r"\bhow\s+(?:much|many)\b", re.IGNORECASE)
_MONEY = re.compile(r"\b(?:cost|charge|fee|fine|pay|paid|penalt|price|rent|tax)\w*", re.IGNORECASE)
_AUXILIARY = FUNCTION_WORDS | frozenset(
    "able allowed authorised authorized be being entitled ever gets get has gives give last need needs permitted "
    "responsible supposed takes take".split()
)
"""Words between "who" and the deed, and deeds that say nothing of what is done."""
_TIME = re.compile(
    r"\b(?:minute|hour|day|week|month|quarter|year|date|daily|weekly|monthly|quarterly|yearly|annual|once|immediate|never|"
    r"before|after|until|maturity)\w*",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\d|\b(?:none|no|nothing|nobody|free|half|twice|double|every|one|two|three|four|five|six|seven|eight|nine|ten|eleven|"
    r"twelve|twenty|thirty|fifty|hundred|lakh|crore)\b",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    r"%|₹|\bRs\b|\bINR\b|\b(?:free|nothing|waived|no\s+(?:charge|fee|penalty|tax|cost)s?)\b", re.IGNORECASE
)


def can_tell(text: str, question: str) -> bool:
    """Whether a text has what the question asks to be told; of a question that asks nothing so plain, any has.

    Who did something is told only where the deed is spoken of, and so is when something was done; how long and how
    often by a time, how much by a figure, and what is to be paid by an amount.
    """
    spoken_of = {stem(word) for word in words(text)}
    if not {stem(deed) for deed in _deeds(question)} <= spoken_of:
        return False
    if _HOW_LONG.search(question):
        return _TIME.search(text) is not None
    if _HOW_MUCH.search(question):
        return (_AMOUNT if _MONEY.search(question) else _NUMBER).search(text) is not None
    return True


def _deeds(question: str) -> list[str]:
    """Return the verb behind "who", and the participles behind "when was"."""
    deeds = [
        next((word for word in words(one["rest"]) if word not in _AUXILIARY), "") for one in _WHO.finditer(question)
    ]
    for one in _WHEN_DONE.finditer(question):
        deeds += [word for word in words(one["rest"]) if word.endswith("ed") and word not in _AUXILIARY]
    return [deed for deed in deeds if deed]
