"""What describes the things after "each": "for each cancelled order" is "cancelled, for each order"."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Attribute, Cue, Meaning, Stored, Thing
from ai_engine.built_in.sketch import Item


def described_apart(items: list[Item], knowledge: Knowledge) -> list[Item]:
    """Move what stands between "each" and its noun: a value before the "each", a verb behind the noun."""
    found = list(items)
    for place in range(len(found) - 2):
        each, said, noun = found[place : place + 3]
        if not _is_each(each) or not isinstance(noun.meaning, Thing) or noun.apart:
            continue
        if isinstance(said.meaning, Stored) and _is_of(said.meaning, noun.meaning, knowledge):
            found[place : place + 3] = [said, each, noun]
        elif _happened_to(said, noun.meaning, knowledge):
            found[place : place + 3] = [each, noun, replace(said, apart=True)]
    return found


def _is_each(item: Item) -> bool:
    cue: Meaning = item.meaning
    return isinstance(cue, Cue) and cue.kind in {"group", "each"} and item.text.lower().endswith(("each", "every"))


def _is_of(value: Stored, noun: Thing, knowledge: Knowledge) -> bool:
    return value.dataset == noun.dataset or knowledge.is_parent(noun.dataset, value.dataset)


def _happened_to(said: Item, noun: Thing, knowledge: Knowledge) -> bool:
    """ "each cancelled order": the verb tells of a date that the others lack."""
    date = said.meaning
    verb = isinstance(date, Attribute) and date.dataset == noun.dataset and said.text.lower().endswith("ed")
    return isinstance(date, Attribute) and verb and knowledge.field(date).role == "time"
