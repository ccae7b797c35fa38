"""Rule for what had not happened by a day: "instalments unpaid as of today", "not settled as on 31 March"."""

from __future__ import annotations

from ai_engine.built_in.meanings import Days
from ai_engine.built_in.sketch import Walk
from ai_engine.semantics.intent import AnyOf, Condition, FieldRef


def not_yet(walk: Walk, place: FieldRef, found: Days, taken: int) -> bool:
    """Take a denied date with the day whose end is looked at: the date is missing, or lies after that day."""
    if found.end is None:
        return False
    label = walk.knowledge.field(place).label
    missing = Condition(field=place, operator="is null")
    later = Condition(field=place, operator=">=", values=(found.end,))
    by_now = found.end > walk.knowledge.as_of
    walk.add_filter(missing if by_now else AnyOf(filters=(missing, later)))
    walk.having = False
    walk.take(taken, f"{label}: not by {found.label}")
    return True
