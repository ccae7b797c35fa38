"""An ENUM of DuckDB lists its labels, also those that no permitted row holds: nothing tells which they are."""

from __future__ import annotations

from sqlglot import exp

from ai_engine.guard.refusal import refuse, written
from ai_engine.guard.scopes import Reference
from ai_engine.guard.statement import Statement

_LISTING = "ENUM("
_RANKING = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)


def labels_are_not_tried(statement: Statement) -> None:
    """Refuse LAG(status, 1, 'x') of what may be an ENUM, which fails where no label is 'x', and (status, 1) < ('x', 2).

    In rows and lists 'x' is taken for a label where there is one, and ranks by its place among them, else as a text.
    """
    if statement.dialect != "duckdb" or statement.reading is None:
        return
    calls = statement.nodes(exp.Lag, exp.Lead)
    tried = [
        (call, call.this.this if isinstance(call.this, exp.Order) else call.this)
        for call in calls
        if _may_be_tried(call.args.get("default")) and call.args["default"] != call.this
    ]
    tried += [(test, test) for test in statement.nodes(*_RANKING) if _ranks_texts(test)]
    if not tried:
        return
    found = {id(column): reference for column, reference in statement.reading.columns}
    listed = {
        (table.name, column.name)
        for table in statement.catalogue.tables
        for column in table.columns
        if _LISTING in column.native_type.upper()
    }
    for place, value in tried:
        for column in value.find_all(exp.Column):
            is_text = isinstance(column.find_ancestor(exp.Cast, type(place)), exp.Cast)
            if not is_text and _may_be_listed(found.get(id(column)), listed):
                instead = f"CAST({written(column)} AS VARCHAR)"
                raise refuse(f"{written(column)} may only have the values of its type: write {instead}", written(place))


def _ranks_texts(test: exp.Expr) -> bool:
    """Whether rows or lists are compared by their order, and a text stands in one."""
    composed = test.find_all(exp.Tuple, exp.Array)
    return any(literal.is_string for parts in composed for literal in parts.find_all(exp.Literal))


def _may_be_tried(default: exp.Expr | None) -> bool:
    is_text = not isinstance(default, exp.Literal) or default.is_string
    return default is not None and is_text and not isinstance(default, exp.Null)


def _may_be_listed(reference: Reference | None, listed: set[tuple[str, str]]) -> bool:
    """Whether a column is an ENUM of a table, or of a subquery where any is known."""
    if reference is None or not all(source.table for source, _ in reference.value) or not reference.value:
        return bool(listed)
    return any((source.table, column.name) in listed for source, column in reference.value)
