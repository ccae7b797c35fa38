"""Which of two parties is meant: those who made payments or received them, payments from or to somebody."""

from __future__ import annotations

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.semantics.model import Relationship
from ai_engine.semantics.parties import Party, party_of


def party_rows(dataset: str, knowledge: Knowledge) -> str | None:
    """The only rows that join two of these, one of whom gives and the other takes; None where there are none."""
    found = []
    for name in knowledge.referring(dataset):
        roles = [_party(link) for link in _links(name, dataset, knowledge)]
        found += [name] if sorted(filter(None, roles)) == ["giver", "taker"] else []
    return found[0] if len(found) == 1 else None


def party_link(rows: str, dataset: str, party: Party | None, knowledge: Knowledge) -> str | None:
    """The relationship by which rows name this party."""
    fitting = [link.name for link in _links(rows, dataset, knowledge) if party is not None and _party(link) == party]
    return fitting[0] if len(fitting) == 1 else None


def other_party(link: Relationship) -> Party | None:
    """The party that a relationship does not name."""
    party = _party(link)
    return None if party is None else "taker" if party == "giver" else "giver"


def _links(rows: str, dataset: str, knowledge: Knowledge) -> list[Relationship]:
    links = knowledge.model.relationships_of(rows)
    return [link for link in links if (link.from_dataset, link.to_dataset) == (rows, dataset)]


def _party(way: Relationship) -> Party | None:
    return party_of(" ".join(way.synonyms))
