"""The axis of figures: round steps, counted as its reader counts: in lakh and crore, in million, in thousands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from ai_engine.formats import PLAIN, Formats
from ai_engine.insight.amounts import PERCENTAGES, format_amount, format_number, is_currency, round_half_up

_THOUSAND = Decimal(1_000)
_FEWEST_IN_THOUSANDS = 10_000
_NO_MORE_THAN_ONE_PLACE = 100
_ROUND_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_LEAST_SPAN = 1e-300  # below it a float has no steps left to divide
_FLAT_SHARE = 0.25
"""A line whose figures differ by less than this share of the largest would look flat on an axis from zero."""


@dataclass(frozen=True, slots=True)
class FigureScale:
    """Ticks of one axis of figures.

    Attributes:
        positions: where the ticks stand, ascending, in the figures' own unit; the first and last bound the axis.
        texts: what they say, counted in `counted_in`.
        counted_in: what the title adds, such as "Rs. crore" or "days"; empty for plain counts.
        divisor: what the texts are counted in, as a number.
        sign: what stands behind every figure, such as "%".
        formats: say how digits are grouped.
        places: decimals of a figure that is written beside its bar, the same for all.
    """

    positions: tuple[float, ...]
    texts: tuple[str, ...]
    counted_in: str
    divisor: Decimal = Decimal(1)
    sign: str = ""
    formats: Formats = PLAIN
    places: int = 0

    def short(self, figure: float | None) -> str:
        """Write a figure counted as the ticks are, all to the same number of places."""
        if figure is None:
            return ""
        counted = _clean(figure) / self.divisor
        rounded = round_half_up(counted, self.places)
        if not rounded:
            return f"{format_number(counted, self.formats)}{self.sign}"
        whole, point, fraction = f"{abs(rounded):f}".partition(".")
        return f"{'-' * (rounded < 0)}{format_number(Decimal(whole), self.formats)}{point}{fraction}{self.sign}"


def read_scale(
    figures: Sequence[float], unit: str | None, formats: Formats, *, from_zero: bool = True, intervals: int = 4
) -> FigureScale:
    """Choose the ticks for some figures.

    Args:
        figures: all that are drawn on the axis, at least one.
        unit: as in `OutputColumn.unit`.
        formats: say whether counts go in lakh, in million or in thousands.
        from_zero: bars and areas are read by their length and must start at zero; a line may start higher.
        intervals: fewest steps.
    """
    low, high = min(figures), max(figures)
    if from_zero or high - low > _FLAT_SHARE * max(abs(low), abs(high)):
        low, high = min(low, 0.0), max(high, 0.0)
    positions = _round_positions(low, high, intervals)
    formats = replace(formats, currency=unit) if is_currency(unit) else formats
    divisor, count_word = _counting_step(max(map(abs, figures)), unit, formats)
    sign = "%" if unit in PERCENTAGES else ""
    texts = tuple(f"{format_number(_clean(position) / divisor, formats)}{sign}" for position in positions)
    return FigureScale(
        positions, texts, _counted_in(unit, count_word), divisor, sign, formats, _places(figures, divisor)
    )


def _places(figures: Sequence[float], divisor: Decimal) -> int:
    """Whole figures stay whole; others get two decimals, fewer where they are large."""
    counted = [_clean(figure) / divisor for figure in figures]
    if all(number == number.to_integral_value() for number in counted):
        return 0
    return 2 if max(map(abs, counted)) < _NO_MORE_THAN_ONE_PLACE else 1


def _round_positions(low: float, high: float, intervals: int) -> tuple[float, ...]:
    span = high - low or abs(high)
    span = span if span > _LEAST_SPAN else 1.0
    step = _round_step(span / intervals)
    first, last = math.floor(low / step), math.ceil(high / step)
    return tuple(index * step for index in range(first, max(last, first + 1) + 1))


def _round_step(rough: float) -> float:
    magnitude = 10.0 ** math.floor(math.log10(rough))
    return float(max(step for step in _ROUND_STEPS if step * magnitude <= rough * (1 + 1e-9))) * magnitude


def _clean(position: float) -> Decimal:
    return Decimal(f"{position:.12g}")


def _counting_step(largest: float, unit: str | None, formats: Formats) -> tuple[Decimal, str]:
    if unit in PERCENTAGES:
        return 1 / PERCENTAGES[unit], ""
    if unit not in {None, "count"} and not is_currency(unit):
        return Decimal(1), ""
    for divisor, word in formats.scales():
        if Decimal(largest) >= divisor:
            return divisor, word
    in_thousands = formats.grouping_of() != "lakh" and largest >= _FEWEST_IN_THOUSANDS
    return (_THOUSAND, "thousand") if in_thousands else (Decimal(1), "")


def _counted_in(unit: str | None, count_word: str) -> str:
    if unit is not None and is_currency(unit):
        sign = format_amount(Decimal(1), unit).partition("1")[0].strip()
        return f"{sign} {count_word}".strip()
    if unit is None or unit == "count" or unit in PERCENTAGES:
        return count_word
    return unit
