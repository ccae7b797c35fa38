"""Rules for values found in the data: "Mumbai", "savings or current", "not closed", "both gold and silver"."""

from __future__ import annotations

from ai_engine.built_in.knowledge import ref
from ai_engine.built_in.linking import called_by_verb, links_only
from ai_engine.built_in.meanings import (
    Attribute,
    Cue,
    CueKind,
    Meaning,
    Quote,
    Stored,
    Thing,
)
from ai_engine.built_in.parties import other_party, party_link
from ai_engine.built_in.rules.ranking import is_judgement
from ai_engine.built_in.rules.relations import plays_in, way_to
from ai_engine.built_in.rules.rows_of_values import add_up_rows_of_value, ask_for, rank_people, rank_rows_of_value
from ai_engine.built_in.rules.whose import is_state_of_something_else, of_other_people
from ai_engine.built_in.sketch import Walk
from ai_engine.semantics.intent import (
    Condition,
    FieldRef,
    Membership,
    Operator,
    Value,
)
from ai_engine.semantics.restatement import plural
from ai_engine.semantics.words import words

_HAVING = frozenset({"with", "has", "have", "having", "had", "own", "owns", "hold", "holds", "holding"})
_LINKS: tuple[CueKind, ...] = ("and", "or", "stop")


def stored(walk: Walk) -> None:
    """Values found in the data: "Mumbai", "savings or current", "not closed", "both gold and silver"."""
    if walk.sketch.share and walk.items[walk.position].among and walk.sketch.filters and walk.sketch.part is None:
        walk.sketch.part = walk.sketch.filters[-1]
    if is_state_of_something_else(walk) or of_other_people(walk):
        walk.leave_over()
    else:
        _values(walk)


def _values(walk: Walk) -> None:
    people = walk.knowledge.people
    values = _same_field_values(walk)
    first = values[0]
    if first.dataset == people and not walk.sketch.things and walk.is_cue(0, "have", "relative", "not"):
        ask_for(walk, people)
    if walk.is_cue(-len(values) - 1, "what") and not walk.sketch.things and _stands_for_its_row(walk):
        walk.sketch.things.append(Thing(first.dataset))
    if first.dataset == people and walk.superlative is not None and walk.superlative.kind in {"old", "new"}:
        rank_people(walk, people)
    if walk.superlative is not None and walk.superlative.kind in {"high", "low"} and not is_judgement(walk.superlative):
        rank_rows_of_value(walk, first)
    place = FieldRef(dataset=first.dataset, field=first.field, via=first.via or _said_way(walk, first.dataset))
    label = walk.knowledge.field(place).label
    walk.both |= len(values) > 1 and not walk.negated and _each_with_its_article(walk, len(values), first)
    negated = walk.use_negation()
    shown = ", ".join(str(value.value) for value in values)
    if walk.both and len(values) > 1:
        _have_all(walk, values, place, negated=negated)
        return
    add_up_rows_of_value(walk, first)
    operator: Operator = ("not in" if negated else "in") if len(values) > 1 else ("!=" if negated else "=")
    related = _related_to_subject(walk, first)
    condition = Condition(field=place, operator=operator, values=tuple(map(stored_value, values)))
    if operator == "!=" and walk.knowledge.field(place).role == "flag":
        no = walk.knowledge.flag_value(Attribute(place.dataset, place.field), yes=False)
        condition = Condition(field=place, operator="=", values=(no,))  # "not digital": said as the flag says it
    walk.sketch.meanings.append((shown, f"{label} is {'not ' if negated else ''}{shown}"))
    if first.via and walk.subject == first.dataset:
        _join_parties(walk, condition, first.via)
    elif related and negated:
        inside = condition.model_copy(update={"operator": "in" if len(values) > 1 else "="})
        holder = _whose_value(walk, first)
        via = way_to(walk, Thing(holder))
        walk.add_filter(Membership(dataset=holder, negated=True, filters=(inside,), via=via))
        _take_its_noun(walk, first, holder)
    elif plays_in(walk, first.dataset) and walk.subject != first.dataset and not walk.open_membership:
        via = way_to(walk, Thing(first.dataset))
        walk.add_filter(Membership(dataset=first.dataset, filters=(condition,), via=via))
        walk.take(walk.peek() == Thing(first.dataset))
    elif related and _is_more_of_one(walk, first, len(values)):
        _narrow_last(walk, condition)
    elif related and (between := _holder_between(walk, first)) is not None:
        walk.add_filter(Membership(dataset=between, filters=(condition,), via=way_to(walk, Thing(between))))
        _take_its_noun(walk, first, between)
    else:
        walk.add_filter(condition)


