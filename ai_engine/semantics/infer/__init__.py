"""A vocabulary for a database that brought none, from its keys, types, names, comments and a few sampled values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ai_engine.catalogue import Catalogue
from ai_engine.semantics.infer.datasets import default_time, display
from ai_engine.semantics.infer.fields import field_of
from ai_engine.semantics.infer.keys import links, primary_key, relationships
from ai_engine.semantics.infer.naming import Key, NamedTable, name_tables
from ai_engine.semantics.infer.wording import dataset_synonyms, without_clashes
from ai_engine.semantics.model import Dataset, SemanticModel
from ai_engine.types import Scalar

__all__ = ["infer_vocabulary"]


def infer_vocabulary(
    catalogue: Catalogue,
    samples: Mapping[Key, tuple[Scalar, ...]] | None = None,
    column_descriptions: Mapping[Key, str] | None = None,
) -> SemanticModel:
    """Return a vocabulary of every table of the catalogue; the same input gives the same vocabulary.

    Args:
        catalogue: tables and columns.
        samples: (table, column) to some of its distinct values, most frequent first; the more, the better roles are told.
        column_descriptions: (table, column) to what a data dictionary says of it; stands above the column's comment.
    """
    tables = name_tables(catalogue, column_descriptions or {})
    sampled = {(table.lower(), column.lower()): values for (table, column), values in (samples or {}).items()}
    keys = {named.dataset: primary_key(named) for named in tables}
    found = links(tables, keys)
    pointing = {(link.from_dataset, name.lower()) for link in found for name in link.columns}
    datasets = tuple(_dataset(named, keys[named.dataset], pointing, sampled) for named in tables)
    return SemanticModel(
        name="database",
        datasets=without_clashes(datasets),
        relationships=relationships(found),
        inferred=True,
    )


def _dataset(
    named: NamedTable, key: tuple[str, ...], pointing: set[Key], sampled: Mapping[Key, tuple[Scalar, ...]]
) -> Dataset:
    table = named.table
    keys = {name.lower() for name in key}
    fields = tuple(
        field_of(
            item,
            sampled.get((table.name.lower(), item.column.name.lower()), ()),
            is_key=item.column.name.lower() in keys
            and (len(keys) == 1 or (named.dataset, item.column.name.lower()) in pointing),
            points_elsewhere=(named.dataset, item.column.name.lower()) in pointing,
            label=named.label,
        )
        for item in named.columns
    )
    words = {item.column.name: item.words for item in named.columns}
    dataset = Dataset(
        name=named.dataset,
        source=f"{table.schema}.{table.name}" if table.schema else table.name,
        fields=fields,
        label=named.label,
        primary_key=key,
        unique_keys=table.unique_keys,
        description=table.comment,
        default_time=default_time(named.label, fields, words),
        display=display(key, fields),
    )
    return replace(dataset, synonyms=dataset_synonyms(dataset))
