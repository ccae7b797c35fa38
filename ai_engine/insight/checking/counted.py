"""Numbers of rows, and whether a text tells them as such: "3 branches", "of the 3", "and 2 more", not "Pune has 3"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from ai_engine.insight.checking.figure import Figure
from ai_engine.insight.counts import others_counted, rows_counted
from ai_engine.insight.reading import Reading
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.semantics.words import stem, words

ROWS = frozenset(
    map(stem, "row record result entry line group value name item combination point case place category kind".split())
)
"""Stems of words for what any row is."""
_LONE_ROW = frozenset(map(stem, ("row", "record", "result")))
TIMES = frozenset(map(stem, "day date week month quarter year half time period step".split()))
_OF_FIGURES = frozenset(map(stem, "number count total share average mean median figure amount rate ratio".split()))
_TELLING_CHARS = 3
_WORDS_AFTER = re.compile(r"(?:[\s-]+[^\W\d_]+){1,5}")
_ENDS_THE_THING = frozenset(
    "is are was were has have had hold holds held in with at for on by from to and or but who that which whose while "
    "stand stands lead leads go goes share shares together each listed shown tied level".split()
)
_OTHERS_AFTER = re.compile(r"[\s-]+(?:more|others?|further|remaining|rest)\b", re.IGNORECASE)
_OTHERS_BEFORE = re.compile(r"\b(?:others?|remaining|rest|another)\s+$", re.IGNORECASE)
_ALL_BEFORE = re.compile(
    r"\b(?:the|all|both|these|those|top|bottom|first|last|among|there\s+(?:are|is|were|was)"
    r"|(?:first|last|one|any|each|none|second|third|fourth|fifth|\w+th|\d+)\s+(?:out\s+)?of)\s+$",
    re.IGNORECASE,
)
_OF_THEM = re.compile(
    r"\s+(?:(?:out\s+)?of\s+(?:the|them|these|those|all|\d)|(?:has|have)\s+(?:no|the\s+same)\b|shares?\b)",
    re.IGNORECASE,
)
_REACHED = re.compile(r"\breached\s+$")  # "2 times": at so many points
_LOOKED_BACK_CHARS = 40


@dataclass(frozen=True, slots=True)
class Counted:
    """What was counted.

    Attributes:
        rows: numbers of rows, names, points in time.
        others: the same without those that a text names.
        things: stems of words for what the rows are.
        nothing: there are no rows at all.
    """

    rows: frozenset[Decimal]
    others: frozenset[Decimal]
    things: frozenset[str]
    nothing: bool

    def names(self, figure: Figure, text: str) -> bool:
        """Tell whether a text names a figure as a number of rows."""
        if self._has(figure, self.rows) and _REACHED.search(text[: figure.start]):
            return True
        if any(one.kind != "plain" for way in figure.readings for one in way):
            return False
        before, after = text[max(figure.start - _LOOKED_BACK_CHARS, 0) : figure.start], text[figure.end :][:200]
        if self._has(figure, self.others) and (_OTHERS_AFTER.match(after) or _OTHERS_BEFORE.search(before)):
            return True
        if not self._has(figure, self.rows):
            return False
        if self.nothing:
            return True
        thing = self._thing(after)
        if self.things == _LONE_ROW:
            return thing is True
        return thing is True or (thing is None and bool(_ALL_BEFORE.search(before) or _OF_THEM.match(after)))

    def _thing(self, after: str) -> bool | None:
        """Tell whether what stands behind a number are rows; None where nothing stands there."""
        found = _WORDS_AFTER.match(after)
        for at, word in enumerate(found.group().lower().replace("-", " ").split() if found else ()):
            if word in _ENDS_THE_THING or (at == 0 and word == "of"):
                return None if at == 0 else False
            if stem(word) in self.things:
                return True
        return None if found is None else False

    def _has(self, figure: Figure, numbers: frozenset[Decimal]) -> bool:
        return any(
            all(any(abs(number - one.value) <= one.slack for number in numbers) for one in way)
            for way in figure.readings
        )


def read_counted(reading: Reading, vocabulary: Vocabulary) -> Counted:
    """Gather what was counted; one row of nothing but figures counts nothing but itself."""
    shape = reading.shape
    named = (*shape.times, *shape.groups, *shape.names)
    total = reading.task.result.total_rows
    is_lone = not named and shape.result.row_count == 1
    counts = set(rows_counted(reading))
    others = set(others_counted(reading)) if named else set()
    if total is not None:  # counted by the database where a list was cut off
        counts.add(Decimal(total))
    labels = [shape.columns[at].label for at in named]
    if not reading.facts.grouped:
        labels += [part for data in vocabulary.model.datasets for part in (data.label, *data.synonyms)]
    things = ROWS.union(TIMES if shape.times else (), _stems([*labels, reading.task.scope.things or ""]))
    things = _LONE_ROW if is_lone and total is None else things
    things -= frozenset() if named else _stems(shape.columns[at].label for at in shape.measures)
    nothing = shape.result.row_count == 0
    kept = frozenset(count for count in counts if count or nothing)
    return Counted(kept, frozenset(count for count in others if count), things, nothing)


def things_counted(reading: Reading, vocabulary: Vocabulary) -> frozenset[str]:
    """Return the stems of words for what the figures are of: what the bank has and what was counted, not the rows."""
    shape = reading.shape
    texts = [part for data in vocabulary.model.datasets for part in (data.label, *data.synonyms)]
    texts += [shape.columns[at].label for at in shape.measures if shape.columns[at].unit == "count"]
    rows = [shape.columns[at].label for at in (*shape.times, *shape.groups, *shape.names)]
    return _stems(texts) - _stems(rows) - ROWS - _OF_FIGURES


def _stems(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(stem(word) for text in texts for word in words(text) if len(word) >= _TELLING_CHARS)
