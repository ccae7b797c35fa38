"""Tallies of rows ("3 of the 5 branches", "2 cities exceed the average") that nobody computed."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from decimal import Decimal
from itertools import pairwise

from ai_engine.insight.changes import Changes
from ai_engine.insight.checking.figure import Figure
from ai_engine.insight.checking.figure import Reading as NumberReading
from ai_engine.insight.checking.ways import ways_said
from ai_engine.insight.founded import before_and_now
from ai_engine.insight.reading import Reading
from ai_engine.semantics.words import stem, words

_OF_MANY = re.compile(r"\s+(?:out\s+)?of\s+(?:(?:the|these|those|all|our|its)\s+)*", re.IGNORECASE)
_OF_THEM = re.compile(r"\s+(?:out\s+)?of\s+(?:them|these|those|the)\b(?!\s+\d)", re.IGNORECASE)
_ONE_OF = re.compile(
    r"(?<!\bis )(?<!\bas )(?<!\bare )\bone(?=\s+(?:out\s+)?of\s+(?:the|them|these|those|\d))", re.IGNORECASE
)
_ONE = ((NumberReading(Decimal(1), Decimal(0)),),)
_NEXT_WORD = re.compile(r"[\s-]+([^\W\d_]+)")
_KNOWN_ROWS = re.compile(
    r"\b(?:the|these|those|both|all|its|our|top|bottom|first|last|next|other|others|another|remaining|leading|of)\s+$",
    re.IGNORECASE,
)
_ENDS_A_SENTENCE = re.compile(r"[.;!?](?=\s|$)")
_ALIKE = frozenset(
    map(stem, "share tied tie level same equal highest lowest most least fewest largest smallest biggest maximum "
        "minimum top bottom lead go goes range ranges".split())
)  # fmt: skip
_LACKS = frozenset(map(stem, "no not none without missing lack blank unknown null empty".split()))
_HAS = frozenset(map(stem, "with have has hold figure value".split()))
_COMPARES = re.compile(
    r"\b(?P<above>above|over|exceed(?:s|ed|ing)?|(?:more|greater|higher|larger|bigger)\s+than)"
    r"|\b(?P<below>below|under|(?:less|fewer|lower|smaller)\s+than)"
    r"|\b(?P<least>at\s+least)|\b(?P<most>at\s+most|up\s+to)",
    re.IGNORECASE,
)
_AVERAGE = re.compile(r"\s+(?:the|an|its|their)?\s*(?:average|mean)\b", re.IGNORECASE)
_SIDES: dict[str, Callable[[Decimal, Decimal], bool]] = {
    "above": operator.gt, "below": operator.lt, "least": operator.ge, "most": operator.le,
}  # fmt: skip
_MARKS_BEFORE_A_BOUND = 8


def tallies_nobody_computed(
    figures: Sequence[Figure], text: str, reading: Reading, changes: Changes, things: Collection[str]
) -> Iterator[str]:
    """Yield numbers that are told of a part of the rows which its sentence does not say, or says otherwise.

    Computed are rows with the highest or lowest figure, without one and with one, beyond a bound or the average, and
    those that rose or fell. All rows, and all names of a column, are no part.

    Args:
        figures: the numbers of the text in their order.
        text: what is told.
        reading: of the result.
        changes: the rises and falls of the result.
        things: stems of words for what the figures count, of which a part is a figure and no tally.
    """
    shape = reading.shape
    named = (*shape.times, *shape.groups, *shape.names)
    wholes = {shape.result.row_count, *map(shape.distinct, named)}
    rows = {stem(word) for at in (*shape.groups, *shape.names) for word in words(shape.columns[at].label)}
    rows = (rows | {stem(word) for word in words(reading.task.scope.things or "")}) - set(things)
    ones = [Figure(found.group(), found.start(), found.end(), _ONE) for found in _ONE_OF.finditer(text)]
    numbers = sorted({one.start: one for one in (*figures, *ones)}.values(), key=lambda one: one.start)
    for at, figure in enumerate(numbers):
        count = _whole_number(figure)
        if count is None or not named or not 0 < count < max(wholes):
            continue
        if not _is_part(numbers, at, text, wholes, things) and not _are_rows(figure, text, count, wholes, rows):
            continue
        if count not in set(_computed(_sentence(text, figure), figures, text, reading, changes)):
            yield text[figure.start : figure.end]


def _is_part(figures: Sequence[Figure], at: int, text: str, wholes: Collection[int], things: Collection[str]) -> bool:
    """Tell whether a number is told as so many of the rows: "3 of the 5", "3 of them"."""
    figure, whole = figures[at], figures[at + 1] if at + 1 < len(figures) else None
    if whole is not None and _OF_MANY.fullmatch(text, figure.end, whole.start):
        many = _whole_number(whole)
        return many in wholes and many != _whole_number(figure) and not _is_followed_by(text, whole.end, things)
    them = _OF_THEM.match(text, figure.end)
    return them is not None and not _is_followed_by(text, them.end(), things)


def _are_rows(figure: Figure, text: str, count: int, wholes: Collection[int], rows: Collection[str]) -> bool:
    """Tell whether a number is told of rows that nothing before it names: "2 cities exceed the average"."""
    is_new = count not in wholes and not _KNOWN_ROWS.search(text[: figure.start])
    return is_new and _is_followed_by(text, figure.end, rows)


def _is_followed_by(text: str, end: int, stems: Collection[str]) -> bool:
    after = _NEXT_WORD.match(text, end)
    return after is not None and stem(after[1].lower()) in stems


def _sentence(text: str, figure: Figure) -> tuple[int, int]:
    ends = [found.end() for found in _ENDS_A_SENTENCE.finditer(text)]
    return max((end for end in ends if end <= figure.start), default=0), min(
        (end for end in ends if end >= figure.end), default=len(text)
    )


def _computed(
    sentence: tuple[int, int], figures: Sequence[Figure], text: str, reading: Reading, changes: Changes
) -> Iterator[int]:
    """Yield how many rows there are of what a sentence says."""
    start, end = sentence
    said = {stem(word) for word in words(text[start:end])}
    shape = reading.shape
    for position in shape.measures:
        cells = [number for number in shape.numbers(position) if number is not None]
        if cells and not said.isdisjoint(_ALIKE):
            yield from (cells.count(bound) for bound in (max(cells), min(cells)))
        if not said.isdisjoint(_LACKS):
            yield shape.result.row_count - len(cells)
        label = {stem(word) for word in words(shape.columns[position].label)}
        if not said.isdisjoint(_HAS) and not said.isdisjoint(label | _HAS - {stem("have"), stem("has"), stem("with")}):
            yield len(cells)
        for side, bound in _bounds(start, end, figures, text, cells):
            yield sum(_SIDES[side](cell, bound) for cell in cells)
    for way in ways_said(text[start:end]):
        moved = _SIDES["above" if way == "rise" else "below"]
        for steps in (before_and_now(reading), *map(pairwise, changes.runs)):
            yield sum(moved(now, then) for then, now in steps)


def _bounds(
    start: int, end: int, figures: Sequence[Figure], text: str, cells: Sequence[Decimal]
) -> Iterator[tuple[str, Decimal]]:
    for found in _COMPARES.finditer(text, start, end):
        side = str(found.lastgroup)
        if cells and _AVERAGE.match(text, found.end()):
            yield side, sum(cells, Decimal(0)) / len(cells)
        after = next((one for one in figures if one.start >= found.end()), None)
        if after is not None and after.start - found.end() <= _MARKS_BEFORE_A_BOUND:
            yield from ((side, one.value) for way in after.readings for one in way if one.kind == "plain")


def _whole_number(figure: Figure) -> int | None:
    numbers = {one.value for way in figure.readings for one in way if one.kind == "plain"}
    alone = next(iter(numbers)) if len(numbers) == 1 else None
    return int(alone) if alone is not None and alone == int(alone) else None
