"""Conditions and figures of a statement in words; whatever has no sure words is quoted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date

from sqlglot import exp

from ai_engine.formats import PLAIN
from ai_engine.sql_in_words.naming import Names, names_of, quoted

_COMPARED: Mapping[type[exp.Expr], tuple[str, str]] = {
    exp.EQ: ("is", "is"),
    exp.NEQ: ("is known and not", "is known and not"),
    exp.LT: ("is below", "is before"),
    exp.LTE: ("is at most", "is on or before"),
    exp.GT: ("is above", "is after"),
    exp.GTE: ("is at least", "is on or after"),
}
"""What is said of numbers and texts, and of dates."""
_AGGREGATES: Mapping[type[exp.Expr], str] = {
    exp.Sum: "total of {}",
    exp.Avg: "average of {}",
    exp.Min: "lowest {}",
    exp.Max: "highest {}",
    exp.Median: "median of {}",
}
_ARITHMETIC: Mapping[type[exp.Expr], str] = {exp.Add: "plus", exp.Sub: "minus", exp.Mul: "times", exp.Div: "divided by"}
_GRAINS = frozenset({"day", "week", "month", "quarter", "year", "hour"})


def conditions(node: exp.Expr, names: Names) -> list[str]:
    """Take a condition apart into those that all have to hold."""
    if isinstance(node, exp.And):
        return conditions(node.this, names) + conditions(node.expression, names)
    if isinstance(node, exp.Paren) and isinstance(node.this, exp.And):
        return conditions(node.this, names)
    return [condition(node, names)]


def condition(node: exp.Expr, names: Names) -> str:
    """Say one condition."""
    for kind, say in _CONDITIONS:
        if isinstance(node, kind):
            return say(node, names)
    return quoted(node, names.dialect)


def value(node: exp.Expr, names: Names) -> str:
    """Say what is computed, grouped or compared."""
    for kind, say in _VALUES:
        if isinstance(node, kind):
            return say(node, names)
    return quoted(node, names.dialect)


def _compared(node: exp.Expr, names: Names) -> str:
    left, right = node.this, node.expression
    if _day(left) is not None or isinstance(left, exp.Literal):
        return quoted(node, names.dialect)  # the other way round: said backwards it would be another thing
    day = _day(right) or (_written_day(right) if _is_dated(left, names) else None)
    words = _COMPARED[type(node)][day is not None]
    if isinstance(node, exp.EQ) and isinstance(right, exp.Column | exp.Subquery):
        words = "equals"
    return f"{value(left, names)} {words} {value(right, names) if day is None else PLAIN.day(day)}"


def _between(node: exp.Expr, names: Names) -> str:
    if node.args.get("symmetric"):
        return quoted(node, names.dialect)
    low, high = value(node.args["low"], names), value(node.args["high"], names)
    return f"{value(node.this, names)} is between {low} and {high}"


def _among(node: exp.Expr, names: Names) -> str:
    query = node.args.get("query")
    if query is not None:
        inner = query.this if isinstance(query, exp.Subquery) else query
        return f"{value(node.this, names)} is in the list of {_listed(inner, names)}"
    if not node.expressions:
        return quoted(node, names.dialect)
    words = [value(one, names) for one in node.expressions]
    return f"{value(node.this, names)} is {either(words)}"


def _listed(query: exp.Expr, names: Names) -> str:
    """Say what a nested SELECT lists: "customer id of loans where status is NPA"."""
    if not isinstance(query, exp.Select) or len(query.selects) != 1 or _more_than_rows(query):
        return quoted(query, names.dialect)
    inner = names_of(query, names.model, names.dialect, frozenset())
    if len(inner.sources) != 1:
        return quoted(query, names.dialect)
    (table,) = inner.sources
    return f"{value(query.selects[0], inner)} of {inner.table(table)}{_where(query, names, inner)}"


def _exists(node: exp.Expr, names: Names) -> str:
    query = node.this
    if not isinstance(query, exp.Select) or _more_than_rows(query):
        return quoted(node, names.dialect)
    inner = names_of(query, names.model, names.dialect, frozenset())
    if len(inner.sources) != 1:
        return quoted(node, names.dialect)
    (table,) = inner.sources
    return f"there are {inner.table(table)}{_where(query, names, inner)}"


def _more_than_rows(query: exp.Select) -> bool:
    return any(query.args.get(part) for part in ("joins", "group", "having", "limit", "offset", "with_", "with"))


def _where(query: exp.Select, outer: Names, inner: Names) -> str:
    clause = query.args.get("where")
    if clause is None:
        return ""
    both = Names(inner.model, inner.dialect, {**outer.sources, **inner.sources})
    return f" where {' and '.join(conditions(clause.this, both))}"


def _negated(node: exp.Expr, names: Names) -> str:
    """Say what does not hold; of a missing value most conditions are neither true nor false: its row is left out."""
    inner = node.this.unnest()
    if isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null):
        return f"{value(inner.this, names)} is known"
    if isinstance(inner, exp.In) and inner.expressions:
        words = [value(one, names) for one in inner.expressions]
        return f"{value(inner.this, names)} is known, and neither {' nor '.join(words)}"
    if isinstance(inner, exp.Column):
        return f"{value(inner, names)} is false"
    said = _exists(inner, names) if isinstance(inner, exp.Exists) else ""
    return (
        said.replace("there are ", "there are no ", 1) if said.startswith("there are ") else quoted(node, names.dialect)
    )


def _missing(node: exp.Expr, names: Names) -> str:
    if isinstance(node.expression, exp.Null):
        return f"{value(node.this, names)} is missing"
    if isinstance(node.expression, exp.Boolean):
        return f"{value(node.this, names)} is {'true' if node.expression.this else 'false'}"
    return quoted(node, names.dialect)


def _any(node: exp.Expr, names: Names) -> str:
    return f"({condition(node.this, names)}, or {condition(node.expression, names)})"


def _all(node: exp.Expr, names: Names) -> str:
    return f"({' and '.join(conditions(node, names))})"


def _column(node: exp.Expr, names: Names) -> str:
    return names.column(node) if isinstance(node, exp.Column) else quoted(node, names.dialect)


def _literal(node: exp.Expr, names: Names) -> str:  # noqa: ARG001 - one shape for all
    text = str(node.name)
    return f"“{text}”" if node.args.get("is_string") else text


def _cast(node: exp.Expr, names: Names) -> str:
    day = _day(node)
    if day is not None:
        return PLAIN.day(day)
    plain = isinstance(node.this, exp.Column | exp.DateTrunc | exp.TimestampTrunc)
    return value(node.this, names) if plain else quoted(node, names.dialect)


def _day(node: exp.Expr) -> date | None:
    """Return the day that a cast or a date literal writes."""
    is_date = isinstance(node, exp.Cast) and node.to.is_type("date")
    return _written_day(node.this) if is_date else None


def _written_day(node: exp.Expr) -> date | None:
    if not isinstance(node, exp.Literal) or not node.is_string:
        return None
    try:
        return date.fromisoformat(str(node.name))
    except ValueError:
        return None


def _is_dated(node: exp.Expr, names: Names) -> bool:
    found = names.field(node) if isinstance(node, exp.Column) else None
    return found is not None and found[1].type in ("date", "timestamp")


def _aggregate(node: exp.Expr, names: Names) -> str:
    inner = node.this
    if isinstance(inner, exp.Distinct):
        return quoted(node, names.dialect)
    if isinstance(inner, exp.Case):
        return _of_some(node, inner, names)
    if _is_dated(inner, names) and isinstance(node, exp.Min | exp.Max):
        return f"{'earliest' if isinstance(node, exp.Min) else 'latest'} {value(inner, names)}"
    return _AGGREGATES[type(node)].format(value(inner, names))


def _of_some(node: exp.Expr, case: exp.Case, names: Names) -> str:
    """Say an aggregate over the rows of one condition: SUM(CASE WHEN c THEN x END)."""
    default = case.args.get("default")
    plain = default is None or isinstance(default, exp.Null) or (default.name == "0" and isinstance(node, exp.Sum))
    ifs = case.args["ifs"]
    if case.this is not None or len(ifs) != 1 or not plain:
        return quoted(node, names.dialect)
    figure, said = ifs[0].args["true"], condition(ifs[0].this, names)
    if isinstance(node, exp.Count | exp.Sum) and figure == exp.Literal.number(1):
        return f"number of rows where {said}"
    if isinstance(node, exp.Count):
        return f"number of known {value(figure, names)} where {said}"
    return f"{_AGGREGATES[type(node)].format(value(figure, names))} where {said}"


def _count(node: exp.Expr, names: Names) -> str:
    inner = node.this
    if isinstance(inner, exp.Star):
        return "number of rows"
    if isinstance(inner, exp.Distinct) and len(inner.expressions) == 1:
        return f"number of different {value(inner.expressions[0], names)}"
    if isinstance(inner, exp.Case):
        return _of_some(node, inner, names)
    if isinstance(inner, exp.Column):
        return f"number of known {value(inner, names)}"
    return quoted(node, names.dialect)


def _truncated(node: exp.Expr, names: Names) -> str:
    unit = str(node.args.get("unit") or "").lower()
    return f"{unit} of {value(node.this, names)}" if unit in _GRAINS else quoted(node, names.dialect)


def _computed(node: exp.Expr, names: Names) -> str:
    sides = [value(side, names) for side in (node.this, node.expression)]
    return f"{sides[0]} {_ARITHMETIC[type(node)]} {sides[1]}"


def _instead(node: exp.Expr, names: Names) -> str:
    """Say COALESCE(x, 0) and NULLIF(x, 0), which stand beside most sums and divisions."""
    others = node.expressions if isinstance(node, exp.Coalesce) else [node.expression]
    if len(others) != 1 or others[0] != exp.Literal.number(0):
        return quoted(node, names.dialect)
    said = value(node.this, names)
    return f"{said} (0 where there is none)" if isinstance(node, exp.Coalesce) else f"{said} (none where that is 0)"


def _bracketed(node: exp.Expr, names: Names) -> str:
    return f"({value(node.this, names)})"


def _nested(node: exp.Expr, names: Names) -> str:
    query = node.this
    aggregates = isinstance(query, exp.Select) and isinstance(query.selects[0].unalias(), exp.AggFunc)
    return f"the {_listed(query, names)}" if aggregates else quoted(node, names.dialect)


def _true_or_false(node: exp.Expr, names: Names) -> str:  # noqa: ARG001 - one shape for all
    return "true" if node.this else "false"


def _flag(node: exp.Expr, names: Names) -> str:
    return f"{value(node, names)} is true"


def either(words: Sequence[str]) -> str:
    """Say alternatives: "a, b or c"."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


_Say = Callable[[exp.Expr, Names], str]
_CONDITIONS: tuple[tuple[type[exp.Expr] | tuple[type[exp.Expr], ...], _Say], ...] = (
    (tuple(_COMPARED), _compared),
    (exp.Between, _between),
    (exp.In, _among),
    (exp.Exists, _exists),
    (exp.Not, _negated),
    (exp.Is, _missing),
    (exp.Or, _any),
    (exp.And, _all),
    (exp.Paren, lambda node, names: condition(node.this, names)),
    (exp.Column, _flag),
)
_VALUES: tuple[tuple[type[exp.Expr] | tuple[type[exp.Expr], ...], _Say], ...] = (
    (exp.Alias, lambda node, names: value(node.this, names)),
    (exp.Column, _column),
    (exp.Literal, _literal),
    (exp.Boolean, _true_or_false),
    (exp.Cast, _cast),
    (exp.Count, _count),
    (tuple(_AGGREGATES), _aggregate),
    ((exp.DateTrunc, exp.TimestampTrunc), _truncated),
    (tuple(_ARITHMETIC), _computed),
    ((exp.Coalesce, exp.Nullif), _instead),
    (exp.Paren, _bracketed),
    (exp.Subquery, _nested),
)
