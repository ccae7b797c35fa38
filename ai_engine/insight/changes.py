"""Rises and falls in a result: from which figure to which, in the order of time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, TypeAlias

from ai_engine.insight.checking.figure import Reading
from ai_engine.insight.founded import before_and_now, beside_each_other, dated_figures, paired_places
from ai_engine.insight.reading import Reading as ResultReading
from ai_engine.types import OutputColumn

Way: TypeAlias = Literal["rise", "fall"]

_HUNDRED = Decimal(100)
_NAMES_A_CHANGE = re.compile(
    r"change|growth|rise|increase|differen|delta|gain|yoy|year on year|month on month"
    r"|fall|drop|decline|decrease|reduction",
    re.IGNORECASE,
)
_NAMES_A_FALL = re.compile(r"\b(?:fall|drop|decline|decrease|reduction|loss|dip)s?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Changes:
    """What a text may tell as a rise or a fall.

    Attributes:
        moves: (from, to) in the order of time; what has no such order stands in both.
        told: cells of columns that hold changes; their own sign is their way.
        runs: the figures of each measure in the order of time, where each point in time has one.
    """

    moves: tuple[tuple[Decimal, Decimal], ...]
    told: tuple[Decimal, ...]
    runs: tuple[tuple[Decimal, ...], ...] = ()

    def go_by(self, way: Way, by: Reading) -> bool:
        """Tell whether something went that way by so much."""
        sign = 1 if way == "rise" else -1
        amounts = (sign * cell for cell in self.told)
        if by.kind in {"percent", "fraction"}:
            amounts = (amount for cell in self.told for amount in (sign * cell, sign * cell * _HUNDRED))
        wanted = by.value * _HUNDRED if by.kind == "fraction" else by.value
        slack = by.slack * _HUNDRED if by.kind == "fraction" else by.slack
        moved = (amount for one, other in self._of(way) for amount in _amounts(by.kind, one, other))
        return any(abs(amount - wanted) <= slack for amount in (*amounts, *moved))

    def go_between(self, way: Way, start: Reading | None, end: Reading | None) -> bool:
        """Tell whether something went that way from one figure to another; None stands for any."""
        return any(_is_near(one, start) and _is_near(other, end) for one, other in self._of(way))

    def goes(self, way: Way) -> bool:
        """Tell whether anything went that way."""
        sign = 1 if way == "rise" else -1
        return any(True for _ in self._of(way)) or any(sign * cell > 0 for cell in self.told)

    def ends(self, way: Way) -> bool:
        """Tell whether, of the runs that there are, one went that way on the whole or in its last step."""
        sides = ((run[at], run[-1]) for run in self.runs for at in (0, -2))
        return not self.runs or any(one != other and (other > one) == (way == "rise") for one, other in sides)

    def _of(self, way: Way) -> Iterator[tuple[Decimal, Decimal]]:
        return ((one, other) for one, other in self.moves if one != other and (other > one) == (way == "rise"))


def _is_near(figure: Decimal, told: Reading | None) -> bool:
    return told is None or abs(abs(figure) - told.value) <= told.slack


def _amounts(kind: str, one: Decimal, other: Decimal) -> Iterator[Decimal]:
    """By how much one figure became another, in each way in which that is said."""
    yield abs(other - one)
    if one and kind in {"percent", "fraction"}:
        yield abs((other - one) * _HUNDRED / one)
    if one and other and kind == "ratio":
        yield from (abs(other / one), abs(one / other)) if abs(other) < abs(one) else (abs(other / one),)


def changes_of(reading: ResultReading) -> Changes:
    """Gather how the figures of a result move."""
    shape = reading.shape
    moves: list[tuple[Decimal, Decimal]] = list(before_and_now(reading))
    told: list[Decimal] = []
    runs: list[tuple[Decimal, ...]] = []
    for position in shape.measures:
        points = dated_figures(reading, position)
        figures = [number for _, number in points]
        if len(points) > 1 and len({place for place, _ in points}) == len(points):
            runs.append(tuple(figures))
        for one, other in paired_places(figures):
            pair = (figures[one], figures[other])
            (first, _), (second, _) = points[one], points[other]
            moves += [pair] if first < second else [pair[::-1]] if first > second else [pair, pair[::-1]]
        told += _told_by(shape.columns[position], [number for number in shape.numbers(position) if number is not None])
    for pair in beside_each_other(reading):
        moves += [pair, pair[::-1]]
    return Changes(tuple(moves), tuple(told), tuple(runs))


def _told_by(column: OutputColumn, cells: list[Decimal]) -> list[Decimal]:
    """The cells of a column of changes; a column of falls holds them with either sign."""
    if column.compared != "change" and not _NAMES_A_CHANGE.search(column.label):
        return []
    return [*cells, *(-cell for cell in cells)] if _NAMES_A_FALL.search(column.label) else cells
