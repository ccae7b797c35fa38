"""Rules for the age of people: "older than 60", "aged between 25 and 35", "customers over 60"."""

from __future__ import annotations

from ai_engine.built_in.meanings import Attribute, Cue, CueKind, Number, Stored, Thing
from ai_engine.built_in.sketch import Walk
from ai_engine.semantics.intent import Condition, Value

_LINKS: tuple[CueKind, ...] = ("and", "or", "stop")
_YOUNGEST, _OLDEST = 10, 120


def older(walk: Walk) -> None:
    """ "older than 60", "aged between 25 and 35": an age of the people in question."""
    cue, number = walk.peek(), walk.peek(1)
    assert isinstance(cue, Cue)  # noqa: S101 - dispatched by kind
    if cue.value == "between" and walk.is_cue(1, "compare", "older"):
        walk.take(1)  # "aged 65 or over"
        cue, number = walk.peek(), walk.peek(1)
        assert isinstance(cue, Cue)  # noqa: S101 - is_cue says so
    datasets = [thing.dataset for thing in walk.sketch.things] or [d.name for d in walk.knowledge.model.datasets]
    age = next(filter(None, map(walk.knowledge.age_field, datasets)), None)
    if age is None or not isinstance(number, Number):
        walk.leave_over()
        return
    if cue.value == "between":
        upper = walk.peek(walk.skip(2, *_LINKS))
        values: tuple[Value, ...] = (int(number.value),)
        if isinstance(upper, Number):
            values += (int(upper.value),)
        walk.add_filter(Condition(field=age, operator="between" if len(values) > 1 else "=", values=values))
        walk.take(2 if len(values) == 1 else walk.skip(2, *_LINKS) + 1, "age")
        return
    walk.add_filter(Condition(field=age, operator=str(cue.value), values=(int(number.value),)))
    walk.take(2, "age")


def is_age(walk: Walk, number: Number) -> bool:
    """ "customers over 60 (years)", "women above 60": people and no figure named."""
    place = walk.position + 2
    measured = place < len(walk.items) and not walk.items[place].apart
    return (
        _is_said_of_people(walk)
        and number.unit in {None, "years"}
        and _YOUNGEST <= number.value <= _OLDEST
        and not (measured and isinstance(walk.peek(2), Thing | Attribute | Stored))
    )


def _is_said_of_people(walk: Walk) -> bool:
    people, before = walk.knowledge.people, walk.peek(-1)
    if people is None:
        return False
    if isinstance(before, Stored):
        return before.dataset == people
    named = bool(walk.sketch.things) and walk.sketch.things[-1].dataset == people
    return named and isinstance(before, Thing | Cue)
