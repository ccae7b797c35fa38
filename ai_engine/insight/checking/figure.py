"""One number of a text, as it may be read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["plain", "percent", "ratio", "fraction", "rank", "part"]

SCALES: dict[str, Decimal] = {
    name: Decimal(10) ** power
    for power, names in {
        2: "hundred",
        3: "thousand k mille hazar hazaar",
        5: "lakh lac l",
        6: "million mn mio m",
        7: "crore cr karod karor",
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


def repeats_a_word(figure: Figure, within: str, texts: Iterable[str]) -> bool:
    """Tell whether a word that holds what may be a number, and cannot be read, stands in one of several texts.

    Such are the numbers of accounts and branches ("HDFC0001234").

    Args:
        figure: of `within`.
    """
    start, end = figure.start, figure.end
    while start and (within[start - 1].isalnum() or within[start - 1] == "_"):
        start -= 1
    while end < len(within) and (within[end].isalnum() or within[end] == "_"):
        end += 1
    whole = within[start:end]
    if figure.readings or not any(map(str.isalpha, whole)):
        return False
    word = re.compile(rf"(?<!\w){re.escape(whole)}(?!\w)", re.IGNORECASE)
    return any(word.search(text) for text in texts)


def scale_of(word: str) -> Decimal | None:
    """Return what a scale word multiplies by: "crores" → 10,000,000."""
    word = word.lower()
    return SCALES.get(word) or SCALES.get(word.removesuffix("s"))
