"""What other programs are shown of a database and its vocabulary: all but what the policy withholds."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import sqlglot
from sqlglot import exp

from ai_engine.catalogue import Catalogue, Table
from ai_engine.guard.policy import Policy
from ai_engine.guard.tables import permitted_part, restricted_columns
from ai_engine.semantics.kept_back import columns_of
from ai_engine.semantics.model import Dataset, Field, SemanticModel


def shown_tables(catalogue: Catalogue, policy: Policy) -> tuple[Table, ...]:
    """Return the tables that may be read, without restricted columns and the keys over them."""
    readable = permitted_part(catalogue, policy).tables
    return tuple(_without_restricted(table, policy) for table in readable)


def _without_restricted(table: Table, policy: Policy) -> Table:
    held = restricted_columns(table, policy)

    def all_shown(columns: tuple[str, ...], hidden: Collection[str] = held) -> bool:
        return not any(column.lower() in hidden for column in columns)

    return replace(
        table,
        columns=tuple(column for column in table.columns if column.name.lower() not in held),
        primary_key=table.primary_key if all_shown(table.primary_key) else (),
        unique_keys=tuple(key for key in table.unique_keys if all_shown(key)),
        foreign_keys=tuple(
            key
            for key in table.foreign_keys
            if all_shown(key.columns)
            and all_shown(key.to_columns, policy.restricted_columns.get(key.to_table.lower(), frozenset()))
        ),
        indexes=tuple(index for index in table.indexes if all_shown(index.columns)),
    )


def shown_model(model: SemanticModel, policy: Policy, catalogue: Catalogue) -> SemanticModel:
    """Return the vocabulary without what is sensitive or withheld, and without whatever is made of it.

    Questions that people have verified stay out as well: their conditions are the bank's own values.
    """
    permitted = permitted_part(catalogue, policy)
    tables = {item.name: table for item in model.datasets if (table := permitted.sourced(item.source)) is not None}
    held = {name: restricted_columns(table, policy) for name, table in tables.items()}
    names = held.keys()
    fields = {
        (dataset.name, item.name)
        for dataset in model.datasets
        if dataset.name in names
        for item in dataset.fields
        if not item.sensitive and held[dataset.name].isdisjoint(columns_of(item.expression, tables[dataset.name]))
    }
    links = tuple(
        link
        for link in model.relationships
        if {link.from_dataset, link.to_dataset} <= names
        and held[link.from_dataset].isdisjoint(map(str.lower, link.from_columns))
        and held[link.to_dataset].isdisjoint(map(str.lower, (*link.to_columns, *dict(link.only_where))))
    )
    shown = _Shown(frozenset(fields), frozenset(link.name for link in links), model)
    return replace(
        model,
        datasets=tuple(shown.dataset(item) for item in model.datasets if item.name in names),
        relationships=links,
        metrics=tuple(
            replace(item, time_field=shown.reference(item.time_field))
            for item in model.metrics
            if shown.has_all(item.expression)
        ),
        as_of=shown.reference(model.as_of),
        verified_questions=(),
    )


@dataclass(frozen=True)
class _Shown:
    fields: frozenset[tuple[str, str]]
    links: frozenset[str]
    model: SemanticModel

    def dataset(self, item: Dataset) -> Dataset:
        names = [one.name for one in item.fields if (item.name, one.name) in self.fields]
        kept = {one.expression for one in item.fields if one.name in names} | set(names)

        def known(name: str | None) -> str | None:
            return name if name in names else None

        return replace(
            item,
            fields=tuple(self._field(one) for one in item.fields if one.name in names),
            primary_key=item.primary_key if set(item.primary_key) <= kept else (),
            unique_keys=tuple(key for key in item.unique_keys if set(key) <= kept),
            default_time=known(item.default_time),
            snapshot_time=known(item.snapshot_time),
            display=tuple(name for name in item.display if name in names),
            flows=tuple(name for name in item.flows if name in names),
        )

    def _field(self, item: Field) -> Field:
        behind, described = self._other_end(item.behind), self._other_end(item.described_by)
        return replace(item, behind=behind, described_by=described, learnt=None)

    def _other_end(self, end: tuple[str, str] | None) -> tuple[str, str] | None:
        if end is None or end[0] not in self.links:
            return None
        return end if (self.model.relationship(end[0]).to_dataset, end[1]) in self.fields else None

    def reference(self, name: str | None) -> str | None:
        """Return `dataset.field` where it is shown."""
        dataset, _, field = (name or "").rpartition(".")
        return name if (dataset, field) in self.fields else None

    def has_all(self, expression: str) -> bool:
        """Tell whether every field of a metric's expression, and every dataset that it counts, is shown."""
        columns = list(sqlglot.parse_one(expression).find_all(exp.Column))
        return all((column.table, column.name) in self.fields for column in columns)