def _join_parties(walk: Walk, condition: Condition, via: tuple[str, ...]) -> None:
    """ "who has sent money to Ann Lee": people with a payment whose other party she is."""
    link = walk.knowledge.model.relationship(via[0])
    denied = condition.operator in {"!=", "not in"}
    plain = condition.model_copy(update={"operator": "=" if len(condition.values) == 1 else "in"})
    last = walk.sketch.filters[-1] if walk.open_membership else None
    if isinstance(last, Membership) and last.dataset == link.from_dataset:
        inside = plain if last.negated else condition
        walk.sketch.filters[-1] = last.model_copy(update={"filters": (*last.filters, inside)})
        return
    own = party_link(link.from_dataset, link.to_dataset, other_party(link), walk.knowledge)
    ways = (own,) if own is not None else ()
    walk.add_filter(Membership(dataset=link.from_dataset, via=ways, filters=(plain,), negated=denied))


def _is_more_of_one(walk: Walk, found: Stored, taken: int) -> bool:
    """ "programs of Mireille Dubois", "clients who ordered X": both names are of one person."""
    if not walk.open_membership or walk.alternative:
        return False
    before, last = walk.peek(-taken - 1), walk.sketch.filters[-1]
    if isinstance(before, Thing) and isinstance(last, Membership) and before.dataset == last.dataset:
        return last.dataset in walk.knowledge.referring(found.dataset)
    beside = isinstance(before, Stored) and before.dataset == found.dataset and before.field != found.field
    return taken == 1 and beside


def _narrow_last(walk: Walk, condition: Condition) -> None:
    last = walk.sketch.filters[-1]
    assert isinstance(last, Membership)  # noqa: S101 - open_membership says so
    walk.sketch.filters[-1] = last.model_copy(update={"filters": (*last.filters, condition)})


def _have_all(walk: Walk, values: list[Stored], place: FieldRef, *, negated: bool) -> None:
    """ "both gold and silver cards": rows of each."""
    walk.both, holder = False, _whose_value(walk, values[0])
    for value in values:
        inner = Condition(field=place, operator="=", values=(stored_value(value),))
        walk.sketch.filters.append(Membership(dataset=holder, filters=(inner,), negated=negated))
    walk.take(walk.peek() == Thing(holder))


def _each_with_its_article(walk: Walk, count: int, first: Stored) -> bool:
    """ "a savings account and a current account": two of them, where "savings or current accounts" are of either."""
    if not _related_to_subject(walk, first):
        return False
    said = [item for item in walk.items[: walk.position] if isinstance(item.meaning, Stored)][-count:]
    between = walk.items[walk.items.index(said[0]) : walk.position]
    return all(item.indefinite for item in said) and not any(
        isinstance(item.meaning, Cue) and item.meaning.kind == "or" for item in between
    )


def _whose_value(walk: Walk, found: Stored) -> str:
    """The rows that have or lack a value: those named after it where they hold its code, else its own."""
    noun = walk.peek()
    named = isinstance(noun, Thing) and walk.knowledge.is_parent(noun.dataset, found.dataset)
    if named and isinstance(noun, Thing) and noun.dataset != walk.subject:
        return noun.dataset
    return _holder_between(walk, found) or found.dataset


def _holder_between(walk: Walk, found: Stored) -> str | None:
    """ "customers with a personal loan", where that is a product: rows that belong to the customer and are of it."""
    knows, subject = walk.knowledge, walk.subject
    if subject is None or not _related_to_subject(walk, found) or knows.is_parent(found.dataset, subject):
        return None
    between = [name for name in knows.referring(found.dataset) if knows.is_parent(name, subject)]
    between = _linked_by_verb(walk, between)
    nearest = min((knows.distance(subject, name) for name in between), default=0)
    between = [name for name in between if knows.distance(subject, name) == nearest]
    said = set(words(str(found.value)))
    called = [name for name in between if said.intersection(words(knows.dataset(name).label))]
    chosen = called if called else between
    return chosen[0] if len(chosen) == 1 else None


