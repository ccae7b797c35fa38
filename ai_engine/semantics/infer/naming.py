"""Tables and columns with their human names, the ground on which everything else is inferred."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from ai_engine.catalogue import Catalogue, Column, Table
from ai_engine.semantics.data_dictionary import NOTHING_TOLD, DataDictionary, Entry
from ai_engine.semantics.names import (
    column_words,
    human_name,
    is_opaque,
    noun_phrase,
    shared_prefix,
    singular,
    table_label,
)
from ai_engine.semantics.schema_words import KEY_WORDS

Key = tuple[str, str]


@dataclass(frozen=True)
class NamedColumn:
    """A column with its words written out.

    `words` are those that the bank's dictionary calls it by, else the identifier's, else the description's. `told` is
    what the dictionary says of it.
    """

    column: Column
    label: str
    words: tuple[str, ...]
    description: str
    told: Entry = NOTHING_TOLD


@dataclass(frozen=True)
class NamedTable:
    """A table with the noun for one of its rows; `dataset` is its name in the vocabulary, `told` as of a column."""

    table: Table
    dataset: str
    label: str
    columns: tuple[NamedColumn, ...]
    told: Entry = NOTHING_TOLD

    @cached_property
    def by_name(self) -> dict[str, NamedColumn]:
        """Columns by lower-case name."""
        return {item.column.name.lower(): item for item in self.columns}


def name_tables(catalogue: Catalogue, dictionary: DataDictionary) -> tuple[NamedTable, ...]:
    """Name every table and column; two tables of one name in different schemas get the schema in front."""
    dropped = shared_prefix([table.name for table in catalogue.tables])
    seen = Counter(table.name.lower() for table in catalogue.tables)
    nouns = [table_label(table.name, dropped=dropped) for table in catalogue.tables]
    rivals = Counter(nouns)
    named = []
    for table, noun in zip(catalogue.tables, nouns, strict=True):
        dataset = f"{table.schema}_{table.name}" if table.schema and seen[table.name.lower()] > 1 else table.name
        label = noun if rivals[noun] == 1 else table_label(table.name, dropped=dropped, keep_details=True)
        told = dictionary.of(table)
        named.append(_name_table(table, dataset, told.names[0] if told.names else label, dictionary))
    return tuple(named)


def _name_table(table: Table, dataset: str, label: str, dictionary: DataDictionary) -> NamedTable:
    dropped = shared_prefix([column.name for column in table.columns])
    entities = _entities(table, label)
    columns = []
    for column in table.columns:
        told = dictionary.of(table, column.name)
        description = told.description or column.comment
        if told.names:
            columns.append(NamedColumn(column, told.names[0], tuple(told.names[0].split()), description, told))
            continue
        words = column_words(column.name, dropped=dropped, entities=entities)
        if is_opaque(words) and description:
            words = tuple(noun_phrase(description).split()) or words
        name = human_name(column.name, dropped=dropped, entities=entities, description=description)
        label_of_column = name.removeprefix("is ") or name
        columns.append(NamedColumn(column, label_of_column, words, description, told))
    return NamedTable(table, dataset, label, tuple(columns), dictionary.of(table))


def _entities(table: Table, label: str) -> tuple[str, ...]:
    """Nouns a column's initial may stand for: what the key names, then what the table is called."""
    key = table.primary_key[:1] or tuple(column.name for column in table.columns[:1])
    words = tuple(word for name in key for word in column_words(name, entities=(label,)) if word not in KEY_WORDS)
    return (*((singular(" ".join(words)),) if words else ()), label, label.rsplit(maxsplit=1)[-1])
