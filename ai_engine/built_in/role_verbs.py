"""What people do in a role: a handler handles, a borrower borrows or takes out, a sender sends, a manager runs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from ai_engine.semantics.model import Relationship, SemanticModel
from ai_engine.semantics.parties import Party, party_of
from ai_engine.semantics.words import words

_ENDINGS = re.compile(r"(?:ing|ed|es|s|er|or|e)$")
_IRREGULAR = {
    "sent": "send", "paid": "pay", "held": "hold", "lent": "lend", "sold": "sell", "bought": "buy", "gave": "giv",
    "given": "giv", "wrote": "writ", "written": "writ", "led": "lead", "ran": "run", "running": "run", "made": "mak",
    "underwrote": "underwrit", "underwritten": "underwrit", "oversaw": "overse", "overseen": "overse", "took": "tak",
    "taken": "tak", "got": "get",
}  # fmt: skip
_STEWARDS = frozenset(
    """
    manager head supervisor director leader lead chief boss administrator overseer caretaker keeper officer adviser
    advisor handler agent incharge custodian coordinator rm
    """.split()
)
_LIGHT = frozenset("has have had is are was were be been up by the".split())
_BORROWING = frozenset({"tak out", "borrow", "tak"})
_GIVING = frozenset({"send", "pay", "transfer", "remit", "giv", "wire", "originat"})
_TAKING = frozenset({"receiv", "get", "collect"})


@dataclass(frozen=True)
class RoleVerbs:
    """Who does what, by the roles of a vocabulary's relationships."""

    model: SemanticModel

    def links(self, said: str) -> tuple[Relationship, ...]:
        """Return the relationships in whose role somebody does what a verb says: "handled" for a handler."""
        verb = verb_of(said)
        return tuple(link for link in self._with_roles if verb in verbs_of(link.synonyms[0]))

    def knows(self, word: str) -> bool:
        """Tell whether a word is a form of a verb that names a role of this vocabulary."""
        return verb_of(word) in self._own_verbs

    @cached_property
    def _with_roles(self) -> tuple[Relationship, ...]:
        return tuple(link for link in self.model.relationships if link.synonyms)

    @cached_property
    def _own_verbs(self) -> frozenset[str]:
        return frozenset(_own_verb(link.synonyms[0]) for link in self._with_roles) - {""}


def is_steward(role: str) -> bool:
    """Tell whether a role or the noun of people says that they look after things: managers, advisers."""
    return bool(_STEWARDS.intersection(words(role)))


def is_stewardship(said: str) -> bool:
    """Tell whether a verb asks for who looks after something: "manages", "is in charge of"."""
    return verb_of(said) in _STEWARDSHIP


def gives(said: str) -> bool:
    """Tell whether a verb says that something goes from who does it to others: "transferred"."""
    return verb_of(said) in _GIVING


def verb_of(said: str) -> str:
    """Return what is common to the forms of a verb: "handled", "handles" and "handling" give "handl"."""
    parts = [_stem(word) for word in words(said.lower()) if word not in _LIGHT]
    return " ".join(parts)


def verbs_of(role: str) -> frozenset[str]:
    """Return what somebody of this role does, a role being "handler" or "approved by"."""
    found = {_own_verb(role)} - {""}
    party: Party | None = party_of(role)
    if is_steward(role):
        found.update(_STEWARDSHIP)
    if words(role)[-1:] == ("borrower",):
        found.update(_BORROWING)
    if party is not None and {"pay", "send", "receiv", "remit"} & {*found, _PARTNERS.get(words(role)[-1], "")}:
        found.update(_GIVING if party == "giver" else _TAKING)
    return frozenset(found)


_PARTNERS = {"recipient": "receiv", "payee": "receiv", "beneficiary": "receiv", "originator": "send"}


def _own_verb(role: str) -> str:
    said = words(role)
    if not said:
        return ""
    if said[-1] == "by" and len(said) > 1:
        return _stem(said[-2])
    agent = said[-1]
    return _stem(agent) if agent.endswith(("er", "or")) and len(agent) > 4 else ""


def _stem(word: str) -> str:
    found = _IRREGULAR.get(word, word)
    found = _ENDINGS.sub("", found).rstrip("e") if len(found) > 3 else found
    return found[:-1] if len(found) > 3 and found[-1] == found[-2] and found[-1] not in "l" else found


# Verbs of those who look after something, whatever their title.
_STEWARDSHIP = frozenset(
    map(
        verb_of,
        (
            "manage", "run", "head", "supervise", "lead", "oversee", "administer", "look after", "in charge of",
            "responsible for", "take care of", "care for",
        ),
    )
)  # fmt: skip
