"""What a text of definitions adds to a vocabulary."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from ai_engine.semantics.hints.columns import described, joined, of_days, renamed, shown_anew
from ai_engine.semantics.hints.kinds import Hints, PhraseHint, TableHint, ValueHint
from ai_engine.semantics.hints.links import with_links
from ai_engine.semantics.hints.marks import with_marks
from ai_engine.semantics.infer.code_lists import CodeLists
from ai_engine.semantics.infer.wording import other_nouns
from ai_engine.semantics.model import Dataset, SemanticModel
from ai_engine.semantics.names import is_foreign, singular, split_identifier
from ai_engine.semantics.values import ValueIndex
from ai_engine.semantics.wording import plural
from ai_engine.semantics.words import words
from ai_engine.types import Scalar

_Place = tuple[str, str]
_Named = TypeVar("_Named", bound=tuple[object, ...])
_SEVERAL = 2


def apply_hints(
    model: SemanticModel, hints: Hints, values: ValueIndex | None = None, lists: CodeLists | None = None
) -> SemanticModel:
    """Return the model with the hints' words for its datasets, columns and values, and their abbreviations.

    Formulas stay with the hints: their phrases must be read first.

    Args:
        model: left as it is.
        hints: from `read_hints` on the same database.
        values: the values found in the data; without it, a value whose column is not named cannot be placed.
        lists: what the database's own lists of codes say; without them, a kind of code says nothing.
    """
    stored = {(item.dataset, item.field): item.values for item in (values or ValueIndex()).columns}
    called = tuple(_called(model, hints.tables).values())
    nouns = {noun for dataset in called for noun in (dataset.label, *dataset.synonyms)}
    columns: dict[_Place, list[str]] = defaultdict(list)
    for hint in hints.columns:
        for place in _of_named(_places(model, hint.table, hint.column), hint.phrase, called):
            columns[place].append(hint.phrase)
    days = {place for hint in hints.days for place in _places(model, hint.table, hint.column)}
    meanings: dict[_Place, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for value in hints.values:
        for place, spelled in _of_named(_holders(model, value, stored), value.phrase, called):
            meanings[place][spelled] += [value.phrase, *_other_words(value.phrase, hints.phrases)]
    for place, code, meaning in _listed(model, hints, stored, lists or {}):
        meanings[place][code].append(meaning)
    labels = {dataset.label for dataset in called}

    new_labels = {
        old.label: new.label for old, new in zip(model.datasets, called, strict=True) if old.label != new.label
    }

    def as_told(dataset: Dataset) -> Dataset:
        fields = []
        for item in dataset.fields:
            place = dataset.name, item.name
            plain = renamed(of_days(item) if place in days else item, new_labels)
            fields.append(described(plain, columns[place], meanings[place], dataset, stored.get(place, ()), nouns))
        synonyms = joined(dataset.synonyms, _nouns(dataset, hints.phrases, labels), dataset.label)
        changed = replace(dataset, synonyms=synonyms, fields=tuple(fields))
        return (
            shown_anew(changed, model.dataset(dataset.name), _pointing(model, dataset)) if model.inferred else changed
        )

    return replace(
        model,
        datasets=with_marks(map(as_told, called), hints.conditions, stored),
        relationships=with_links(model, hints.links),
        glossary={
            **model.glossary,
            **_abbreviations(model, hints),
            **{way: " and ".join(hint.columns) for hint in hints.several for way in _in_both_numbers(hint.phrase)},
            **{way: hint.meaning for hint in hints.groups for way in _in_both_numbers(hint.words)},
        },
    )


def _listed(
    model: SemanticModel, hints: Hints, stored: Mapping[_Place, Sequence[Scalar]], lists: CodeLists
) -> Iterator[tuple[_Place, str, str]]:
    """Yield what the codes of columns mean by the list of the kind that they are said to be of."""
    for hint in hints.codes:
        known = lists.get(hint.kind, {})
        for place in _places(model, hint.table, hint.column):
            spelled = [str(value) for value in stored.get(place, ())]
            yield from ((place, value, known[value.lower()]) for value in spelled if value.lower() in known)


def _pointing(model: SemanticModel, dataset: Dataset) -> set[str]:
    links = (link for link in model.relationships_of(dataset.name) if link.from_dataset == dataset.name)
    return {name.lower() for link in links for name in link.from_columns}


def _of_named(places: list[_Named], phrase: str, datasets: Sequence[Dataset]) -> list[_Named]:
    """Of several places, those in the dataset that the phrase names: "loan amount" is said of loans."""
    said = set(words(phrase))
    if len(places) < _SEVERAL:
        return places
    own = {
        dataset.name
        for dataset in datasets
        if any(said.issuperset(words(noun)) for noun in (dataset.label, *dataset.synonyms))
    }
    return [item for item in places if _dataset_of(item) in own] or places


def _in_both_numbers(phrase: str) -> tuple[str, str]:
    return plural(_singular(phrase)), _singular(phrase)


def _dataset_of(place: object) -> str:
    while isinstance(place, tuple):
        place = place[0]
    return str(place)


def _called(model: SemanticModel, hints: Sequence[TableHint]) -> dict[str, Dataset]:
    """Return the datasets by name with the nouns given to their tables; a name that said nothing gives way to them."""
    labels = {dataset.label for dataset in model.datasets}
    found: dict[str, Dataset] = {}
    for dataset in model.datasets:
        given = [_singular(hint.phrase) for hint in hints if hint.table.lower() == _table(dataset)]
        nouns = [noun for noun in dict.fromkeys(given) if noun not in labels]
        if not nouns:
            found[dataset.name] = dataset
            continue
        label = nouns[0] if is_foreign(split_identifier(dataset.label)) else dataset.label
        others = [*dataset.synonyms, dataset.label, *nouns, *(word for noun in nouns for word in other_nouns(noun))]
        found[dataset.name] = replace(dataset, label=label, synonyms=joined((), others, label))
    return found


def _abbreviations(model: SemanticModel, hints: Hints) -> dict[str, str]:
    """Return single words that stand for several, unless they became words for a dataset or a value."""
    named = {_singular(name) for dataset in model.datasets for name in (dataset.label, *dataset.synonyms)}
    named |= {_singular(value.phrase) for value in hints.values}
    return {
        hint.words: hint.meaning
        for hint in hints.phrases
        if len(hint.words.split()) == 1 < len(hint.meaning.split()) and _singular(hint.meaning) not in named
    }


def _places(model: SemanticModel, table: str | None, column: str) -> list[_Place]:
    return [
        (dataset.name, item.name)
        for dataset in model.datasets
        for item in dataset.fields
        if item.name.lower() == column.lower() and (table is None or _table(dataset) == table.lower())
    ]


def _table(dataset: Dataset) -> str:
    return dataset.source.rpartition(".")[2].strip('"').lower()


def _holders(
    model: SemanticModel, hint: ValueHint, stored: Mapping[_Place, Sequence[Scalar]]
) -> list[tuple[_Place, str]]:
    """Return the fields a value may stand in, with its stored spelling: those that hold it, else those named."""
    places = _places(model, hint.table, hint.column) if hint.column else list(stored)
    holding = [
        (place, str(value))
        for place in places
        for value in stored.get(place, ())
        if str(value).lower() == hint.value.lower()
    ]
    return holding or [(place, hint.value) for place in places if hint.column]


def _other_words(phrase: str, said: Iterable[PhraseHint]) -> list[str]:
    return [hint.words for hint in said if _same(hint.meaning, phrase)]


def _same(one: str, other: str) -> bool:
    return _singular(one) == _singular(other)


def _singular(phrase: str) -> str:
    head, _, last = phrase.rpartition(" ")
    return f"{head} {singular(last)}".strip()


def _nouns(dataset: Dataset, said: Iterable[PhraseHint], labels: set[str]) -> list[str]:
    """Return the nouns that are said to be the dataset's: "customers refer to clients"."""
    own = {dataset.label, *dataset.synonyms}
    found = []
    for hint in said:
        sides = [_singular(hint.words), _singular(hint.meaning)]
        for side, other in (sides, reversed(sides)):
            if side in own and other not in labels:
                found.append(other)
    return found
