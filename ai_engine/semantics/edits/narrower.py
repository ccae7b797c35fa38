"""The same question about less: a shorter period, one part of a table that is kept in parts, fewer tables."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from ai_engine.semantics.dating import date_of
from ai_engine.semantics.edits.edit import Edit, changed, edit, offered
from ai_engine.semantics.edits.filters import narrowed_by
from ai_engine.semantics.edits.periods import shorter_periods, takes_a_period
from ai_engine.semantics.edits.ways import base_of
from ai_engine.semantics.intent import Condition, FieldRef, Intent, parts_of
from ai_engine.semantics.vocabulary import Vocabulary

_MOST_PARTS = 2


def narrower(intent: Intent, vocabulary: Vocabulary) -> Iterator[Edit]:
    """Yield questions that ask for less than this one, those nearest to it first; each can be compiled.

    Whether the database has less to read for one is its own to tell.
    """
    return offered(_narrower(intent, vocabulary), intent, vocabulary)


def parting_columns(intent: Intent, vocabulary: Vocabulary) -> tuple[FieldRef, ...]:
    """Return the fields by which the database keeps apart the rows that are counted or listed."""
    base = base_of(intent, vocabulary.model)
    dataset = vocabulary.model.dataset(base) if base is not None else None
    table = vocabulary.catalogue.table(dataset.source.rpartition(".")[2]) if dataset is not None else None
    if dataset is None or table is None:
        return ()
    by_column = {item.name.lower(): item for item in dataset.fields}
    parted = [by_column[name] for name in table.parted_by if name in by_column]
    return tuple(FieldRef(dataset=dataset.name, field=item.name) for item in parted if not item.sensitive)


def _narrower(intent: Intent, vocabulary: Vocabulary) -> Iterator[Edit]:
    parted = parting_columns(intent, vocabulary)
    # Rows that are kept apart by their date are what happened on it, also where no figure is said to be dated by it.
    if intent.period is not None or takes_a_period(intent, vocabulary) or date_of(intent, vocabulary.model) in parted:
        yield from shorter_periods(intent, vocabulary)
    for ref in parted:
        yield from _parts(ref, intent, vocabulary)
    if intent.compare is not None:
        yield edit("", "Without the comparison", changed(intent, compare=None), vocabulary)
    base = base_of(intent, vocabulary.model)
    for away in dict.fromkeys(item.field.dataset for item in intent.dimensions):
        if away != base:
            left = tuple(item for item in intent.dimensions if item.field.dataset != away)
            yield edit("", f"Not by {away}", changed(intent, dimensions=left), vocabulary)


def _parts(ref: FieldRef, intent: Intent, vocabulary: Vocabulary) -> Iterator[Edit]:
    """Yield the question about one part each, the largest first; their names are stored values."""
    known = vocabulary.values.values_of(ref.dataset, ref.field)
    if known is None or any(item.field.field == ref.field for item in parts_of(intent, Condition)):
        return
    for value in islice((value for value in known.values if isinstance(value, str | int)), _MOST_PARTS):
        one = Condition(field=ref, operator="=", values=(value,))
        yield edit("", f"Only {value}", narrowed_by(intent, (one,)), vocabulary)
