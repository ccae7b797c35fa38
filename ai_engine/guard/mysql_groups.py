"""What MariaDB 10.11 crashes over: HAVING, and aggregates and windows in ORDER BY, of a SELECT that groups nothing."""

from __future__ import annotations

from sqlglot import exp

from ai_engine.guard.refusal import refuse
from ai_engine.guard.scopes import local_nodes
from ai_engine.guard.shapes import collapses_rows
from ai_engine.guard.statement import Statement


def groups_are_plain(statement: Statement) -> None:
    """Refuse them on MySQL and MariaDB, whose server would take every other question down with it."""
    if statement.dialect != "mysql":
        return
    for select in statement.kinds.get(exp.Select, ()):
        if not isinstance(select, exp.Select) or select.args.get("group") is not None or collapses_rows(select):
            continue
        if select.args.get("having") is not None:
            raise refuse("HAVING needs a GROUP BY or an aggregate in the list of columns; use WHERE", "HAVING")
        order = select.args.get("order")
        if order is not None and any(isinstance(node, (exp.AggFunc, exp.Window)) for node in local_nodes(order)):
            raise refuse("put what ORDER BY computes over rows into the list of columns", "ORDER BY")
