"""The kinds of syntax a statement may consist of; what is not listed is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from sqlglot import TokenType, exp
from sqlglot.tokenizer_core import Token

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
_ONLY_IN: dict[type[exp.Expr], frozenset[str]] = {
    exp.Lateral: frozenset({"duckdb", "postgres"}),
    exp.TableSample: frozenset({"duckdb", "postgres"}),
    exp.Kwarg: frozenset({"postgres"}),
    exp.WeekStart: frozenset({"bigquery"}),
    exp.Pivot: frozenset({"duckdb"}),
    exp.JSONPath: frozenset({"sqlite"}),
}
_JOIN_METHODS = frozenset({"", "NATURAL", "ASOF"})
_JOIN_KINDS = frozenset({"", "INNER", "CROSS", "OUTER", "SEMI", "ANTI", "STRAIGHT_JOIN"})
_JOINS_OF_DUCKDB = frozenset({"SEMI", "ANTI", "ASOF"})
_UNITS = "YEAR QUARTER MONTH WEEK DAY HOUR MINUTE SECOND MILLISECOND MICROSECOND CENTURY DECADE MILLENNIUM"
_DATE_PARTS = "DOW DOY ISODOW ISOYEAR EPOCH DAYOFWEEK DAYOFYEAR WEEKDAY YEARWEEK ISOWEEK"
_COMPOUND_UNITS = (
    "YEAR_MONTH DAY_HOUR DAY_MINUTE DAY_SECOND DAY_MICROSECOND HOUR_MINUTE HOUR_SECOND HOUR_MICROSECOND MINUTE_SECOND "
    "MINUTE_MICROSECOND SECOND_MICROSECOND"
)
_SAMPLINGS = frozenset({"BERNOULLI", "SYSTEM", "RESERVOIR"})
_LEFT_OUT_OF_FRAMES = frozenset({"CURRENT ROW", "GROUP", "TIES", "NO OTHERS"})
_UNITS_OF_INTERVALS = frozenset(f"{_UNITS} {_COMPOUND_UNITS}".split() + [f"{unit}S" for unit in _UNITS.split()])
_PARTS_OF_DATES = _UNITS_OF_INTERVALS | frozenset(_DATE_PARTS.split())
_INTERVAL_ARGUMENTS = frozenset({"YEARS", "MONTHS", "WEEKS", "DAYS", "HOURS", "MINS", "SECS"})
_WEEKDAYS = frozenset("SUNDAY MONDAY TUESDAY WEDNESDAY THURSDAY FRIDAY SATURDAY".split())
_ALL = frozenset({"ALL"})
_WITH_UNITS = (  # written as text or behind INTERVAL; DATE_BIN and LAST_DAY would be given a column of that name
    *(exp.Interval, exp.DateAdd, exp.DateSub, exp.DateDiff, exp.DateTrunc, exp.DatetimeTrunc, exp.TsOrDsAdd),
    *(exp.TsOrDsDiff, exp.TimestampAdd, exp.TimestampSub, exp.TimestampDiff, exp.TimestampTrunc),
    *(exp.DatetimeAdd, exp.DatetimeSub, exp.DatetimeDiff, exp.TimeAdd, exp.TimeSub, exp.TimeDiff, exp.TimeTrunc),
)
_WORDS: dict[tuple[type[object], str], frozenset[str]] = {
    (exp.Extract, "this"): _PARTS_OF_DATES,
    (exp.WindowSpec, "exclude"): _LEFT_OUT_OF_FRAMES,
    (exp.TableSample, "method"): _SAMPLINGS,
    (exp.Kwarg, "this"): _INTERVAL_ARGUMENTS,
    (exp.Ordered, "this"): _ALL,  # of a query: see _orders_a_query
    (exp.Limit, "expression"): _ALL,
    (exp.WeekStart, "this"): _WEEKDAYS,
    **{(kind, "unit"): _PARTS_OF_DATES for kind in _WITH_UNITS},
}
"""Which bare words may stand where, so that no engine takes one for a name or for all columns."""
_COLLATION = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,40}")
_OF_WINDOWS = (
    *(exp.FirstValue, exp.LastValue, exp.NthValue, exp.Lag, exp.Lead, exp.RowNumber, exp.Ntile),
    *(exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist),
)
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
        if kind is exp.Join and dialect != "duckdb":
            _require_common_joins(nodes)
        allowed = _ALLOWED_ARGS.get(kind)
        if allowed is not None:
            for node in nodes:
                _require_args(node, allowed)
    for kind, rule in _PLACES:
        for node in statement.nodes(kind):
            rule(node)


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


def _require_word(word: exp.Var) -> None:
    if not is_known_word(word):
        raise refuse(f"the word {word.name} is not known here", word.name)


def is_known_word(word: exp.Var) -> bool:
    """Whether a bare word stands where it is known what every engine takes it for."""
    place, parent = word.arg_key or "", word.parent
    if isinstance(parent, exp.Collate):
        return place == "expression"  # judged by its own rule
    known = _WORDS.get((type(parent), place), frozenset())
    return word.name.upper() in known and (not isinstance(parent, exp.Ordered) or _orders_a_query(parent))


def _orders_a_query(item: exp.Ordered) -> bool:
    """Whether ORDER BY ALL is that of a query; in an aggregate or a window, DuckDB orders by all of FROM."""
    order = item.parent
    return isinstance(order, exp.Order) and len(order.expressions) == 1 and isinstance(order.parent, exp.Query)


def all_is_no_name(tokens: list[Token], tree: exp.Expr) -> None:
    """Refuse to order by a column or a text called `all`: DuckDB and sqlglot take some of them for ORDER BY ALL."""
    words = [token.text.upper() for token in tokens]
    if "ALL" not in words:
        return
    kinds = [token.token_type for token in tokens]
    written_so = sum(pair == (TokenType.ORDER_BY, TokenType.ALL) for pair in pairwise(kinds))
    meant = sum(isinstance(item.this, exp.Var) for item in tree.find_all(exp.Ordered))
    if meant > written_so:
        raise refuse("a column called ALL cannot be ordered by here: give it another name", "ALL")


def _require_star_place(star: exp.Star) -> None:
    holder = star.parent.parent if isinstance(star.parent, exp.Column) else star.parent
    if not isinstance(holder, exp.Select) and not is_counted(star):
        raise refuse("* may only stand alone in the list of columns, or in COUNT(*)", written(star))


def is_counted(star: exp.Expr) -> bool:
    """Whether a star is that of COUNT(*); one that leaves columns out counts rows by what the others hold."""
    count = star.parent
    return isinstance(count, exp.Count) and not any(star.args.values()) and not count.expressions


def _require_plain_join(join: exp.Join) -> None:
    method, kind = str(join.args.get("method") or ""), str(join.args.get("kind") or "")
    if method not in _JOIN_METHODS or kind not in _JOIN_KINDS:
        raise refuse(f"{method or kind} JOIN is not allowed", method or kind)


def _require_common_joins(joins: list[exp.Expr]) -> None:
    """SEMI, ANTI and ASOF are words of DuckDB; elsewhere they would be aliases of the table before them."""
    for join in joins:
        for word in (join.args.get("kind"), join.args.get("method")):
            if word in _JOINS_OF_DUCKDB:
                raise refuse(f"this database has no {word} JOIN", word)


def _require_position(bracket: exp.Bracket) -> None:
    for index in bracket.expressions:
        value = index.this if isinstance(index, exp.Neg) else index
        if not isinstance(value, exp.Literal) or value.is_string:
            raise refuse("only a position may stand in brackets", written(bracket))


def _require_collation(collate: exp.Collate) -> None:
    name = collate.expression
    if not _COLLATION.fullmatch(name.name) or name.args.get("table"):
        raise refuse(f"{written(name)} is not a collation", written(name))


def _require_plain_sample(sample: exp.TableSample) -> None:
    if not all(isinstance(value, (exp.Var, exp.Literal)) for value in sample.iter_expressions()):
        raise refuse("the size of a sample must be a plain number", written(sample))


def _require_no_query(node: exp.Expr) -> None:
    """Refuse a subquery where it would bear other aliases than the same one in the list of columns."""
    if node.find(exp.Query) is not None:
        raise refuse("name a subquery in the list of columns, and here by its alias", written(node))


def _require_plain_distinct(distinct: exp.Distinct) -> None:
    if distinct.args.get("on") is not None:
        _require_no_query(distinct.args["on"])


def _require_limit_of_query(limit: exp.Limit) -> None:
    if not isinstance(limit.parent, exp.Query):
        raise refuse("LIMIT may only stand in a query", written(limit))


def _require_plain_interval(interval: exp.Interval) -> None:
    if isinstance(interval.this, exp.Tuple):
        raise refuse("INTERVAL takes one number and a unit", written(interval))


def _require_window(function: exp.Expr) -> None:
    """Refuse LAST_VALUE(x) without OVER, which MariaDB takes for another function; RANK(1) WITHIN GROUP has its own."""
    node = function.parent
    while isinstance(node, (exp.IgnoreNulls, exp.RespectNulls, exp.Filter)):
        node = node.parent
    if not isinstance(node, (exp.Window, exp.WithinGroup)):
        raise refuse(f"{written(function)} needs OVER (...)", written(function))


def _require_interval_argument(argument: exp.Kwarg) -> None:
    if not isinstance(argument.parent, exp.MakeInterval):
        raise refuse("only make_interval may be given arguments by name", written(argument))


def _require_plain_exponent(power: exp.Pow) -> None:
    """Refuse `2 ^ ~3 * 7`, which an engine may read as 2 ^ (~(3 * 7))."""
    if isinstance(power.expression, exp.BitwiseNot):
        raise refuse("put the exponent in brackets", written(power.expression))


_PLACES: tuple[tuple[type[exp.Expr], Callable[[Any], None]], ...] = (
    (exp.Var, _require_word),
    (exp.Star, _require_star_place),
    (exp.Join, _require_plain_join),
    (exp.Bracket, _require_position),
    (exp.Collate, _require_collation),
    (exp.TableSample, _require_plain_sample),
    (exp.Kwarg, _require_interval_argument),
    (exp.Distinct, _require_plain_distinct),
    (exp.Limit, _require_limit_of_query),
    (exp.Pow, _require_plain_exponent),
    (exp.Interval, _require_plain_interval),
    *((kind, _require_no_query) for kind in (exp.Rollup, exp.Cube, exp.GroupingSets)),
    *((kind, _require_window) for kind in _OF_WINDOWS),
)
