"""How the rows of datasets can be called: by their noun, as a party, as the main one of two."""

from __future__ import annotations

from collections.abc import Iterator

from ai_engine.built_in.cues import kinds_of_cue
from ai_engine.built_in.meanings import Attribute, Meaning, Thing
from ai_engine.built_in.name_prices import EXACT, GENERIC_HEADS, HEAD_NOUN, PART, SYNONYM, WITHOUT_TABLE, Key
from ai_engine.built_in.parts import is_called_like_its_whole
from ai_engine.semantics.model import Dataset, Field, Relationship, SemanticModel
from ai_engine.semantics.parties import DIRECTIONS, PARTY_NOUNS, is_agent, party_of
from ai_engine.semantics.people import PEOPLE, holds_people
from ai_engine.semantics.words import name_key, stem, words

_AS_IT_WAS = HEAD_NOUN + 0.1  # "balance" is rather what an account holds now than what was kept of it
_PART_OF_ANOTHER = 0.3
_RANKING = frozenset({"superlative", "ordinal", "limit"})
_MAIN = ("main", "primary", "lead")
_BESIDE_THE_MAIN = frozenset("co joint second secondary additional alternate".split())


def spelled_things(dataset: Dataset, model: SemanticModel) -> Iterator[tuple[Key, Meaning, float]]:
    """Every way to call the rows of a dataset, with its price."""
    thing = Thing(dataset.name)
    label = words(dataset.label)
    yield name_key(label), thing, EXACT
    for synonym in (dataset.name, *dataset.synonyms):
        yield name_key(words(synonym)), thing, SYNONYM
    if holds_people(dataset):
        for synonym in PEOPLE:
            yield name_key((synonym,)), thing, WITHOUT_TABLE
    if len(label) > 1:
        kept = _kept(dataset, label[-1])
        for item in kept:
            yield name_key(label[-1:]), Attribute(dataset.name, item.name), _AS_IT_WAS
        if not (kept or is_called_like_its_whole(model, dataset.name, label[-1])):
            yield name_key(label[-1:]), thing, HEAD_NOUN
        if not _RANKING.intersection(kinds_of_cue(label[0])):  # "the oldest first" is no "first notice"
            yield name_key(label[:1]), thing, PART + _PART_OF_ANOTHER * _is_another(label[0], dataset, model)
    yield from _parties(dataset, model)
    yield from _main_of_two(dataset, model)
    for relationship in model.relationships:
        if relationship.to_dataset == dataset.name:
            for word in relationship.synonyms:
                via = Thing(dataset.name, (relationship.name,))
                if is_agent(word):
                    yield name_key(words(word)), via, WITHOUT_TABLE
                for noun in (dataset.label, *dataset.synonyms):
                    yield name_key((*words(word), *words(noun))), via, EXACT
                yield from _said_of_a_role(dataset, relationship, words(word), model)


def _is_another(word: str, dataset: Dataset, model: SemanticModel) -> bool:
    """A "lock passage" is no lock, where locks are kept; a club membership is as good as a club."""
    links = [link for link in model.relationships_of(dataset.name) if link.from_dataset == dataset.name]
    joins = len(dataset.primary_key) > 1 and {name for link in links for name in link.from_columns}.issuperset(
        dataset.primary_key
    )
    others = (other for other in model.datasets if other.name != dataset.name)
    return any(word == other.label or (not joins and word in other.synonyms) for other in others)


def _said_of_a_role(
    dataset: Dataset, link: Relationship, role: Key, model: SemanticModel
) -> Iterator[tuple[Key, Meaning, float]]:
    """ "destination city", "region of origin": what is kept of those who play a role, said without their noun."""
    own = {name_key(words(item.label)) for item in model.dataset(link.from_dataset).fields}
    for item in dataset.fields:
        key = name_key((*role, *words(item.label)))
        if item.role == "category" and key not in own and not set(role) & set(words(item.label)):
            yield key, Attribute(dataset.name, item.name, via=(link.name,)), SYNONYM


def _main_of_two(dataset: Dataset, model: SemanticModel) -> Iterator[tuple[Key, Meaning, float]]:
    """ "main applicant", where some rows have a co-applicant beside theirs."""
    for link in model.relationships_of(dataset.name):
        if link.to_dataset != dataset.name or link.synonyms:
            continue
        others = model.relationships_of(link.from_dataset)
        beside = [other for other in others if other.name != link.name and _same_ends(link, other)]
        if any(_BESIDE_THE_MAIN.intersection(words(" ".join(other.synonyms))) for other in beside):
            for noun in (dataset.label, *dataset.synonyms):
                for said in _MAIN:
                    yield name_key((said, *words(noun))), Thing(dataset.name, (link.name,)), EXACT


def _parties(dataset: Dataset, model: SemanticModel) -> Iterator[tuple[Key, Meaning, float]]:
    """ "payer" and "recipient" where the columns say sender and receiver, and "outgoing payments"."""
    for link in model.relationships_of(dataset.name):
        party = party_of(" ".join(link.synonyms))
        beside = [other for other in model.relationships_of(link.from_dataset) if _same_ends(link, other)]
        parties = [party_of(" ".join(other.synonyms)) for other in beside]
        if party is None or sorted(filter(None, parties)) != ["giver", "taker"]:
            continue
        if link.to_dataset == dataset.name and PARTY_NOUNS[party].intersection(words(link.synonyms[0])):
            for noun in PARTY_NOUNS[party]:
                yield name_key((noun,)), Thing(dataset.name, (link.name,)), WITHOUT_TABLE
        if link.from_dataset == dataset.name:
            for noun in (dataset.label, *dataset.synonyms):
                for said in DIRECTIONS[party]:
                    yield name_key((said, *words(noun))), Thing(dataset.name, (link.name,)), EXACT


def _same_ends(one: Relationship, other: Relationship) -> bool:
    return (one.from_dataset, one.to_dataset) == (other.from_dataset, other.to_dataset)


def _kept(dataset: Dataset, noun: str) -> list[Field]:
    """What is kept in a table of snapshots that is named like it: the balance of a daily balance."""

    def head(item: Field) -> str:
        said = words(item.label) or (item.name,)
        return said[-2] if stem(said[-1]) in GENERIC_HEADS and said[1:] else said[-1]

    measured = [item for item in dataset.fields if item.role == "measure" and head(item) == noun]
    return measured if dataset.snapshot_time is not None else []
