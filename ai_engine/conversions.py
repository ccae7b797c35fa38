"""Numbers that convert units and say nothing of a bank; who judges a model's programs and statements lets them pass."""

from __future__ import annotations

from decimal import Decimal

SMALL_CONVERSIONS = frozenset(map(Decimal, (0, 1, 2, 3, 4, 7, 10, 12, 30, 52, 60, 100, 360, 365, 366)))
"""Of calendar and clock, halves and quarters, tens and percent."""
LARGE_CONVERSIONS = frozenset(map(Decimal, (1_000, 100_000, 10_000_000)))
"""Thousand, lakh and crore."""
CURRENCIES = {"rs": "INR", "inr": "INR", "₹": "INR", "rupees": "INR", "rupee": "INR", "$": "USD", "usd": "USD",
              "dollars": "USD", "dollar": "USD",
              "€": "EUR", "eur": "EUR", "euros": "EUR", "euro": "EUR", "£": "GBP", "gbp": "GBP"}  # fmt: skip
"""How amounts are marked → the currency."""
