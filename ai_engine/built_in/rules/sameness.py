"""Rules for two things alike: "payer and recipient live in the same town", "a shop in the customer's own city"."""

from __future__ import annotations

from ai_engine.built_in.knowledge import ref
from ai_engine.built_in.meanings import Attribute, Cue, Thing
from ai_engine.built_in.sketch import Walk
from ai_engine.semantics.intent import Condition, FieldRef, Operator
from ai_engine.semantics.model import Field
from ai_engine.semantics.words import words

_TWO = 2
_ALIKE = {"city": "town", "province": "state", "profession": "occupation", "trade": "occupation"}
_KINDS = frozenset({"category", "name", "identifier", "text", "flag"})


def same(walk: Walk) -> None:
    """ "in the same town as their branch", "live in different towns"."""
    cue = walk.peek()
    assert isinstance(cue, Cue)  # noqa: S101 - dispatched by kind
    operator: Operator = "!=" if (cue.value == "!=") != walk.negated else "="
    found = _sides(walk)
    if found is None:
        walk.leave_over()
        return
    walk.negated = False
    _hold_against(walk, operator, *found)


def is_of_two(walk: Walk) -> bool:
    """Tell whether "different" here sets two things apart, rather than asking for each value once."""
    return _sides(walk) is not None


def own(walk: Walk) -> bool:
    """ "a shop in the customer's own city": what is said before is where they are."""
    owner, named = walk.peek(-1), walk.peek(1)
    if walk.text().lower() != "own" or not isinstance(owner, Thing) or not isinstance(named, Attribute):
        return False
    before = [item.meaning for item in walk.items[: walk.position - 1] if isinstance(item.meaning, Thing)]
    for thing in (*before[::-1], Thing(walk.subject or owner.dataset)):
        first, second = _field_of(walk, thing, named), _field_of(walk, owner, named)
        if first is not None and second is not None and first != second:
            _hold_against(walk, "=", first, second, 2, (thing, owner))
            return True
    return False


def _sides(walk: Walk) -> tuple[FieldRef, FieldRef, int, tuple[Thing, ...]] | None:
    """The two fields held against each other, the words taken, and the things said only to name them."""
    named = walk.peek(1)
    if not isinstance(named, Attribute):
        return None
    ahead = walk.skip(_TWO, "relative", "have", "compare")
    other = walk.peek(ahead)
    if isinstance(other, Thing):
        first, second = _nearest_with(walk, named, other), _field_of(walk, other, named)
        following = walk.peek(ahead + 1)
        if isinstance(following, Attribute) and following.dataset == other.dataset:
            second, ahead = FieldRef(dataset=other.dataset, field=following.field, via=other.via), ahead + 1
        if first is None or second is None or first == second:
            return None
        return first, second, ahead + 1, ()
    said = [item.meaning for item in walk.items[: walk.position] if isinstance(item.meaning, Thing)][-_TWO:]
    if len(said) < _TWO or said[0] == said[1]:
        return None
    fields = [_field_of(walk, thing, named) for thing in said]
    if fields[0] is None or fields[1] is None or fields[0] == fields[1]:
        return None
    return fields[0], fields[1], _TWO, tuple(said)


def _hold_against(
    walk: Walk, operator: Operator, first: FieldRef, second: FieldRef, taken: int, said: tuple[Thing, ...]
) -> None:
    knows = walk.knowledge
    walk.sketch.things = [thing for place, thing in enumerate(walk.sketch.things) if place == 0 or thing not in said]
    walk.having = False
    walk.take(taken, f"{knows.field(first).label} {operator} {knows.field(second).label}")
    walk.add_filter(Condition(field=first, operator=operator, other=second))


def _nearest_with(walk: Walk, named: Attribute, other: Thing) -> FieldRef | None:
    """The field of the subject itself or, where it has none of the kind, of the only thing before that has."""
    subject = walk.subject
    own = _field_of(walk, Thing(subject), named) if subject is not None and subject != other.dataset else None
    if own is not None:
        return own
    before = [item.meaning for item in walk.items[: walk.position] if isinstance(item.meaning, Thing)]
    found = [field for thing in before if thing.dataset != other.dataset and (field := _field_of(walk, thing, named))]
    return found[-1] if found else None


def _field_of(walk: Walk, thing: Thing, named: Attribute) -> FieldRef | None:
    """The field of a thing that is of the kind of the named one: its own, or "home town" beside "town"."""
    subject, knows = walk.subject, walk.knowledge
    if subject is None or not (thing.dataset == subject or knows.is_parent(subject, thing.dataset)):
        return None
    if thing.dataset == named.dataset:
        return ref(named).model_copy(update={"via": thing.via})
    kind = knows.field(named)
    alike = [item for item in knows.dataset(thing.dataset).fields if _is_alike(item, kind)]
    return FieldRef(dataset=thing.dataset, field=alike[0].name, via=thing.via) if len(alike) == 1 else None


def _is_alike(item: Field, other: Field) -> bool:
    heads = {_ALIKE.get(head, head) for head in (_head(item), _head(other))}
    return len(heads) == 1 and item.type == other.type and {item.role, other.role} <= _KINDS


def _head(item: Field) -> str:
    """The noun that says what a field tells: of "city name" the city."""
    *before, last = words(item.label)
    return before[-1] if before and last == "name" else last
