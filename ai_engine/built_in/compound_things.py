"""Things named by what they have: "active loan customers" are customers with an active loan."""

from __future__ import annotations

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Attribute, Cue, Days, Stored, Thing
from ai_engine.built_in.sketch import Item
from ai_engine.semantics.people import holds_people
from ai_engine.semantics.restatement import plural

_WITH = Cue("have")
_TOOK = frozenset({"took", "take", "taken", "have", "had", "hold", "held", "made", "make", "did"})


def owners_said_first(items: list[Item], knowledge: Knowledge) -> list[Item]:
    """Put the owner before what tells which owners are meant; "loan customer name" stays."""
    found = _without_takers(items, knowledge)
    for place in range(len(found) - 1):
        owned, owner = found[place : place + 2]
        if not _is_compound(owned, owner, knowledge) or _names_a_field(found, place + 2):
            continue
        assert isinstance(owned.meaning, Thing)  # noqa: S101 - looked just now
        start = place
        while start and _is_value_of(found[start - 1], owned.meaning):
            start -= 1
        found[start : place + 2] = [owner, Item("with", _WITH), *found[start : place + 1]]
    return found


def _without_takers(items: list[Item], knowledge: Knowledge) -> list[Item]:
    """ "how many loans customers took in 2025": every loan is one that some customer took."""
    for place in range(len(items) - 2):
        owned, owner, verb = (item.meaning for item in items[place : place + 3])
        if not (isinstance(owned, Thing) and isinstance(owner, Thing)) or owner.via or items[place + 1].apart:
            continue
        rest = [item.meaning for item in items[place + 3 : place + 4]]
        ends = not rest or isinstance(rest[0], Days) or (isinstance(rest[0], Cue) and rest[0].kind in {"stop", "group"})
        took = isinstance(verb, Cue) and verb.kind == "have" and items[place + 2].text.lower() in _TOOK
        if took and ends and items[place].is_plural and knowledge.is_parent(owned.dataset, owner.dataset):
            return [*items[: place + 1], *items[place + 3 :]]
    return list(items)


def _is_compound(owned: Item, owner: Item, knowledge: Knowledge) -> bool:
    one, other = owned.meaning, owner.meaning
    if not isinstance(one, Thing) or not isinstance(other, Thing) or owner.apart:
        return False
    if not knowledge.is_parent(one.dataset, other.dataset) or _is_plural(owned, one, knowledge):
        return False
    return holds_people(knowledge.dataset(other.dataset)) or _is_plural(owner, other, knowledge)


def _is_plural(item: Item, thing: Thing, knowledge: Knowledge) -> bool:
    return item.is_plural or item.text.lower() == plural(knowledge.dataset(thing.dataset).label)


def _names_a_field(items: list[Item], place: int) -> bool:
    following = items[place] if place < len(items) else None
    return following is not None and isinstance(following.meaning, Attribute) and not following.apart


def _is_value_of(item: Item, thing: Thing) -> bool:
    return isinstance(item.meaning, Stored) and item.meaning.dataset == thing.dataset
