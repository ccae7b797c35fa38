"""A statement calls only listed functions, whatever the others do."""

from __future__ import annotations

from functools import cache

from sqlglot import exp

from ai_engine.guard.allowed_functions import ALLOWED_FUNCTIONS
from ai_engine.guard.refusal import refuse, unknown
from ai_engine.guard.statement import Statement


def functions_are_allowed(statement: Statement) -> None:
    """Refuse a function that is not listed for the dialect, and one with a quoted name."""
    allowed = _compared(statement.dialect)
    for node in statement.nodes(exp.Func):
        if isinstance(node, exp.Anonymous):
            if not isinstance(node.this, str):
                raise refuse(f"function names may not be quoted: {node.name}", node.name)
            name = node.this.lower()
        else:
            name = node.sql_names()[0].lower()
        if name.replace("_", "") not in allowed and not _is_series_in_from(node):
            raise unknown("function", name, ALLOWED_FUNCTIONS[statement.dialect], "is not allowed")


@cache
def _compared(dialect: str) -> frozenset[str]:
    """Names without underscores: the same function is spelled both ways."""
    return frozenset(name.replace("_", "") for name in ALLOWED_FUNCTIONS[dialect])


def _is_series_in_from(node: exp.Func) -> bool:
    return isinstance(node, (exp.GenerateSeries, exp.ExplodingGenerateSeries)) and isinstance(node.parent, exp.Table)
