"""Tallies of rows ("3 of the 5 branches", "2 cities exceed the average") that nobody computed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from itertools import pairwise, zip_longest

from ai_engine.insight.changes import Changes
from ai_engine.insight.checking.figure import Figure, Reading
from ai_engine.insight.checking.set_against import SIDES
from ai_engine.insight.checking.told_text import ToldText
from ai_engine.insight.checking.ways import ways_said
from ai_engine.insight.founded import before_and_now
from ai_engine.semantics.words import stem, words

_OF_MANY = re.compile(r"\s+(?:out\s+)?of\s+(?:(?:the|these|those|all|our|its)\s+)*", re.IGNORECASE)
_OF_THEM = re.compile(r"\s+(?:out\s+)?of\s+(?:them|these|those|the)\b(?!\s+\u25a1)", re.IGNORECASE)
_ONE_OF = re.compile(
    r"(?<!\bis )(?<!\bas )(?<!\bare )\bone(?=\s+(?:out\s+)?of\s+(?:the|them|these|those|\u25a1))", re.IGNORECASE
)
_ONE = ((Reading(Decimal(1), Decimal(0)),),)
_NEXT_WORD = re.compile(r"[\s-]+([^\W\d_]+)")
_KNOWN_ROWS = re.compile(
    r"\b(?:the|these|those|both|all|its|our|top|bottom|first|last|next|other|others|another|remaining|leading|of)\s+$",
    re.IGNORECASE,
)
_ALIKE = frozenset(
    map(stem, "share tied tie level same equal highest lowest most least fewest largest smallest biggest maximum "
        "minimum top bottom lead go goes range ranges".split())
)  # fmt: skip
_LACKS = frozenset(map(stem, "no not none without missing lack blank unknown null empty".split()))
_HAS = frozenset(map(stem, "hold figure value".split()))
_WITH = _HAS.union(map(stem, "with have has".split()))
_COMPARES = re.compile(
    r"\b(?P<more>above|over|exceed(?:s|ed|ing)?|(?:more|greater|higher|larger|bigger)\s+than)"
    r"|\b(?P<less>below|under|(?:less|fewer|lower|smaller)\s+than)|\b(?P<least>at\s+least)|\b(?P<most>at\s+most|up\s+to)",
    re.IGNORECASE,
)
_AVERAGE = re.compile(r"\s+(?:the|an|its|their)?\s*(?:average|mean)\b", re.IGNORECASE)
_MARKS_BEFORE_A_BOUND = 8


def tallies_nobody_computed(text: ToldText, changes: Changes, things: Collection[str]) -> Iterator[str]:
    """Yield numbers that are told of a part of the rows which its sentence does not say, or says otherwise.

    Computed are rows with the highest or lowest figure, without one and with one, beyond a bound or the average, and
    those that rose or fell. All rows, and all names of a column, are no part.

    Args:
        text: what is told.
        changes: the rises and falls of the result.
        things: stems of words for what the figures count, of which a part is a figure and no tally.
    """
    shape = text.reading.shape
    named = (*shape.times, *shape.groups, *shape.names)
    wholes = {shape.result.row_count, *map(shape.distinct, named)}
    rows = {stem(word) for at in (*shape.groups, *shape.names) for word in words(shape.columns[at].label)}
    rows = (rows | {stem(word) for word in words(text.reading.task.scope.things or "")}) - set(things)
    for sentence in text.sentences if named else ():
        start, end = sentence[0].start, sentence[-1].end
        figures = [one for clause in sentence for one in clause.figures]
        ones = (Figure(one.group(), *one.span(), _ONE) for one in _ONE_OF.finditer(text.words, start, end))
        numbers = sorted((*figures, *ones), key=lambda one: one.start)
        for figure, whole in zip_longest(numbers, numbers[1:]):
            count = _whole_number(figure)
            if count is None or not 0 < count < max(wholes):
                continue
            is_new = count not in wholes and not _KNOWN_ROWS.search(text.words[start : figure.start])
            if not (is_new and _is_followed_by(text.words, figure.end, rows)):
                is_of_many = whole is not None and _OF_MANY.fullmatch(text.words, figure.end, whole.start)
                many = _whole_number(whole) if whole is not None and is_of_many else None
                them = _OF_THEM.match(text.words, figure.end)
                after = whole.end if whole is not None and many in wholes - {count} else them.end() if them else None
                if after is None or _is_followed_by(text.words, after, things):
                    continue
            if count not in set(_computed(text, start, end, figures, changes)):
                yield figure.text


def _is_followed_by(text: str, end: int, stems: Collection[str]) -> bool:
    after = _NEXT_WORD.match(text, end)
    return after is not None and stem(after[1].lower()) in stems


def _computed(text: ToldText, start: int, end: int, figures: Sequence[Figure], changes: Changes) -> Iterator[int]:
    """Yield how many rows there are of what a sentence says."""
    said = {stem(word) for word in words(text.words[start:end])}
    shape = text.reading.shape
    for position in shape.measures:
        cells = [number for number in shape.numbers(position) if number is not None]
        if cells and not said.isdisjoint(_ALIKE):
            yield from (cells.count(bound) for bound in (max(cells), min(cells)))
        if not said.isdisjoint(_LACKS):
            yield shape.result.row_count - len(cells)
        label = map(stem, words(shape.columns[position].label))
        if not said.isdisjoint(_WITH) and not said.isdisjoint(_HAS.union(label)):
            yield len(cells)
        for found in _COMPARES.finditer(text.words, start, end):
            side = SIDES[str(found.lastgroup)]
            after = next((one for one in figures if one.start >= found.end()), None)
            bounds = [sum(cells, Decimal(0)) / len(cells)] if cells and _AVERAGE.match(text.words, found.end()) else []
            if after is not None and after.start - found.end() <= _MARKS_BEFORE_A_BOUND:
                bounds += [one.value for way in after.readings for one in way if one.kind == "plain"]
            yield from (sum(side(cell, bound) for cell in cells) for bound in bounds)
    for way in ways_said(text.words[start:end]):
        moved = SIDES["more" if way == "rise" else "less"]
        for steps in (before_and_now(text.reading), *map(pairwise, changes.runs)):
            yield sum(moved(now, then) for then, now in steps)


def _whole_number(figure: Figure) -> int | None:
    numbers = {one.value for way in figure.readings for one in way if one.kind == "plain"}
    alone = next(iter(numbers)) if len(numbers) == 1 else None
    return int(alone) if alone is not None and alone == int(alone) else None
