"""The price table of the settings: what a million tokens of each language model cost."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation

Prices = Mapping[str, tuple[Decimal, Decimal]]


def read_prices(text: str | None) -> Prices:
    """Read "gpt-4o-mini=0.15/0.60, strong=2.5/10": US dollars for requests and for replies.

    Raises:
        ValueError: says which entry is none.
    """
    return dict(_entry(entry.strip()) for entry in (text or "").split(",") if entry.strip())


def _entry(entry: str) -> tuple[str, tuple[Decimal, Decimal]]:
    name, _, prices = entry.rpartition("=")
    try:
        asked, replied = (Decimal(price.strip()) for price in prices.split("/"))
        if not name.strip() or not all(price.is_finite() and price >= 0 for price in (asked, replied)):
            raise ValueError
    except (ValueError, InvalidOperation):
        raise ValueError(f"{entry!r} is not MODEL=PRICE/PRICE, such as gpt-4o-mini=0.15/0.60") from None
    return name.strip(), (asked, replied)
