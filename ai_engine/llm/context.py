"""What a prompt tells of the database for SQL: tables, notes and failures, within a bound of characters."""

from __future__ import annotations

from collections.abc import Sequence

from ai_engine.catalogue import Table
from ai_engine.llm.told_history import intent_as_reply
from ai_engine.llm.told_vocabulary import closest, dataset_stems, field_notes, shown_values, stems, within_bound
from ai_engine.semantics.model import Dataset
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import FailedDraft
from ai_engine.verified import VerifiedAnswer

_NONE = "(none)"
_FAILED = """\
The previous SQL query failed to execute.
Error details: {error}
Failing query:
{query}
Generate a corrected read-only SQL query that addresses the error and try again using only the authorised tables."""


def describe_tables(vocabulary: Vocabulary, text: str, max_chars: int) -> str:
    """List tables with their columns, units and keys as compact DDL; where not all fit, those closest to the text."""
    datasets = {dataset.table_name.lower(): dataset for dataset in vocabulary.model.datasets}

    def known(table: Table) -> frozenset[str]:
        dataset = datasets.get(table.name.lower())
        own = dataset_stems(dataset, vocabulary) if dataset is not None else frozenset()
        return own | stems(" ".join([table.name, table.comment, *(column.name for column in table.columns)]))

    tables = vocabulary.catalogue.tables
    texts = [_table_text(table, datasets.get(table.name.lower()), vocabulary) for table in tables]
    return "\n".join(closest(texts, lambda: list(map(known, tables)), text, max_chars))


def describe_notes(vocabulary: Vocabulary, max_chars: int) -> str:
    """Return the bank's instructions and what its metrics mean in SQL."""
    model = vocabulary.model
    notes = [model.instructions] if model.instructions else []
    notes += [f"{item.label}: {item.expression}" for item in model.metrics]
    return "\n".join(within_bound(notes, max_chars)) or _NONE


def describe_examples(verified: Sequence[VerifiedAnswer], *, in_sql: bool) -> str:
    """Return questions that a person has checked, each with what it became: its intent or, for SQL, its statement."""
    told = []
    for one in verified:
        if in_sql:
            told.append(f"asked: {one.question}\nsql: {' '.join(one.sql.split())}")
        elif one.intent is not None:
            told.append(f"asked: {one.question}\nintent: {intent_as_reply(one.intent)}")
    return "\n".join(told) or _NONE


def describe_failures(failures: Sequence[FailedDraft]) -> str:
    """Return each failed statement with its reason, and what to do about it."""
    return "\n\n".join(_FAILED.format(error=fault.reason, query=fault.sql or _NONE) for fault in failures) or _NONE


def _table_text(table: Table, dataset: Dataset | None, vocabulary: Vocabulary) -> str:
    by_column = {item.expression.lower(): item for item in dataset.fields if not item.behind} if dataset else {}
    lines = []
    for column in vocabulary.told_columns(table):
        item = by_column.get(column.name.lower())
        notes = field_notes(item) if item else ()
        shown = shown_values(dataset, item, vocabulary) if dataset and item else ""
        note = column.comment or (item.description if item else "")
        told = "".join(f", {one}" for one in notes)
        lines.append(f"  {column.name} {column.native_type or column.type}{told}{_note(note)}{shown}")
    keys = [f"  primary key ({', '.join(table.primary_key)})"] if table.primary_key else []
    keys += [
        f"  foreign key ({', '.join(key.columns)}) references {key.to_table} ({', '.join(key.to_columns)})"
        for key in table.foreign_keys
    ]
    name = f"{table.schema}.{table.name}" if table.schema else table.name
    note = table.comment or (dataset.description if dataset else "")
    dated = f", dated by {dataset.default_time}" if dataset and dataset.default_time else ""
    return "\n".join([f"table {name}{dated}{_note(note)}", *lines, *keys])


def _note(text: str) -> str:
    return f" -- {' '.join(text.split())}" if text else ""
