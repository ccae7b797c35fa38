"""Figures that come of two rows, or of one row in the whole: which rows a sentence names decides which they may be."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from decimal import Decimal

from ai_engine.insight.changes import Way
from ai_engine.insight.checking.claim_words import CLAIMS, WORD
from ai_engine.insight.checking.figure import Figure
from ai_engine.insight.checking.named_rows import Mention
from ai_engine.insight.checking.told_text import Clause, ToldText, is_plain, is_value
from ai_engine.insight.checking.ways import speaks_of_a_change, ways_said
from ai_engine.insight.founded import places_in_time

_PAIR = 2
_HUNDRED = Decimal(100)
_FROM = re.compile(r"\b(?:from|since|than|over|on)\s+$", re.IGNORECASE)
_OF_ALL = frozenset({"total", "average", "median"})


def figures_of_other_pairs(text: ToldText, is_known: Callable[[Figure], bool]) -> Iterator[str]:
    """Yield the figures that are no cell, and come of other rows than the two, or the step, that their sentence names.

    Args:
        text: what is told.
        is_known: a figure is a bound of the statement, or a number of rows.
    """
    shape = text.reading.shape
    cells = [cell for at in shape.measures for cell in shape.numbers(at) if cell is not None]
    for sentence in text.sentences:
        pair = _pair(sentence, text)
        if not pair:
            continue
        for figure in (one for clause in sentence for one in clause.figures):
            kinds = {one.kind for way in figure.readings for one in way}
            if not kinds <= {"plain", "percent"} or is_known(figure) or is_value(figure, cells):
                continue
            ways = ways_said(text.words[sentence[0].start : sentence[-1].end]) if len(_named(sentence)) == _PAIR else ()
            if not is_value(figure, list(_of_pair(text, *pair, of_percent=not is_plain(figure), ways=ways))):
                yield figure.text


def shares_of_other_rows(text: ToldText) -> Iterator[str]:
    """Yield the percentages in a clause of one name, without a word of change or comparison, that are not its share."""
    for sentence in text.sentences:
        said = text.words[sentence[0].start : sentence[-1].end].lower()
        kinds = {CLAIMS.get(word) for word in WORD.findall(said)}
        if speaks_of_a_change(said) or kinds & {"more", "less", "moves", "total"} or "together" in said:
            continue
        for clause in (one for one in sentence if len(one.mentions) == 1):
            for figure in clause.figures:
                of_percent = {one.kind for way in figure.readings for one in way} == {"percent"}
                if of_percent and not is_value(figure, list(_shares(text, clause.rows))):
                    yield figure.text


def _named(sentence: Sequence[Clause]) -> list[Mention]:
    return [one for clause in sentence for one in clause.mentions]


def _pair(sentence: Sequence[Clause], text: ToldText) -> tuple[frozenset[int], frozenset[int]] | None:
    """Return the two rows that a sentence names, or the two steps between which "in March" or "from March" lies."""
    mentions = _named(sentence)
    said = text.words[sentence[0].start : sentence[-1].end]
    if not mentions or len({one.column for one in mentions}) > 1:
        return None
    if any(CLAIMS.get(word) in _OF_ALL for word in WORD.findall(said.lower())) and not speaks_of_a_change(said):
        return None
    if len(mentions) == _PAIR:
        return mentions[0].rows, mentions[1].rows
    if len(mentions) == 1 and mentions[0].column in text.reading.shape.times and speaks_of_a_change(said):
        return _step(mentions[0], text)
    return None


def _step(mention: Mention, text: ToldText) -> tuple[frozenset[int], frozenset[int]] | None:
    shape = text.reading.shape
    places = {row: place for at in shape.measures for row, place in places_in_time(text.reading, at).items()}
    here = {places[row] for row in mention.rows if row in places}
    if len(here) != 1 or shape.is_compared() or any(shape.columns[at].compared for at in shape.measures):
        return None
    is_start = _FROM.search(text.words[: mention.start]) is not None
    other = max(places.values()) if is_start else min(here) - 1
    return mention.rows, frozenset(row for row, place in places.items() if place == other)


def _of_pair(
    text: ToldText, one: frozenset[int], other: frozenset[int], *, of_percent: bool, ways: Collection[Way]
) -> Iterator[Decimal]:
    """Yield what two rows come to; of two steps in time, where one way is told, only if it went that way."""
    shape = text.reading.shape
    for at in shape.measures:
        numbers, places = shape.numbers(at), places_in_time(text.reading, at) if shape.times else {}
        if len(ways) == 1 and one | other <= places.keys():
            first, last = sorted((one, other), key=lambda rows: min(places[row] for row in rows))
            went = [
                b > a for x in first for y in last if (a := numbers[x]) is not None and (b := numbers[y]) is not None
            ]
            if ("rise" in ways) not in went and not shape.is_compared():
                continue
        pairs = [(a, b) for x in one for y in other if (a := numbers[x]) is not None and (b := numbers[y]) is not None]
        for a, b in pairs:
            if not of_percent:
                yield from (a - b, a + b, (a + b) / 2)
            elif shape.columns[at].unit == "percent":
                yield a - b
            yield from ((a - b) * _HUNDRED / whole for whole in (a, b) if of_percent and whole)
    if of_percent:
        yield from (share for rows in (one, other, one | other) for share in _shares(text, rows))


def _shares(text: ToldText, rows: frozenset[int]) -> Iterator[Decimal]:
    shape = text.reading.shape
    for at in shape.measures:
        numbers = shape.numbers(at)
        own = [cell for row in rows if (cell := numbers[row]) is not None]
        total = sum((cell for cell in numbers if cell is not None), Decimal(0))
        yield from own
        yield from (cell * _HUNDRED for cell in own)
        if total and text.reading.facts.whole:
            yield from (part * _HUNDRED / total for part in (*own, sum(own, Decimal(0))))
