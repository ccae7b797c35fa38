"""What a text says of all or none of what was counted, and of days, weeks and years that nothing speaks of."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from datetime import date
from decimal import Decimal

from ai_engine.insight.checking.counted import ROWS
from ai_engine.insight.checking.figure import Figure
from ai_engine.insight.checking.figure import Reading as NumberReading
from ai_engine.insight.reading import Reading
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.semantics.words import stem, words

_SHORTEST_THING = 4
_ALL = re.compile(
    r"(?<![a-z] of )(?<!of )(?<!for )(?<!across )(?<!among )(?<!over )(?<!in )(?<!by )(?<!per )(?<!from )(?<!not )"
    r"(?<!between )(?<!nearly )(?<!almost )(?<!than )(?<!with )(?<!to )(?<!as )"
    r"\b(?:all|every(?:\s+other)?|each)\s+(?:of\s+)?(?:(?:the|our|these|its)\s+)?(?:\d[\d,.]*\s+)?(?P<thing>[a-z]+)",
    re.IGNORECASE,
)
_ALL_OF_THEM = re.compile(
    r"\ball\s+of\s+(?:whom|which|them)\b|\b(?:are|is|were|was|have|has|had)\s+all\b(?!\s+(?:of|the|our|equal|level|alike|zero|nil)\b)(?=\s+(?-i:[a-z]))"
    r"|\b(?P<thing>[a-z]+)\s+all\s+[a-z]+\b|\b(?:everyone|everybody)\b",
    re.IGNORECASE,
)
_NO = re.compile(r"\bno\s+(?P<thing>[a-z]+)", re.IGNORECASE)
_THING_AFTER = re.compile(r"\s+(?P<thing>[a-z]+s)\b", re.IGNORECASE)
_OF_FIGURES = frozenset(map(stem, "number count total share average mean median figure amount rate ratio".split()))
_DENIED = re.compile(r"\b(?:no|not|never|without|none)\b|n't\b", re.IGNORECASE)
_UNITS = r"(?P<unit>hour|day|weekend|week|fortnight|month|quarter|year)s?"
_SPOKEN_OF = re.compile(
    r"\b(?:last|this|past|previous|current|next|coming|per|each|every|first|second|third|fourth|an|(?<!half )a)\s+"
    rf"{_UNITS}\b"
    rf"|\b(?:the|in)\s+(?P<before>week|fortnight|weekend)\b|\b(?P<adverb>hourly|daily|weekly|fortnightly|monthly|quarterly"
    r"|yearly|annual(?:ly)?)\b|\b(?P<day>yesterday|today|tomorrow|tonight|overnight)\b",
    re.IGNORECASE,
)
_A_QUARTER = re.compile(r"a\s+quarter", re.IGNORECASE)
_WEEK = re.compile(r"\b(?:weeks?|wk|cw|kw|w)[\s.-]?(?P<number>\d{1,2})\b", re.IGNORECASE)
_LONG_UNITS = frozenset({"month", "quarter", "year"})
_OF_ADVERBS = {"annual": "year", "annually": "year", "daily": "day"}
_EVERYTHING = NumberReading(Decimal(100), Decimal(0), "part")
_NOTHING = NumberReading(Decimal(0), Decimal(0))


def things_counted(reading: Reading, vocabulary: Vocabulary) -> frozenset[str]:
    """Return the stems of words for what the figures are of: what the bank has and what was counted, not the rows."""
    shape = reading.shape
    texts = [part for data in vocabulary.model.datasets for part in (data.label, *data.synonyms)]
    texts += [shape.columns[at].label for at in shape.measures if shape.columns[at].unit == "count"]
    rows = [shape.columns[at].label for at in (*shape.times, *shape.groups, *shape.names)]
    return _stems(texts) - _stems(rows) - ROWS - _OF_FIGURES


def wholes_told(text: str, things: Collection[str], named: str) -> Iterator[Figure]:
    """Find words that tell something of all that was counted, or that there is none of it; both are figures.

    Args:
        text: what is told.
        things: stems of words for what was counted.
        named: what the result and the question are called, in lower case; what is denied there may be repeated.
    """
    for pattern in (_ALL, _ALL_OF_THEM):
        for found in pattern.finditer(text):
            if found["thing"] is None or stem(found["thing"].lower()) in things:
                yield Figure(found.group(), found.start(), found.end(), ((_EVERYTHING,),))
    for found in _NO.finditer(text):
        thing = stem(found["thing"].lower())
        if thing in things and not (_DENIED.search(named) and thing in _stems([named])):
            yield Figure(found.group(), found.start(), found.end(), ((_NOTHING,),))


def other_things_told(figures: Iterable[Figure], text: str, vocabulary: Vocabulary, named: str) -> Iterator[str]:
    """Yield figures that a text tells of things of the bank that neither the question nor the result speaks of."""
    data = vocabulary.model.datasets
    others = _stems(part for one in data for part in (one.label, *one.synonyms)) - _stems([named]) - ROWS
    for figure in figures:
        after = _THING_AFTER.match(text, figure.end)
        if after and stem(after["thing"].lower()) in others:
            yield figure.text + after.group()


def units_from_nowhere(text: str, reading: Reading, days: Iterable[date], named: str) -> Iterator[str]:
    """Yield the days, weeks, months and years that a text speaks of where neither result nor question does.

    Args:
        text: what is told, without the dates that are known.
        reading: of the result.
        days: with which its steps begin.
        named: what the result and the question are called, in lower case.
    """
    scope = reading.task.scope
    said = " ".join(
        part for part in (named, reading.task.restatement, scope.phrase, scope.period, scope.compared) if part
    )
    known = _stems([said])
    if reading.shape.times or scope.period or scope.compared:
        known |= _LONG_UNITS
    for found in _SPOKEN_OF.finditer(text):
        if _A_QUARTER.match(found.group()):
            continue
        adverb = (found["adverb"] or "").lower()
        unit = found["unit"] or found["before"] or _OF_ADVERBS.get(adverb, adverb.removesuffix("ly")) or found["day"]
        if stem(unit.lower()) not in known and found.group().lower() not in said.lower():
            yield found.group()
    weeks = {day.isocalendar().week for day in days}
    for found in _WEEK.finditer(text):
        if int(found["number"]) not in weeks and found.group().lower() not in named:
            yield found.group()


def _stems(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(
        stem(word) for text in texts for word in words(text) if len(word) >= _SHORTEST_THING or word == "day"
    )
