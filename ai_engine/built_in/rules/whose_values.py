"""Rules for whose a value is: of the rows themselves, of rows that they have or lack, of the other party."""

from __future__ import annotations

from collections.abc import Sequence

from ai_engine.built_in.linking import called_by_verb, links_only
from ai_engine.built_in.meanings import Cue, Days, Meaning, Stored, Thing
from ai_engine.built_in.parties import other_party, party_link
from ai_engine.built_in.rules.roles import plays_in, way_by_deed, way_to
from ai_engine.built_in.sketch import Walk
from ai_engine.semantics.intent import AnyOf, Condition, Membership
from ai_engine.semantics.restatement import plural
from ai_engine.semantics.words import words

_HAVING = frozenset({"with", "has", "have", "having", "had", "own", "owns", "hold", "holds", "holding"})


def hold(walk: Walk, values: Sequence[Stored], condition: Condition, *, negated: bool) -> None:
    """Add what the values say of the rows in question, or of rows that these have, lack or play a role in."""
    first = values[0]
    related = is_related(walk, first)
    if (way := _way_by_deed(walk, first, len(values))) is not None:
        _tell_who_did_it(walk, condition, way)
    elif first.via and walk.subject == first.dataset == walk.knowledge.model.relationship(first.via[0]).from_dataset:
        walk.add_filter(condition)  # "how many officers are managed by Ann Lee", who is an officer too
    elif first.via and walk.subject == first.dataset:
        _join_parties(walk, condition, first.via)
    elif related and negated:
        inside = condition.model_copy(update={"operator": "in" if len(values) > 1 else "="})
        holder = whose_value(walk, first)
        via = way_to(walk, Thing(holder))
        walk.add_filter(Membership(dataset=holder, negated=True, filters=(inside,), via=via))
        _take_its_noun(walk, first, holder)
    elif plays_in(walk, first.dataset) and walk.subject != first.dataset and not walk.open_membership:
        via = way_to(walk, Thing(first.dataset))
        walk.add_filter(Membership(dataset=first.dataset, filters=(condition,), via=via))
        walk.take(walk.peek() == Thing(first.dataset))
    elif related and _is_more_of_one(walk, first, len(values)):
        _narrow_last(walk, condition)
    elif related and _is_said_with_its_noun(walk, first) and _follows_what_they_have(walk, len(values)):
        walk.add_filter(Membership(dataset=first.dataset, filters=(condition,), via=way_to(walk, Thing(first.dataset))))
        if walk.peek() == Thing(first.dataset):
            walk.take(1, f"with {walk.knowledge.dataset(first.dataset).label}")
    elif related and (between := _holder_between(walk, first)) is not None and not _ranks(walk, between):
        told = (*_said_before(walk, between), condition)
        walk.add_filter(Membership(dataset=between, filters=told, via=way_to(walk, Thing(between))))
        _take_its_noun(walk, first, between)
    elif related and _happened_then(walk, first, len(values)):
        walk.add_filter(Membership(dataset=first.dataset, filters=(condition,), via=way_to(walk, Thing(first.dataset))))
    else:
        walk.add_filter(condition)
        held = walk.sketch.filters[-1] if walk.open_membership else None
        within = isinstance(held, Membership) and held.dataset != first.dataset and condition in held.filters
        walk.take(int(within and walk.peek() == Thing(first.dataset)))  # "with a loan at Pune branches"


def _happened_then(walk: Walk, found: Stored, taken: int) -> bool:
    """ "customers who received a salary last month": then it was received, whenever they became customers."""
    verb = -taken - 1 - walk.is_cue(-taken - 1, "group")  # "paid by UPI"
    done = walk.is_cue(verb, "have") and isinstance(walk.peek(), Days) and not walk.open_membership
    done = done and not (walk.pending is not None and walk.pending.of_amount)  # "spent by customers using cash in May"
    return done and walk.knowledge.time_field(found.dataset) is not None


def _said_before(walk: Walk, holder: str) -> tuple[Condition, ...]:
    """ "with approved grocery payments": what was said of the same rows just before describes them too."""
    found: list[Condition] = []
    filters = walk.sketch.filters
    while filters and not walk.alternative and isinstance(last := filters[-1], Condition):
        if last.field.dataset != holder or last.operator not in {"=", "in"}:
            break
        found.insert(0, last)
        filters.pop()
    return tuple(found)


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


