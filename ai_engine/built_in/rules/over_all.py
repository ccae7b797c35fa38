"""Comparisons with a figure over all rows: "above the average balance", "more than the highest of all"."""

from __future__ import annotations

from ai_engine.built_in.knowledge import ref
from ai_engine.built_in.meanings import Attribute, Cue, Figure, Stored, Thing
from ai_engine.built_in.rules.values import stored_value
from ai_engine.built_in.sketch import Walk
from ai_engine.semantics.intent import Condition, FieldRef, Measure

_OF_ALL = frozenset({"avg", "median", "min", "max"})  # no row is above what all add up to
_OWN = {"own", "their own", "its own"}


def compare_with_average(walk: Walk, operator: str, target: FieldRef) -> None:
    """ "accounts above the average balance": the figure is that of the rows where none is named."""
    aggregate, named = walk.peek(1), walk.peek(2)
    assert isinstance(aggregate, Cue)  # noqa: S101 - the caller looked
    field = ref(named) if isinstance(named, Attribute) else target
    if isinstance(named, Figure) or aggregate.value not in _OF_ALL or not _may_be_averaged(walk, field):
        walk.leave_over(3)  # "exceeds their total deposits" is another figure for each of them
        return
    said_again = isinstance(named, Attribute) or walk.is_cue(2, "amount")
    kind, taken = _kind_of_all(walk, 2 + said_again, field)
    versus = Measure(aggregate=str(aggregate.value), field=field, filters=kind)
    walk.add_filter(Condition(field=field, operator=operator, versus=versus))
    walk.take(taken, f"compared with the {walk.text(2)}")
    _leave_whose_average(walk)


def compare_with_figure(walk: Walk, found: Attribute, operator: str, ahead: int) -> bool:
    """ "credit score below the average credit score of all customers"."""
    cue = walk.peek(ahead)
    assert isinstance(cue, Cue)  # noqa: S101 - the caller looked
    named = walk.peek(ahead + 1)
    field = ref(named) if isinstance(named, Attribute) else ref(found)
    if cue.value not in _OF_ALL or not _may_be_averaged(walk, field):
        return False
    kind, taken = _kind_of_all(walk, ahead + 1 + isinstance(named, Attribute), field)
    versus = Measure(aggregate=str(cue.value), field=field, filters=kind)
    walk.add_filter(Condition(field=ref(found), operator=operator, versus=versus))
    if not kind and isinstance(named, Attribute) and isinstance(walk.peek(taken), Thing):
        thing = walk.peek(taken)
        taken += isinstance(thing, Thing) and thing.dataset == named.dataset
    walk.take(taken, f"{operator} the {cue.value} of all")
    _leave_whose_average(walk)
    return True


def _kind_of_all(walk: Walk, start: int, field: FieldRef) -> tuple[tuple[Condition, ...], int]:
    """ "more than the average officer", "the average balance of savings accounts": those alone, and where they end.

    "Above the average balance in Mumbai" may be said of the rows as well, and tells no kind of them.
    """
    kind: list[Condition] = []
    ahead = start
    while isinstance(value := walk.peek(ahead), Stored) and value.dataset == field.dataset and not value.via:
        place = FieldRef(dataset=value.dataset, field=value.field)
        kind.append(Condition(field=place, operator="=", values=(stored_value(value),)))
        ahead += 1
    noun = walk.peek(ahead) == Thing(field.dataset)
    if not kind or (not noun and walk.items[walk.position + start].apart):
        return (), start
    ahead += noun
    again = walk.is_cue(ahead, "amount") or walk.peek(ahead) == Attribute(field.dataset, field.field)
    return tuple(kind), ahead + again


def _may_be_averaged(walk: Walk, place: FieldRef) -> bool:
    """ "the average of their own status": the status is no figure, and tells whose average is meant."""
    return walk.knowledge.field(place).role in {"measure", "time"} or place.grain == "age_years"


def _leave_whose_average(walk: Walk) -> None:
    """ "above the average of their own branch" is another figure for each of them, which is not understood."""
    own = walk.is_cue(0, "have") and walk.text() in _OWN
    noun, following = walk.peek(int(own)), walk.peek(own + 1)
    if isinstance(noun, Thing) and isinstance(following, Attribute) and noun.dataset == following.dataset:
        taken = 2 + own  # "of their own loan type"
    elif isinstance(noun, Thing | Attribute) and noun not in walk.sketch.things and noun != Thing(str(walk.subject)):
        taken = 1 + own
    else:
        return
    said = " ".join(item.text for item in walk.items[walk.position + own : walk.position + taken])
    walk.sketch.unplaced.append(f"an average for each {said}")
    walk.take(taken)
