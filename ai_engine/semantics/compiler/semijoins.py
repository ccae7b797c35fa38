"""Rows that have related rows, or so many of them, without joining them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from ai_engine.semantics.compiler.dialects import literal
from ai_engine.semantics.compiler.scope import Scope
from ai_engine.semantics.intent import Membership

ONE = exp.Literal.number(1)


@dataclass(frozen=True)
class Related:
    """Related rows, and what ties them to the rows outside.

    Attributes:
        outer: the tables of the rows outside.
        inner: the tables of the related rows.
        ties: column of a related row = column of the row outside.
        conditions: what the related rows must satisfy.
    """

    outer: Scope
    inner: Scope
    ties: Sequence[exp.Expr]
    conditions: Sequence[exp.Expr]

    def exist(self, *, negated: bool = False) -> exp.Expr:
        """Test whether there are any."""
        if self._by_key():
            return self._among_keys(self._keyed(), negated=negated)
        query = self.inner.select().select(ONE.copy()).where(*self.ties, *self.conditions)
        found = exp.Exists(this=query)
        return exp.Not(this=found) if negated else found

    def number(self, count: exp.Expr, item: Membership) -> exp.Expr:
        """Test how many there are.

        Args:
            count: the aggregate call that counts them.
            item: the bounds, and whether they must not hold.
        """
        low, high = item.at_least or 0, item.at_most
        if not self._by_key() or (not low and high is None):
            counted = exp.Subquery(this=self.inner.select().select(count).where(*self.ties, *self.conditions))
            bounds = _within(counted, item.at_least, high)
            return exp.Not(this=exp.paren(bounds, copy=False)) if item.negated else bounds
        grouped = self._keyed().group_by(self.ties[0].this.copy())
        # A row outside that has no related rows is in no group: few are not more.
        few = not low
        kept = exp.GT(this=count, expression=literal(high or 0)) if few else _within(count, low, high)
        return self._among_keys(grouped.having(kept), negated=few is not item.negated)

    def _by_key(self) -> bool:
        """Tell whether keys are looked up in a list, which SQLite builds only once, instead of once per row outside.

        ClickHouse knows nothing of the row outside.
        """
        return self.outer.setting.dialect in ("sqlite", "clickhouse") and len(self.ties) == 1

    def _keyed(self) -> exp.Select:
        query = self.inner.select().select(self.ties[0].this.copy())
        return query.where(*self.conditions) if self.conditions else query

    def _among_keys(self, keys: exp.Select, *, negated: bool) -> exp.Expr:
        """Look a row's key up in a list; a missing key is in no list and must not make one of unknown."""
        column = self.ties[0].expression
        if not negated:
            return exp.In(this=column, query=exp.Subquery(this=keys))
        if not _is_key(self.ties[0].this, self.inner):
            keys = keys.where(exp.Not(this=exp.Is(this=self.ties[0].this.copy(), expression=exp.Null())))
        absent = exp.Not(this=exp.In(this=column.copy(), query=exp.Subquery(this=keys)))
        if _is_key(column, self.outer):
            return absent
        return exp.paren(exp.or_(exp.Is(this=column.copy(), expression=exp.Null()), absent), copy=False)


def _within(count: exp.Expr, low: int | None, high: int | None) -> exp.Expr:
    if low is not None and high is not None:
        if low == high:
            return exp.EQ(this=count, expression=literal(low))
        return exp.Between(this=count, low=literal(low), high=literal(high))
    if low is not None:
        return exp.GTE(this=count, expression=literal(low))
    return exp.LTE(this=count, expression=literal(high or 0))


def _is_key(column: exp.Expr, scope: Scope) -> bool:
    """Tell whether a column is the primary key of the table that its scope starts from, so never missing."""
    key = scope.setting.dataset(scope.base).primary_key
    return isinstance(column, exp.Column) and column.table == scope.alias and (column.name,) == key