def _way_by_deed(walk: Walk, found: Stored, taken: int) -> str | None:
    """ "loans guaranteed by Ann Lee": she plays that role in rows of which each loan has many, and is no borrower."""
    behind = -taken - 1
    while isinstance(before := walk.peek(behind), Stored) and before.dataset == found.dataset:
        behind -= 1
    return None if found.via else way_by_deed(walk, found.dataset, behind)


def _tell_who_did_it(walk: Walk, condition: Condition, way: str) -> None:
    rows = walk.knowledge.model.relationship(way).from_dataset
    denied = condition.operator in {"!=", "not in"}
    plain = {"!=": "=", "not in": "in"}.get(condition.operator, condition.operator)
    who = condition.model_copy(update={"field": condition.field.model_copy(update={"via": (way,)}), "operator": plain})
    last = walk.sketch.filters[-1] if walk.open_membership else None
    if isinstance(last, Membership) and last.dataset == rows and last.filters:
        _narrow_last(walk, who)
    else:
        walk.add_filter(Membership(dataset=rows, filters=(who,), negated=denied))


def _is_more_of_one(walk: Walk, found: Stored, taken: int) -> bool:
    """ "programs of Mireille Dubois", "clients who ordered X": both names are of one person."""
    held = walk.sketch.filters[-1] if walk.open_membership else None
    if not isinstance(held, Membership) or walk.alternative:  # "a loan or a credit card" is open as one of two
        return False
    before = walk.peek(-taken - 1)
    if isinstance(before, Thing) and before.dataset == held.dataset:
        return held.dataset in walk.knowledge.referring(found.dataset)
    beside = isinstance(before, Stored) and before.dataset == found.dataset and before.field != found.field
    return taken == 1 and beside


def _is_said_with_its_noun(walk: Walk, found: Stored) -> bool:
    """ "and an active card", "and an active savings account": right before its noun, or with one more value between."""
    more = walk.peek()
    between = isinstance(more, Stored) and more.dataset == found.dataset and not walk.items[walk.position].apart
    return walk.peek(int(between)) == Thing(found.dataset)


def _follows_what_they_have(walk: Walk, taken: int) -> bool:
    """ "with an active card, an active deposit and an active loan": one more of the things that they have."""
    behind = -taken - 1
    while walk.is_cue(behind, "and", "or", "stop"):
        behind -= 1
    last = walk.sketch.filters[-1] if walk.open_membership or walk.alternative else None
    parts = last.filters if isinstance(last, AnyOf) else (last,)
    held = all(isinstance(item, Membership) and not item.negated for item in parts)
    return held and behind < -taken - 1 and isinstance(walk.peek(behind), Thing)


def _narrow_last(walk: Walk, condition: Condition) -> None:
    last = walk.sketch.filters[-1]
    assert isinstance(last, Membership)  # noqa: S101 - open_membership says so
    walk.sketch.filters[-1] = last.model_copy(update={"filters": (*last.filters, condition)})


def whose_value(walk: Walk, found: Stored) -> str:
    """The rows that have or lack a value: those named after it where they hold its code, else its own."""
    noun = walk.peek()
    named = isinstance(noun, Thing) and walk.knowledge.is_parent(noun.dataset, found.dataset)
    if named and isinstance(noun, Thing) and noun.dataset != walk.subject:
        return noun.dataset
    return _holder_between(walk, found) or found.dataset


def _holder_between(walk: Walk, found: Stored) -> str | None:
    """ "customers with a personal loan", where that is a product: rows that belong to the customer and are of it."""
    knows, subject = walk.knowledge, walk.subject
    if subject is None or not is_related(walk, found) or knows.is_parent(found.dataset, subject):
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


def _ranks(walk: Walk, holder: str) -> bool:
    """ "the largest gold card": of the gold cards one is singled out, and no owner of some gold card."""
    return walk.superlative is not None and walk.peek() == Thing(holder)


def _take_its_noun(walk: Walk, found: Stored, holder: str) -> None:
    if holder != found.dataset:
        walk.take(walk.peek() in {Thing(holder), Thing(found.dataset)})


def is_related(walk: Walk, found: Stored) -> bool:
    """Whether the value sits in rows of which the subject has many."""
    subject = walk.subject
    knows = walk.knowledge
    return subject is not None and subject != found.dataset and not knows.is_parent(subject, found.dataset)
