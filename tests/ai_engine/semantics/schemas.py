"""Catalogues written in one line per table, so that a reader sees the schema beside what is expected of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ai_engine.catalogue import Catalogue, Column, Dialect, ForeignKey, Table
from ai_engine.semantics.data_dictionary import DataDictionary, Entry
from ai_engine.semantics.model import SemanticModel
from ai_engine.types import ColumnType

TYPES: dict[str, ColumnType] = {
    "int": "integer",
    "dec": "decimal",
    "float": "float",
    "text": "text",
    "bool": "boolean",
    "date": "date",
    "ts": "timestamp",
}


def catalogue(*tables: Table, dialect: Dialect = "sqlite") -> Catalogue:
    return Catalogue(dialect, tables)


def table(
    name: str,
    columns: str,
    *,
    key: str = "",
    comments: dict[str, str] | None = None,
    schema: str | None = None,
    **foreign_keys: str,
) -> Table:
    """`columns` is "id int, name text"; a foreign key is given as column="table.column"."""
    parsed = [part.split() for part in columns.split(",")]
    said = comments or {}
    return Table(
        name,
        tuple(Column(column, TYPES[kind], native_type=kind, comment=said.get(column, "")) for column, kind in parsed),
        schema=schema,
        primary_key=tuple(key.split()),
        foreign_keys=tuple(
            ForeignKey((column,), *((to.split(".")[0], (to.split(".")[1],)))) for column, to in foreign_keys.items()
        ),
    )


def dictionary(descriptions: Mapping[tuple[str, str], str]) -> DataDictionary:
    """A data dictionary that says no more than this of columns."""
    said = {(of.lower(), column.lower()): Entry(description=text) for (of, column), text in descriptions.items()}
    return DataDictionary(said)


def permitted(model: SemanticModel, *columns: str) -> SemanticModel:
    """What a vocabulary file says that shows these columns."""
    datasets = [
        replace(dataset, fields=tuple(
            replace(item, sensitive=item.sensitive and item.name not in columns) for item in dataset.fields
        ))
        for dataset in model.datasets
    ]  # fmt: skip
    return replace(model, datasets=tuple(datasets))
