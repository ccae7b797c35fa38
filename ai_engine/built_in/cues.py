"""The closed class: the cue words of `cues.yaml`, by phrase."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from ai_engine.built_in.meanings import Cue, Step

_FILE = Path(__file__).with_name("cues.yaml")


@dataclass(frozen=True)
class CueTable:
    """Every cue phrase.

    Attributes:
        by_phrase: lower-case words → what they can mean.
        words: every word of every phrase, but for phrases of several words that say nothing: the "interest" of
            "out of interest" is elsewhere a noun like any other.
        longest: words of the longest phrase.
    """

    by_phrase: Mapping[tuple[str, ...], tuple[Cue | Step, ...]]
    words: frozenset[str]
    longest: int


@cache
def cue_table() -> CueTable:
    """Read the table on first use."""
    found: dict[tuple[str, ...], list[Cue | Step]] = {}
    for entry in yaml.safe_load(_FILE.read_text(encoding="utf-8")):
        cue = _cue(entry["kind"], entry.get("value"))
        for phrase in entry["phrases"].split("|"):
            same = found.setdefault(tuple(phrase.split()), [])
            if cue not in same:
                same.append(cue)
    return CueTable(
        by_phrase={phrase: tuple(cues) for phrase, cues in found.items()},
        words=frozenset(word for phrase, cues in found.items() if not _is_idle(phrase, cues) for word in phrase),
        longest=max(map(len, found)),
    )


def _is_idle(phrase: tuple[str, ...], cues: list[Cue | Step]) -> bool:
    return len(phrase) > 1 and cues == [Cue("filler")]


def kinds_of_cue(word: str) -> frozenset[str]:
    """Return the kinds of cue that a word alone can be."""
    return frozenset(cue.kind for cue in cue_table().by_phrase.get((word,), ()) if isinstance(cue, Cue))


def _cue(kind: str, value: str | bool | None) -> Cue | Step:
    if kind in {"step", "adverb"}:
        return Step(value, adverb=kind == "adverb")  # type: ignore[arg-type]
    return Cue(kind, value)  # type: ignore[arg-type]
