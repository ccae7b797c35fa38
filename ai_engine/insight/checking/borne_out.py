"""Numbers that bear out what a text says, of whatever result."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from ai_engine.insight.checking.figure import Reading

_HUNDRED = Decimal(100)


@dataclass(frozen=True, slots=True)
class FoundedNumbers:
    """Numbers without their sign, each list ascending; those below zero stand in a list of their own too.

    `beside` holds further ones, which are founded by what stands beside one figure.
    """

    numbers: tuple[Decimal, ...]
    percents: tuple[Decimal, ...]
    ratios: tuple[Decimal, ...]
    numbers_below_zero: tuple[Decimal, ...] = ()
    percents_below_zero: tuple[Decimal, ...] = ()
    shares: tuple[Decimal, ...] = ()
    beside: FoundedNumbers | None = None

    @classmethod
    def of(
        cls, numbers: set[Decimal], percents: set[Decimal], ratios: set[Decimal], shares: Iterable[Decimal] = ()
    ) -> FoundedNumbers:
        """Put signed numbers in order; shares are percentages too."""
        shares = tuple(shares)
        percents = percents.union(shares)
        numbers_below, percents_below = (ascending(one for one in found if one < 0) for found in (numbers, percents))
        return cls(
            ascending(numbers), ascending(percents), ascending(ratios), numbers_below, percents_below, ascending(shares)
        )

    def is_below_zero(self, reading: Reading) -> bool:
        """Tell whether a number that is told with a minus is one that has it."""
        below = self.percents_below_zero if reading.kind == "percent" else self.numbers_below_zero
        is_one = near(below, reading.value, reading.slack)
        return is_one or (self.beside is not None and self.beside.is_below_zero(reading))

    @property
    def hold_less_than_zero(self) -> bool:
        """Whether any number is below zero."""
        is_one = bool(self.numbers_below_zero or self.percents_below_zero)
        return is_one or (self.beside is not None and self.beside.hold_less_than_zero)

    def has_number(self, value: Decimal, slack: Decimal) -> bool:
        """Tell whether a figure, count, sum or difference lies within `slack`."""
        is_one = near(self.numbers, value, slack)
        return is_one or (self.beside is not None and self.beside.has_number(value, slack))

    def has_percent(self, value: Decimal, slack: Decimal) -> bool:
        """Tell whether a percentage, share or percentage change lies within `slack`."""
        is_one = near(self.percents, value, slack)
        return is_one or (self.beside is not None and self.beside.has_percent(value, slack))

    def has_share(self, value: Decimal, slack: Decimal) -> bool:
        """Tell whether a share in the whole, or a cell that may be one, lies within `slack`."""
        is_one = near(self.shares, value, slack)
        return is_one or (self.beside is not None and self.beside.has_share(value, slack))

    def has_ratio(self, value: Decimal, slack: Decimal) -> bool:
        """Tell whether one figure is about so many times another."""
        is_one = near(self.ratios, value, slack)
        return is_one or (self.beside is not None and self.beside.has_ratio(value, slack))


def near(ordered: Sequence[Decimal], value: Decimal, slack: Decimal) -> bool:
    """Tell whether one of several numbers, in ascending order, lies within `slack` of a value."""
    at = bisect_left(ordered, value - slack)
    return at < len(ordered) and ordered[at] <= value + slack


def ascending(numbers: Iterable[Decimal]) -> tuple[Decimal, ...]:
    """Order numbers without their sign, each once."""
    return tuple(sorted({abs(number) for number in numbers}))


def compare(pairs: Iterable[tuple[Decimal, Decimal]], percents: set[Decimal], ratios: set[Decimal]) -> set[Decimal]:
    """Compare cells of one column two by two; returns their differences."""
    differences = set[Decimal]()
    for one, other in pairs:
        differences.add(other - one)
        for base, changed in ((one, other), (other, one)):
            if base != 0:
                percents.add((changed - base) * _HUNDRED / base)
                ratios.add(changed / base)
    return differences
