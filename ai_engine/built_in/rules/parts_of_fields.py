"""Rules for a figure held against a part of another one of its row: "outstanding above 60% of the limit"."""

from __future__ import annotations

from ai_engine.built_in.knowledge import ref
from ai_engine.built_in.meanings import Attribute, Number
from ai_engine.built_in.rewording.limit_use import use_of_limit
from ai_engine.built_in.sketch import COMPARISONS, Walk
from ai_engine.semantics.intent import Condition, FieldRef

_HUNDRED = 100


def part_of_field(walk: Walk, left: FieldRef, operator: str, ahead: int) -> bool:
    """Read "60% of the limit" at `ahead` as the right side of a comparison; False where something else stands there."""
    number, whole = walk.peek(ahead), walk.peek(ahead + 1)
    if not (isinstance(number, Number) and number.unit == "percent" and isinstance(whole, Attribute)):
        return False
    apart = walk.items[walk.position + ahead + 1].apart
    compared = COMPARISONS.get(operator)
    if not apart or compared is None or walk.knowledge.field(whole).role != "measure" or ref(whole) == left:
        return False
    walk.add_filter(Condition(field=left, operator=compared, other=ref(whole), times=number.value / _HUNDRED))
    walk.having = False
    label = walk.knowledge.field(left).label
    walk.take(ahead + 2, f"{label} {operator} {number.value}% of {walk.knowledge.field(whole).label}")
    return True


def part_of_limit(walk: Walk, operator: str) -> bool:
    """ "using over 60% of their limit": what is used stands beside the limit."""
    whole = walk.peek(2)
    both = use_of_limit(walk.knowledge.dataset(whole.dataset)) if isinstance(whole, Attribute) else None
    if both is None or not isinstance(whole, Attribute) or both[1].name != whole.field:
        return False
    used = FieldRef(dataset=whole.dataset, field=both[0].name)
    if not part_of_field(walk, used, operator, 1):
        return False
    walk.assume(f"What is used of the {both[1].label} is the {both[0].label}.")
    return True
