"""The kinds of syntax a statement may consist of; what is not listed is refused."""

from __future__ import annotations

from typing import get_args

from sqlglot import exp

from ai_engine.catalogue import Dialect
from ai_engine.guard.constant_rows import gives_constant_rows
from ai_engine.guard.refusal import refuse, written
from ai_engine.guard.statement import Statement
from ai_engine.guard.warehouses import unites_own_steps

_CLAUSES = {"select", "subquery", "cte", "with", "from", "join", "where", "group", "having", "qualify", "order"} | {
    *("ordered", "limit", "limitoptions", "fetch", "offset", "distinct", "window", "windowspec"),
    *("rollup", "cube", "groupingsets", "values", "lateral", "tablesample", "pivot", "pivotalias"),
}
_NAMES_AND_CONSTANTS = {
    "table",
    "tablealias",
    "column",
    "identifier",
    "alias",
    "star",
    "literal",
    "null",
    "boolean",
} | {
    *("interval", "datatype", "datatypeparam", "var"),
}
_OPERATORS = {
    "paren",
    "tuple",
    "not",
    "eq",
    "neq",
    "gt",
    "gte",
    "lt",
    "lte",
    "is",
    "between",
    "in",
    "like",
    "ilike",
} | {
    *("glob", "escape", "add", "sub", "mul", "div", "intdiv", "mod", "neg", "dpipe", "nullsafeeq", "nullsafeneq"),
    *("bitwiseand", "bitwiseor", "similarto", "any", "all", "attimezone", "filter", "withingroup", "ignorenulls"),
    *("respectnulls", "overlaps", "bracket", "bitwisexor", "bitwisenot", "bitwiseleftshift", "bitwiserightshift"),
    *("kwarg", "jsonpath", "jsonpathroot", "jsonpathkey", "jsonpathsubscript"),
}
_ALLOWED_KINDS = frozenset(_CLAUSES | _NAMES_AND_CONSTANTS | _OPERATORS)
_SET_OPERATIONS = frozenset({"union", "intersect", "except"})
_SET_OPERATION_ARGS = frozenset({"with_", "this", "expression", "distinct", "order", "limit", "offset"})
_SELECT_ARGS = {"with_", "expressions", "distinct", "from_", "joins", "where", "group", "having", "qualify"}
_ALLOWED_ARGS: dict[type[exp.Expr], frozenset[str]] = {
    exp.Select: frozenset({*_SELECT_ARGS, "windows", "order", "limit", "offset", "sample"}),
    exp.Union: _SET_OPERATION_ARGS,
    exp.Intersect: _SET_OPERATION_ARGS,
    exp.Except: _SET_OPERATION_ARGS,
    exp.Subquery: frozenset({"this", "alias", "joins", "pivots"}),
    exp.Lateral: frozenset({"this", "alias"}),
    exp.TableSample: frozenset({"method", "percent", "size", "seed"}),
    exp.Join: frozenset({"this", "on", "side", "kind", "using", "method"}),
    exp.With: frozenset({"expressions", "recursive"}),
    exp.CTE: frozenset({"this", "alias", "materialized"}),
    exp.In: frozenset({"this", "expressions", "query"}),
    exp.Cast: frozenset({"this", "to"}),
    exp.TryCast: frozenset({"this", "to", "safe", "requires_string"}),
    exp.Window: frozenset({"this", "partition_by", "order", "spec", "alias", "over"}),
}
_BUT_SQLITE = frozenset(get_args(Dialect)) - {"sqlite"}
_ONLY_IN: dict[type[exp.Expr], frozenset[str]] = {
    exp.Lateral: frozenset({"duckdb", "postgres"}),
    exp.TableSample: frozenset({"duckdb", "postgres"}),
    exp.Kwarg: frozenset({"postgres"}),
    exp.WeekStart: frozenset({"bigquery"}),
    exp.Pivot: frozenset({"duckdb"}),
    exp.JSONPath: frozenset({"sqlite"}),
    **dict.fromkeys((exp.Interval, exp.Any, exp.All), _BUT_SQLITE),  # which has no such word, and reads a column
}
_JOIN_METHODS = frozenset({"", "NATURAL", "ASOF"})
_JOIN_KINDS = frozenset({"", "INNER", "CROSS", "OUTER", "SEMI", "ANTI", "STRAIGHT_JOIN"})
_JOINS_OF_DUCKDB = frozenset({"SEMI", "ANTI", "ASOF"})
_MAX_TREE_DEPTH = 250


def nodes_are_allowed(statement: Statement) -> None:
    """Refuse every kind of syntax, clause and bare word that is not on the list."""
    dialect = statement.dialect
    for kind, nodes in statement.kinds.items():
        name = kind.key
        if name in _SET_OPERATIONS:
            if not statement.policy.allow_union and not all(_is_harmless(node, statement) for node in nodes):
                raise refuse(
                    f"{name.upper()} is not allowed: write one SELECT, or have the policy set allow_union", name.upper()
                )
            if dialect == "mysql" and kind is not exp.Union and not all(node.args["distinct"] for node in nodes):
                raise refuse(f"{name.upper()} ALL is not allowed here: leave out ALL", name.upper())  # may never end
        elif name not in _ALLOWED_KINDS and not issubclass(kind, exp.Func):
            raise refuse(f"{kind.__name__.upper()} is not allowed in a query", written(nodes[0]))
        if kind in _ONLY_IN and dialect not in _ONLY_IN[kind]:
            raise refuse(f"this database has no {name.upper()}", written(nodes[0]))
        if kind is exp.Join:
            for node in nodes:
                _require_known_join(node, dialect)
        allowed = _ALLOWED_ARGS.get(kind)
        if allowed is not None:
            for node in nodes:
                _require_args(node, allowed)


def _is_harmless(query: exp.Expr, statement: Statement) -> bool:
    """Whether a set operation only makes rows of constants for a query around it, as VALUES does."""
    while isinstance(query.parent, exp.Union):
        query = query.parent
    return query.parent is not None and (gives_constant_rows(query) or unites_own_steps(query, statement))


def tree_is_shallow(statement: Statement) -> None:
    """Refuse long chains of operators: a tree that is too deep cannot be walked safely."""
    if statement.depth > _MAX_TREE_DEPTH:
        raise refuse("the statement chains too many operators; use IN (...) for a list")


def _require_args(node: exp.Expr, allowed: frozenset[str]) -> None:
    for arg, value in node.args.items():
        if value and arg not in allowed:
            shown = arg.strip("_").replace("_", " ").upper()
            raise refuse(f"{shown} is not allowed in {node.key.upper()}", shown)


def _require_known_join(join: exp.Expr, dialect: str) -> None:
    """Refuse other joins; SEMI, ANTI and ASOF are words of DuckDB, elsewhere they alias the table before them."""
    method, kind = str(join.args.get("method") or ""), str(join.args.get("kind") or "")
    if method not in _JOIN_METHODS or kind not in _JOIN_KINDS:
        raise refuse(f"{method or kind} JOIN is not allowed", method or kind)
    if join.args.get("side") == "FULL" and dialect == "mysql":  # sqlglot writes two SELECTs, each with its own groups
        raise refuse("this database has no FULL JOIN: write a LEFT and a RIGHT JOIN, and put them together", "FULL")
    for word in (kind, method):
        if word in _JOINS_OF_DUCKDB and dialect != "duckdb":
            raise refuse(f"this database has no {word} JOIN", word)
