"""Every number that a result gives or plainly yields.

Given are its cells. Derived from them, and nothing else, are:

- where it is told as a number of rows: how many rows there are, how many besides the first three that are named, how
  many different names or points in time, how many rows have a figure, have one at a point in time, have none, share the
  highest or the lowest (`counts.py`);
- of two cells of one column: the difference, the percentage change where a word compares, how many times one is the
  other; of two rows that
  the text names beside the figure (`checking/named_rows.py`), of one of them and the row before or after it, the first,
  the last, the highest or the lowest, and, whatever it names, of the first and last, the last two, the highest two, the
  highest and the lowest; of a run of time only of steps whose days are all covered, in the order of time;
- of two cells of one row that is named so, that stands first or is one of two: how many times one is the other, and by
  how many percent they differ; of a figure now and before, the difference too;
- of a column that may be added up and of which no row was left out: the total, the mean, the median, the sum of the
  largest up to five, and in the total the share of a cell whose row is named so, and of the largest where they are
  told as such;
- a figure of at most one, of a column of shares or whose unit nobody knows, as a percentage; 1 in a column of
  whole numbers is one thing, and not all.

So few numbers are derived that a percentage which nobody worked out is hardly one of them, however many rows there are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from heapq import nlargest
from itertools import accumulate, combinations, pairwise
from statistics import median

from ai_engine.insight.amounts import PERCENTAGES, is_currency
from ai_engine.insight.checking.borne_out import FoundedNumbers, compare
from ai_engine.insight.reading import Reading
from ai_engine.insight.shape import in_time

_ALL_PAIRS_ROWS = 12
_LEADING_GROUPS = 5
_COMPARED_WITH_ENDS = 2
_FEW_ROWS = 2
_HUNDRED = Decimal(100)


@dataclass(frozen=True, slots=True)
class Beside:
    """What a text has beside one of its figures.

    Attributes:
        rows: of the result that it names there, the nearest first.
        tells_leaders: a word says that the largest are meant, or several together.
        tells_a_part: the figure is one "of" something.
        compares: a word says that one is more or less than another, or went up or down.
    """

    rows: tuple[int, ...] = ()
    tells_leaders: bool = False
    tells_a_part: bool = False
    compares: bool = False


@dataclass(frozen=True)
class Founded:
    """What a text may say about a result; what it may say of numbers of rows is in `checking/counted.py`."""

    reading: Reading
    measures: tuple[int, ...]
    _told: dict[Beside, FoundedNumbers] = field(default_factory=dict)

    def at(self, beside: Beside) -> FoundedNumbers:
        """Return what it may say with this beside it."""
        if beside not in self._told:
            self._told[beside] = replace(self.of_cells, beside=self.related(beside))
        return self._told[beside]

    @cached_property
    def of_cells(self) -> FoundedNumbers:
        """What the cells come to whatever a text names."""
        numbers, shares = set[Decimal](), set[Decimal]()
        for position in self.measures:
            figures = self._figures(position)
            numbers.update(figures)
            unit = self.reading.shape.columns[position].unit
            factor = PERCENTAGES.get(unit or "", _HUNDRED if unit is None else None)
            most = 1 if not self._is_whole(position) else 0
            shares.update(f * factor for f in figures if factor and (unit or abs(f) <= most))
            if position in self._sums:
                total, leading = self._sums[position]
                numbers.update({total, total / len(figures), median(figures), *leading})
        return FoundedNumbers.of(numbers, set(), set(), shares)

    def related(self, beside: Beside) -> FoundedNumbers:
        """Return what is founded by what stands beside it alone: what rows come to that are compared."""
        numbers, percents, ratios, shares = set[Decimal](), set[Decimal](), set[Decimal](), set[Decimal]()
        of_changes, of_pairs = set[Decimal](), set[Decimal]()
        for position in self.measures:
            changes = compare(self._points[position].pairs(beside.rows), of_changes, of_pairs)
            numbers.update(changes - {Decimal(0)})  # that two are level is not that there are none
            percent = PERCENTAGES.get(self.reading.shape.columns[position].unit or "")
            percents.update(change * percent for change in changes if percent)
            shares.update(self._shares(position, beside))
        _compare_within_rows(
            self.reading,
            frozenset({*beside.rows, *self._few, *range(min(self.reading.shape.result.row_count, 1))}),
            (numbers, percents, ratios),
        )
        if beside.compares:
            percents |= of_changes
        if beside.tells_a_part:  # of what is not named it is a part of all
            parts = ratios | of_pairs if beside.compares or len(beside.rows) > 1 else ratios
            percents.update(ratio * _HUNDRED for ratio in parts)
        return FoundedNumbers.of(numbers, percents, ratios | of_pairs, shares)

    def _shares(self, position: int, beside: Beside) -> Iterator[Decimal]:
        total, leading = self._sums.get(position, (Decimal(0), []))
        if total > 0 and len(leading) > 1:  # a lone figure is all of itself, whatever it is a figure of
            cells = self.reading.shape.numbers(position)
            parts = [cell for row in beside.rows or self._few if (cell := cells[row]) is not None]
            yield from (part * _HUNDRED / total for part in (*parts, *(leading if beside.tells_leaders else ())))

    @cached_property
    def _few(self) -> range:
        """The rows of two or one, which nobody has to name; a part of all is one of the row that is named."""
        rows = self.reading.shape.result.row_count
        return range(rows if rows <= _FEW_ROWS else 0)

    @cached_property
    def _sums(self) -> dict[int, tuple[Decimal, list[Decimal]]]:
        """The total, and the sums of the largest up to five, of each measure that may be added up."""
        found = {}
        for position in self.measures:
            figures = self._figures(position)
            if figures and _may_add(self.reading, position):
                found[position] = (sum(figures, Decimal(0)), [*accumulate(nlargest(_LEADING_GROUPS, figures))])
        return found

    def _is_whole(self, position: int) -> bool:
        """Tell whether a column counts, of which 1 is one thing and not all."""
        cells = (cell for cell in self.reading.shape.cells(position) if cell is not None)
        return all(isinstance(cell, int) or (isinstance(cell, Decimal) and "." not in str(cell)) for cell in cells)

    def _figures(self, position: int) -> list[Decimal]:
        return [number for number in self.reading.shape.numbers(position) if number is not None]

    @cached_property
    def _points(self) -> dict[int, Points]:
        return {position: Points.of(self.reading, position) for position in self.measures}


def founded_numbers(reading: Reading) -> Founded:
    """Gather what a text about this result may say."""
    return Founded(reading, reading.shape.measures)


def founded_amounts(reading: Reading) -> Founded:
    """Gather what a text may say with a currency: of columns of money, and of those whose unit nobody knows."""
    columns = reading.shape.columns
    of_money = (at for at in reading.shape.measures if columns[at].unit is None or is_currency(columns[at].unit))
    return Founded(reading, tuple(of_money))


def founded_counts(reading: Reading) -> Founded:
    """Gather what a text may say of how many there are: of columns that are no money."""
    columns = reading.shape.columns
    return Founded(reading, tuple(at for at in reading.shape.measures if not is_currency(columns[at].unit)))


@dataclass(frozen=True)
class Points:
    """The figures of one measure: each series (the cells of one group, in the order of time) and where rows stand."""

    series: tuple[tuple[Decimal, ...], ...]
    places: dict[int, tuple[int, int]]

    @cached_property
    def ends(self) -> list[tuple[int, int, int, int, int]]:
        """The places of the first, last, highest, second highest and lowest figure of each series."""
        found = []
        for figures in self.series:
            ranked = sorted(range(len(figures)), key=lambda place: figures[place])
            found.append((0, len(figures) - 1, ranked[-1], ranked[max(len(ranked) - 2, 0)], ranked[0]))
        return found

    @classmethod
    def of(cls, reading: Reading, position: int) -> Points:
        """Gather the figures of whole steps."""
        shape = reading.shape
        rows = [row for row, _ in sorted(places_in_time(reading, position).items(), key=lambda one: one[1])]
        named = shape.groups if len(shape.times) == 1 else ()
        by_group: defaultdict[tuple[object, ...], list[int]] = defaultdict(list)
        for row in rows:
            by_group[tuple(shape.result.rows[row][at] for at in named)].append(row)
        numbers = shape.numbers(position)
        series = [tuple(number for row in of if (number := numbers[row]) is not None) for of in by_group.values()]
        places = {row: (at, place) for at, of in enumerate(by_group.values()) for place, row in enumerate(of)}
        return cls(tuple(series), places)

    @classmethod
    def of_cells(cls, cells: Sequence[Decimal | None]) -> Points:
        """Take the cells of a column as one series."""
        rows = [row for row, cell in enumerate(cells) if cell is not None]
        return cls((tuple(cell for cell in cells if cell is not None),), {row: (0, at) for at, row in enumerate(rows)})

    def pairs(self, rows: Sequence[int]) -> Iterator[tuple[Decimal, Decimal]]:
        """Yield the figures to compare where a text names these rows, the nearest first."""
        named = [self.places[row] for row in rows if row in self.places]
        yield from ((self.series[s][p], self.series[t][q]) for (s, p), (t, q) in combinations(named, 2))
        for at, place in named[:_COMPARED_WITH_ENDS]:
            ends = {end for end in (place - 1, place + 1, *self.ends[at]) if 0 <= end < len(self.series[at])}
            yield from ((self.series[at][place], self.series[at][end]) for end in ends - {place})
        if len(self.series) == 1:
            first, last, highest, second, lowest = self.ends[0]
            for one, other in {(first, last), (last - 1, last), (second, highest), (lowest, highest)}:
                if one >= 0 and one != other:
                    yield self.series[0][one], self.series[0][other]


def dated_figures(reading: Reading, position: int) -> list[tuple[int, Decimal]]:
    """Return a measure's figures of whole steps, each with its place in time; 0 for all where there is no such place.

    One figure per point in time comes in the order of time, several in the order of the rows.
    """
    numbers = reading.shape.numbers(position)
    dated = places_in_time(reading, position).items()
    places = sorted(dated, key=lambda one: one[1]) if len(set(dict(dated).values())) == len(dated) else dated
    return [(place, number) for row, place in places if (number := numbers[row]) is not None]


def places_in_time(reading: Reading, position: int) -> dict[int, int]:
    """Return the place in time of each row of a whole step in which a measure has a figure; 0 where there is none."""
    shape = reading.shape
    rows = [row for row, whole in enumerate(shape.whole_steps()) if whole and shape.numbers(position)[row] is not None]
    if len(shape.times) != 1:
        return dict.fromkeys(rows, 0)
    cells = {row: shape.result.rows[row][shape.times[0]] for row in rows}
    order = {cell: rank for rank, cell in enumerate(in_time(list(dict.fromkeys(cells.values()))))}
    return {row: order[cell] for row, cell in cells.items()}


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


def _compare_within_rows(
    reading: Reading, rows: frozenset[int], found: tuple[set[Decimal], set[Decimal], set[Decimal]]
) -> None:
    numbers, percents, ratios = found
    for before, now in before_and_now(reading, rows):
        numbers.add(now - before)
        percents.add(now - before)
    for one, other in (*before_and_now(reading, rows), *beside_each_other(reading, rows)):
        if one and other:
            ratios.update({one / other, other / one})
            percents.update({(other - one) * _HUNDRED / one, (one - other) * _HUNDRED / other})


def before_and_now(reading: Reading, rows: frozenset[int] | None = None) -> Iterator[tuple[Decimal, Decimal]]:
    """Yield the figures of each row, or of some, for an earlier period and for the one asked about."""
    shape = reading.shape
    for now, before in pairwise(shape.measures):
        if shape.columns[before].compared == "earlier":
            yield from _both_present(shape.numbers(before), shape.numbers(now), rows)


def beside_each_other(reading: Reading, rows: frozenset[int] | None = None) -> Iterator[tuple[Decimal, Decimal]]:
    """Yield the other figures of each row two by two, where the rows are few, or of some."""
    shape = reading.shape
    if rows is not None or shape.result.row_count <= _ALL_PAIRS_ROWS:
        for one, other in combinations(shape.measures, 2):
            if shape.columns[other].compared is None:
                yield from _both_present(shape.numbers(one), shape.numbers(other), rows)


def _both_present(
    one: Sequence[Decimal | None], other: Sequence[Decimal | None], rows: frozenset[int] | None
) -> Iterator[tuple[Decimal, Decimal]]:
    places = range(len(one)) if rows is None else sorted(rows)
    return ((a, b) for at in places if (a := one[at]) is not None and (b := other[at]) is not None)
