"""Text of other programs, made harmless to read: no control characters, nothing that turns the direction of writing."""

from __future__ import annotations

import re
from typing import Any

from ai_engine.seen_text import seen

_MAX_DEPTH = 24
_JOINERS = re.compile("[\u200c\u200d\ufe00-\ufe0f]")
_BLANKS = re.compile(r"\s+")


def clean_text(text: str, max_chars: int | None = None) -> str:
    """Drop what a reader cannot see and what changes how the rest is read; cut with "…" what is too long."""
    readable = _JOINERS.sub("", seen(text.replace("\r\n", "\n").replace("\r", "\n")))
    if max_chars is not None and len(readable) > max_chars:
        return f"{readable[: max_chars - 1]}…"
    return readable


def clean_line(text: str, max_chars: int) -> str:
    """The same on one line."""
    return clean_text(_BLANKS.sub(" ", text).strip(), max_chars)


def clean_json(value: Any, max_chars: int | None = None, depth: int = 0) -> Any:
    """Clean every text of a JSON value, keys too; what is nested too deeply is left out."""
    if isinstance(value, str):
        return clean_text(value, max_chars)
    if depth >= _MAX_DEPTH:
        return None
    if isinstance(value, dict):
        return {clean_text(str(key), max_chars): clean_json(part, max_chars, depth + 1) for key, part in value.items()}
    if isinstance(value, list):
        return [clean_json(part, max_chars, depth + 1) for part in value]
    return value