def _linked_by_verb(walk: Walk, between: list[str]) -> list[str]:
    """ "clients who hold X": their holdings rather than their orders; "with X" means what links the two and no more."""
    verb = next((item.text for item in walk.items[: walk.position][::-1] if _is_having(item.meaning)), "")
    if len(between) <= 1 or not verb:
        return between
    named = called_by_verb(words(verb), between, walk.knowledge)
    linking = [name for name in between if links_only(name, walk.knowledge)]
    if len(named) != 1 and len(linking) == 1 and verb.lower() in _HAVING:
        walk.assume(f"They are linked by {plural(walk.knowledge.dataset(linking[0]).label)}.")
        return linking
    return named or between


def _is_having(meaning: Meaning) -> bool:
    return isinstance(meaning, Cue) and meaning.kind == "have"


def _take_its_noun(walk: Walk, found: Stored, holder: str) -> None:
    if holder != found.dataset:
        walk.take(walk.peek() in {Thing(holder), Thing(found.dataset)})


def _said_way(walk: Walk, dataset: str) -> tuple[str, ...]:
    """The way to the thing just spoken of: "payments to users from Spain" are those that the users receive."""
    things = [item.meaning for item in walk.items[: walk.position] if isinstance(item.meaning, Thing)]
    return things[-1].via if things and things[-1].dataset == dataset else ()


def quote(walk: Walk) -> None:
    """A quoted text that no column is known to hold, without a column before it."""
    found = walk.peek()
    assert isinstance(found, Quote)  # noqa: S101 - dispatched by type
    named = [a for a in walk.sketch.attributes if walk.knowledge.field(a).type == "text"]
    if named and isinstance(walk.peek(-1), Attribute):
        walk.sketch.attributes.remove(named[-1])
        walk.add_filter(Condition(field=ref(named[-1]), operator="=", values=(found.text,)))
        walk.take(1, f"{walk.knowledge.field(named[-1]).label} is {found.text}")
        return
    walk.leave_over()


def empty(walk: Walk) -> None:
    """ "missing email": a field without a value."""
    found = walk.peek(1)
    if isinstance(found, Attribute):
        operator: Operator = "is not null" if walk.use_negation() else "is null"
        walk.add_filter(Condition(field=ref(found), operator=operator))
        walk.take(2, f"{walk.knowledge.field(found).label} {operator}")
        return
    walk.leave_over()


def _stands_for_its_row(walk: Walk) -> bool:
    """ "which relationship manager looks after most customers": no noun follows, so the value is the noun."""
    following = walk.peek()
    return isinstance(following, Cue) and following.kind in {"have", "superlative", "relative"}


def stored_value(found: Stored) -> Value:
    """What is compared with: the value as stored."""
    assert found.value is None or isinstance(found.value, str | int | bool)  # noqa: S101 - only names are indexed
    return str(found.value) if isinstance(found.value, str) else found.value or 0


def _same_field_values(walk: Walk) -> list[Stored]:
    """Take a value and those of the same field listed after it."""
    first = walk.peek()
    assert isinstance(first, Stored)  # noqa: S101 - dispatched by type
    values = [first]
    walk.take(1)
    while True:
        noun = walk.peek()
        own = isinstance(noun, Thing) and noun.dataset == first.dataset and walk.is_cue(1, *_LINKS, "against")
        ahead = walk.skip(int(own), *_LINKS, "both", "against", "not" if walk.negated else "and")
        following = walk.peek(ahead)
        walk.sketch.one_row_each |= walk.is_cue(int(own), "against") and isinstance(following, Stored)
        if ahead == int(own) or not (
            isinstance(following, Stored) and (following.dataset, following.field) == (first.dataset, first.field)
        ):
            return values
        values += [] if following in values else [following]
        walk.take(ahead + 1)


def _related_to_subject(walk: Walk, found: Stored) -> bool:
    """Whether the value sits in rows of which the subject has many."""
    subject = walk.subject
    knows = walk.knowledge
    return subject is not None and subject != found.dataset and not knows.is_parent(subject, found.dataset)
