"""How a refusal reads: what is wrong, the offending piece, the nearest known names."""

from __future__ import annotations

from collections.abc import Iterable, Set

from rapidfuzz import fuzz, process
from sqlglot import exp
from sqlglot.errors import ErrorLevel

from ai_engine.errors import SqlRejected

_LONGEST_PART_CHARS = 80
_MIN_LIKENESS = 55.0
_LONGEST_NAME_CHARS = 64


def refuse(
    reason: str, part: str = "", nearest: tuple[str, ...] = (), *, place: tuple[int, int] | None = None
) -> SqlRejected:
    """Build the error to raise; the nearest names are appended to the reason."""
    if nearest:
        reason = f"{reason}; nearest: {', '.join(nearest)}"
    return SqlRejected(reason, part=shortened(part), nearest=nearest, place=place)


def unknown(kind: str, name: str, known: Iterable[str], problem: str = "does not exist") -> SqlRejected:
    """Refuse a name that is not known, offering those that are."""
    return refuse(f"{kind} {shortened(name)} {problem}", name, nearest_names(name, known))


def nearest_names(name: str, known: Iterable[str], limit: int = 3) -> tuple[str, ...]:
    """The known names closest to an unknown one, best first; empty when nothing is similar.

    Of equally close ones those that stand first, and of a set, which each process keeps in its own order, by letters.
    """
    found = process.extract(
        name[:_LONGEST_NAME_CHARS],
        sorted(known) if isinstance(known, Set) else list(dict.fromkeys(known)),
        scorer=fuzz.WRatio,
        processor=str.lower,
        limit=limit,
        score_cutoff=_MIN_LIKENESS,
    )
    return tuple(match[0] for match in found)


def shortened(text: str) -> str:
    """One line, short enough to be read in a message."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_PART_CHARS else f"{line[: _LONGEST_PART_CHARS - 1]}…"


def written(node: exp.Expr) -> str:
    """The SQL of a part of a statement, for a message; its kind where only one dialect can write it."""
    try:
        return shortened(node.sql(comments=False, unsupported_level=ErrorLevel.IGNORE))
    except ValueError:
        return node.key.upper()
