"""What is said where rows count that came to nothing, or are over, because nobody asked for others."""

from __future__ import annotations

from collections.abc import Iterator

import sqlglot
from sqlglot import exp

from ai_engine.semantics.intent import FieldRef, Intent, Measure, parts_of
from ai_engine.semantics.model import Dataset, Field
from ai_engine.semantics.values import phrases_of
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.semantics.wording import plural

_MOST_NAMED = 6
_STATES = ("status", "state", "stage", "outcome")  # of the row itself: the KYC status of a customer ends no customer
_UNDONE = frozenset(
    """
    failed failure reversed cancelled canceled declined rejected denied void voided bounced refunded abandoned aborted
    withdrawn returned deleted closed expired terminated lapsed inactive discontinued
    """.split()
)


def every_status(intent: Intent, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return one sentence for each table whose rows count whatever their status, failed and closed ones too.

    Where a condition, a grouping or the figure itself goes by the status, that has been decided.
    """
    read, counted = _read(intent, vocabulary)
    notes: list[str] = []
    for name in counted:
        dataset = vocabulary.model.dataset(name)
        states = [
            (item, values)
            for item in dataset.fields
            if _state(item, dataset) and not item.sensitive and (values := _values(item, dataset, vocabulary))
        ]
        if states and not any((name, item.name) in read for item, _ in states):
            notes += [_sentence(dataset, *states[0])]
    return tuple(notes)


def _read(intent: Intent, vocabulary: Vocabulary) -> tuple[set[tuple[str, str]], dict[str, None]]:
    """Return the (dataset, field) that an intent goes by, and the datasets whose rows its figures are over."""
    read = {(ref.dataset, ref.field) for ref in parts_of(intent, FieldRef)}
    counted: dict[str, None] = {}
    for measure in (part for shown in intent.measures for part in parts_of(shown, Measure)):
        columns = list(_of_metric(measure, vocabulary))
        read.update(columns)
        own = [measure.dataset, measure.field.dataset if measure.field else None]
        counted.update(dict.fromkeys(name for name in (*own, *(dataset for dataset, _ in columns)) if name))
    return read, counted


def _of_metric(measure: Measure, vocabulary: Vocabulary) -> Iterator[tuple[str, str]]:
    if measure.metric is not None:
        for column in sqlglot.parse_one(vocabulary.model.metric(measure.metric).expression).find_all(exp.Column):
            yield column.table, column.name


def _state(item: Field, dataset: Dataset) -> str:
    """Return the word for the state of a whole row, empty where a field tells something else."""
    word = item.label.removeprefix(f"{dataset.label} ")
    return word if item.role == "category" and word in _STATES else ""


def _values(item: Field, dataset: Dataset, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return all states that a field tells, where one of them says that a row came to nothing or is over."""
    known = vocabulary.values.values_of(dataset.name, item.name)
    if known is None or not known.complete:
        return ()
    stored = tuple(str(value) for value in known.values)
    named = [text for value in stored for text in (value, *item.value_synonyms.get(value, ()))]
    return stored if any(_UNDONE & set(phrase) for text in named for phrase in phrases_of(text)) else ()


def _sentence(dataset: Dataset, item: Field, values: tuple[str, ...]) -> str:
    named = ", ".join(values[:_MOST_NAMED]) + (", …" if len(values) > _MOST_NAMED else "")
    return f"{plural(dataset.label).capitalize()} of every {_state(item, dataset)} count: {named}."
