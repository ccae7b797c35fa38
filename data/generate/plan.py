"""What one build is made from: the as-of date, the size, and reproducible randomness."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from zlib import crc32

import numpy as np

SEED = 20_240_401
YEARS_OF_TRANSACTIONS = 3


@dataclass(frozen=True)
class Plan:
    """Fixed for a build; equal plans give equal rows.

    Attributes:
        scale: 1 means 12,000 customers; the branches stay the same.
    """

    as_of: date
    scale: float

    @property
    def today(self) -> np.datetime64:
        """The as-of date, datetime64[D]."""
        return np.datetime64(self.as_of, "D")

    @property
    def window_start(self) -> np.datetime64:
        """First day that has transactions: the day after the as-of date three years earlier."""
        day = min(self.as_of.day, 28) if self.as_of.month == 2 else self.as_of.day
        return np.datetime64(self.as_of.replace(year=self.as_of.year - YEARS_OF_TRANSACTIONS, day=day), "D") + 1

    @property
    def customer_count(self) -> int:
        """Number of customers."""
        return max(60, round(12_000 * self.scale))

    def random(self, subject: str, block: int = 0) -> np.random.Generator:
        """Return the stream of one subject and block, independent of every other."""
        return np.random.default_rng([SEED, crc32(subject.encode()), block])
