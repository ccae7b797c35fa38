"""Sentences about the first few of each group: who leads in each of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from decimal import Decimal

from ai_engine.insight.reading import Reading
from ai_engine.insight.wording import HEADLINE_CHARS, enumerate_words, inside, opening, superlative

_FEWER = (3, 2)  # are named where all do not fit
_TOLD_GROUPS = 12


def names_leaders(reading: Reading) -> bool:
    """Tell whether the rows are the first few of each group, ranked by a figure that is shown, and have names."""
    return reading.facts.grouped and bool(_within(reading) and _naming(reading)) and _ranked(reading) is not None


def describe_leaders(reading: Reading) -> Sequence[str]:
    """Name the first of each group with its figure, the best of them first, as many as a headline holds."""
    leaders = _leaders(reading)
    fitting = (count for count in (len(leaders), *_FEWER) if len(_head(reading, leaders, count)) <= HEADLINE_CHARS)
    named = next((count for count in fitting if count <= len(leaders)), 1)
    others = leaders[named:]
    told = [f"The others are {enumerate_words(others)}."] if others and len(leaders) <= _TOLD_GROUPS else []
    return [_head(reading, leaders, named), *told]


def _head(reading: Reading, leaders: Sequence[str], named: int) -> str:
    position = _ranked(reading)
    assert position is not None  # noqa: S101 - names_leaders looked
    rank = "highest" if reading.task.scope.ranks_highest else "lowest"
    what = opening(superlative(rank, inside(reading.shape.columns[position].label)))
    groups = enumerate_words([inside(reading.shape.columns[place].label) for place in _within(reading)])
    more = [f"{reading.count(len(leaders) - named)} more"] if named < len(leaders) else []
    return f"{what} in each {groups}{reading.during}: {enumerate_words([*leaders[:named], *more])}."


def _leaders(reading: Reading) -> list[str]:
    """Say "Delhi Dwarka (North, Rs.7.77 crore)" for each group; of those who are level one."""
    position, best = _ranked(reading), max if reading.task.scope.ranks_highest else min
    assert position is not None  # noqa: S101 - names_leaders looked
    figures: defaultdict[str, list[tuple[Decimal, int]]] = defaultdict(list)
    for row, number in enumerate(reading.shape.numbers(position)):
        if number is not None:
            figures[reading.row_name(row, _within(reading))].append((number, row))
    leading = [(best(number for number, _ in found), group, found) for group, found in figures.items()]
    leading.sort(key=lambda one: one[0], reverse=reading.task.scope.ranks_highest)
    return [
        f"{_together([reading.row_name(row, _naming(reading)) for number, row in found if number == first], reading)} "
        f"({group}, {reading.figure(first, position)})"
        for first, group, found in leading
    ]


def _together(names: Sequence[str], reading: Reading) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} with {reading.count(len(names) - 1)} level"


def _within(reading: Reading) -> tuple[int, ...]:
    """The columns that tell the groups apart, without keys."""
    wanted = reading.task.scope.within
    named = (place for place in (*reading.shape.times, *reading.shape.groups) if _label(reading, place) in wanted)
    return tuple(sorted(named))


def _naming(reading: Reading) -> tuple[int, ...]:
    within = _within(reading)
    return tuple(sorted(place for place in (*reading.shape.times, *reading.shape.groups) if place not in within))


def _ranked(reading: Reading) -> int | None:
    wanted = reading.task.scope.ranked_by
    return next((place for place in reading.shape.measures if _label(reading, place) == wanted), None)


def _label(reading: Reading, place: int) -> str:
    return reading.shape.columns[place].label
