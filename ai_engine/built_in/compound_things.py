"""Things named by what they have: "active loan customers" are customers with an active loan."""

from __future__ import annotations

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Attribute, Cue, Stored, Thing
from ai_engine.built_in.sketch import Item
from ai_engine.semantics.people import holds_people
from ai_engine.semantics.restatement import plural

_WITH = Cue("have")


def owners_said_first(items: list[Item], knowledge: Knowledge) -> list[Item]:
    """Put the owner before what tells which owners are meant; "loans customers took" and "loan customer name" stay."""
    found = list(items)
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
