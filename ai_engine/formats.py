"""How figures and days are written for whoever reads them: one value, given where text is written."""

from __future__ import annotations

import calendar
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal, TypeAlias

Grouping: TypeAlias = Literal["lakh", "million", "thousands"]
DateFormat: TypeAlias = Literal["iso", "short", "slashes"]
Scales: TypeAlias = tuple[tuple[Decimal, str], ...]

_INDIAN_CURRENCIES = frozenset({"INR", "NPR", "PKR", "BDT"})
_SCALES: dict[Grouping, Scales] = {
    "lakh": ((Decimal(10_000_000), "crore"), (Decimal(100_000), "lakh")),
    "million": ((Decimal(1_000_000_000), "billion"), (Decimal(1_000_000), "million")),
    "thousands": (),
}


@dataclass(frozen=True, slots=True)
class Formats:
    """How one reader wants figures and days; without a choice, as the bank's currency has it.

    Attributes:
        currency: the bank's own, whose country groups digits and counts in lakh and crore, or in million and billion.
        grouping: 1,75,206 with lakh and crore; 175,206 with million and billion; or 175,206 in full digits.
        dates: 2026-11-23, 23 Nov 2026 or 23/11/2026; None writes 23 November 2026.
    """

    currency: str | None = None
    grouping: Grouping | None = None
    dates: DateFormat | None = None

    @property
    def are_own(self) -> bool:
        """Whether somebody has chosen anything."""
        return self.grouping is not None or self.dates is not None

    def grouping_of(self, currency: str | None = None) -> Grouping:
        """Return how figures are written, those of a currency where one is named."""
        return self.grouping or ("lakh" if (currency or self.currency) in _INDIAN_CURRENCIES else "million")

    def scales(self, currency: str | None = None) -> Scales:
        """Return what large figures are counted in within a sentence, the largest first."""
        return _SCALES[self.grouping_of(currency)]

    def day(self, day: date) -> str:
        """Write a day."""
        if self.dates == "iso":
            return f"{day.year:04}-{day.month:02}-{day.day:02}"
        if self.dates == "slashes":
            return f"{day.day:02}/{day.month:02}/{day.year:04}"
        month = calendar.month_abbr[day.month] if self.dates == "short" else calendar.month_name[day.month]
        return f"{day.day} {month} {day.year}"


PLAIN = Formats()
"""Of nobody's bank: thousands, and days in words."""
