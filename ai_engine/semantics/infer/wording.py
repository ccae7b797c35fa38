"""Other words for datasets and fields."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ai_engine.semantics.infer.naming import NamedColumn
from ai_engine.semantics.model import Dataset, FieldRole
from ai_engine.semantics.names import noun_phrase
from ai_engine.semantics.schema_words import ENTITY_SYNONYMS, PHRASE_SYNONYMS

_LONGEST_PHRASE_WORDS = 5


def dataset_synonyms(dataset: Dataset) -> tuple[str, ...]:
    """Return other nouns for a dataset's rows, from the words of the trade."""
    found: list[str] = []
    for group in ENTITY_SYNONYMS:
        if dataset.label in group:
            found += sorted(group - {dataset.label})
    return tuple(found)


def field_synonyms(item: NamedColumn, label: str, role: FieldRole) -> tuple[str, ...]:
    """Return other words for a column: words of the trade, its date turned round, its noun left out, its description."""
    found: list[str] = []
    for phrase in (item.label, _without_noun(item.label, label)):
        if phrase != item.label and phrase:
            found.append(phrase)
        for group in PHRASE_SYNONYMS:
            if phrase in group:
                found += sorted(group - {phrase})
    if role == "time":
        found += _turned_round(item.words)
    phrase = noun_phrase(item.description)
    if phrase and len(phrase.split()) <= _LONGEST_PHRASE_WORDS:
        found.append(phrase)
    if item.words and " ".join(item.words) != item.label:
        found.append(" ".join(item.words))
    if item.label != item.column.name.lower() and item.label == phrase:
        found.append(item.column.name.lower())
    return tuple(word for word in dict.fromkeys(found) if word != item.label)


def _without_noun(phrase: str, label: str) -> str:
    """Leave out the table's own noun: "customer first name" of a customer is a first name."""
    for noun in (label, label.rsplit(maxsplit=1)[-1]):
        if phrase.startswith(noun + " "):
            rest = phrase[len(noun) + 1 :]
            return "" if rest in {"id", "number", "code", "key"} else rest
    return ""


def _turned_round(words: Sequence[str]) -> list[str]:
    """Say "open date" for "date open" and the other way round."""
    rest = " ".join(word for word in words if word not in {"date", "time"})
    if not rest or "date" not in words or "of" in words:
        return []
    return [f"{rest} date", f"date {rest}"]


def without_clashes(datasets: Sequence[Dataset]) -> tuple[Dataset, ...]:
    """Drop a synonym that is the label of something else in the same place, so that no word is made ambiguous here."""
    labels = Counter(dataset.label for dataset in datasets)
    cleaned = []
    for dataset in datasets:
        own = Counter(item.label for item in dataset.fields)
        fields = tuple(
            replace(item, synonyms=tuple(word for word in item.synonyms if not own[word])) for item in dataset.fields
        )
        synonyms = tuple(word for word in dataset.synonyms if not labels[word])
        cleaned.append(replace(dataset, fields=fields, synonyms=synonyms))
    return tuple(cleaned)
