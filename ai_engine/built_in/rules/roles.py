"""Two ways to one table held against each other: "kept at a branch other than the customer's home branch"."""

from __future__ import annotations

from ai_engine.built_in.meanings import Thing
from ai_engine.built_in.sketch import Walk
from ai_engine.semantics.intent import Condition, Operator


def other_role(walk: Walk, operator: Operator, ahead: int = 0) -> bool:
    """Compare what a row belongs to in one role with what it belongs to in another, named at `ahead`."""
    owner, role = walk.peek(ahead), walk.peek(ahead + 1)
    taken = ahead + 1
    if isinstance(owner, Thing) and not owner.via and isinstance(role, Thing):
        taken += 1  # "the customer's home branch"
    else:
        role = owner
    subject, knows = walk.subject, walk.knowledge
    if not isinstance(role, Thing) or not role.via or subject is None or not knows.is_parent(subject, role.dataset):
        return False
    key = knows.key(role.dataset)
    first = next((thing for thing in walk.sketch.things[1:] if thing.dataset == role.dataset), None)
    if key is None or first is None or first.via == role.via:
        return False
    walk.sketch.things.remove(first)
    place, other = (key.model_copy(update={"via": thing.via}) for thing in (first, role))
    walk.take(taken, f"{operator} {knows.dataset(role.dataset).label}")
    walk.add_filter(Condition(field=place, operator=operator, other=other))
    return True
