"""What a vocabulary has, as entries that a person looks through: tables, columns, metrics, words, relationships."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import sqlglot
from sqlglot import exp

from ai_engine.semantics.kept_back import stored_field
from ai_engine.semantics.model import Dataset, Field, Metric, SemanticModel

if TYPE_CHECKING:
    from ai_engine.types import Interpretation
    from backend.service import Assistant

Kind: TypeAlias = Literal["table", "column", "metric", "word", "relationship"]
_MOST_TRIED = 4


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing with a name.

    Attributes:
        name: in the vocabulary; of a column without its dataset.
        label: what people call it.
        dataset: where a column stands; empty for all else.
        description: what somebody wrote of it, or what it means.
        text: all that it is found by, in small letters.
    """

    kind: Kind
    name: str
    label: str
    dataset: str
    description: str
    text: str


def entries(model: SemanticModel) -> Iterator[Entry]:
    """Return everything that a vocabulary has: each table before its columns, then metrics, words, relationships."""
    for dataset in model.datasets:
        yield _entry("table", dataset.name, dataset.label, dataset.description, (dataset.source, *dataset.synonyms))
        for item in dataset.fields:
            also = (*item.synonyms, *(word for words in item.value_synonyms.values() for word in words))
            yield _entry("column", item.name, item.label, item.description, also, dataset.name)
    for metric in model.metrics:
        yield _entry("metric", metric.name, metric.label, metric.description, metric.synonyms)
    for word, meaning in model.glossary.items():
        yield _entry("word", word, word, meaning, ())
    for link in model.relationships:
        ends = f"{link.from_dataset} → {link.to_dataset}"
        yield _entry("relationship", link.name, ends, "", (*link.synonyms, *link.from_columns, *link.to_columns))


def search(found: Iterable[Entry], words: str, most: int) -> list[Entry]:
    """Return the entries that have all of the words, those called so before those that only speak of them."""
    wanted = words.lower().split()
    if not wanted:
        return []
    whole = " ".join(wanted)
    hits = [entry for entry in found if all(word in entry.text for word in wanted)]
    return sorted(hits, key=lambda entry: _rank(entry, whole))[:most]


def example_of(metric: Metric, assistant: Assistant) -> str | None:
    """Return a question about a metric that is understood; None where none of a few is."""
    model = assistant.vocabulary.model
    tables = {column.table for column in sqlglot.parse_one(metric.expression).find_all(exp.Column)}
    groups = [item.label for name in sorted(tables) for item in model.dataset(name).fields if item.role == "category"]
    name = metric.label[:1].upper() + metric.label[1:]
    tried = (*(f"{name} by {label}" for label in groups[:_MOST_TRIED]), f"What is {metric.label}?")
    return next((question for question in tried if is_understood(reading_of(question, assistant))), None)


def reading_of(question: str, assistant: Assistant) -> Interpretation:
    """Return what the rules make of a question that stands alone."""
    return assistant.built_in.interpret(question, (), assistant.vocabulary, stop=threading.Event())


def is_understood(reading: Interpretation) -> bool:
    """Tell whether every word was read, without asking back."""
    return reading.outcome == "query" and not reading.unplaced


def native_type(item: Field, dataset: Dataset, assistant: Assistant) -> str:
    """Return the database's own type of a column; the kind of what is computed or kept back: an ENUM lists values."""
    table = assistant.vocabulary.catalogue.sourced(dataset.source)
    value = stored_field(item.expression, table) if table is not None and not item.sensitive else None
    column = table.column(value.name) if table is not None and isinstance(value, exp.Column) else None
    return (column.native_type if column is not None else "") or item.type


def _entry(kind: Kind, name: str, label: str, description: str, also: Iterable[str], dataset: str = "") -> Entry:
    text = "\n".join((name, name.replace("_", " "), label, description, *also)).lower()
    return Entry(kind, name, label, dataset, description, text)


def _rank(entry: Entry, whole: str) -> tuple[int, int]:
    names = (entry.name.lower(), entry.label.lower(), entry.name.lower().replace("_", " "))
    if whole in names:
        return 0, 0
    if any(name.startswith(whole) for name in names):
        return 1, len(entry.name)
    return (2 if any(whole in name for name in names) else 3), len(entry.name)
