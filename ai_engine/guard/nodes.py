"""The kinds of syntax a statement may consist of; what is not listed is refused."""

from __future__ import annotations

import re

from sqlglot import exp

from ai_engine.guard.constant_rows import gives_constant_rows
from ai_engine.guard.refusal import refuse, written
from ai_engine.guard.statement import Statement

_CLAUSES = {"select", "subquery", "cte", "with", "from", "join", "where", "group", "having", "qualify", "order"} | {
    *("ordered", "limit", "limitoptions", "fetch", "offset", "distinct", "window", "windowspec"),
    *("rollup", "cube", "groupingsets", "values"),
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
    *("respectnulls", "overlaps", "bracket"),
}
_ALLOWED_KINDS = frozenset(_CLAUSES | _NAMES_AND_CONSTANTS | _OPERATORS)
_SET_OPERATIONS = frozenset({"union", "intersect", "except"})
_SET_OPERATION_ARGS = frozenset({"with_", "this", "expression", "distinct", "order", "limit", "offset"})
_SELECT_ARGS = {"with_", "expressions", "distinct", "from_", "joins", "where", "group", "having", "qualify"}
_ALLOWED_ARGS: dict[type[exp.Expr], frozenset[str]] = {
    exp.Select: frozenset({*_SELECT_ARGS, "windows", "order", "limit", "offset"}),
    exp.Union: _SET_OPERATION_ARGS,
    exp.Intersect: _SET_OPERATION_ARGS,
    exp.Except: _SET_OPERATION_ARGS,
    exp.Subquery: frozenset({"this", "alias"}),
    exp.Join: frozenset({"this", "on", "side", "kind", "using", "method"}),
    exp.With: frozenset({"expressions", "recursive"}),
    exp.CTE: frozenset({"this", "alias", "materialized"}),
    exp.In: frozenset({"this", "expressions", "query"}),
    exp.Cast: frozenset({"this", "to"}),
    exp.TryCast: frozenset({"this", "to", "safe", "requires_string"}),
    exp.Window: frozenset({"this", "partition_by", "order", "spec", "alias", "over"}),
}
_JOIN_METHODS = frozenset({"", "NATURAL", "ASOF"})
_JOIN_KINDS = frozenset({"", "INNER", "CROSS", "OUTER", "SEMI", "ANTI"})
_UNITS = "YEAR QUARTER MONTH WEEK DAY HOUR MINUTE SECOND MILLISECOND MICROSECOND CENTURY DECADE MILLENNIUM"
_DATE_PARTS = "DOW DOY ISODOW ISOYEAR EPOCH DAYOFWEEK DAYOFYEAR WEEKDAY YEARWEEK YEAR_MONTH DAY_HOUR ISOWEEK"
_OTHER_WORDS = "ALL BOTH LEADING TRAILING BINARY NOCASE RTRIM"
_LEFT_OUT_OF_FRAMES = frozenset({"CURRENT ROW", "GROUP", "TIES", "NO OTHERS"})
_WORDS = frozenset(
    [*_UNITS.split(), *(f"{unit}S" for unit in _UNITS.split()), *_DATE_PARTS.split(), *_OTHER_WORDS.split()]
)
_COLLATION = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,40}")
_MAX_TREE_DEPTH = 250


def nodes_are_allowed(statement: Statement) -> None:
    """Refuse every kind of syntax, clause and bare word that is not on the list."""
    for kind, nodes in statement.kinds.items():
        name = kind.key
        if name in _SET_OPERATIONS:
            if not statement.policy.allow_union and not all(map(_lists_constants, nodes)):
                raise refuse(f"{name.upper()} is not allowed: write one SELECT", name.upper())
        elif name not in _ALLOWED_KINDS and not issubclass(kind, exp.Func):
            raise refuse(f"{kind.__name__.upper()} is not allowed in a query", written(nodes[0]))
        allowed = _ALLOWED_ARGS.get(kind)
        if allowed is not None:
            for node in nodes:
                _require_args(node, allowed)
    for word in statement.nodes(exp.Var):
        _require_word(word)
    for star in statement.nodes(exp.Star):
        _require_star_place(star)
    for join in statement.nodes(exp.Join):
        _require_plain_join(join)
    for bracket in statement.nodes(exp.Bracket):
        if not all(_is_position(index) for index in bracket.expressions):
            raise refuse("only a position may stand in brackets", written(bracket))


def _lists_constants(query: exp.Expr) -> bool:
    """Whether a set operation only makes rows of constants for a query around it, as VALUES does."""
    while isinstance(query.parent, exp.Union):
        query = query.parent
    return query.parent is not None and gives_constant_rows(query)


def tree_is_shallow(statement: Statement) -> None:
    """Refuse long chains of operators: a tree that is too deep cannot be walked safely."""
    if statement.depth > _MAX_TREE_DEPTH:
        raise refuse("the statement chains too many operators; use IN (...) for a list")


def _require_args(node: exp.Expr, allowed: frozenset[str]) -> None:
    for arg, value in node.args.items():
        if value and arg not in allowed:
            shown = arg.strip("_").replace("_", " ").upper()
            raise refuse(f"{shown} is not allowed in {node.key.upper()}", shown)


def _require_word(word: exp.Var) -> None:
    if isinstance(word.parent, exp.Collate):
        if not _COLLATION.fullmatch(word.name):
            raise refuse(f"{word.name} is not a collation", word.name)
    elif isinstance(word.parent, exp.WindowSpec):
        if word.name.upper() not in _LEFT_OUT_OF_FRAMES:
            raise refuse(f"the word {word.name} is not known here", word.name)
    elif word.name.upper() not in _WORDS:
        raise refuse(f"the word {word.name} is not known here", word.name)


def _require_star_place(star: exp.Star) -> None:
    holder = star.parent.parent if isinstance(star.parent, exp.Column) else star.parent
    if not isinstance(holder, exp.Select) and not (isinstance(holder, exp.Count) and star.parent is holder):
        raise refuse("* may only stand alone in the list of columns, or in COUNT(*)", "*")


def _require_plain_join(join: exp.Join) -> None:
    method, kind = str(join.args.get("method") or ""), str(join.args.get("kind") or "")
    if method not in _JOIN_METHODS or kind not in _JOIN_KINDS:
        raise refuse(f"{method or kind} JOIN is not allowed", method or kind)


def _is_position(index: exp.Expr) -> bool:
    value = index.this if isinstance(index, exp.Neg) else index
    return isinstance(value, exp.Literal) and not value.is_string
