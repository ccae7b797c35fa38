"""Conditions that nobody said as one: only who plays the role, only those parts, only who has such rows."""

from __future__ import annotations

from collections.abc import Sequence

from ai_engine.built_in.finishing.plausibility import places_of
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.parts import whole_of
from ai_engine.built_in.sketch import Sketch
from ai_engine.semantics.intent import Condition, Filter, Intent, Measure, Membership
from ai_engine.semantics.model import Relationship
from ai_engine.semantics.parties import is_agent


def only_those_meant(sketch: Sketch, intent: Intent, knows: Knowledge) -> Intent:
    """Narrow a question to the rows that its nouns mean."""
    played = _only_who_plays(sketch, intent, knows)
    return _only_who_has_rows(_only_those_parts(sketch, played, knows), knows)


def through_their_owners(sketch: Sketch, knows: Knowledge, subject: str) -> tuple[Filter, ...]:
    """ "Accounts of customers with a loan": the customers have it, and not the branch that keeps the account."""
    found: list[Filter] = []
    for item in sketch.filters:
        owner = _owner(sketch, knows, {subject}, [item])
        link = knows.lexicon.reach.ways(owner, item.dataset) if owner and isinstance(item, Membership) else ()
        one = len(link) == 1 and len(link[0]) == 1
        via = (link[0][0].relationship.name,) if one else ()
        found.append(item.model_copy(update={"via": via}) if isinstance(item, Membership) and via else item)
    return tuple(found)


def subject_of(sketch: Sketch, knows: Knowledge, measures: Sequence[Measure], filters: Sequence[Filter]) -> str | None:
    """Return whose rows the figures are over: in "transactions by customers with a loan" it is they who have it."""
    bases = {base for measure in measures if (base := knows.base(measure))}
    subject = sketch.things[0].dataset if sketch.things else None
    if subject is not None and subject not in bases:
        return subject
    return _owner(sketch, knows, bases, filters)


def _owner(sketch: Sketch, knows: Knowledge, rows: set[str], filters: Sequence[Filter]) -> str | None:
    """Whom the rows belong to where one of the filters tells what they have: the last named, else the people."""
    owned = {item.dataset for item in filters if isinstance(item, Membership) and not item.via} - rows
    if not owned:
        return None
    named = [thing.dataset for thing in reversed(sketch.things[1:]) if not thing.via]
    if not any(_is_linked(one, other, knows) for one in owned for other in rows):
        named += knows.holding_people
    owners = (name for name in named if name not in rows and all(knows.is_parent(base, name) for base in rows))
    return next((name for name in owners if any(knows.is_parent(item, name) for item in owned)), None)


def _is_linked(one: str, other: str, knows: Knowledge) -> bool:
    return knows.is_parent(one, other) or knows.is_parent(other, one)


def _only_who_plays(sketch: Sketch, intent: Intent, knows: Knowledge) -> Intent:
    """ "how many debtors", "creditors from France": of the parties, those to which some row leads by that role."""
    bases = {intent.subject, *map(knows.base, intent.measures)} - {None}
    played = {thing.via[0]: None for thing in sketch.things if len(thing.via) == 1 and {thing.dataset} == bases}
    links = [knows.model.relationship(name) for name in played]
    links = [link for link in links if link.to_dataset in bases and any(map(is_agent, link.synonyms))]
    for link in links:
        own = tuple(_of_itself(item, link) for item in intent.filters)
        told = any(isinstance(item, Membership) and item.via == (link.name,) for item in own)
        playing = () if told else (Membership(dataset=link.from_dataset, via=(link.name,)),)
        intent = intent.model_copy(update={"filters": (*own, *playing)})
    return intent


def _only_those_parts(sketch: Sketch, intent: Intent, knows: Knowledge) -> Intent:
    """ "total premium of home policies": the premium is the policies', and only those that are home policies count."""
    read = {*map(knows.base, intent.measures)} if intent.measures else {intent.subject}
    told = {item.field.dataset for item in intent.filters if isinstance(item, Condition)}
    told |= {item.dataset for item in intent.filters if isinstance(item, Membership)}
    kinds = {thing.dataset for thing in sketch.things if whole_of(knows.model, thing.dataset) is not None}
    parts = tuple(Membership(dataset=name) for name in sorted(kinds - read - told))
    return intent.model_copy(update={"filters": (*intent.filters, *parts)}) if parts else intent


def _only_who_has_rows(intent: Intent, knows: Knowledge) -> Intent:
    """ "average age for loans": the age of those who have one."""
    bases = {knows.base(measure) for measure in intent.measures}
    named = set(places_of(intent))
    subject = intent.subject
    if subject is None or subject in named | bases or not bases:
        return intent
    if not all(base is not None and knows.is_parent(subject, base) for base in bases):
        return intent
    return intent.model_copy(update={"subject": None, "filters": (*intent.filters, Membership(dataset=subject))})


def _of_itself(item: Filter, link: Relationship) -> Filter:
    """A condition on those who play the role is on themselves."""
    if isinstance(item, Condition) and (item.field.dataset, item.field.via) == (link.to_dataset, (link.name,)):
        return item.model_copy(update={"field": item.field.model_copy(update={"via": ()})})
    return item
