"""Aggregates and HAVING belong to the SELECT in which they stand.

An aggregate over columns of a query around is one of that query: it leaves the rows of its own SELECT as many as they
are, and MariaDB 10.11 crashes over several that stand beside DISTINCT, ORDER BY or HAVING, for every other question
too. What else it crashes over is refused here as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlglot import exp

from ai_engine.guard.refusal import refuse, written
from ai_engine.guard.scopes import LEAVES, Reference, Scope, local_nodes
from ai_engine.guard.shapes import collapses_rows

_Found = Mapping[int, Reference]


def require_own_aggregate(aggregate: exp.Expr, scope: Scope, found: _Found) -> None:
    """Refuse an aggregate of a SELECT inside another whose columns are all of queries around it."""
    is_own = any(level is scope for level in _levels(aggregate, found))
    if not is_own and reads_outside(aggregate, scope, found):
        raise refuse(f"{written(aggregate)} is computed over rows of the query around it", written(aggregate))


def require_what_mariadb_bears(select: exp.Select, scope: Scope, found: _Found) -> None:
    """Refuse what ends a MariaDB 10.11 server: groups of a SELECT that has none, or that the query around makes."""
    if select.args.get("from_") is None and any(reads_outside(node, scope, found) for node in select.expressions):
        reason = "a SELECT without FROM that reads the query around it is refused; write the value"
        raise refuse(reason, written(select))
    having, order = select.args.get("having"), select.args.get("order")
    parts = (select.expressions, [having]) if having is not None else ()
    if parts and all(any(reads_outside(node, scope, found) for node in part) for part in parts):
        reason = "HAVING may not read the query around where the list of columns does; use WHERE"
        raise refuse(reason, written(select))
    if select.args.get("group") is not None:
        return
    if not collapses_rows(select):
        if having is not None:
            raise refuse("HAVING needs a GROUP BY or an aggregate in the list of columns; use WHERE", "HAVING")
        if order is not None and any(isinstance(node, (exp.AggFunc, exp.Window)) for node in local_nodes(order)):
            raise refuse("put what ORDER BY computes over rows into the list of columns", "ORDER BY")
        return
    values = [*select.expressions, *(clause for clause in (having, order) if clause is not None)]
    if having is not None or any(isinstance(node, exp.Window) for node in local_nodes(*values)):
        for column in _of_single_rows(values, scope, found):
            raise refuse(f"{column.name} stands beside an aggregate: group by it", column.name)


def reads_outside(value: exp.Expr, scope: Scope, found: _Found) -> bool:
    """Whether a value has a column of a query around the SELECT of a scope, by itself or through an alias."""
    outside = [around for around in scope.chain() if around is not scope]
    return bool(outside) and any(level is around for level in _levels(value, found) for around in outside)


def _levels(value: exp.Expr, found: _Found) -> Iterator[Scope]:
    """The scopes whose columns a value reads, by itself or through aliases."""
    for column in value.find_all(exp.Column):
        reference = found.get(id(column))
        if reference is None:
            continue
        if reference.scope is not None:
            yield reference.scope
        elif reference.item is not None and reference.item is not value:
            yield from _levels(reference.item, found)


def _of_single_rows(parts: list[exp.Expr], scope: Scope, found: _Found) -> Iterator[exp.Column]:
    """Columns of the SELECT's own sources that stand below no aggregate; one with a window is none."""
    stack = list(parts)
    while stack:
        node = stack.pop()
        if isinstance(node, exp.Column):
            reference = found.get(id(node))
            if reference is not None and reference.scope is scope:
                yield node
        elif isinstance(node, exp.AggFunc) and not isinstance(node.parent, exp.Window):
            continue
        elif type(node) not in LEAVES:
            stack.extend(node.iter_expressions())
