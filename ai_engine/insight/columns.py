"""What the columns of a freely written statement mean: by the vocabulary's names where they match, else by type."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from ai_engine.semantics.model import Field, FieldRole, Metric
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import ColumnType, OutputColumn, QueryResult

_Role: TypeAlias = Literal["measure", "category", "time", "identifier", "text"]

_ROLES: dict[FieldRole, _Role] = {
    "identifier": "identifier",
    "name": "category",
    "category": "category",
    "flag": "category",
    "measure": "measure",
    "time": "time",
    "text": "text",
}
_NUMBERS: frozenset[ColumnType] = frozenset({"integer", "decimal", "float"})
_TIMES: frozenset[ColumnType] = frozenset({"date", "timestamp", "time"})
_AGGREGATE_WORDS: dict[str, str] = {
    "sum": "Total",
    "total": "Total",
    "avg": "Average",
    "average": "Average",
    "mean": "Average",
    "median": "Median",
    "min": "Lowest",
    "minimum": "Lowest",
    "lowest": "Lowest",
    "max": "Highest",
    "maximum": "Highest",
    "highest": "Highest",
}
_COUNT_WORDS = frozenset({"count", "number", "num", "cnt", "n", "counts"})
_PERCENT_WORDS = frozenset({"percent", "percentage", "pct", "share"})
_TIME_WORDS = frozenset({"day", "date", "week", "month", "quarter", "year", "weekday", "hour"})
_KEY_WORDS = frozenset({"id", "number", "no", "code", "key", "pan", "phone", "pin"})
_LONG_TEXT_CHARS = 40
_WORD_BREAK = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])")


def describe_columns(
    result: QueryResult, vocabulary: Vocabulary, draft_columns: Sequence[OutputColumn] = ()
) -> tuple[OutputColumn, ...]:
    """Return one description per result column, in order.

    A column the writer of the statement described keeps that description; the others are matched by name with the
    vocabulary's metrics and fields ("avg_balance" is the average of balance), and at last judged by name and type.
    """
    known = {column.name.lower(): column for column in draft_columns}
    return tuple(
        known.get(name.lower()) or _describe(position, name, result, vocabulary)
        for position, name in enumerate(result.columns)
    )


def _describe(position: int, name: str, result: QueryResult, vocabulary: Vocabulary) -> OutputColumn:
    words = _split(name)
    return (
        _from_metric(name, words, vocabulary)
        or _from_field(name, words, result.types[position], vocabulary)
        or _from_aggregated_field(name, words, result.types[position], vocabulary)
        or _from_type(name, words, position, result)
    )


def _split(name: str) -> tuple[str, ...]:
    return tuple(part.lower() for part in _WORD_BREAK.split(name) if part)


def _fields(vocabulary: Vocabulary) -> Iterator[Field]:
    for dataset in vocabulary.model.datasets:
        yield from dataset.fields


def _names(item: Field | Metric) -> Iterator[tuple[str, ...]]:
    yield _split(item.name)
    yield _split(item.label)


def _from_metric(name: str, words: tuple[str, ...], vocabulary: Vocabulary) -> OutputColumn | None:
    for metric in vocabulary.model.metrics:
        if words in _names(metric):
            return OutputColumn(name, metric.label, metric.unit, "measure")
    return None


def _from_field(
    name: str, words: tuple[str, ...], column_type: ColumnType, vocabulary: Vocabulary
) -> OutputColumn | None:
    """Match a field of the same name and kind of value; one whose name alone would say too little stands as it is."""
    for item in _fields(vocabulary):
        if words in _names(item) and (item.role != "measure" or column_type in _NUMBERS):
            return OutputColumn(name, item.label, item.unit, _ROLES[item.role])
    return None


def _from_aggregated_field(
    name: str, words: tuple[str, ...], column_type: ColumnType, vocabulary: Vocabulary
) -> OutputColumn | None:
    """Match "total_balance" and "balance_sum" with the field, and say which aggregate the name tells."""
    aggregates = [word for word in words if word in _AGGREGATE_WORDS]
    if column_type not in _NUMBERS or len(aggregates) != 1:
        return None
    rest = tuple(word for word in words if word != aggregates[0])
    for item in _fields(vocabulary):
        if item.role == "measure" and rest in _names(item):
            label = f"{_AGGREGATE_WORDS[aggregates[0]]} {item.label[:1].lower()}{item.label[1:]}"
            return OutputColumn(name, label, item.unit, "measure")
    return None


def _from_type(name: str, words: tuple[str, ...], position: int, result: QueryResult) -> OutputColumn:
    label = " ".join(words).capitalize() or name
    column_type = result.types[position]
    if column_type in _TIMES:
        return OutputColumn(name, label, None, "time")
    if column_type in _NUMBERS:
        return _describe_number(name, label, words, column_type)
    if words and words[-1] in _TIME_WORDS and column_type == "text":
        return OutputColumn(name, label, None, "time")
    return OutputColumn(name, label, None, _text_role(words, position, result))


def _describe_number(name: str, label: str, words: tuple[str, ...], column_type: ColumnType) -> OutputColumn:
    counts = _COUNT_WORDS.intersection(words)
    if column_type == "integer":
        if words and words[-1] in _KEY_WORDS and words[:1] != ("number",):
            return OutputColumn(name, label, None, "identifier")
        if words and words[-1] in _TIME_WORDS and not counts:
            return OutputColumn(name, label, None, "time")
        if counts:
            return OutputColumn(name, label, "count", "measure")
    return OutputColumn(name, label, "percent" if _PERCENT_WORDS.intersection(words) else None, "measure")


def _text_role(words: tuple[str, ...], position: int, result: QueryResult) -> _Role:
    if words and words[-1] in _KEY_WORDS:
        return "identifier"
    cells = [row[position] for row in result.rows if row[position] is not None]
    longest = max((len(str(cell)) for cell in cells), default=0)
    return "text" if longest > _LONG_TEXT_CHARS else "category"
