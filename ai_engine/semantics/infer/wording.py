"""Other words for datasets and fields."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ai_engine.semantics.clauses import code_meanings
from ai_engine.semantics.infer.naming import NamedColumn, NamedTable
from ai_engine.semantics.infer.roles import AMOUNTS_AND_KINDS
from ai_engine.semantics.model import Dataset, FieldRole
from ai_engine.semantics.names import noun_phrase
from ai_engine.semantics.schema_words import ENTITY_SYNONYMS, PHRASE_SYNONYMS

_LONGEST_PHRASE_WORDS = 5


def dataset_synonyms(named: NamedTable, key: tuple[str, ...]) -> tuple[str, ...]:
    """Return other nouns for a table's rows: the trade's, the noun of its key, its label without what stands before."""
    found: list[str] = []
    owner = " ".join(named.by_name[key[0].lower()].words[:-1]) if len(key) == 1 else ""
    tail = named.label.rsplit(maxsplit=1)[-1]
    for noun in (owner, tail):
        if noun and noun != named.label and not AMOUNTS_AND_KINDS & set(noun.split()):
            found.append(noun)
    for phrase in (named.label, *found):
        for group in ENTITY_SYNONYMS:
            if phrase in group:
                found += sorted(group - {phrase})
    return tuple(word for word in dict.fromkeys(found) if word != named.label)


def field_synonyms(item: NamedColumn, label: str, role: FieldRole) -> tuple[str, ...]:
    """Return other words for a column: the trade's, its date turned round, its noun left out, its description."""
    found: list[str] = []
    for phrase in (item.label, _without_noun(item.label, label)):
        if phrase != item.label and phrase:
            found.append(phrase)
        for group in PHRASE_SYNONYMS:
            if phrase in group:
                found += sorted(group - {phrase})
    if role == "time":
        found += _turned_round(item.words)
    phrase = "" if code_meanings(item.description) else noun_phrase(item.description)
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
    said = Counter(word for dataset in datasets for word in dataset.synonyms)
    cleaned = []
    for dataset in datasets:
        own = Counter(item.label for item in dataset.fields)
        fields = tuple(
            replace(item, synonyms=tuple(word for word in item.synonyms if not own[word])) for item in dataset.fields
        )
        synonyms = tuple(word for word in dataset.synonyms if not labels[word] and said[word] == 1)
        cleaned.append(replace(dataset, fields=fields, synonyms=synonyms))
    return tuple(cleaned)
