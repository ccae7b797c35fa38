"""What a table's columns hold, in figures: read when somebody opens the table, by bounded and guarded statements."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp

from ai_engine.agents.running import run_with_deadline
from ai_engine.errors import AssistantError, QueryStopped
from ai_engine.semantics.model import Dataset, Field
from ai_engine.semantics.values import ColumnValues
from ai_engine.types import Scalar
from backend.values.cache import ValueCache
from backend.vocabulary.field_sql import field_value, table_source

if TYPE_CHECKING:
    from backend.service import Assistant

_RANGED = frozenset({"integer", "decimal", "float", "date", "timestamp"})
_GROUPED_ROLES = frozenset({"category", "flag"})
_MOST_BARS = 10
_MOST_GROUPS = 50
_COLUMNS_AT_ONCE = 20
_HEARTBEAT_S = 0.2


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """One column in figures.

    Attributes:
        nulls: share of rows without a value, 0 to 1.
        distinct: how many different values there are.
        lowest, highest: of numbers and dates; None for all else, where they would be somebody's name.
        bars: rows in equal steps of that range, or with each of the most frequent values.
        values: what the bars count where that is a value.
    """

    nulls: float
    distinct: int | None = None
    lowest: Scalar = None
    highest: Scalar = None
    bars: tuple[int, ...] = ()
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TableProfile:
    """A table in figures.

    Attributes:
        rows: how many were looked at.
        whole: they are all there are.
        columns: by field; those that are not here could not be read in time, or may not be.
        fault: why something is missing; empty where nothing is.
    """

    rows: int = 0
    whole: bool = True
    columns: Mapping[str, ColumnProfile] = field(default_factory=dict)
    fault: str = ""


def profiling(assistant: Assistant, dataset: Dataset) -> Iterator[TableProfile | None]:
    """Yield None a few times a second while a table is read, and its profile last; closing it stops the statement."""
    stop = threading.Event()
    found: list[TableProfile] = []
    thread = threading.Thread(
        target=lambda: found.append(profile_table(assistant, dataset, stop)), name="profile", daemon=True
    )
    thread.start()
    try:
        while thread.is_alive():
            yield None
            thread.join(_HEARTBEAT_S)
        yield found[0] if found else TableProfile(fault="The figures could not be read.")
    finally:
        stop.set()


def profile_table(assistant: Assistant, dataset: Dataset, stop: threading.Event) -> TableProfile:
    """Read a table's figures, or take them from the cache of the same data; never raises what the database raises.

    Nothing is read of sensitive columns, nor of fields made of them. All statements together have the time of one
    question, and look at the first `BANK_PROFILE_MAX_ROWS` rows.
    """
    settings, database = assistant.settings, assistant.database
    fields = [item for item in dataset.fields if not item.sensitive and item.behind is None]
    if not fields:
        return TableProfile()
    described = [(item.name, item.expression, item.type, item.role) for item in fields]
    kind = f"profile_{hashlib.sha256(dataset.source.encode()).hexdigest()[:16]}"
    content = (database.fingerprint, dataset.source, settings.profile_max_rows, described)
    cache = ValueCache(settings.cache_dir, database.identity, content, settings.cache_max_age_h, kind=kind)
    known = cache.read()
    if known is not None:
        return _unpacked(known)
    found = _Reading(assistant, dataset, fields, stop).profile()
    if not found.fault:
        cache.write(_packed(dataset.name, found))
    return found


class _Reading:
    """The statements about one table, within one deadline."""

    def __init__(self, assistant: Assistant, dataset: Dataset, fields: Sequence[Field], stop: threading.Event) -> None:
        self._assistant = assistant
        self._runner = assistant.services().runner
        self._dataset = dataset
        self._fields = fields
        self._stop = stop
        self._limit_s = assistant.limits.timeout_s
        self._until = time.monotonic() + self._limit_s
        self._most_rows = assistant.settings.profile_max_rows

    def profile(self) -> TableProfile:
        rows, columns, fault = 0, dict[str, ColumnProfile](), ""
        try:
            for first in range(0, len(self._fields), _COLUMNS_AT_ONCE):
                some = self._fields[first : first + _COLUMNS_AT_ONCE]
                rows, found = self._counted(some)
                columns |= found
                columns |= self._with_steps(some, found)
            for item in self._fields:
                columns[item.name] = self._with_groups(item, columns[item.name])
        except QueryStopped:
            fault = "Stopped."
        except (AssistantError, sqlglot.errors.SqlglotError) as problem:
            fault = getattr(problem, "user_message", "The figures could not be read.")
        return TableProfile(rows, rows < self._most_rows, columns, fault)

    def _run(self, asked: Sequence[exp.Expr], grouped_by: exp.Expr | None = None) -> tuple[tuple[Scalar, ...], ...]:
        if self._stop.is_set():
            raise QueryStopped
        database = self._assistant.database
        columns = {
            column.name: exp.column(column.name, quoted=True)
            for item in self._fields
            for column in self._value(item).find_all(exp.Column)
        }
        first = exp.select(*columns.values()).from_(table_source(database.catalogue, self._dataset.source))
        query = exp.select(*asked).from_(first.limit(self._most_rows).subquery("looked_at"))
        if grouped_by is not None:
            query = query.where(grouped_by.copy().is_(exp.null()).not_()).group_by(grouped_by.copy())
            query = query.order_by(exp.Ordered(this=exp.Count(this=exp.Star()), desc=True), grouped_by.copy())
            query = query.limit(_MOST_BARS)
        statement = self._assistant.check(query.sql(database.dialect))
        left_s = max(self._until - time.monotonic(), 0.01)
        return run_with_deadline(self._runner, statement, left_s, self._stop).rows

    def _value(self, item: Field) -> exp.Expr:
        return field_value(self._assistant.database.catalogue, self._dataset.source, item.expression)

    def _counted(self, some: Sequence[Field]) -> tuple[int, dict[str, ColumnProfile]]:
        asked: list[exp.Expr] = [exp.alias_(exp.Count(this=exp.Star()), "n")]
        for place, item in enumerate(some):
            value = self._value(item)
            asked.append(exp.alias_(exp.Count(this=value.copy()), f"n_{place}"))
            different = exp.Count(this=exp.Distinct(expressions=[value.copy()]))
            asked.append(exp.alias_(different if item.type != "other" else exp.null(), f"d_{place}"))
            for call, name in ((exp.Min, "lo"), (exp.Max, "hi")):
                bound = call(this=value.copy()) if item.type in _RANGED else exp.null()
                asked.append(exp.alias_(bound, f"{name}_{place}"))
        row = self._run(asked)[0]
        rows = int(str(row[0]))
        found = {}
        for place, item in enumerate(some):
            filled, distinct, lowest, highest = row[1 + 4 * place : 5 + 4 * place]
            nulls = 1 - int(str(filled)) / rows if rows else 0.0
            known = None if distinct is None else int(str(distinct))
            found[item.name] = ColumnProfile(nulls, known, lowest, highest)
        return rows, found

    def _with_steps(self, some: Sequence[Field], found: Mapping[str, ColumnProfile]) -> dict[str, ColumnProfile]:
        """Count the rows of each step of the ranges of numbers and dates, all columns in one statement."""
        steps = {
            item.name: bounds
            for item in some
            if item.role != "identifier" and (bounds := _steps(found[item.name].lowest, found[item.name].highest))
        }
        asked: list[exp.Expr] = []
        for item in some:
            value, bounds = self._value(item), steps.get(item.name, [])
            for low, high in bounds:
                inside = _rows_within(value, low, high, last=high is bounds[-1][1])
                asked.append(exp.alias_(inside, f"b_{len(asked)}"))
        if not asked:
            return {}
        counts = iter(self._run(asked)[0])
        return {
            item.name: _with_bars(found[item.name], [int(str(next(counts) or 0)) for _ in steps[item.name]])
            for item in some
            if item.name in steps
        }

    def _with_groups(self, item: Field, known: ColumnProfile) -> ColumnProfile:
        """Count the rows of the most frequent values, where values are names of groups and not of persons."""
        if item.role not in _GROUPED_ROLES or known.bars or not 0 < (known.distinct or 0) <= _MOST_GROUPS:
            return known
        value = self._value(item)
        rows = self._run([exp.alias_(value, "value"), exp.alias_(exp.Count(this=exp.Star()), "n")], value)
        return _with_bars(known, [int(str(row[1])) for row in rows], [str(row[0]) for row in rows])


def _with_bars(known: ColumnProfile, bars: Sequence[int], values: Sequence[str] = ()) -> ColumnProfile:
    return ColumnProfile(known.nulls, known.distinct, known.lowest, known.highest, tuple(bars), tuple(values))


def _steps(lowest: Scalar, highest: Scalar) -> list[tuple[Scalar, Scalar]]:
    """Part a range into at most ten equal steps; none where there is no range."""
    if isinstance(lowest, bool) or isinstance(highest, bool) or lowest == highest:
        return []
    if isinstance(lowest, (int, float, Decimal)) and isinstance(highest, (int, float, Decimal)):
        low, high = float(lowest), float(highest)
        whole = isinstance(lowest, int) and isinstance(highest, int) and highest - lowest < _MOST_BARS
        count = int(high - low) if whole else _MOST_BARS
        edges: list[Scalar] = [low + (high - low) * step / count for step in range(count + 1)]
    elif isinstance(lowest, date) and isinstance(highest, date):
        span = highest - lowest
        count = _MOST_BARS if isinstance(lowest, datetime) else min(span.days, _MOST_BARS)
        edges = [lowest + _share(span, step, count) for step in range(count + 1)]
    else:
        return []
    return list(pairwise(edges))


def _share(span: timedelta, step: int, count: int) -> timedelta:
    return timedelta(days=span.days * step // count) if not span.seconds else span * step / count


def _rows_within(value: exp.Expr, low: Scalar, high: Scalar, *, last: bool) -> exp.Expr:
    upper = (exp.LTE if last else exp.LT)(this=value.copy(), expression=_literal(high))
    inside = exp.and_(exp.GTE(this=value.copy(), expression=_literal(low)), upper)
    return exp.Sum(this=exp.Case().when(inside, exp.Literal.number(1)).else_(exp.Literal.number(0)))


def _literal(bound: Scalar) -> exp.Expr:
    if isinstance(bound, datetime):
        return exp.Literal.string(bound.replace(tzinfo=None).isoformat(" ", "seconds"))
    if isinstance(bound, date):
        return exp.Literal.string(bound.isoformat())
    number = Decimal(str(bound))
    written = exp.Literal.number(format(abs(number), "f"))
    return exp.Neg(this=written) if number < 0 else written


def _packed(dataset: str, profile: TableProfile) -> tuple[ColumnValues, ...]:
    table = ColumnValues(dataset, "", (profile.rows, profile.whole), complete=True)
    columns = (
        ColumnValues(
            dataset, name,
            (one.nulls, one.distinct, one.lowest, one.highest, len(one.bars), *one.bars, *one.values), complete=True,
        )
        for name, one in profile.columns.items()
    )  # fmt: skip
    return (table, *columns)


def _unpacked(kept: tuple[ColumnValues, ...]) -> TableProfile:
    rows, whole = kept[0].values
    columns = {}
    for one in kept[1:]:
        nulls, distinct, lowest, highest, bars, *rest = one.values
        count = int(str(bars))
        columns[one.field] = ColumnProfile(
            float(str(nulls)), None if distinct is None else int(str(distinct)), lowest, highest,
            tuple(int(str(bar)) for bar in rest[:count]), tuple(map(str, rest[count:])),
        )  # fmt: skip
    return TableProfile(int(str(rows)), whole is True, columns)
