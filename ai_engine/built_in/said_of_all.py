"""What is said of all the rows that somebody has: "customers who closed all their accounts" have no other account."""

from __future__ import annotations

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Attribute, Cue, Stored, Thing
from ai_engine.built_in.sketch import OPPOSITE, Item, Sketch
from ai_engine.semantics.intent import Condition, Filter, Membership


def said_of_all(items: list[Item], knowledge: Knowledge) -> str | None:
    """Dataset of "all their accounts" in a sentence that says something of them beside their noun."""
    for place, item in enumerate(items):
        said_last = isinstance(item.meaning, Stored)  # "whose accounts are all closed"
        noun = items[place - 1].meaning if said_last and place else item.meaning
        if not (item.of_all and isinstance(noun, Thing)):
            continue
        owners = [other.meaning for other in items[:place] if isinstance(other.meaning, Thing)]
        has_many = any(knowledge.is_parent(noun.dataset, owner.dataset) for owner in owners)
        told = _is_state(item, noun) if said_last else _is_told(items, place, noun)
        if has_many and told:
            return noun.dataset
    return None


def _is_told(items: list[Item], place: int, noun: Thing) -> bool:
    """Whether something is said of the rows: a state of theirs on either side, a verb or a comparison behind."""
    after = items[place + 1] if place + 1 < len(items) else None
    before = place - 1
    while before > 0 and isinstance(cue := items[before].meaning, Cue) and cue.kind in {"have", "relative"}:
        before -= 1
    follows = after is not None and isinstance(after.meaning, Cue) and after.meaning.kind in {"have", "compare"}
    field = after is not None and isinstance(after.meaning, Attribute) and after.meaning.dataset == noun.dataset
    return follows or field or _is_state(after, noun) or _is_state(items[before], noun)


def _is_state(item: Item | None, noun: Thing) -> bool:
    return item is not None and isinstance(item.meaning, Stored) and item.meaning.dataset == noun.dataset


def hold_of_all(sketch: Sketch) -> None:
    """Leave out those who have rows of which it does not hold."""
    dataset = sketch.all_of
    if dataset is None:
        return
    found: list[tuple[Filter, Condition]] = []
    for item in sketch.filters:
        if isinstance(item, Condition) and item.field.dataset == dataset:
            found.append((Membership(dataset=dataset, filters=(item,)), item))
        elif isinstance(item, Membership) and item.dataset == dataset and not item.negated:
            found += [(item, inner) for inner in item.filters if isinstance(inner, Condition)]
    whole, condition = found[0] if len(found) == 1 else (None, None)
    if whole is None or condition is None or condition.operator not in {"=", "!="}:
        sketch.unplaced.append("all")
        return
    other = condition.model_copy(update={"operator": OPPOSITE[condition.operator]})
    rest = [item for item in sketch.filters if item not in {condition, whole}]
    sketch.filters[:] = [*rest, whole, Membership(dataset=dataset, negated=True, filters=(other,))]
