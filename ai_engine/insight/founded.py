"""Every number that a result gives or plainly yields."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from itertools import combinations, pairwise
from statistics import median

from ai_engine.insight.reading import Reading, read_task
from ai_engine.ports import InsightTask
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import Scalar

_DIGITS = re.compile(r"\d[\d,]*(?:\.\d+)?(?:e[+-]?\d{1,3}\b)?", re.IGNORECASE)
_FRACTION = re.compile(r"(?<!\d)\.\d+")
_ALL_PAIRS_ROWS = 12
_LEADING_GROUPS = 5
_FEW_OTHERS = 3
_HUNDRED = Decimal(100)


@dataclass(frozen=True, slots=True)
class FoundedNumbers:
    """Numbers without their sign, each list ascending; `context` are those that must be repeated exactly."""

    numbers: tuple[Decimal, ...]
    percents: tuple[Decimal, ...]
    ratios: tuple[Decimal, ...]
    context: frozenset[Decimal]

    def mentions(self, value: Decimal) -> bool:
        """Tell whether the question, the period, the statement or a name contains just this number."""
        return value in self.context

    def has_number(self, value: Decimal, slack: Decimal) -> bool:
        """Tell whether a figure, count, sum or difference lies within `slack`."""
        return _near(self.numbers, value, slack)

    def has_percent(self, value: Decimal, slack: Decimal) -> bool:
        """Tell whether a percentage, share or percentage change lies within `slack`."""
        return _near(self.percents, value, slack)

    def has_ratio(self, value: Decimal, slack: Decimal) -> bool:
        """Tell whether one figure is about so many times another."""
        return _near(self.ratios, value, slack)


def founded_numbers(task: InsightTask, vocabulary: Vocabulary) -> FoundedNumbers:
    """Gather what a text about this result may say."""
    reading = read_task(task, vocabulary)
    numbers, percents, ratios = set(_counts(reading)), set[Decimal](), set[Decimal]()
    for position in reading.shape.measures:
        figures = [number for number in reading.shape.numbers(position) if number is not None]
        if not figures:
            continue
        numbers.update(figures)
        unit = reading.shape.columns[position].unit
        percents.update(figures if unit == "percent" else (f * _HUNDRED for f in figures if abs(f) <= 1))
        _compare(figures, numbers, percents, ratios)
        if _may_add(reading, position):
            _add_up(figures, numbers, percents)
    _compare_within_rows(reading, percents, ratios)
    percents.update(ratio * _HUNDRED for ratio in ratios)
    return FoundedNumbers(_ascending(numbers), _ascending(percents), _ascending(ratios), frozenset(_context(reading)))


def _near(ascending: tuple[Decimal, ...], value: Decimal, slack: Decimal) -> bool:
    at = bisect_left(ascending, value - slack)
    return at < len(ascending) and ascending[at] <= value + slack


def _ascending(numbers: Iterable[Decimal]) -> tuple[Decimal, ...]:
    return tuple(sorted({abs(number) for number in numbers}))


def _counts(reading: Reading) -> Iterator[Decimal]:
    shape = reading.shape
    rows = shape.result.row_count
    yield from (Decimal(max(rows - others, 0)) for others in range(_FEW_OTHERS + 1))
    yield from (Decimal(shape.distinct(position)) for position in (*shape.times, *shape.groups, *shape.names))
    for position in shape.measures:
        figures = [number for number in shape.numbers(position) if number is not None]
        if figures:
            yield Decimal(len(figures))
            yield Decimal(rows - len(figures))
            yield from (Decimal(figures.count(bound)) for bound in (max(figures), min(figures)))


def _compare(figures: list[Decimal], numbers: set[Decimal], percents: set[Decimal], ratios: set[Decimal]) -> None:
    for one, other in _pairs(figures):
        numbers.add(other - one)
        for base, changed in ((one, other), (other, one)):
            if base != 0:
                percents.add((changed - base) * _HUNDRED / base)
                ratios.add(changed / base)


def _pairs(figures: list[Decimal]) -> Iterator[tuple[Decimal, Decimal]]:
    """Compare all with all where they are few; else neighbours and the ends."""
    if len(figures) <= _ALL_PAIRS_ROWS:
        yield from combinations(figures, 2)
        return
    yield from pairwise(figures)
    ranked = sorted(figures)
    yield from combinations((figures[0], figures[-1], ranked[0], ranked[-1], ranked[-2]), 2)


def _may_add(reading: Reading, position: int) -> bool:
    """Sums need all rows; a sum of averages means nothing, a sum over single records does."""
    return reading.facts.whole and (position in reading.facts.additive or not reading.facts.grouped)


def _add_up(figures: list[Decimal], numbers: set[Decimal], percents: set[Decimal]) -> None:
    total = sum(figures, Decimal(0))
    ranked = sorted(figures, reverse=True)
    leading = [sum(ranked[:count], Decimal(0)) for count in range(1, min(_LEADING_GROUPS, len(ranked)) + 1)]
    numbers.update({total, total / len(figures), median(figures), *leading})
    if total > 0:
        percents.update(part * _HUNDRED / total for part in (*figures, *leading))


def _compare_within_rows(reading: Reading, percents: set[Decimal], ratios: set[Decimal]) -> None:
    if reading.shape.result.row_count > _ALL_PAIRS_ROWS:
        return
    columns = [reading.shape.numbers(position) for position in reading.shape.measures]
    for one, other in combinations(columns, 2):
        for a, b in zip(one, other, strict=True):
            if a and b:
                ratios.update({a / b, b / a})
                percents.add((b - a) * _HUNDRED / a)


def _context(reading: Reading) -> Iterator[Decimal]:
    task = reading.task
    labels = (column.label for column in task.columns)
    for text in (task.question, task.restatement, task.period, task.sql, *labels):
        yield from _numbers_in(text)
    measures = frozenset(reading.shape.measures)
    for row in task.result.rows:
        for position, cell in enumerate(row):
            if position not in measures:
                yield from _numbers_of_name(cell)


def _numbers_of_name(cell: Scalar) -> Iterator[Decimal]:
    if isinstance(cell, date):
        yield from (Decimal(cell.day), Decimal(cell.year), Decimal(cell.year % 100), Decimal((cell.year + 1) % 100))
        yield Decimal(cell.month)
    if isinstance(cell, (datetime, time)):
        yield from (Decimal(cell.hour), Decimal(cell.minute), Decimal(cell.second))
    if isinstance(cell, (str, int, float, Decimal)):
        yield from _numbers_in(str(cell))


def _numbers_in(text: str) -> Iterator[Decimal]:
    """Read the numbers in a text; of ".5" both readings, as one half and as the 5 after a stop."""
    found = (*_DIGITS.findall(text), *_FRACTION.findall(text))
    return (Decimal(number.replace(",", "")) for number in found)
