"""One number of a text, as it may be read."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["plain", "percent", "ratio", "fraction", "rank"]

SCALES: dict[str, Decimal] = {
    name: Decimal(10) ** power
    for power, names in {
        2: "hundred",
        3: "thousand k mille",
        5: "lakh lac l",
        6: "million mn mio m",
        7: "crore cr",
        9: "billion milliard bn arab b",
        11: "kharab",
        12: "trillion tn",
        15: "quadrillion",
        18: "quintillion",
        21: "sextillion",
        24: "septillion",
        27: "octillion",
        30: "nonillion",
        33: "decillion",
        100: "googol",
    }.items()
    for name in names.split()
} | {"dozen": Decimal(12)}
LARGEST_ROUNDING = Decimal("0.05")


@dataclass(frozen=True, slots=True)
class Reading:
    """One number that the text may mean: any number of this kind within `slack` of `value`."""

    value: Decimal
    slack: Decimal
    kind: Kind = "plain"


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of a text.

    Attributes:
        text: as written.
        start, end: where it stands, its scale and unit of percent included.
        readings: alternatives; each holds the numbers that must all be founded. None where it cannot be read.
        below_zero: it is told with a minus.
    """

    text: str
    start: int
    end: int
    readings: tuple[tuple[Reading, ...], ...] = ()
    below_zero: bool = False


def scale_of(word: str) -> Decimal | None:
    """Return what a scale word multiplies by: "crores" → 10,000,000."""
    word = word.lower()
    return SCALES.get(word) or SCALES.get(word.removesuffix("s"))
