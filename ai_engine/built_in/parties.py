"""Which of two parties is meant: those who made payments or received them, payments from or to somebody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Meaning, Thing
from ai_engine.semantics.model import Relationship
from ai_engine.semantics.parties import Party, party_of
from ai_engine.semantics.words import words

_TAKING = frozenset({"receive", "receives", "received", "receiving", "get", "gets", "got", "collect", "collected"})
_GIVING = frozenset(
    {"make", "makes", "made", "making", "pay", "pays", "paid", "paying", "send", "sends", "sent", "sending"}
    | {"initiate", "initiated", "place", "placed", "do", "did", "done", "transfer", "transferred", "create", "created"}
)
_LINKED = 2


def with_parties(texts: Sequence[str], meanings: Sequence[Meaning], knowledge: Knowledge) -> list[Meaning]:
    """Return the meanings with the way to each thing that the words between it and the thing before it tell.

    The way that is taken anyhow is left unsaid.
    """
    found = list(meanings)
    before: int | None = None
    for at, meaning in enumerate(meanings):
        if not isinstance(meaning, Thing):
            continue
        first = meanings[before] if before is not None else None
        if isinstance(first, Thing) and before is not None and not meaning.via:
            between = words(" ".join(texts[before + 1 : at]))
            way = _way(first, meaning, between, knowledge)
            found[at] = replace(meaning, via=(way,)) if way else meaning
        before = at
    return found


def _way(first: Thing, second: Thing, between: Sequence[str], knowledge: Knowledge) -> str | None:
    ways = [
        item
        for item in knowledge.model.relationships_of(first.dataset)
        if {item.from_dataset, item.to_dataset} == {first.dataset, second.dataset}
    ]
    if len(ways) < _LINKED or first.dataset == second.dataset:
        return None
    party = _doer(between) if ways[0].to_dataset == first.dataset else _named(between)
    fitting = [item for item in ways if party is not None and _party(item) == party]
    return fitting[0].name if len(fitting) == 1 and not fitting[0].preferred else None


def _party(way: Relationship) -> Party | None:
    return party_of(" ".join(way.synonyms))


def _doer(between: Sequence[str]) -> Party | None:
    """ "users who made payments": said of the party."""
    if _TAKING.intersection(between):
        return "taker"
    return "giver" if _GIVING.intersection(between) else None


def _named(between: Sequence[str]) -> Party | None:
    """ "payments made by users", "payments to users": said of what joins the parties."""
    if _TAKING.intersection(between) or (between and between[-1] == "to"):
        return "taker"
    return "giver" if {"by", "from"}.intersection(between) else None
