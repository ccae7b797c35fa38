"""Small pieces of English that every summary is put together from."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ai_engine.semantics.wording import ordinal

_ALREADY_PLURAL = re.compile(r"(?<![sui])s$")
_TAKES_ES = re.compile(r"(s|x|z|ch|sh)$")
_CONSONANT_Y = re.compile(r"[^aeiou]y$")
_NAME = re.compile(r"(?<=\w)[ _]name$", re.IGNORECASE)
_KINDS_OF_NAMES = frozenset(
    "full first last middle given family maiden legal trading short long display common preferred".split()
)
_LONGEST_CELL_CHARS = 80
HEADLINE_CHARS = 130
"""What fits three lines of a screen 390 pixels wide."""


def inside(label: str) -> str:
    """Return a label as it reads inside a sentence: "Total balance" → "total balance", "NPA ratio" stays."""
    return label[:1].lower() + label[1:] if label[1:2].islower() or len(label) == 1 else label


def superlative(rank: str, label: str, place: int = 1) -> str:
    """Return a figure with its rank: "highest balance", "second highest balance"; never "highest highest"."""
    if place > 1:
        return f"{ordinal(place)} {rank} {label.removeprefix(f'{rank} ')}"
    return label if label.startswith(f"{rank} ") else f"{rank} {label}"


def opening(label: str) -> str:
    """Return a label as it reads at the start of a sentence; what is written in capitals on purpose stays."""
    return label[:1].upper() + label[1:]


def thing(label: str) -> str:
    """Return what the values of a label stand for: "Branch name" → "branch"; a full name is a kind of name."""
    label = inside(label)
    kind = _NAME.sub("", label)
    return label if re.split(r"[ _]", kind.lower())[-1] in _KINDS_OF_NAMES else kind


def plural(noun: str) -> str:
    """Return the plural of a label: "branch" → "branches", "branch name" → "branches"."""
    stem = thing(noun)
    if _ALREADY_PLURAL.search(stem):
        return stem
    if _CONSONANT_Y.search(stem):
        return f"{stem[:-1]}ies"
    return f"{stem}es" if _TAKES_ES.search(stem) else f"{stem}s"


def is_plural(label: str) -> bool:
    """Tell whether a label takes "are": "Active customers" does, "Number of customers" does not."""
    head = re.split(r" (?:of|in|by|per|with|for) ", label, maxsplit=1)[0]
    return bool(_ALREADY_PLURAL.search(head))


def enumerate_words(words: Sequence[str]) -> str:
    """Join as people do: "a", "a and b", "a, b and c"."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def shorten(text: str) -> str:
    """Return a cell on one line, cut where it is too long for a sentence."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_CELL_CHARS else f"{line[: _LONGEST_CELL_CHARS - 1].rstrip()}…"
