"""Finds the values that people will name in their questions, and keeps them on disk for the next start."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import sqlglot
from sqlglot import exp

from ai_engine.catalogue import Catalogue, Table
from ai_engine.errors import DatabaseUnavailable, QueryFailed
from ai_engine.guard.row_order import distinct_by_bytes
from ai_engine.semantics.model import Dataset, Field, SemanticModel
from ai_engine.semantics.values import ColumnValues
from ai_engine.types import Scalar
from backend.databases import Database
from backend.values.cache import ValueCache
from backend.vocabulary.field_sql import field_value, table_source

_NAMING_ROLES = frozenset({"name", "category", "flag"})
_AT_ONCE = 2


def collect_values(
    database: Database,
    model: SemanticModel,
    *,
    max_distinct: int = 50_000,
    timeout_s: float = 20.0,
    cache_dir: Path | None,
    cache_max_age_h: float = 24.0,
) -> tuple[ColumnValues, ...]:
    """Read the distinct values of every field by which people name things, most frequent first.

    Names, categories, flags and textual identifiers are read, fields marked sensitive never. A field that cannot be
    read in time has no values and is not `complete`.

    Args:
        max_distinct: values kept per field; beyond them `complete` is False.
        timeout_s: for each field.
        cache_dir: where an earlier collection of the same content is looked up and this one is kept; None for nowhere.
        cache_max_age_h: an earlier collection is not used after so many hours.

    Raises:
        DatabaseUnavailable: the database is lost.
    """
    wanted = [(dataset, item) for dataset in model.datasets for item in dataset.fields if names_things(item)]
    if cache_dir is None:
        return _read_fields(database, wanted, max_distinct, timeout_s)
    fingerprint = database.fingerprint
    described = [(dataset.name, dataset.source, item.name, item.expression) for dataset, item in wanted]
    cache = ValueCache(cache_dir, database.identity, (fingerprint, max_distinct, described), cache_max_age_h)
    known = cache.read()
    if known is not None:
        return known
    found = _read_fields(database, wanted, max_distinct, timeout_s)
    if database.fingerprint == fingerprint:  # else some of the values are of another content
        cache.write(found)
    return found


def names_things(item: Field) -> bool:
    """Tell whether people name rows or groups by the values of a field."""
    named = item.role in _NAMING_ROLES or (item.role == "identifier" and item.type == "text")
    return named and not item.sensitive


def _read_fields(
    database: Database, wanted: Sequence[tuple[Dataset, Field]], max_distinct: int, timeout_s: float
) -> tuple[ColumnValues, ...]:
    with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="values") as readers:
        return tuple(readers.map(lambda one: _read_field(database, one[0], one[1], max_distinct, timeout_s), wanted))


def _read_field(database: Database, dataset: Dataset, item: Field, max_distinct: int, timeout_s: float) -> ColumnValues:
    try:
        query = _distinct_values(database.catalogue, dataset, item).limit(max_distinct + 1)
        result = database.runner.run(
            query.sql(database.dialect), max_rows=max_distinct, timeout_s=timeout_s, stop=threading.Event()
        )
    except DatabaseUnavailable:
        raise
    except (QueryFailed, sqlglot.errors.SqlglotError):
        return ColumnValues(dataset.name, item.name, (), complete=False)
    return ColumnValues(dataset.name, item.name, tuple(row[0] for row in result.rows), complete=not result.truncated)


def _distinct_values(catalogue: Catalogue, dataset: Dataset, item: Field) -> exp.Select:
    value = field_value(catalogue, dataset.source, item.expression)
    table = catalogue.sourced(dataset.source)
    is_key = table is not None and isinstance(value, exp.Column) and _is_key(value.name, table)
    if is_key:
        query = exp.select(exp.alias_(value.copy(), "value", quoted=True))
    else:
        query = distinct_by_bytes(value.copy(), item.type, catalogue.dialect)
    query = query.from_(table_source(catalogue, dataset.source))
    query = query.where(exp.Not(this=exp.Is(this=value.copy(), expression=exp.Null())))
    if is_key:
        # each occurs once, so that grouping millions of them would only cost; SQLite may have the key by a stricter
        # collation than the column, and would put those of one spelling in the order of any index
        spelled = exp.Collate(this=value.copy(), expression=exp.Var(this="BINARY"))
        return query.order_by(value, *([spelled] if catalogue.dialect == "sqlite" else []))
    return query.order_by(exp.Ordered(this=exp.Count(this=exp.Star()), desc=True), value)


def _is_key(column: str, table: Table) -> bool:
    """Tell whether the database lets no two rows have the same; of others a collation may take two for one."""
    return (column,) in (table.primary_key, *table.unique_keys)


def read_scalar(database: Database, sql: str, *, timeout_s: float = 10.0) -> Scalar:
    """Run a small statement of our own, such as the one for the as-of date; return its first cell, None without rows.

    Raises:
        QueryFailed: as the runner.
    """
    rows = database.runner.run(sql, max_rows=1, timeout_s=timeout_s, stop=threading.Event()).rows
    return rows[0][0] if rows else None
