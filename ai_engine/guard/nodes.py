"""The kinds of syntax a statement may consist of; what is not listed is refused."""

from __future__ import annotations

from sqlglot import exp

from ai_engine.guard.refusal import refuse
from ai_engine.guard.statement import Statement

_ALLOWED_KINDS = frozenset(
    # the query and its clauses
    "select subquery cte with from join where group having qualify order ordered limit limitoptions fetch offset "
    "distinct window windowspec rollup cube groupingsets "
    # names and constants
    "table tablealias column identifier alias star literal null boolean interval datatype datatypeparam var "
    # operators
    "paren tuple and or not eq neq gt gte lt lte is between in like ilike glob escape exists case if "
    "add sub mul div intdiv mod neg dpipe nullsafeeq nullsafeneq bitwiseand bitwiseor similarto "
    "any all attimezone filter withingroup ignorenulls respectnulls cast trycast "
    "regexplike regexpilike collate".split()
)
_SET_OPERATIONS = frozenset({"union", "intersect", "except"})
_QUERY_ARGS = {
    exp.Select: frozenset(
        "with_ expressions distinct from_ joins where group having qualify windows order limit offset".split()
    ),
    exp.Subquery: frozenset({"this", "alias"}),
    exp.Join: frozenset({"this", "on", "side", "kind", "using", "method"}),
    exp.With: frozenset({"expressions", "recursive"}),
    exp.CTE: frozenset({"this", "alias", "materialized"}),
    exp.In: frozenset({"this", "expressions", "query"}),
    exp.Union: frozenset({"with_", "this", "expression", "distinct", "order", "limit", "offset"}),
    exp.Intersect: frozenset({"with_", "this", "expression", "distinct", "order", "limit", "offset"}),
    exp.Except: frozenset({"with_", "this", "expression", "distinct", "order", "limit", "offset"}),
}
_JOIN_METHODS = frozenset({"", "NATURAL", "ASOF"})
_JOIN_KINDS = frozenset({"", "INNER", "CROSS", "OUTER", "SEMI", "ANTI"})
_WORDS = frozenset(
    "YEAR QUARTER MONTH WEEK DAY HOUR MINUTE SECOND MILLISECOND MICROSECOND DOW DOY ISODOW ISOYEAR EPOCH CENTURY DECADE "
    "MILLENNIUM DAYOFWEEK DAYOFYEAR WEEKDAY YEARWEEK YEARS QUARTERS MONTHS WEEKS DAYS HOURS MINUTES SECONDS "
    "YEAR_MONTH DAY_HOUR ALL BOTH LEADING TRAILING BINARY NOCASE RTRIM".split()
)


def nodes_are_allowed(statement: Statement) -> None:
    """Refuse every kind of syntax, clause and bare word that is not on the list."""
    for node in statement.nodes:
        kind = node.key
        if kind in _SET_OPERATIONS:
            if not statement.policy.allow_union:
                raise refuse(f"{kind.upper()} is not allowed: write one SELECT", kind.upper())
        elif kind not in _ALLOWED_KINDS and not isinstance(node, exp.Func):
            raise refuse(f"{_named(node)} is not allowed", node.sql(comments=False))
        allowed = _QUERY_ARGS.get(type(node))
        if allowed is not None:
            extra = [arg for arg, value in node.args.items() if value and arg not in allowed]
            if extra:
                raise refuse(f"{extra[0].strip('_').upper()} is not allowed in {kind.upper()}", extra[0].upper())
        if isinstance(node, exp.Var) and node.name.upper() not in _WORDS:
            raise refuse(f"{node.name} is not a known word here", node.name)
        if isinstance(node, exp.Join):
            _plain_join(node)


def _plain_join(join: exp.Join) -> None:
    method, kind = str(join.args.get("method") or ""), str(join.args.get("kind") or "")
    if method not in _JOIN_METHODS or kind not in _JOIN_KINDS:
        raise refuse(f"{method or kind} JOIN is not allowed", method or kind)


def _named(node: exp.Expr) -> str:
    return type(node).__name__.upper()
