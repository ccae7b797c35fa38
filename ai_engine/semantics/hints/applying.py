"""What a text of definitions adds to a vocabulary."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ai_engine.catalogue import Column
from ai_engine.semantics.hints.reading import Hints, PhraseHint, TableHint, ValueHint
from ai_engine.semantics.infer.fields import field_of
from ai_engine.semantics.infer.naming import NamedColumn
from ai_engine.semantics.infer.wording import other_nouns
from ai_engine.semantics.model import Dataset, Field, SemanticModel
from ai_engine.semantics.names import is_foreign, singular, split_identifier
from ai_engine.semantics.values import ValueIndex
from ai_engine.types import Scalar

_Place = tuple[str, str]


def apply_hints(model: SemanticModel, hints: Hints, values: ValueIndex | None = None) -> SemanticModel:
    """Return the model with the hints' words for its datasets, columns and values, and their abbreviations.

    Formulas stay with the hints: their phrases must be read first.

    Args:
        model: left as it is.
        hints: from `read_hints` on the same database.
        values: the values found in the data; without it, a value whose column is not named cannot be placed.
    """
    stored = {(item.dataset, item.field): item.values for item in (values or ValueIndex()).columns}
    columns: dict[_Place, list[str]] = defaultdict(list)
    for hint in hints.columns:
        for place in _places(model, hint.table, hint.column):
            columns[place].append(hint.phrase)
    meanings: dict[_Place, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for value in hints.values:
        for place, spelled in _holders(model, value, stored):
            meanings[place][spelled] += [value.phrase, *_other_words(value.phrase, hints.phrases)]
    nouns = _called(model, hints.tables)
    labels = {nouns[item.name].label for item in model.datasets}
    return replace(
        model,
        datasets=tuple(
            replace(
                dataset,
                synonyms=_joined(dataset.synonyms, _nouns(dataset, hints.phrases, labels), dataset.label),
                fields=tuple(
                    _field(
                        item,
                        columns[dataset.name, item.name],
                        meanings[dataset.name, item.name],
                        dataset.label,
                        stored.get((dataset.name, item.name), ()),
                    )
                    for item in dataset.fields
                ),
            )
            for dataset in nouns.values()
        ),
        glossary={
            **model.glossary,
            **_abbreviations(model, hints),
            **{hint.words: hint.meaning for hint in hints.groups},
        },
    )


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
        found[dataset.name] = replace(dataset, label=label, synonyms=_joined((), others, label))
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


def _joined(present: Sequence[str], added: Iterable[str], label: str) -> tuple[str, ...]:
    return tuple(word for word in dict.fromkeys([*present, *added]) if word != label)


def _field(
    item: Field, phrases: Sequence[str], meanings: Mapping[str, Sequence[str]], label: str, samples: Sequence[Scalar]
) -> Field:
    spoken = {value: tuple(words) for value, words in item.value_synonyms.items()}
    for value, words in meanings.items():
        spoken[value] = tuple(dict.fromkeys([*spoken.get(value, ()), *words]))
    if phrases and is_foreign(split_identifier(item.name)) and item.label == item.name.lower():
        item = _named(item, _singular(phrases[0]), label, samples)
    variants = [variant for phrase in phrases for variant in (phrase, _singular(phrase))]
    return replace(item, synonyms=_joined(item.synonyms, variants, item.label), value_synonyms=spoken)


def _named(item: Field, phrase: str, label: str, samples: Sequence[Scalar]) -> Field:
    """Judge a column anew whose name said nothing, now that it has one; keys stay keys."""
    if item.role == "identifier":
        return replace(item, label=phrase, description=item.description or phrase)
    named = NamedColumn(Column(item.name, item.type), phrase, tuple(phrase.split()), phrase)
    judged = field_of(named, samples, is_key=False, points_elsewhere=False, label=label)
    return replace(judged, synonyms=_joined((*item.synonyms, item.label), judged.synonyms, phrase))
