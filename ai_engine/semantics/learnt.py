"""Where an inferred vocabulary has words of a field from that are values of another table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Learnt:
    """What a list of codes has told of a field: the words for its values, perhaps its name.

    Attributes:
        source: the list, as `Table.source` writes it.
        columns: those of the list that were read.
        label: what the field is called because of it; empty where it was not named by it.
        instead_of: what it was called before.
        words: stored value → the words for it that are there because of the list; others a person has given.
    """

    source: str
    columns: tuple[str, ...]
    label: str = ""
    instead_of: str = ""
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
