"""Whose a value or a thing is: of the noun that it stands before, of something else, of what lies between."""

from __future__ import annotations

from ai_engine.built_in.meanings import Stored, Thing
from ai_engine.built_in.people import calls_people
from ai_engine.built_in.sketch import Walk
from ai_engine.semantics.intent import FieldRef, Membership
from ai_engine.semantics.words import words


def is_state_of_something_else(walk: Walk) -> bool:
    """ "pending requests", where requests have a status of their own and "pending" is that of the customer's KYC."""
    found, noun = walk.peek(), walk.peek(1)
    if not (isinstance(found, Stored) and isinstance(noun, Thing)) or walk.items[walk.position].with_field:
        return False
    if walk.items[walk.position + 1].apart or noun.dataset == found.dataset or len(words(walk.text())) > 1:
        return False
    place = FieldRef(dataset=found.dataset, field=found.field)
    own = any("status" in words(item.label) for item in walk.knowledge.dataset(noun.dataset).fields)
    return own and "status" in words(walk.knowledge.field(place).label)


def of_other_people(walk: Walk) -> bool:
    """ "senior clients", where it is their advisers who can be senior: nobody says so of the clients."""
    value, noun = walk.peek(), walk.peek(1)
    if not (isinstance(value, Stored) and isinstance(noun, Thing)) or noun.dataset == value.dataset:
        return False
    return all(calls_people(walk.knowledge.dataset(name)) for name in (value.dataset, noun.dataset))


def lies_between(walk: Walk, found: Thing, last: Membership, subject: str) -> bool:
    """ "clients who placed no order in any of their portfolios in May": the way from the one to the other."""
    knows = walk.knowledge
    between = knows.is_parent(last.dataset, found.dataset) and knows.is_parent(found.dataset, subject)
    return between and walk.items[walk.position].apart and not walk.having and not walk.negated
