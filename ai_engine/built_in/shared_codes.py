"""One table for the codes of many columns: which kind of code stands in which column, and what a code is called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ai_engine.built_in.meanings import Attribute
from ai_engine.semantics.intent import Condition, Filter, Intent, Membership
from ai_engine.semantics.model import Dataset, Relationship, SemanticModel
from ai_engine.semantics.values import ValueIndex
from ai_engine.semantics.words import stem, words

_KINDS = frozenset({"group", "type", "kind", "category", "domain", "class", "set", "list"})


@dataclass(frozen=True)
class KindOfCode:
    """A kind of code ("policy type"), and the column that holds codes of this kind."""

    name: str
    table: str
    group: str
    meaning: str
    link: Relationship

    @property
    def called(self) -> Attribute:
        """What the codes of this column are called."""
        return Attribute(self.table, self.meaning, via=(self.link.name,))


def kinds_of_codes(model: SemanticModel, values: ValueIndex) -> tuple[KindOfCode, ...]:
    """Every kind of code that one table keeps beside others, with each column that is called like it."""
    return tuple(kind for dataset in model.datasets for kind in _kinds_in(dataset, model, values))


def link_of_value(
    kinds: tuple[KindOfCode, ...], model: SemanticModel, place: tuple[str, str], value: str
) -> str | None:
    """The only column whose codes include the one that is called so."""
    columns = {
        kind.link.name
        for kind in kinds
        if (kind.table, kind.meaning) == place
        and value.lower() in _meanings(model.dataset(kind.link.from_dataset), kind.link)
    }
    return columns.pop() if len(columns) == 1 else None


def misplaced_kinds(intent: Intent, kinds: tuple[KindOfCode, ...]) -> tuple[str, ...]:
    """Kinds of code named where the question reads other rows, whose columns may hold codes of another kind."""
    groups = {(kind.table, kind.group) for kind in kinds}
    tables = {kind.table for kind in kinds}
    bases = {measure.dataset or (measure.field.dataset if measure.field else None) for measure in intent.measures}
    bases |= {intent.subject} if intent.subject else set()
    bases |= {field.dataset for field in intent.columns}
    read = {base for base in bases if base is not None}
    named = [item for item in _conditions(intent.filters) if (item.field.dataset, item.field.field) in groups]
    return tuple(f"{item.values[0]}" for item in named if read - tables or not read)


def _conditions(filters: tuple[Filter, ...]) -> Iterator[Condition]:
    for item in filters:
        if isinstance(item, Condition):
            yield item
        elif isinstance(item, Membership):
            yield from _conditions(item.filters)


def _kinds_in(dataset: Dataset, model: SemanticModel, values: ValueIndex) -> Iterator[KindOfCode]:
    links = [
        link
        for link in model.relationships_of(dataset.name)
        if link.to_dataset == dataset.name != link.from_dataset and len(link.from_columns) == 1
    ]
    meanings = [name for name in dataset.display if dataset.has(name) and dataset.field(name).role == "name"]
    categories = (item for item in dataset.fields if item.role == "category")
    groups = [item for item in categories if not _KINDS.isdisjoint(words(item.label)[-1:])]
    if len({link.from_columns for link in links}) <= 1 or len(meanings) != 1 or len(groups) != 1:
        return
    known = values.values_of(dataset.name, groups[0].name)
    for value in known.values if known is not None and known.complete else ():
        for link in _called_like(str(value), links, model):
            yield KindOfCode(str(value), dataset.name, groups[0].name, meanings[0], link)


def _called_like(kind: str, links: list[Relationship], model: SemanticModel) -> list[Relationship]:
    """Columns that say the kind with their table, else those that say its noun."""
    said = [stem(word) for word in words(kind)]
    columns = {link.name: _words_of(link, model) for link in links}
    nouns = [link for link in links if said and said[-1] in columns[link.name][0]]
    whole = [link for link in nouns if set(said) <= columns[link.name][0] | columns[link.name][1]]
    return whole or nouns


def _words_of(link: Relationship, model: SemanticModel) -> tuple[set[str], set[str]]:
    dataset = model.dataset(link.from_dataset)
    column = dataset.field(link.from_columns[0]).label if dataset.has(link.from_columns[0]) else link.from_columns[0]
    nouns = (dataset.label, dataset.name, *dataset.synonyms)
    return {stem(word) for word in words(column)}, {stem(word) for noun in nouns for word in words(noun)}


def _meanings(dataset: Dataset, link: Relationship) -> set[str]:
    if not dataset.has(link.from_columns[0]):
        return set()
    synonyms: Mapping[str, tuple[str, ...]] = dataset.field(link.from_columns[0]).value_synonyms
    return {said.lower() for found in synonyms.values() for said in found}
