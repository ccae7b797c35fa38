"""Says how much a statement reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ai_engine.types import ScanEstimate

_COUNTS = ((10**12, "trillion"), (10**9, "billion"), (10**6, "million"))
_SIZES = ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB"))
_GROUPED_FROM = 100


def said_scan(expected: ScanEstimate) -> str:
    """Say an estimate: "about 1.2 million rows (18 MB)"; empty where nothing is told of rows or bytes."""
    size = said_size(expected.bytes) if expected.bytes is not None else ""
    if expected.rows is None:
        return f"about {size}" if size else ""
    rows = f"about {said_count(expected.rows)} row{'s' * (expected.rows != 1)}"
    return f"{rows} ({size})" if size else rows


def said_read(expected: ScanEstimate) -> str:
    """Say in a sentence what an answer was expected to take; empty where nothing is told."""
    if expected.rows == 0:
        return "Reads no rows, by the engine's estimate."
    said = said_scan(expected)
    return f"Reads {said} by the engine's estimate." if said else ""


def said_count(number: int) -> str:
    """Write a number of rows with as many digits as an estimate deserves."""
    for size, word in _COUNTS:
        if number >= size:
            return f"{_short(number / size)} {word}"
    return f"{float(f'{number:.2g}'):,.0f}" if number >= _GROUPED_FROM else f"{number}"


def said_size(number_bytes: float) -> str:
    """Write bytes in the unit that leaves up to three digits."""
    for size, unit in _SIZES:
        if number_bytes >= size:
            return f"{_short(number_bytes / size)} {unit}"
    return f"{number_bytes:.0f} bytes"


def _short(number: float) -> str:
    return f"{number:,.0f}" if number >= 10 else f"{number:.1f}".removesuffix(".0")
