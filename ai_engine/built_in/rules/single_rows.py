"""When a ranking singles out one row: "the loan with the highest amount" is no total of somebody's loans."""

from __future__ import annotations

from ai_engine.built_in.meanings import Attribute, Thing
from ai_engine.built_in.sketch import Walk
from ai_engine.semantics.names import singular
from ai_engine.semantics.words import words


def row_singled_out(walk: Walk) -> Thing | None:
    """ "the loan with the highest ...": the noun in the singular that a superlative chooses one of."""
    best = walk.superlative
    if best is None or best.limit is not None or best.skip:
        return None
    before = -1
    while walk.is_cue(before, "superlative", "have", "relative"):
        before -= 1
    noun, linked = walk.peek(before), any(walk.is_cue(place, "have") for place in range(before + 1, 0))
    if not (isinstance(noun, Thing) and linked):
        return None
    said = words(walk.items[walk.position + before].text)[-1]
    return noun if said == singular(said) else None


def singles_out_by(walk: Walk, found: Attribute) -> bool:
    """Tell whether a field ranks single rows of its own table."""
    row = row_singled_out(walk)
    return row is not None and row.dataset == found.dataset


def is_adjoined(walk: Walk) -> bool:
    """ "the highest rated members": a noun right after what ranks is what is asked for."""
    following = walk.position + 1
    return following < len(walk.items) and isinstance(walk.peek(1), Thing) and not walk.items[following].apart
