"""Star schemas: dates of facts behind their keys, and the date dimension, which is no thing that people ask about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from ai_engine.catalogue import Column
from ai_engine.semantics.infer.datasets import default_time
from ai_engine.semantics.infer.fields import column_expression
from ai_engine.semantics.infer.naming import Key, NamedColumn, NamedTable
from ai_engine.semantics.infer.roles import CALENDAR_PARTS
from ai_engine.semantics.infer.wording import field_synonyms
from ai_engine.semantics.model import Dataset, Field, Relationship
from ai_engine.semantics.schema_words import KEY_WORDS, word_set
from ai_engine.semantics.spelled_days import day_expression, spell_days, stored_day
from ai_engine.types import Scalar

_DAYS = frozenset({"date", "day", "calendar"})
_EDGES = word_set("start end first last begin beginning close")
_FEWEST_PARTS = 2
CALENDAR_DAY = "calendar day"


def days_beside(
    named: NamedTable, fields: Sequence[Field], key: tuple[str, ...], sampled: Mapping[Key, tuple[Scalar, ...]]
) -> list[Field]:
    """Return a date for every key whose values spell days, to stand beside it.

    The one key of a table that has dates of its own gets none: a date dimension has each day once.

    Args:
        named: the table.
        fields: what its columns are, in order.
        key: its primary key.
        sampled: lower-case (table, column) to sampled values.
    """
    dated = any(item.role == "time" for item in fields)
    taken = {item.column.name.lower() for item in named.columns}
    found: list[Field] = []
    for item, field in zip(named.columns, fields, strict=True):
        samples = sampled.get((named.table.name.lower(), item.column.name.lower()), ())
        spells = item.column.type in {"integer", "text"} and spell_days(samples)
        if field.role == "identifier" and spells and not (dated and key == (item.column.name,)):
            found.append(_day_beside(item, taken, named.label))
            taken.add(found[-1].name.lower())
    return found


def with_days_behind(datasets: Sequence[Dataset], relationships: Sequence[Relationship]) -> tuple[Dataset, ...]:
    """Give a date to every key of a date dimension whose own values spell no day: the day that stands behind it."""
    days = {dataset.name: dataset.default_time for dataset in datasets if dataset.label == CALENDAR_DAY}
    by_name = {dataset.name: dataset for dataset in datasets}
    found = []
    for dataset in datasets:
        for link in relationships:
            day = days.get(link.to_dataset) if link.from_dataset == dataset.name else None
            if day is not None and len(link.from_columns) == 1 and link.to_dataset != dataset.name:
                there = by_name[link.to_dataset].field(day)
                dataset = _with_day_behind(dataset, link, there)  # noqa: PLW2901 - one key after another
        found.append(dataset)
    return tuple(found)


def _with_day_behind(dataset: Dataset, link: Relationship, there: Field) -> Dataset:
    """Add the day behind one key, which dates the rows where nothing else does."""
    column = column_expression(link.from_columns[0])
    own = [item for item in dataset.fields if item.expression == column]
    spelled = {stored[0] for item in dataset.fields if (stored := stored_day(item.expression))}
    if link.from_columns[0] in spelled or len(own) != 1 or own[0].role == "time":
        return dataset
    key = NamedColumn(Column(link.from_columns[0], "integer"), own[0].label, tuple(own[0].label.split()), "")
    beside = _day_beside(key, {item.name.lower() for item in dataset.fields}, dataset.label)
    day = replace(beside, expression=column, type=there.type, behind=(link.name, there.name))
    fields = (*dataset.fields, day)
    words = {item.name: tuple(item.label.split()) for item in fields}
    days_only = all(item.behind for item in fields if item.role == "time")
    time = default_time(dataset.label, fields, words) if days_only else dataset.default_time
    return replace(dataset, fields=fields, default_time=time)


def _day_beside(item: NamedColumn, taken: Set[str], label: str) -> Field:
    words = tuple(word for word in item.words if word not in KEY_WORDS) or ("date",)
    if not _DAYS & set(words):
        words = (*words, "date")
    names = ("_".join(words), f"{item.column.name}_date", *(f"{item.column.name}_date_{n}" for n in range(2, 99)))
    name = next(name for name in names if name.lower() not in taken)
    number = item.column.type == "integer"
    said = NamedColumn(Column(name, "date"), " ".join(words), words, "")
    return Field(
        name=name,
        expression=day_expression(column_expression(item.column.name), number=number),
        type="date",
        role="time",
        label=said.label,
        synonyms=field_synonyms(said, label, "time"),
    )


def is_calendar(named: NamedTable, key: tuple[str, ...]) -> bool:
    """Tell whether a table has one row per day, with the parts of that day beside it."""
    if len(key) != 1 or not _DAYS & set(named.label.split()):
        return False
    return sum(bool(CALENDAR_PARTS & set(item.words)) for item in named.columns) >= _FEWEST_PARTS


def as_calendar(dataset: Dataset) -> Dataset:
    """Name a date dimension so that "date" and "month end" mean the dates of facts."""
    fields = tuple(
        replace(item, name=f"{item.name}_marker", label=f"{item.label} marker", synonyms=()) if _is_edge(item) else item
        for item in dataset.fields
    )
    return replace(dataset, label=CALENDAR_DAY, synonyms=(), fields=fields)


def _is_edge(item: Field) -> bool:
    words = set(item.label.split())
    return item.role == "flag" and bool(words & _EDGES) and bool(words & CALENDAR_PARTS)
