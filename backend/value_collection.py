"""Finds the values that people will name in their questions, and keeps them on disk for the next start."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import sqlglot
from sqlglot import exp

from ai_engine.catalogue import Catalogue, Table
from ai_engine.errors import DatabaseUnavailable, QueryFailed
from ai_engine.semantics.model import Dataset, Field, SemanticModel
from ai_engine.semantics.values import ColumnValues
from ai_engine.types import Scalar
from backend.databases import Database
from backend.value_cache import ValueCache

_NAMING_ROLES = frozenset({"name", "category", "flag"})
_FIELD_TIMEOUT_S = 20.0
_AT_ONCE = 2


def collect_values(
    database: Database, model: SemanticModel, *, max_distinct: int = 50_000, cache_dir: Path | None
) -> tuple[ColumnValues, ...]:
    """Read the distinct values of every field by which people name things, most frequent first.

    Names, categories, flags and textual identifiers are read, fields marked sensitive never. A field that cannot be
    read in time has no values and is not `complete`.

    Args:
        max_distinct: values kept per field; beyond them `complete` is False.
        cache_dir: where an earlier collection of the same content is looked up and this one is kept; None for nowhere.

    Raises:
        DatabaseUnavailable: the database is lost.
    """
    wanted = [(dataset, item) for dataset in model.datasets for item in dataset.fields if _names_things(item)]
    cache = None
    if cache_dir is not None:
        described = [(dataset.name, dataset.source, item.name, item.expression) for dataset, item in wanted]
        cache = ValueCache(cache_dir, database.url_shown, (database.fingerprint, max_distinct, described))
        known = cache.read()
        if known is not None:
            return known
    with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="values") as readers:
        found = tuple(readers.map(lambda one: _read_field(database, one[0], one[1], max_distinct), wanted))
    if cache is not None:
        cache.write(found)
    return found


def _names_things(item: Field) -> bool:
    named = item.role in _NAMING_ROLES or (item.role == "identifier" and item.type == "text")
    return named and not item.sensitive


def _read_field(database: Database, dataset: Dataset, item: Field, max_distinct: int) -> ColumnValues:
    try:
        query = _distinct_values(database.catalogue, dataset, item).limit(max_distinct + 1)
        result = database.runner.run(
            query.sql(database.dialect), max_rows=max_distinct, timeout_s=_FIELD_TIMEOUT_S, stop=threading.Event()
        )
    except DatabaseUnavailable:
        raise
    except (QueryFailed, sqlglot.errors.SqlglotError):
        return ColumnValues(dataset.name, item.name, (), complete=False)
    return ColumnValues(dataset.name, item.name, tuple(row[0] for row in result.rows), complete=not result.truncated)


def _distinct_values(catalogue: Catalogue, dataset: Dataset, item: Field) -> exp.Select:
    value = _expression(catalogue, dataset.source, item.expression)
    query = exp.select(exp.alias_(value, "value", quoted=True)).from_(_source(catalogue, dataset.source))
    query = query.where(exp.Not(this=exp.Is(this=value.copy(), expression=exp.Null())))
    if isinstance(value, exp.Column) and (item.name,) in (dataset.primary_key, *dataset.unique_keys):
        return query  # each value occurs once: grouping millions of them would only cost
    return query.group_by(value.copy()).order_by(exp.Ordered(this=exp.Count(this=exp.Star()), desc=True), value.copy())


def search_values(
    database: Database, source: str, expression: str, text: str, *, limit: int = 20, timeout_s: float = 5.0
) -> tuple[Scalar, ...]:
    """Look up the values of a column that contain a text, whatever its case; for columns too large to collect.

    Args:
        source: the dataset's table, with its schema where there is one.
        expression: the field over the columns of that table.

    Returns:
        At most `limit` values: exact matches first, then beginnings, then the most frequent.

    Raises:
        QueryFailed: as the runner.
    """
    catalogue = database.catalogue
    value = _expression(catalogue, source, expression)
    lowered = exp.Lower(this=exp.cast(value.copy(), "text"))
    wanted = exp.Literal.string(text.lower())
    position = exp.StrPosition(this=lowered, substr=wanted)
    query = (
        exp.select(exp.alias_(value, "value", quoted=True))
        .from_(_source(catalogue, source))
        .where(exp.GT(this=position, expression=exp.Literal.number(0)))
        .group_by(value.copy())
        .order_by(
            exp.Ordered(this=exp.case().when(lowered.copy().eq(wanted.copy()), "0").else_(position.copy())),
            exp.Ordered(this=exp.Count(this=exp.Star()), desc=True),
        )
        .limit(limit)
    )
    result = database.runner.run(
        query.sql(database.dialect), max_rows=limit, timeout_s=timeout_s, stop=threading.Event()
    )
    return tuple(row[0] for row in result.rows)


def read_scalar(database: Database, sql: str, *, timeout_s: float = 10.0) -> Scalar:
    """Run a small statement of our own, such as the one for the as-of date; return its first cell, None without rows.

    Raises:
        QueryFailed: as the runner.
    """
    rows = database.runner.run(sql, max_rows=1, timeout_s=timeout_s, stop=threading.Event()).rows
    return rows[0][0] if rows else None


def _table(catalogue: Catalogue, source: str) -> Table | None:
    schema, _, name = source.rpartition(".")
    named = [table for table in catalogue.tables if table.name.lower() == name.strip('"`').lower()]
    exact = [table for table in named if (table.schema or "").lower() == schema.strip('"`').lower()]
    return next(iter(exact or named), None)


def _source(catalogue: Catalogue, source: str) -> exp.Expr:
    table = _table(catalogue, source)
    if table is None:
        return exp.to_table(source, dialect=catalogue.dialect)
    return exp.table_(table.name, db=table.schema, quoted=True)


def _expression(catalogue: Catalogue, source: str, expression: str) -> exp.Expr:
    """Parse a field; columns are spelled and quoted as stored, since a name may be a word of SQL or have capitals."""
    table = _table(catalogue, source)
    column = table.column(expression) if table else None
    if column is not None:
        return exp.column(column.name, quoted=True)
    parsed = sqlglot.parse_one(expression, read=catalogue.dialect)
    respell = _respelling(table)
    return parsed.transform(respell)


def _respelling(table: Table | None) -> Callable[[exp.Expr], exp.Expr]:
    def respell(node: exp.Expr) -> exp.Expr:
        column = table.column(node.name) if table and isinstance(node, exp.Column) else None
        return exp.column(column.name, quoted=True) if column else node

    return respell
