"""Finds how far the dates of the data reach, so that "last month" can be the last month there is."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime
from pathlib import Path

import sqlglot
from sqlglot import exp

from ai_engine.errors import DatabaseUnavailable, QueryFailed
from ai_engine.semantics.date_spans import DateSpan
from ai_engine.semantics.model import Dataset, Field, SemanticModel
from ai_engine.semantics.values import ColumnValues
from ai_engine.types import Scalar
from backend.databases import Database
from backend.values.cache import ValueCache
from backend.vocabulary.field_sql import field_value, table_source

_AT_ONCE = 2
_ISO_CHARS = 10


def collect_date_spans(
    database: Database,
    model: SemanticModel,
    *,
    timeout_s: float = 20.0,
    cache_dir: Path | None,
    cache_max_age_h: float = 24.0,
) -> Mapping[tuple[str, str], DateSpan]:
    """Read the first and the last day of every date, and how many rows have one, one statement per table.

    A table that cannot be read in time, and a date that holds none, have no span. Arguments as in `collect_values`.

    Raises:
        DatabaseUnavailable: the database is lost.
    """
    wanted = [(dataset, dates) for dataset in model.datasets if (dates := _dates(dataset))]
    described = [(dataset.source, [item.expression for item in dates]) for dataset, dates in wanted]
    fingerprint = database.fingerprint
    cache = None
    if cache_dir is not None:
        cache = ValueCache(cache_dir, database.identity, (fingerprint, described), cache_max_age_h, kind="spans")
        known = cache.read()
        if known is not None:
            return dict(map(_span_of, known))
    with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="spans") as readers:
        parts = readers.map(lambda one: _read_table(database, one[0], one[1], timeout_s), wanted)
        found = tuple(item for part in parts for item in part)
    if cache is not None and database.fingerprint == fingerprint:
        cache.write(found)
    return dict(map(_span_of, found))


def _dates(dataset: Dataset) -> tuple[Field, ...]:
    return tuple(
        item
        for item in dataset.fields
        if item.role == "time" and item.type in ("date", "timestamp") and not item.sensitive and item.behind is None
    )


def _read_table(database: Database, dataset: Dataset, dates: tuple[Field, ...], timeout_s: float) -> list[ColumnValues]:
    try:
        asked: list[exp.Expr] = []
        for place, item in enumerate(dates):
            value = field_value(database.catalogue, dataset.source, item.expression)
            asked += [
                exp.alias_(call(this=value.copy()), f"{name}_{place}", quoted=True)
                for call, name in ((exp.Min, "first"), (exp.Max, "last"), (exp.Count, "rows"))
            ]
        query = exp.select(*asked).from_(table_source(database.catalogue, dataset.source))
        result = database.runner.run(
            query.sql(database.dialect), max_rows=1, timeout_s=timeout_s, stop=threading.Event()
        )
    except DatabaseUnavailable:
        raise
    except (QueryFailed, sqlglot.errors.SqlglotError):
        return []
    found = []
    for place, item in enumerate(dates):
        first, last, rows = result.rows[0][3 * place : 3 * place + 3]
        days = (_day(first), _day(last))
        if days[0] is not None and days[1] is not None:
            found.append(ColumnValues(dataset.name, item.name, (days[0], days[1], str(rows)), complete=True))
    return found


def _day(value: Scalar) -> date | None:
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, str):
        try:
            return date.fromisoformat(value[:_ISO_CHARS])
        except ValueError:
            return None
    return value if isinstance(value, date) else None


def _span_of(kept: ColumnValues) -> tuple[tuple[str, str], DateSpan]:
    first, last, rows = kept.values
    assert isinstance(first, date) and isinstance(last, date)  # noqa: S101 - as they were kept
    return (kept.dataset, kept.field), DateSpan(first, last, int(str(rows)))
