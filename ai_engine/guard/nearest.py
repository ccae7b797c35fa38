"""The known names closest to an unknown one."""

from __future__ import annotations

from collections.abc import Iterable

from rapidfuzz import fuzz, process

_MIN_LIKENESS = 55.0
_LONGEST_NAME_CHARS = 64


def nearest_names(name: str, known: Iterable[str], limit: int = 3) -> tuple[str, ...]:
    """Best first; empty when nothing is similar."""
    found = process.extract(
        name[:_LONGEST_NAME_CHARS],
        list(dict.fromkeys(known)),
        scorer=fuzz.WRatio,
        processor=str.lower,
        limit=limit,
        score_cutoff=_MIN_LIKENESS,
    )
    return tuple(match[0] for match in found)
