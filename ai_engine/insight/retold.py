"""Finds numbers in a text about several results that none of them bears out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import TypeAlias

from ai_engine.insight.amounts import exact
from ai_engine.insight.checking.figure import Figure, Reading
from ai_engine.insight.checking.spelling import plain_digits
from ai_engine.insight.figures import figures_in
from ai_engine.insight.founded import FoundedNumbers, ascending, compare
from ai_engine.types import Scalar

Table: TypeAlias = Sequence[Sequence[Scalar]]
"""Rows of cells, all of the same length."""

_HUNDRED = Decimal(100)


def unretold_figures(text: str, answers: Iterable[str], tables: Iterable[Table]) -> tuple[str, ...]:
    """Return the numbers of a text, in digits or words, that are in no answer and do not follow from a table.

    Args:
        text: what is to be said.
        answers: texts that were themselves checked; their figures may be repeated, also rounded.
        tables: of their columns of figures the cells, the differences, percentage changes and ratios are founded, and
            the number of rows. Whether a column may be added up is not known here.
    """
    told = [reading for answer in answers for figure in _figures(answer) for way in figure.readings for reading in way]
    founded = _founded(tables)
    return tuple(figure.text for figure in _figures(text) if not _is_founded(figure, founded, told))


def figures_of_text(text: str) -> set[Decimal]:
    """Return every number that a text may mean."""
    return {reading.value for figure in _figures(text) for way in figure.readings for reading in way}


def _figures(text: str) -> list[Figure]:
    return figures_in(plain_digits(text))


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
    percents.update(ratio * _HUNDRED for ratio in ratios)
    return FoundedNumbers(ascending(numbers), ascending(percents), ascending(ratios))


def _is_founded(figure: Figure, founded: FoundedNumbers, told: Sequence[Reading]) -> bool:
    return any(all(_is_one(reading, founded, told) for reading in readings) for readings in figure.readings)


def _is_one(reading: Reading, founded: FoundedNumbers, told: Sequence[Reading]) -> bool:
    value, slack = reading.value, reading.slack
    if any(one.kind == reading.kind and abs(abs(one.value) - abs(value)) <= slack for one in told):
        return True
    if reading.kind == "percent":
        return founded.has_percent(value, slack)
    if reading.kind == "fraction":
        return founded.has_percent(value * _HUNDRED, slack * _HUNDRED) or founded.has_ratio(value, slack)
    if reading.kind == "ratio":
        return founded.has_ratio(value, slack) or founded.has_number(value, slack)
    return reading.kind == "plain" and founded.has_number(value, slack)
