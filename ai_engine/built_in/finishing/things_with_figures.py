"""Things listed with figures of the rows that belong to them: "customers with their city and total balance"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ai_engine.built_in.knowledge import Knowledge, ref
from ai_engine.built_in.meanings import Attribute, Cue, CueKind, Stored, Thing
from ai_engine.built_in.sketch import GroupTarget, Item, Sketch
from ai_engine.semantics.intent import Measure

_BEFORE: tuple[CueKind, ...] = ("list", "what", "distinct", "each", "stop", "limit")
_EVERY = frozenset({"each", "every", "for each", "for every"})
_WITH = frozenset({"with", "along with", "together with", "and their", "and its"})


def listed_with_something(items: Sequence[Item]) -> Thing | None:
    """The thing that a question begins with, where what is to be shown of each follows."""
    place = 0
    while place < len(items) and _stands_before(items[place]):
        place += 1
    following = place + 1
    while following < len(items) and isinstance(items[following].meaning, Stored):
        following += 1  # "branches in Karnataka with their number of customers"
    if following >= len(items) or any(_asks_anew(items, at) for at in range(following + 1, len(items))):
        return None
    noun, link = items[place].meaning, items[following]
    shown = isinstance(link.meaning, Cue) and link.text.lower() in _WITH
    return noun if shown and isinstance(noun, Thing) else None


def each_with_its_figure(items: Sequence[Item]) -> bool:
    """ "each region with its number of cards", "all branches with total loans": of every one, also if none."""
    place = next((at for at, item in enumerate(items) if not _is_cue(item, "list", "what", "stop")), len(items))
    is_each = place < len(items) and _is_cue(items[place], "each", "group") and items[place].text.lower() in _EVERY
    noun = place + is_each
    if noun >= len(items) or not (is_each or items[noun].of_all):
        return False
    link = next((at for at in range(noun + 1, len(items)) if not isinstance(items[at].meaning, Stored)), len(items))
    named = isinstance(items[noun].meaning, Thing | Attribute)
    return named and link < len(items) and items[link].text.lower() in _WITH


def _is_cue(item: Item, *kinds: CueKind) -> bool:
    return isinstance(item.meaning, Cue) and item.meaning.kind in kinds


def _asks_anew(items: Sequence[Item], at: int) -> bool:
    """ "in districts with an average salary above 1,300, how many clients are there": what is before only narrows."""
    before = items[at - 1].meaning
    return items[at].text.lower() == "how many" and not (isinstance(before, Cue) and before.kind == "and")


def _stands_before(item: Item) -> bool:
    return isinstance(item.meaning, Stored) or (isinstance(item.meaning, Cue) and item.meaning.kind in _BEFORE)


def figures_of_things(sketch: Sketch, named: Sequence[Attribute], knows: Knowledge) -> list[Measure]:
    """The figures to show of each listed thing, all of rows that belong to it; none where it is not asked so."""
    thing = sketch.shown_with
    if thing is None or sketch.groups or not sketch.things or sketch.things[0] != thing or sketch.orders:
        return []
    own = [item for item in named if knows.field(item).role == "measure" and knows.field(item).default_aggregate]
    found = [
        *sketch.measures,
        *(Measure(aggregate=knows.field(item).default_aggregate, field=ref(item)) for item in own),
    ]
    bases = [knows.base(measure) for measure in found]
    below = [
        base for base in bases if base is not None and base != thing.dataset and knows.is_parent(base, thing.dataset)
    ]
    return found if below and len(below) == len(bases) else []


def listed_by(thing: Thing, named: Sequence[Attribute], knows: Knowledge) -> list[GroupTarget]:
    """What tells the listed things apart, and what is said of each."""
    return [thing, *(seen_from(thing, item, knows) for item in named if knows.field(item).role != "measure")]


def seen_from(thing: Thing, group: GroupTarget, knows: Knowledge) -> GroupTarget:
    """A field beside a thing is that of the thing: the city of a customer is no city of his accounts' branches."""
    if not isinstance(group, Attribute) or group.via or group.dataset == thing.dataset:
        return group
    owned = knows.is_parent(thing.dataset, group.dataset)
    ways = knows.lexicon.reach.ways(thing.dataset, group.dataset) if owned else ()
    return replace(group, via=tuple(step.relationship.name for step in ways[0])) if len(ways) == 1 else group
