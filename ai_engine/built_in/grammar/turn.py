"""What a few words say when the question before supplies the rest."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from ai_engine.built_in.grammar.phrases import Best, Fig, Group, Mod, Rows
from ai_engine.built_in.meanings import Thing
from ai_engine.semantics.intent import FieldRef

_OF_COUNTS = frozenset({"many", "few"})


@dataclass(frozen=True, slots=True)
class Wish:
    """What to sort by; the field or the figure may be left to the question before."""

    descending: bool | None = None
    fig: Fig | None = None
    field: FieldRef | None = None
    thing: str | None = None
    in_time: bool = False

    @property
    def is_named(self) -> bool:
        """Whether it says by what."""
        return bool(self.fig or self.field or self.thing or self.in_time)


@dataclass(frozen=True, slots=True)
class Turn:
    """The parts of a turn, in the order in which they were said.

    Attributes:
        aggregates: ways to take a figure that stands in the question before: "and the average?".
        fields: columns that were named and nothing more.
        denied: what was named is taken off: "without the branch".
        off: what goes first: "in 2025, not by branch".
        limit: how many rows, of the order that is there; with `more` beside those that were shown.
        bare: the limit is a number by itself.
        shown: of those that the answer before shows, in their order.
        sides: one row for each of the values that were said.
        each: the figures are of each of those that are shown, beside them.
        beside: the columns stand beside those that are shown.
    """

    mods: tuple[Mod, ...] = ()
    figs: tuple[Fig, ...] = ()
    aggregates: tuple[str, ...] = ()
    groups: tuple[Group, ...] = ()
    fields: tuple[FieldRef, ...] = ()
    rows: tuple[Rows, ...] = ()
    best: tuple[Best, ...] = ()
    wishes: tuple[Wish, ...] = ()
    limit: tuple[int, ...] = ()
    transforms: tuple[str, ...] = ()
    versus: tuple[str, ...] = ()
    more: bool = False
    bare: bool = False
    shown: bool = False
    denied: bool = False
    off: tuple[Turn, ...] = ()
    share: bool = False
    sides: bool = False
    each: bool = False
    beside: bool = False
    lists: bool = False
    asks_what: bool = False

    @property
    def names(self) -> bool:
        """Whether a column, a figure or rows were named."""
        return bool(self.fields or self.figs or self.rows)

    @property
    def sorted_by(self) -> tuple[object, ...]:
        """What was named to sort by, for which something shown may stand."""
        named = (place for wish in self.wishes for place in (wish.field, wish.fig and wish.fig.core.field))
        return (*(place for place in named if place), *(Thing(wish.thing) for wish in self.wishes if wish.thing))


def joined(first: Turn, second: Turn) -> Turn | None:
    """Two parts of one turn; None where the second says again what the first has said, or has nothing of it."""
    one, other = bool(first.best or first.limit), bool(second.best or second.limit)
    if (one and other) or first.denied != second.denied:
        return None
    if (first.bare and second.names) or (second.bare and first.names):
        return None  # "priority 3" is no number of rows
    most = any(best.kind in _OF_COUNTS and best.fig is None for best in (*first.best, *second.best))
    if most and (first.names or second.names):
        return None  # "the two with the most hours" are not those with the most rows
    if (first.share and (second.rows or second.fields)) or (second.share and (first.rows or first.fields)):
        return None
    if first.aggregates and first == Turn(aggregates=first.aggregates):
        amounts = any(fig.core.aggregate != "count" for fig in second.figs) and first.aggregates == ("sum",)
        if amounts or second.fields or any(fig.implied for fig in second.figs):
            return None  # "how much is outstanding", "how many cities" ask for one figure
    return Turn(**_told(first, second))


def _told(first: Turn, second: Turn) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for item in fields(Turn):
        one, other = getattr(first, item.name), getattr(second, item.name)
        told[item.name] = (one or other) if isinstance(one, bool) else (*one, *other)
    return told
