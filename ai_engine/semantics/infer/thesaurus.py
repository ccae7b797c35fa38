"""What people call things and columns otherwise, of `thesaurus.yaml`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Literal

import yaml

_FILE = Path(__file__).with_name("thesaurus.yaml")


def other_words(kind: Literal["things", "fields"], phrase: str) -> Iterator[str]:
    """What may be said for a phrase in small letters."""
    for group in _groups()[kind].get(phrase, ()):
        yield from (said for said in group if said != phrase)


@cache
def _groups() -> Mapping[str, Mapping[str, tuple[tuple[str, ...], ...]]]:
    """The lines of each part by the phrases that they say other words for."""
    found: dict[str, dict[str, tuple[tuple[str, ...], ...]]] = {}
    for kind, lines in yaml.safe_load(_FILE.read_text(encoding="utf-8")).items():
        by_phrase: dict[str, list[tuple[str, ...]]] = defaultdict(list)
        for line in lines:
            for phrase in line:
                by_phrase[phrase].append(tuple(line))
        found[kind] = {phrase: tuple(groups) for phrase, groups in by_phrase.items()}
    return found
