"""Finds numbers in a text about several results that none of them bears out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

from ai_engine.insight.amounts import exact
from ai_engine.insight.changes import Way
from ai_engine.insight.checking.dates import KnownDates, dates_in
from ai_engine.insight.checking.figure import Figure, Reading
from ai_engine.insight.checking.spelling import plain_digits
from ai_engine.insight.checking.ways import ways_told
from ai_engine.insight.figures import figures_in
from ai_engine.insight.founded import FoundedNumbers, compare
from ai_engine.types import Scalar

Table: TypeAlias = Sequence[Sequence[Scalar]]
"""Rows of cells, all of the same length."""

_HUNDRED = Decimal(100)
_NO_FIGURE = "one"
"""A word that is hardly ever a number where it stands alone."""


@dataclass(frozen=True, slots=True)
class _Told:
    """A number of an answer, the ways that the answer says it went, and whether it may be told with a minus."""

    reading: Reading
    ways: frozenset[Way]
    below_zero: bool


def unretold_figures(text: str, answers: Iterable[str], tables: Iterable[Table]) -> tuple[str, ...]:
    """Return the numbers of a text, in digits or words, that are in no answer and do not follow from a table.

    Args:
        text: what is to be said.
        answers: texts that were themselves checked; their figures may be repeated, also rounded. What they tell as a
            fall is no rise.
        tables: of their columns of figures the cells, the differences, percentage changes and ratios are founded, and
            the number of rows. Whether a column may be added up is not known here.
    """
    told = [one for answer in answers for one in _told(answer)]
    founded, plain = _founded(tables), plain_digits(text)
    figures = figures_in(plain)
    return tuple(
        figure.text
        for at, figure in enumerate(figures)
        if not _is_founded(figure, founded, told) or _is_turned_round(figure, ways_told(figures, at, plain), told)
    )


def unsaid_figures(text: str, said: Iterable[str], tables: Iterable[Table] = ()) -> tuple[str, ...]:
    """Return the numbers of words that are handed on which nobody said or found; days, months and years are periods.

    Who works with such words takes their numbers for the person's own.
    """
    plain = plain_digits(text)
    told = KnownDates(frozenset(dates_in(plain))).left_out_of(plain)
    return tuple(figure for figure in unretold_figures(told, said, tables) if figure.lower() != _NO_FIGURE)


def figures_of_text(text: str) -> set[Decimal]:
    """Return every number that a text may mean."""
    return {reading.value for figure in _figures(text) for way in figure.readings for reading in way}


def _figures(text: str) -> list[Figure]:
    return figures_in(plain_digits(text))


def _told(answer: str) -> Iterator[_Told]:
    plain = plain_digits(answer)
    figures = figures_in(plain)
    for at, figure in enumerate(figures):
        ways = ways_told(figures, at, plain)
        below_zero = figure.below_zero or "fall" in ways
        yield from (_Told(reading, ways, below_zero) for way in figure.readings for reading in way)


def _is_turned_round(figure: Figure, ways: frozenset[Way], told: Sequence[_Told]) -> bool:
    """Whether every answer that says which way this figure went says the other one."""
    said = [one.ways for reading in _all(figure) for one in told if one.ways and _is_same(one.reading, reading)]
    return bool(ways and said) and all(ways.isdisjoint(other) for other in said)


def _all(figure: Figure) -> list[Reading]:
    return [reading for readings in figure.readings for reading in readings]


def _is_same(told: Reading, reading: Reading) -> bool:
    return told.kind == reading.kind and abs(abs(told.value) - abs(reading.value)) <= reading.slack


def _founded(tables: Iterable[Table]) -> FoundedNumbers:
    numbers, percents, ratios = set[Decimal](), set[Decimal](), set[Decimal]()
    for table in tables:
        numbers.add(Decimal(len(table)))
        for column in zip(*table, strict=True):
            figures = [number for cell in column if (number := exact(cell)) is not None]
            numbers.update(figures)
            percents.update(figures)
            percents.update(figure * _HUNDRED for figure in figures if abs(figure) <= 1)
            numbers.update(compare(figures, percents, ratios))
    return FoundedNumbers.of(numbers, percents, ratios)


def _is_founded(figure: Figure, founded: FoundedNumbers, told: Sequence[_Told]) -> bool:
    return any(
        all(_is_one(reading, founded, told) for reading in readings)
        and (not figure.below_zero or all(_is_below_zero(reading, founded, told) for reading in readings))
        for readings in figure.readings
    )


def _is_below_zero(reading: Reading, founded: FoundedNumbers, told: Sequence[_Told]) -> bool:
    return founded.is_below_zero(reading) or any(one.below_zero and _is_same(one.reading, reading) for one in told)


def _is_one(reading: Reading, founded: FoundedNumbers, told: Sequence[_Told]) -> bool:
    value, slack = reading.value, reading.slack
    if any(_is_same(one.reading, reading) for one in told):
        return True
    if reading.kind == "percent":
        return founded.has_percent(value, slack)
    if reading.kind == "fraction":
        return founded.has_percent(value * _HUNDRED, slack * _HUNDRED) or founded.has_ratio(value, slack)
    if reading.kind == "ratio":
        return founded.has_ratio(value, slack) or founded.has_number(value, slack)
    return reading.kind == "plain" and founded.has_number(value, slack)
