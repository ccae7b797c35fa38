"""What each construction, and each reason against one, costs: fitted from the cases, read from `prices.txt`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PRICES_FILE = Path(__file__).with_name("prices.txt")
NOT_YET_FITTED = 0.1


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices by name; none is negative."""

    by_name: Mapping[str, float]

    def of(self, name: str) -> float:
        """The price of a construction or a reason; a new one has a middling price until the next fit."""
        return self.by_name.get(name, NOT_YET_FITTED)


@cache
def fitted_prices() -> Prices:
    """Those of the file, read once."""
    return Prices(parsed(PRICES_FILE.read_text(encoding="utf-8")))


def parsed(text: str) -> dict[str, float]:
    """Lines of a price and a name; `#` begins a remark."""
    rows = (line.split(maxsplit=1) for line in text.splitlines() if line and not line.startswith("#"))
    return {name: float(price) for price, name in rows}


def written(by_name: Mapping[str, float], remark: str) -> str:
    """The text of the file, in order of name."""
    lines = (f"{by_name[name]:.3f}  {name}" for name in sorted(by_name))
    return "\n".join((*(f"# {line}" for line in remark.splitlines()), *lines, ""))
