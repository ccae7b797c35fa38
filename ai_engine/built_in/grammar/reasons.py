"""Reasons against a phrase: each has its price."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Reason: TypeAlias = Literal[
    "a step away",
    "through rows not named",
    "past nearer words",
    "after a comparison with a figure",
    "of its own kind",
    "belongs to many",
    "from above",
    "a party that was not named",
    "a place of staff",
    "of what it belongs to",
    "has its one",
    "has related",
    "dated by default",
    "seen by another way",
    "denied as a whole",
    "narrows nothing",
    "columns before their rows",
    "columns behind what they have",
    "no figure was named",
    "a bare amount inside a membership",
    "a bare amount of a figure",
    "days of other rows",
    "a condition of a group",
    "a narrowed group",
    "names instead of rows",
    "a long number as a key",
    "a group of other columns",
    "a group above a thing",
    "a step to the group",
    "a group of what is counted",
    "a number that is kept",
    "counted in several groups",
    "another dataset before the noun",
    "the same noun twice",
    "a value alone is counted",
    "a value alone is listed",
    "rows that have amounts are counted",
    "amounts of a value alone",
    "groups of other rows",
    "values of one field turned",
    "figures of different rows",
    "said of the last figure only",
    "two amounts of different rows",
    "a share of what is narrowed",
    "periods not next to each other",
    "the most of an amount",
    "nothing narrows the list",
    "a column of others",
    "a name of others",
    "a key of others",
    "only amounts are listed",
    "columns of other rows beside each other",
    "a flag alone is listed",
    "an amount that nobody aggregated",
    "the first rows of each group",
    "a mean over places",
]
"""Why a phrase is less likely; each has its price."""


LeafReason: TypeAlias = Literal[
    "an of within a name",
    "a part of a value",
    "a verb as its date",
    "a part of a period",
    "a word as it stands",
    "a verb as its rows",
    "a role of others",
    "a code of what has a name",
]
"""The same of what a word alone can be."""


@dataclass(frozen=True, slots=True)
class Priced:
    """What a construction made, with the reasons that speak against it and assumptions to state."""

    value: Any
    because: tuple[Reason, ...] = ()
    notes: tuple[str, ...] = ()


def times(reason: Reason, count: int) -> tuple[Reason, ...]:
    """A reason as often as it holds."""
    return (reason,) * count
