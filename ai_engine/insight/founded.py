"""Every number that a result gives or plainly yields.

Given are its cells. Derived from them, and nothing else, are:

- how many rows there are, how many besides the first three that are named, how many different names or points in time,
  how many rows have a figure, have one at a point in time, have none, share the highest or the lowest;
- of two cells of one column: the difference, the percentage change, how many times one is the other; of many rows only
  neighbours, the first and last, the highest two and the lowest; of a run of time only steps whose days are all
  covered, in the order of time;
- of two cells of one row: how many times one is the other, and by how many percent they differ; of a figure now and
  before, the difference too;
- of a column that may be added up and of which no row was left out: the total, the mean, the median, the sum of the
  largest up to five, and the share of each of these and of each cell in the total;
- a figure of at most one as a percentage.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import combinations, pairwise
from statistics import median

from ai_engine.insight.amounts import PERCENTAGES, is_currency
from ai_engine.insight.checking.figure import Reading as FigureReading
from ai_engine.insight.reading import Reading
from ai_engine.insight.shape import in_time

_ALL_PAIRS_ROWS = 12
_LEADING_GROUPS = 5
_FEW_OTHERS = 3
_HUNDRED = Decimal(100)


@dataclass(frozen=True, slots=True)
class FoundedNumbers:
    """Numbers without their sign, each list ascending; those below zero stand in a list of their own too."""

    numbers: tuple[Decimal, ...]
    percents: tuple[Decimal, ...]
    ratios: tuple[Decimal, ...]
    numbers_below_zero: tuple[Decimal, ...] = ()
    percents_below_zero: tuple[Decimal, ...] = ()

    @classmethod
    def of(cls, numbers: set[Decimal], percents: set[Decimal], ratios: set[Decimal]) -> FoundedNumbers:
        """Put signed numbers in order."""
        percents = percents | {ratio * _HUNDRED for ratio in ratios}
        below = (ascending(number for number in found if number < 0) for found in (numbers, percents))
        return cls(ascending(numbers), ascending(percents), ascending(ratios), *below)

    def is_below_zero(self, reading: FigureReading) -> bool:
        """Tell whether a number that is told with a minus is one that has it."""
        below = self.percents_below_zero if reading.kind == "percent" else self.numbers_below_zero
        return _near(below, reading.value, reading.slack)

    def has_number(self, value: Decimal, slack: Decimal) -> bool:
        """Tell whether a figure, count, sum or difference lies within `slack`."""
        return _near(self.numbers, value, slack)

    def has_percent(self, value: Decimal, slack: Decimal) -> bool:
        """Tell whether a percentage, share or percentage change lies within `slack`."""
        return _near(self.percents, value, slack)

    def has_ratio(self, value: Decimal, slack: Decimal) -> bool:
        """Tell whether one figure is about so many times another."""
        return _near(self.ratios, value, slack)


def founded_numbers(reading: Reading) -> FoundedNumbers:
    """Gather what a text about this result may say; a count of none is said of a result without rows alone."""
    return _founded(reading, {count for count in _counts(reading) if count or not reading.shape.result.row_count})


def founded_amounts(reading: Reading) -> FoundedNumbers:
    """Gather what a text may say with a currency: of columns of money, and of those whose unit nobody knows."""
    columns = reading.shape.columns
    of_money = (at for at in reading.shape.measures if columns[at].unit is None or is_currency(columns[at].unit))
    return _founded(replace(reading, shape=replace(reading.shape, measures=tuple(of_money))), set())


def _founded(reading: Reading, counted: set[Decimal]) -> FoundedNumbers:
    numbers, percents, ratios = counted, set[Decimal](), set[Decimal]()
    for position in reading.shape.measures:
        figures = [number for number in reading.shape.numbers(position) if number is not None]
        if not figures:
            continue
        numbers.update(figures)
        percent = PERCENTAGES.get(reading.shape.columns[position].unit or "")
        percents.update(f * (percent or _HUNDRED) for f in figures if percent or abs(f) <= 1)
        changes = compare(_comparable(reading, position), percents, ratios)
        numbers.update(changes - {Decimal(0)})  # that two are level is not that there are none
        percents.update(change * percent for change in changes if percent)
        if _may_add(reading, position):
            _add_up(figures, numbers, percents)
    _compare_within_rows(reading, numbers, percents, ratios)
    return FoundedNumbers.of(numbers, percents, ratios)


def _near(ordered: tuple[Decimal, ...], value: Decimal, slack: Decimal) -> bool:
    at = bisect_left(ordered, value - slack)
    return at < len(ordered) and ordered[at] <= value + slack


def ascending(numbers: Iterable[Decimal]) -> tuple[Decimal, ...]:
    """Order numbers without their sign, each once."""
    return tuple(sorted({abs(number) for number in numbers}))


def _counts(reading: Reading) -> Iterator[Decimal]:
    shape = reading.shape
    rows = shape.result.row_count
    yield from (Decimal(max(rows - others, 0)) for others in range(_FEW_OTHERS + 1))
    if reading.task.result.total_rows is not None:  # counted by the database where a list was cut off
        yield Decimal(reading.task.result.total_rows)
    kinds = [shape.distinct(position) for position in (*shape.times, *shape.groups, *shape.names)]
    yield from map(Decimal, kinds)
    if reading.task.scope.within:  # "and 3 more" besides the groups whose first one is named
        yield from (Decimal(max(count - others, 0)) for count in kinds for others in range(1, _FEW_OTHERS + 1))
    for position in shape.measures:
        figures = [number for number in shape.numbers(position) if number is not None]
        if figures:
            yield Decimal(len(figures))
            yield Decimal(rows - len(figures))
            yield from (Decimal(figures.count(bound)) for bound in (max(figures), min(figures)))
        dated = dated_figures(reading, position)
        yield from (Decimal(count) for count in Counter(place for place, _ in dated).values())
        whole = [number for _, number in dated]
        if whole:
            yield Decimal(len(whole))
            yield from (Decimal(whole.count(bound)) for bound in (max(whole), min(whole)))


def _comparable(reading: Reading, position: int) -> list[Decimal]:
    """The figures of whole steps, in the order of time where they have one."""
    return [number for _, number in dated_figures(reading, position)]


def dated_figures(reading: Reading, position: int) -> list[tuple[int, Decimal]]:
    """Return a measure's figures of whole steps, each with its place in time; 0 for all where there is no such place.

    One figure per point in time comes in the order of time, several in the order of the rows.
    """
    shape = reading.shape
    rows = [row for row, whole in enumerate(shape.whole_steps()) if whole and shape.numbers(position)[row] is not None]
    places = dict.fromkeys(rows, 0)
    if len(shape.times) == 1:
        cells = {row: shape.result.rows[row][shape.times[0]] for row in rows}
        order = {cell: rank for rank, cell in enumerate(in_time(list(dict.fromkeys(cells.values()))))}
        places = {row: order[cell] for row, cell in cells.items()}
    if len(set(places.values())) == len(rows):
        rows.sort(key=lambda row: places[row])
    return [(places[row], number) for row in rows if (number := shape.numbers(position)[row]) is not None]


def compare(figures: list[Decimal], percents: set[Decimal], ratios: set[Decimal]) -> set[Decimal]:
    """Compare cells of one column; returns their differences."""
    differences = set[Decimal]()
    for one, other in _pairs(figures):
        differences.add(other - one)
        for base, changed in ((one, other), (other, one)):
            if base != 0:
                percents.add((changed - base) * _HUNDRED / base)
                ratios.add(changed / base)
    return differences


def _pairs(figures: Sequence[Decimal]) -> Iterator[tuple[Decimal, Decimal]]:
    """Compare all with all where they are few; else neighbours and the ends."""
    yield from ((figures[one], figures[other]) for one, other in paired_places(figures))


def paired_places(figures: Sequence[Decimal]) -> Iterator[tuple[int, int]]:
    """Yield the places of figures to compare, the earlier place first."""
    if len(figures) <= _ALL_PAIRS_ROWS:
        yield from combinations(range(len(figures)), 2)
        return
    yield from pairwise(range(len(figures)))
    ranked = sorted(range(len(figures)), key=lambda place: figures[place])
    yield from combinations(sorted({0, len(figures) - 1, ranked[0], ranked[-1], ranked[-2]}), 2)


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


def _compare_within_rows(reading: Reading, numbers: set[Decimal], percents: set[Decimal], ratios: set[Decimal]) -> None:
    for before, now in before_and_now(reading):
        numbers.add(now - before)
        percents.add(now - before)
    for one, other in (*before_and_now(reading), *beside_each_other(reading)):
        if one and other:
            ratios.update({one / other, other / one})
            percents.update({(other - one) * _HUNDRED / one, (one - other) * _HUNDRED / other})


def before_and_now(reading: Reading) -> Iterator[tuple[Decimal, Decimal]]:
    """Yield the figures of each row for an earlier period and for the one asked about."""
    shape = reading.shape
    for now, before in pairwise(shape.measures):
        if shape.columns[before].compared == "earlier":
            yield from _both_present(shape.numbers(before), shape.numbers(now))


def beside_each_other(reading: Reading) -> Iterator[tuple[Decimal, Decimal]]:
    """Yield the other figures of each row two by two, where the rows are few."""
    shape = reading.shape
    if shape.result.row_count <= _ALL_PAIRS_ROWS:
        for one, other in combinations(shape.measures, 2):
            if shape.columns[other].compared is None:
                yield from _both_present(shape.numbers(one), shape.numbers(other))


def _both_present(one: Sequence[Decimal | None], other: Sequence[Decimal | None]) -> Iterator[tuple[Decimal, Decimal]]:
    return ((a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None)
