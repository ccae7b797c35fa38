"""What a prompt tells of the database: the relevant part of the vocabulary, within a bound of characters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ai_engine.catalogue import Table
from ai_engine.semantics.model import Dataset, Field, Metric, Relationship
from ai_engine.semantics.values import FoundValues
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.semantics.words import stem, words
from ai_engine.types import FailedDraft, Turn

_SHOWN_VALUES = 25
_LONGEST_VALUE_CHARS = 60
_SHOWN_TURNS = 6
_NONE = "(none)"
_FAILED = """\
The previous SQL query failed to execute.
Error details: {error}
Failing query:
{query}
Generate a corrected read-only SQL query that addresses the error and try again using only the authorised tables."""


def describe_vocabulary(vocabulary: Vocabulary, text: str, max_chars: int) -> str:
    """List datasets, relationships and metrics; where not all fit, those closest to the text's words come first."""
    model = vocabulary.model
    asked = _stems(text)
    datasets = sorted(model.datasets, key=lambda item: -_closeness(asked, _dataset_words(item, vocabulary)))
    metrics = sorted(model.metrics, key=lambda item: -_closeness(asked, _stems(_metric_text(item))))
    head = [_metric_text(item) for item in metrics]
    parts = _within_bound((_dataset_text(item, vocabulary) for item in datasets), max_chars * 3 // 4)
    listed = {item.name for item in datasets[: len(parts)]}
    links = [_relationship_text(r) for r in model.relationships if {r.from_dataset, r.to_dataset} <= listed]
    rest = max_chars - sum(map(len, parts))
    return "\n".join([*parts, *_within_bound(links, rest // 2), *_within_bound(head, rest // 2)])


def describe_tables(vocabulary: Vocabulary, text: str, max_chars: int) -> str:
    """List tables with their columns and keys as compact DDL, closest to the text's words first."""
    asked = _stems(text)
    fields = {dataset.source.rpartition(".")[2].lower(): dataset for dataset in vocabulary.model.datasets}

    def closeness(table: Table) -> int:
        dataset = fields.get(table.name.lower())
        named = _stems(" ".join([table.name, table.comment, *(column.name for column in table.columns)]))
        return _closeness(asked, named | (_dataset_words(dataset, vocabulary) if dataset else frozenset()))

    tables = sorted(vocabulary.catalogue.tables, key=lambda table: -closeness(table))
    ddl = (_table_text(table, fields.get(table.name.lower()), vocabulary) for table in tables)
    return "\n".join(_within_bound(ddl, max_chars))


def describe_notes(vocabulary: Vocabulary, max_chars: int) -> str:
    """Return the bank's instructions and what its metrics mean in SQL."""
    model = vocabulary.model
    notes = [model.instructions] if model.instructions else []
    notes += [f"{item.label}: {item.expression}" for item in model.metrics]
    return "\n".join(_within_bound(notes, max_chars)) or _NONE


def describe_found(found: FoundValues, vocabulary: Vocabulary, *, in_sql: bool) -> str:
    """List values that the data has for words of the question, by field or, for SQL, by column."""
    by_place: dict[str, list[str]] = {}
    for one in found.values:
        dataset = vocabulary.model.dataset(one.dataset)
        item = dataset.field(one.field)
        if not item.sensitive:
            place = f"{dataset.source}.{item.expression}" if in_sql else f"{dataset.name}.{item.name}"
            by_place.setdefault(place, []).append(str(one.value))
    lines = [f"{place}: {' | '.join(values)}" for place, values in by_place.items()]
    return "\n".join(lines) or _NONE


def describe_history(history: Sequence[Turn]) -> str:
    """Return the last turns as asked and as understood."""
    told = [f"asked: {turn.question}\nunderstood: {turn.restatement}" for turn in history[-_SHOWN_TURNS:]]
    return "\n".join(told) or _NONE


def describe_failures(failures: Sequence[FailedDraft]) -> str:
    """Return each failed statement with its reason, and what to do about it."""
    return "\n\n".join(_FAILED.format(error=fault.reason, query=fault.sql or _NONE) for fault in failures) or _NONE


def _within_bound(parts: Iterable[str], max_chars: int) -> list[str]:
    kept: list[str] = []
    room = max_chars
    for part in parts:
        room -= len(part) + 1
        if room < 0:
            break
        kept.append(part)
    return kept


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words(text) if len(word) > 1)


def _closeness(asked: frozenset[str], named: frozenset[str]) -> int:
    return len(asked & named)


def _dataset_words(dataset: Dataset, vocabulary: Vocabulary) -> frozenset[str]:
    texts = [dataset.name, dataset.label, dataset.description, *dataset.synonyms]
    for item in dataset.fields:
        texts += [item.name, item.label, *item.synonyms, *_values(dataset, item, vocabulary)]
        texts += [word for synonyms in item.value_synonyms.values() for word in synonyms]
    return _stems(" ".join(texts))


def _values(dataset: Dataset, item: Field, vocabulary: Vocabulary) -> list[str]:
    """Frequent values of a field that groups rows; never of one that is sensitive."""
    if item.sensitive or item.role not in {"category", "flag", "name"}:
        return []
    found = vocabulary.values.values_of(dataset.name, item.name)
    return [str(value)[:_LONGEST_VALUE_CHARS] for value in found.values[:_SHOWN_VALUES]] if found else []


def _dataset_text(dataset: Dataset, vocabulary: Vocabulary) -> str:
    lines = [f"dataset {dataset.name} ({dataset.label}){_also(dataset.synonyms)}{_note(dataset.description)}"]
    lines += [f"  {_field_text(dataset, item, vocabulary)}" for item in dataset.fields]
    return "\n".join(lines)


def _field_text(dataset: Dataset, item: Field, vocabulary: Vocabulary) -> str:
    unit = f", {item.unit}" if item.unit else ""
    values = _values(dataset, item, vocabulary)
    shown = f" values: {' | '.join(values)}" if values else ""
    return f"{item.name}: {item.role}, {item.type}{unit}{_also(item.synonyms)}{_note(item.description)}{shown}"


def _metric_text(metric: Metric) -> str:
    unit = f", {metric.unit}" if metric.unit else ""
    return f"metric {metric.name} ({metric.label}{unit}){_also(metric.synonyms)}{_note(metric.description)}"


def _relationship_text(link: Relationship) -> str:
    keys = f"{link.from_dataset}({', '.join(link.from_columns)}) -> {link.to_dataset}({', '.join(link.to_columns)})"
    where = "".join(f", only where {name} = '{text}'" for name, text in link.only_where)
    return f"relationship {link.name}: {keys}{where}{_also(link.synonyms)}"


def _table_text(table: Table, dataset: Dataset | None, vocabulary: Vocabulary) -> str:
    by_column = {item.expression.lower(): item for item in dataset.fields if not item.behind} if dataset else {}
    lines = []
    for column in table.columns:
        item = by_column.get(column.name.lower())
        values = _values(dataset, item, vocabulary) if dataset and item else []
        shown = f" values: {' | '.join(values)}" if values else ""
        note = column.comment or (item.description if item else "")
        lines.append(f"  {column.name} {column.native_type or column.type}{_note(note)}{shown}")
    keys = [f"  primary key ({', '.join(table.primary_key)})"] if table.primary_key else []
    keys += [
        f"  foreign key ({', '.join(key.columns)}) references {key.to_table} ({', '.join(key.to_columns)})"
        for key in table.foreign_keys
    ]
    name = f"{table.schema}.{table.name}" if table.schema else table.name
    note = table.comment or (dataset.description if dataset else "")
    return "\n".join([f"table {name}{_note(note)}", *lines, *keys])


def _also(synonyms: Sequence[str]) -> str:
    return f" also: {', '.join(synonyms)}" if synonyms else ""


def _note(text: str) -> str:
    return f" -- {' '.join(text.split())}" if text else ""
