"""The values found in the data, and how a phrase of a question finds them."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias, TypeVar

from ai_engine.semantics.model import SemanticModel
from ai_engine.semantics.words import stem, words
from ai_engine.types import Scalar

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_FEW_VALUES = 400
_LONGEST_PHRASE = 6
_SHORTEST_PART = 4
_TRUTHS: dict[str, Scalar] = {"true": True, "false": False}
_SAYING_NO_KIND = {stem(word) for word in "code name number id of the by to from in on for with at".split()}


@dataclass(frozen=True, slots=True)
class ColumnValues:
    """The distinct values of one field, most frequent first, NULL left out.

    `complete` tells that no value is missing; only then may the absence of a word be trusted.
    """

    dataset: str
    field: str
    values: tuple[Scalar, ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class StoredValue:
    """One value of one field, as stored."""

    dataset: str
    field: str
    value: Scalar


@dataclass(frozen=True, slots=True)
class FoundValues:
    """Values that were looked up for the words of one question; `complete` tells that the search came to its end.

    `texts` are what was looked for, where that is known.
    """

    values: tuple[StoredValue, ...] = ()
    complete: bool = True
    texts: tuple[str, ...] = ()


Phrase: TypeAlias = tuple[str, ...]
_Place: TypeAlias = tuple[str, str]  # dataset, field
_Key = TypeVar("_Key")


def phrases_of(value: str) -> frozenset[Phrase]:
    """Return the words of a value as a question has them: as it is written, and parted where a capital begins one."""
    return frozenset({words(value), words(_CAMEL.sub(" ", value))})


@dataclass(frozen=True)
class ValueIndex:
    """Finds stored values by the words people use for them: as written, in another form of the word, by a synonym."""

    columns: tuple[ColumnValues, ...] = ()
    model: SemanticModel = field(default_factory=lambda: SemanticModel(name="empty", datasets=()))

    @cached_property
    def _exact(self) -> dict[Phrase, tuple[StoredValue, ...]]:
        found: dict[Phrase, list[StoredValue]] = defaultdict(list)
        for column in self.columns:
            for value in column.values:
                if isinstance(value, str):
                    for phrase in phrases_of(value):
                        if 0 < len(phrase) <= _LONGEST_PHRASE:
                            found[phrase].append(StoredValue(column.dataset, column.field, value))
        return _frozen(found)

    @cached_property
    def _synonyms(self) -> dict[Phrase, tuple[StoredValue, ...]]:
        found: dict[Phrase, list[StoredValue]] = defaultdict(list)
        for dataset in self.model.datasets:
            for item in dataset.fields:
                stored = _TRUTHS if item.type == "boolean" else self._stored_spelling(dataset.name, item.name)
                for value, synonyms in item.value_synonyms.items():
                    for synonym in synonyms:
                        phrase = tuple(stem(word) for word in words(synonym))
                        found[phrase].append(StoredValue(dataset.name, item.name, stored.get(value, value)))
        return _frozen(found)

    @cached_property
    def _stems(self) -> dict[Phrase, tuple[StoredValue, ...]]:
        found: dict[Phrase, list[StoredValue]] = defaultdict(list)
        for column in self._small_columns:
            for value in column.values:
                if isinstance(value, str) and 0 < len(phrase := words(value)) <= _LONGEST_PHRASE:
                    stored = StoredValue(column.dataset, column.field, value)
                    found[tuple(map(stem, phrase))].append(stored)
        return _frozen(found)

    @cached_property
    def _parts(self) -> dict[str, tuple[StoredValue, ...]]:
        found: dict[str, list[StoredValue]] = defaultdict(list)
        for column in self._small_columns:
            for value in column.values:
                phrase = words(value) if isinstance(value, str) else ()
                if 1 < len(phrase) <= _LONGEST_PHRASE:
                    for word in set(phrase):
                        if len(word) >= _SHORTEST_PART:
                            found[word].append(StoredValue(column.dataset, column.field, value))
        return _frozen(found)

    @cached_property
    def _small_columns(self) -> tuple[ColumnValues, ...]:
        return tuple(column for column in self.columns if column.complete and len(column.values) <= _FEW_VALUES)

    @cached_property
    def known_words(self) -> frozenset[str]:
        """Every word of every indexed value and synonym, for spelling correction."""
        synonyms = (
            words(synonym)
            for dataset in self.model.datasets
            for item in dataset.fields
            for named in item.value_synonyms.values()
            for synonym in named
        )
        return frozenset(word for phrase in (*self._exact, *synonyms) for word in phrase if not word.isdigit())

    @cached_property
    def _by_field(self) -> dict[tuple[str, str], ColumnValues]:
        return {(column.dataset, column.field): column for column in self.columns}

    def values_of(self, dataset: str, field_name: str) -> ColumnValues | None:
        """Return what is known of one field's values, None when it was not indexed."""
        return self._by_field.get((dataset, field_name))

    def exactly(self, phrase: Phrase) -> tuple[StoredValue, ...]:
        """Values spelled like this, letter case aside."""
        return self._exact.get(phrase, ())

    def by_synonym(self, phrase: Phrase) -> tuple[StoredValue, ...]:
        """Values that the vocabulary gives this name, or that stand beside a word for what they are: "high risk"."""
        return self._synonyms.get(tuple(map(stem, phrase))) or self._beside_label(phrase)

    def by_stem(self, phrase: Phrase) -> tuple[StoredValue, ...]:
        """Values in another form of the word: "saving" for "Savings"; fields with few values only."""
        return self._stems.get(tuple(map(stem, phrase)), ())

    def by_part(self, word: str) -> tuple[StoredValue, ...]:
        """Values of several words of which this is one; fields with few values only."""
        return self._parts.get(word, ())

    @cached_property
    def _label_words(self) -> dict[str, frozenset[_Place]]:
        """Categories by each word of their labels; a word that names the rows of a table says nothing about a value."""
        nouns = {
            stem(word)
            for dataset in self.model.datasets
            for name in (dataset.label, *dataset.synonyms)
            for word in words(name)[-1:]
        }
        found: dict[str, set[_Place]] = defaultdict(set)
        for dataset in self.model.datasets:
            for item in dataset.fields:
                if item.role == "category":
                    for word in {*map(stem, words(item.label))} - nouns - _SAYING_NO_KIND:
                        found[word].add((dataset.name, item.name))
        return {word: frozenset(places) for word, places in found.items()}

    def _beside_label(self, phrase: Phrase) -> tuple[StoredValue, ...]:
        if not 1 < len(phrase) <= _LONGEST_PHRASE:
            return ()
        for cut in range(1, len(phrase)):
            for said, label in ((phrase[:cut], phrase[cut:]), (phrase[cut:], phrase[:cut])):
                found = self._within(said, frozenset.intersection(*map(self._labelled, label)))
                if found:
                    return found
        return ()

    def _labelled(self, word: str) -> frozenset[_Place]:
        return self._label_words.get(stem(word), frozenset())

    def _within(self, phrase: Phrase, places: frozenset[_Place]) -> tuple[StoredValue, ...]:
        """Values of these fields by their own words, the surest kind only."""
        if not places:
            return ()
        stems = tuple(map(stem, phrase))
        for found in (self.exactly(phrase), self._synonyms.get(stems, ()), self._stems.get(stems, ())):
            held = tuple(value for value in found if (value.dataset, value.field) in places)
            if held:
                return held
        return ()

    def _stored_spelling(self, dataset: str, field_name: str) -> dict[str, Scalar]:
        column = self.values_of(dataset, field_name)
        return {str(value): value for value in column.values} if column else {}


def _frozen(found: dict[_Key, list[StoredValue]]) -> dict[_Key, tuple[StoredValue, ...]]:
    return {key: tuple(stored) for key, stored in found.items()}
