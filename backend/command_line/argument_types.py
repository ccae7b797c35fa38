"""What stands behind flags: argparse says the sentence of each error."""

from __future__ import annotations

import argparse
from datetime import date


def a_date(text: str) -> date:
    """Read a day."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a date like 2026-09-30") from None


def a_names(text: str) -> tuple[str, ...]:
    """Read names between commas."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def a_pair(text: str) -> tuple[str, str]:
    """Read a name and its value."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    return key.strip(), value


def a_count(text: str) -> int:
    """Read a whole number above 0."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)


def a_seconds(text: str) -> float:
    """Read a number of seconds above 0."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return seconds
