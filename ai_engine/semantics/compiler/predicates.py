"""Filters as conditions of a WHERE clause, without ever multiplying the rows they filter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TypeAlias

from sqlglot import exp

from ai_engine.catalogue import Dialect
from ai_engine.errors import IntentNotCovered
from ai_engine.semantics.compiler.day_conditions import (
    COMPARE,
    DAY,
    are_dates,
    are_days,
    by_whole_years,
    by_year,
    days_of_timestamps,
)
from ai_engine.semantics.compiler.dialects import as_text, contains, literal, moment, so_many_times
from ai_engine.semantics.compiler.grains import kind_at
from ai_engine.semantics.compiler.pruning import partition_conditions
from ai_engine.semantics.compiler.routes import note_shared_parent, route
from ai_engine.semantics.compiler.scope import Scope, table_column
from ai_engine.semantics.compiler.semijoins import Related
from ai_engine.semantics.intent import AnyOf, Condition, FieldRef, Filter, Measure, Membership, Period, Value
from ai_engine.semantics.join_paths import Path
from ai_engine.semantics.spelled_days import spelled, stored_day
from ai_engine.types import ColumnType

FigureOverAll: TypeAlias = Callable[[Measure], exp.Expr]


@dataclass(frozen=True)
class _Placed:
    """A condition and the walk from the current table to its field."""

    condition: Condition
    path: Path


class Predicates:
    """Writes filters over the rows of one scope.

    `subject` is what memberships are about; `figure` computes a figure over all rows as a scalar subquery; `origin` is
    the walk from the scope's base to the table that the filters are about.
    """

    def __init__(self, scope: Scope, subject: str | None, figure: FigureOverAll, origin: Path = ()) -> None:
        self.scope = scope
        self.setting = scope.setting
        self.subject = subject
        self.figure = figure
        self.origin = origin
        self.base = origin[-1].target if origin else scope.base

    def all_of(self, filters: Sequence[Filter], *, required: bool = True, chooses_rows: bool = True) -> list[exp.Expr]:
        """Return one condition per filter, and those that follow for partitions; tests of the same rows are one EXISTS.

        `required` tells that a row must satisfy every condition to be kept, so that joins may drop the others;
        `chooses_rows` that the conditions stand in WHERE, where they can spare the reading of partitions.
        """
        placed: list[_Placed] = []
        written: list[exp.Expr] = []
        for item in filters:
            if isinstance(item, Condition):
                placed.append(_Placed(item, self._route(item.field)))
            elif isinstance(item, Membership):
                written.append(self.membership(item))
            else:
                written.append(self._any_of(item, chooses_rows=chooses_rows))
        return self._conditions(placed, required=required, chooses_rows=chooses_rows) + written

    def period(self, period: Period, field: FieldRef) -> list[exp.Expr]:
        """Keep the rows whose date lies in a period."""
        if period.start and period.end and stored_day(self.setting.field(field).expression):
            days = (period.start, period.end - DAY)
            return self.all_of([Condition(field=field, operator="between", values=days)])
        bounds = (Condition(field=field, operator=">=", values=(period.start,)) if period.start else None,
                  Condition(field=field, operator="<", values=(period.end,)) if period.end else None)  # fmt: skip
        return self.all_of([bound for bound in bounds if bound is not None])

    def membership(self, item: Membership) -> exp.Expr:
        """Test whether the subject has related rows, or how many."""
        start = self.subject or self.base
        before = route(self.setting, self.base, start) if start != self.base else ()
        way = route(self.setting, start, item.dataset, item.via)
        if not way:  # rows that belong to the same one
            way = route(self.setting, start, item.dataset, (*item.via, *reversed(item.via)))
        if not way:
            raise IntentNotCovered(f"{start!r} cannot be tested for having rows of itself")
        note_shared_parent(self.setting, before + way)
        return self._related(self.origin + before + way, item)

    def _route(self, ref: FieldRef) -> Path:
        return self.origin + route(self.setting, self.base, ref.dataset, ref.via, self.subject)

    def _any_of(self, item: AnyOf, *, chooses_rows: bool) -> exp.Expr:
        each = (self.all_of([option], required=False, chooses_rows=chooses_rows) for option in item.filters)
        options = [exp.and_(*conditions) for conditions in each]
        return exp.paren(exp.or_(*options), copy=False) if len(options) > 1 else options[0]

    def _conditions(self, placed: Sequence[_Placed], *, required: bool, chooses_rows: bool = True) -> list[exp.Expr]:
        written: list[exp.Expr | None] = []
        here: list[tuple[Condition, Path]] = []
        related: dict[Path, tuple[int, list[_Placed]]] = {}
        for item in placed:
            hop = self._first_hop_to_many(item.path)
            if hop is None:
                rejects_null = item.condition.operator != "is null"
                written.append(self._compare(item, required=required and rejects_null))
                here.append((item.condition, item.path))
                continue
            walk, rest = item.path[: hop + 1], item.path[hop + 1 :]
            if walk not in related:
                related[walk] = (len(written), [])
                written.append(None)
            related[walk][1].append(_Placed(item.condition, rest))
        for walk, (position, items) in related.items():
            written[position] = self._exists(walk, items)
        partitions = partition_conditions(self.scope, here, required=required) if chooses_rows else []
        return [condition for condition in written if condition is not None] + partitions

    def _first_hop_to_many(self, path: Path) -> int | None:
        """Return the first step that would multiply rows and is not joined already."""
        for index, step in enumerate(path):
            if not step.to_one and not self.scope.holds(path[: index + 1]):
                return index
        return None

    def _exists(self, walk: Path, items: Sequence[_Placed]) -> exp.Expr:
        inner, ties = self._inside(walk)
        nested = Predicates(inner, None, self.figure)
        return Related(self.scope, inner, ties, nested._conditions(items, required=True)).exist()

    def _related(self, path: Path, item: Membership) -> exp.Expr:
        hop = next((index for index, step in enumerate(path) if not step.to_one), len(path) - 1)
        walk, rest = path[: hop + 1], path[hop + 1 :]
        inner, ties = self._inside(walk)
        inner.join(rest, required=True)
        nested = Predicates(inner, None, self.figure, rest)
        related = Related(self.scope, inner, ties, nested.all_of(item.filters))
        low, high = item.at_least, item.at_most
        if (low is None and high is None) or (low == 1 and high is None):
            return related.exist(negated=item.negated)
        if high == 0 and not low:
            return related.exist(negated=not item.negated)
        return related.number(self._row_count(inner, rest), item)

    def _row_count(self, inner: Scope, rest: Path) -> exp.Expr:
        if all(not step.to_one for step in rest):
            return exp.Count(this=exp.Star())
        key = self.setting.key(rest[-1].target)
        if len(key) > 1:
            raise IntentNotCovered(f"rows of {rest[-1].target!r} have a composite key and cannot be counted once")
        return exp.Count(this=exp.Distinct(expressions=[inner.column(key[0], rest)]))

    def _inside(self, walk: Path) -> tuple[Scope, list[exp.Expr]]:
        """Open a nested query, named after the tables outside that tie it: one of the same name would hide them."""
        outer, columns = self._outside(walk)
        inner = Scope(self.setting, walk[-1].target, set(self.scope.taken))
        return inner, self._ties(walk, inner.alias, outer, columns)

    def link(self, walk: Path, alias: str) -> list[exp.Expr]:
        """Tie a table of related rows, called `alias`, to the row outside."""
        return self._ties(walk, alias, *self._outside(walk))

    def _outside(self, walk: Path) -> tuple[str, tuple[str, ...]]:
        """Find the table and columns that tie related rows; the one before them is skipped where its key is at hand."""
        last, before = walk[-1], walk[:-1]
        columns = last.source_columns
        if before and before[-1].to_one and not self.scope.holds(before):
            known = dict(zip(before[-1].target_columns, before[-1].source_columns, strict=True))
            if all(column in known for column in columns):
                columns = tuple(known[column] for column in columns)
                before = before[:-1]
        return self.scope.join(before, required=False), columns

    def _ties(self, walk: Path, alias: str, outer: str, columns: tuple[str, ...]) -> list[exp.Expr]:
        dialect = self.setting.dialect
        return [
            exp.EQ(this=table_column(alias, inner, dialect), expression=table_column(outer, column, dialect))
            for inner, column in zip(walk[-1].target_columns, columns, strict=True)
        ]

    def _compare(self, item: _Placed, *, required: bool) -> exp.Expr:
        condition, dialect = item.condition, self.setting.dialect
        found = self.setting.field(condition.field)
        stored = stored_day(found.expression)
        # Keys such as -1 say that a day is unknown: they are no day before another.
        bounded = condition.operator in ("=", "in", ">", ">=", "between") and condition.field.grain is None
        if stored is not None and bounded and condition.values and are_days(condition.values):
            table = self.scope.join(item.path, required=required)
            days = [value for value in condition.values if isinstance(value, date)]
            values = tuple(spelled(day, number=stored[1]) for day in days)
            kept = table_column(table, stored[0], dialect)
            return _plain(kept, condition.model_copy(update={"values": values}), literal)
        left = self.scope.value(condition.field, item.path, required=required)
        if condition.other is not None:
            path = self._other_path(condition.other, condition)
            right = self.scope.value(condition.other, path, required=required)
            right = so_many_times(right, condition.times)
            return COMPARE[_order_operator(condition)](this=left, expression=right)
        if condition.versus is not None:
            right = self._of_those_alike(condition) if condition.alike else self.figure(condition.versus)
            right = so_many_times(right, condition.times)
            return COMPARE[_order_operator(condition)](this=left, expression=right)
        if condition.operator in ("is null", "is not null"):
            missing = exp.Is(this=left, expression=exp.Null())
            return missing if condition.operator == "is null" else exp.Not(this=missing)
        if not condition.values:
            raise IntentNotCovered(f"nothing to compare {condition.field.field!r} with")
        if are_dates(condition.values):
            if condition.field.grain == "year":
                condition = by_year(condition)
            elif found.is_year and condition.field.grain is None:
                condition = by_whole_years(condition)
        if found.type == "timestamp" and condition.field.grain is None and are_days(condition.values):
            return days_of_timestamps(left, condition, dialect)
        if condition.operator in _TEXT_TESTS:
            text = left if found.type == "text" else as_text(left, dialect)
            return _text_test(text, condition, dialect)
        kind = kind_at(condition.field.grain, found.type)
        return _plain(left, condition, lambda value: _written(value, kind, dialect))

    def _of_those_alike(self, condition: Condition) -> exp.Expr:
        """Compute a figure over the rows that have the same as the row outside."""
        versus, alike = condition.versus, condition.alike
        assert versus is not None and alike is not None  # noqa: S101 - only such conditions come here
        plain = versus.field is not None and versus.denominator is None and versus.minus is None
        aggregate = _OVER_THOSE_ALIKE.get(str(versus.aggregate)) if plain and versus.transform is None else None
        if versus.field is None or aggregate is None or self.setting.dialect == "clickhouse":
            raise IntentNotCovered("only an average, a total or an end of a field is compared within its own group")
        inner = Scope(self.setting, versus.field.dataset, set(self.scope.taken))
        nested = Predicates(inner, None, self.figure)
        places = [nested._route(ref) for ref in (versus.field, alike)]
        if any(nested._first_hop_to_many(path) is not None for path in places):
            raise IntentNotCovered(f"a row has several of {alike.field!r}, and is in no group of its own")
        value, theirs = (
            inner.value(ref, path, required=True) for ref, path in zip((versus.field, alike), places, strict=True)
        )
        mine = self.scope.value(alike, self._other_path(alike, condition), required=False)
        where = [exp.EQ(this=theirs, expression=mine), *nested.all_of(versus.filters)]
        return exp.Subquery(this=inner.select().select(aggregate(this=value)).where(*where))

    def _other_path(self, other: FieldRef, condition: Condition) -> Path:
        path = self.origin + route(self.setting, self.base, other.dataset, other.via)
        if self._first_hop_to_many(path) is not None:
            raise IntentNotCovered(f"{condition.field.field!r} and {other.field!r} do not meet in one row")
        return path


_OVER_THOSE_ALIKE: dict[str, type[exp.AggFunc]] = {"avg": exp.Avg, "sum": exp.Sum, "max": exp.Max, "min": exp.Min}
_TEXT_TESTS = {
    "contains": (True, True), "not contains": (True, True), "starts with": (False, True),
    "not starts with": (False, True), "ends with": (True, False), "not ends with": (True, False),
}  # fmt: skip


def _order_operator(condition: Condition) -> str:
    if condition.operator not in COMPARE:
        raise IntentNotCovered(f"{condition.operator!r} needs values to compare with")
    return condition.operator


def _written(value: Value, kind: ColumnType, dialect: Dialect) -> exp.Expr:
    return moment(value, kind, dialect) if isinstance(value, date) else literal(value)


def _text_test(text: exp.Expr, condition: Condition, dialect: Dialect) -> exp.Expr:
    before, after = _TEXT_TESTS[condition.operator]
    tests = [contains(text.copy(), str(value), dialect, before=before, after=after) for value in condition.values]
    found = exp.paren(exp.or_(*tests), copy=False) if len(tests) > 1 else tests[0]
    return exp.Not(this=found) if condition.operator.startswith("not") else found


def _plain(left: exp.Expr, condition: Condition, written: Callable[[Value], exp.Expr]) -> exp.Expr:
    if isinstance(left, exp.Predicate | exp.Connector | exp.Not) and condition.operator in {"=", "!="}:
        asked = (condition.values == (True,)) == (condition.operator == "=")
        test = exp.paren(left, copy=False) if isinstance(left, exp.Connector) or not asked else left
        return test if asked else exp.Not(this=test)
    operator, values = condition.operator, [written(value) for value in condition.values]
    if operator == "between":
        return exp.Between(this=left, low=values[0], high=values[-1])
    if operator in ("in", "not in") or (operator in ("=", "!=") and len(values) > 1):
        if len(values) == 1:
            return (exp.EQ if operator == "in" else exp.NEQ)(this=left, expression=values[0])
        found = exp.In(this=left, expressions=values)
        return exp.Not(this=found) if operator in ("not in", "!=") else found
    return COMPARE[operator](this=left, expression=values[0])
