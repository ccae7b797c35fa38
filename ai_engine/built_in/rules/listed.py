"""Rules for what stands alone between commas among columns: "complaints: customer, category, date lodged"."""

from __future__ import annotations

from ai_engine.built_in.meanings import Attribute, Thing
from ai_engine.built_in.sketch import Walk
from ai_engine.semantics.words import words


def is_listed(walk: Walk) -> bool:
    """Whether the item has commas on both sides, or ends the list, and the list has a column somewhere."""
    ends = walk.peek(1) is None or walk.is_cue(1, "stop", "and")
    if not (ends and walk.is_cue(-1, "stop", "and")):
        return False
    return _has_column(walk, -2) or _has_column(walk, 2)


def _has_column(walk: Walk, place: int) -> bool:
    """Whether a column stands at the place, or further off behind nouns that commas part."""
    step = 2 if place > 0 else -2
    while isinstance(walk.peek(place), Thing) and walk.is_cue(place + step // 2, "stop", "and"):
        place += step
    if step > 0 and isinstance(walk.peek(place), Thing) and isinstance(walk.peek(place + 1), Attribute):
        return True  # "member, loan kind", whose noun stands apart
    return isinstance(walk.peek(place), Attribute) or walk.is_cue(place, "amount")


def is_listed_day(walk: Walk) -> bool:
    """ "card id, last name, expiry": a date in such a list is shown; "were opened and closed" tells what happened."""
    said = words(walk.text())
    return is_listed(walk) and not (len(said) == 1 and said[0].endswith("ed"))
