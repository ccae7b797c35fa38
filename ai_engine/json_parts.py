"""Bounds how many parts JSON from outside has, before anybody looks at one of them.

A megabyte of empty objects would be judged one by one, each with a fault of its own, for half a minute in which nobody
else is served.
"""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

_ANYTHING: TypeAdapter[Any] = TypeAdapter(Any)
_MOST_PARTS = 10_000
"""Of a model's reply, several times what the longest has; those that are null and lists and objects count too."""


class TooManyParts(ValueError):
    """It has more parts than anybody would read."""


def read_json(text: str | bytes, most: int = _MOST_PARTS) -> object:
    """Return what JSON says.

    Raises:
        TooManyParts: it is JSON, and has too many.
        ValueError: it is none.
    """
    said: object = _ANYTHING.validate_json(text)
    check_parts(said, most)
    return said


def check_parts(said: object, most: int = _MOST_PARTS) -> None:
    """Raise TooManyParts where something read has more than `most`."""
    left, waiting = most, [said]
    while waiting:
        part = waiting.pop()
        if not isinstance(part, (dict, list, tuple, set)):
            continue
        left -= len(part)
        if left < 0:
            raise TooManyParts(f"it has more than {most:,} parts; say it with fewer")
        waiting.extend(part.values() if isinstance(part, dict) else part)
