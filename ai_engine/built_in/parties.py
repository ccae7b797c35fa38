"""Which of two parties is meant: those who made payments or received them, payments from or to somebody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Attribute, Cue, Meaning, Stored, Thing
from ai_engine.semantics.model import Relationship
from ai_engine.semantics.parties import Party, party_of
from ai_engine.semantics.people import PEOPLE
from ai_engine.semantics.words import words

_TAKING = frozenset(
    {"receive", "receives", "received", "receiving", "get", "gets", "got", "collect", "collected", "took"}
)
_GIVING = frozenset(
    {"make", "makes", "made", "making", "pay", "pays", "paid", "paying", "send", "sends", "sent", "sending"}
    | {"initiate", "initiated", "place", "placed", "do", "did", "done", "transfer", "transferred", "create", "created"}
)
_LINKED = 2


def with_parties(texts: Sequence[str], meanings: Sequence[Meaning], knowledge: Knowledge) -> list[Meaning]:
    """Return the meanings with the way to each thing that the words between it and the thing before it tell.

    The way that is taken anyhow is left unsaid.
    """
    found = _with_directions(_as_who_does_it(texts, meanings, knowledge), knowledge)
    before: int | None = None
    for at, meaning in enumerate(found):
        if isinstance(meaning, Stored):
            found[at] = _as_party(at, texts, found, knowledge)
        first = meanings[before] if before is not None else None
        if isinstance(meaning, Attribute) and isinstance(first, Thing) and before is not None and not first.via:
            between = words(" ".join(texts[before + 1 : at]))
            taken = _way(first, Thing(meaning.dataset), between, knowledge) if _TAKING.intersection(between) else None
            found[before] = replace(first, via=(taken,)) if taken else found[before]
        if isinstance(meaning, Attribute) and _says_whose(texts[at], meaning, knowledge):
            before = at
        if not isinstance(meaning, Thing):
            continue
        first = Thing(first.dataset) if isinstance(first, Attribute) else first
        if isinstance(first, Thing) and before is not None and not meaning.via:
            between = words(" ".join(texts[before + 1 : at]))
            way = _way(first, meaning, between, knowledge)
            found[at] = replace(meaning, via=(way,)) if way else meaning
        before = at
    return found


def _says_whose(text: str, meaning: Attribute, knowledge: Knowledge) -> bool:
    """ "home town of the person": the field and whose it is in one."""
    said = words(text)
    return "of" in said and knowledge.lexicon.is_noun(said[-1], Thing(meaning.dataset))


def _with_directions(meanings: Sequence[Meaning], knowledge: Knowledge) -> list[Meaning]:
    """ "incoming payments of Ann Lee", "outgoing payments per person": which party the people after it are."""
    found = list(meanings)
    grouped = any(isinstance(meaning, Cue) and meaning.kind in {"group", "each"} for meaning in found)
    for at, meaning in enumerate(meanings):
        if not isinstance(meaning, Thing) or len(meaning.via) != 1:
            continue
        link = knowledge.model.relationship(meaning.via[0])
        if link.from_dataset == link.to_dataset:
            continue  # "supervisors" are people themselves, no rows that go one way or the other
        people = [place for place, other in enumerate(found) if _is_without_way(other, link.to_dataset)]
        if link.from_dataset != meaning.dataset or (people and people[0] < at and not grouped):
            continue
        found[at] = Thing(meaning.dataset)
        for place in people:
            found[place] = _by_way(found[place], meaning.via)
    return found


def _is_without_way(meaning: Meaning, dataset: str) -> bool:
    return isinstance(meaning, Thing | Attribute | Stored) and (meaning.dataset, meaning.via) == (dataset, ())


def _by_way(meaning: Meaning, via: tuple[str, ...]) -> Meaning:
    return replace(meaning, via=via) if isinstance(meaning, Thing | Attribute | Stored) else meaning


def _as_who_does_it(texts: Sequence[str], meanings: Sequence[Meaning], knowledge: Knowledge) -> list[Meaning]:
    """ "the person handling them", "people who manage offices": whoever does it, be they clients or staff."""
    found = list(meanings)
    spoken = {meaning.dataset for meaning in meanings if isinstance(meaning, Thing | Attribute | Stored)}
    for at, meaning in enumerate(meanings):
        if not (isinstance(meaning, Thing) and texts[at].lower() in PEOPLE):
            continue
        ahead = at + 1
        while ahead < len(meanings) and _says_nothing(meanings[ahead], texts[ahead]):
            ahead += 1
        if ahead == len(meanings) or not isinstance(meanings[ahead], Cue):
            continue
        links = knowledge.lexicon.role_verbs.links(texts[ahead])
        links = tuple(link for link in links if link.from_dataset in spoken)
        if len(links) == 1 and links[0].to_dataset != meaning.dataset:
            found[at] = Thing(links[0].to_dataset, (links[0].name,))
    return found


def _says_nothing(meaning: Meaning, text: str) -> bool:
    silent = isinstance(meaning, Cue) and meaning.kind in {"filler", "relative", "who"}
    return silent or text.lower() in {"has", "have"}


def _as_party(at: int, texts: Sequence[str], meanings: Sequence[Meaning], knowledge: Knowledge) -> Stored:
    """ "sent to Ann Lee", "payments from Whitby": a value of one of the two parties that payments join."""
    value = meanings[at]
    assert isinstance(value, Stored)  # noqa: S101 - the caller looked
    if value.via:
        return value
    start = next((place for place in range(at - 1, -1, -1) if not isinstance(meanings[place], Cue)), -1)
    before = meanings[start] if start >= 0 else None
    between = words(" ".join(texts[start + 1 : at]))
    if isinstance(before, Stored) and before.dataset == value.dataset and not between:
        return replace(value, via=before.via)
    joined = party_rows(value.dataset, knowledge)
    if joined is None or (isinstance(before, Thing | Attribute) and before.dataset == value.dataset):
        return value
    spoken = any(isinstance(found, Thing | Attribute) and found.dataset == joined for found in meanings)
    if not spoken and not (_TAKING | _GIVING).intersection(words(" ".join(texts))):
        return value
    after = next((place for place in range(at + 1, len(meanings)) if not isinstance(meanings[place], Stored)), None)
    acts = after is not None and isinstance(verb := meanings[after], Cue) and verb.kind in {"have", "filler"}
    party = _named(between) or (_doer(words(texts[after].lower())) if acts and after is not None else None)
    link = party_link(joined, value.dataset, party, knowledge)
    return replace(value, via=(link,)) if link is not None else value


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
    if _TAKING.intersection(between) - {"from"} and "from" not in between:
        return "taker"
    if "to" in between:
        return "taker"
    return "giver" if {"by", "from"}.intersection(between) else None
