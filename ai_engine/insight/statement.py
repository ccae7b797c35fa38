"""What a statement promises about its rows: their order, whether some were left out, which figures may be added up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from ai_engine.row_bounds import most_rows
from ai_engine.types import OutputColumn, QueryResult

_MAX_DEPTH = 20


@dataclass(frozen=True, slots=True)
class StatementFacts:
    """What may be claimed about a result beyond its cells; the default claims nothing.

    Attributes:
        whole: the rows are all there are: nothing was cut off, neither by a limit nor by a condition on groups.
        ordered_by: result column that sorts the rows first, None when there is no known order.
        descending: the largest come first.
        additive: result columns that are sums or counts over separate groups, so that they have a total; a median
            that is written as a sum of the rows in the middle is none.
        grouped: the rows are groups, not single records.
    """

    whole: bool = False
    ordered_by: int | None = None
    descending: bool = False
    additive: frozenset[int] = frozenset()
    grouped: bool = False


def with_parts(
    columns: Sequence[OutputColumn], sql: str, result: QueryResult, dialect: str
) -> tuple[OutputColumn, ...]:
    """Mark the columns whose figures are parts of one whole."""
    facts = read_statement(sql, result, dialect)
    parts = facts.additive if facts.whole and facts.grouped else frozenset()
    return tuple(replace(column, adds_up=position in parts) for position, column in enumerate(columns))


def read_statement(sql: str, result: QueryResult, dialect: str) -> StatementFacts:
    """Read the facts off the SQL that ran; a statement that cannot be read promises nothing."""
    try:
        tree = sqlglot.parse_one(sql, dialect=dialect)
    except (SqlglotError, RecursionError):
        return StatementFacts()
    if not isinstance(tree, exp.Select) or len(tree.selects) != len(result.columns):
        return StatementFacts()
    ordered_by, descending = _order(tree)
    return StatementFacts(
        whole=not result.truncated and not _cuts(tree, result.row_count),
        ordered_by=ordered_by,
        descending=descending,
        additive=frozenset(i for i, item in enumerate(tree.selects) if _is_additive(item, tree, 0)),
        grouped=_is_grouped(tree, 0),
    )


def _cuts(tree: exp.Select, row_count: int) -> bool:
    if any(tree.args.get(clause) for clause in ("offset", "having", "qualify")):
        return True
    sources = [source for name in _source_names(tree) if (source := _named_source(name, tree)) is not None]
    if tree.args.get("where") and any(_is_grouped(source, 0) for source in sources):
        return True
    if any(source.args.get(clause) for source in sources for clause in ("limit", "offset", "having", "qualify")):
        return True
    limit = tree.args.get("limit")
    if limit is None:
        return False
    bound = most_rows(limit)
    return not (isinstance(bound, exp.Literal) and bound.is_int and row_count < int(bound.name))


def _order(tree: exp.Select) -> tuple[int | None, bool]:
    order = tree.args.get("order")
    if order is None:
        return None, False
    first = order.expressions[0]
    key, descending = (first.this, bool(first.args.get("desc"))) if isinstance(first, exp.Ordered) else (first, False)
    if isinstance(key, exp.Literal) and key.is_int and 1 <= int(key.name) <= len(tree.selects):
        return int(key.name) - 1, descending
    for position, item in enumerate(tree.selects):
        alias_matches = isinstance(key, exp.Column) and not key.table and key.name.lower() == item.alias_or_name.lower()
        if alias_matches or item.unalias() == key:
            return position, descending
    return None, False


def _is_additive(item: exp.Expr, scope: exp.Select, depth: int) -> bool:
    if depth > _MAX_DEPTH:
        return False
    value = item.unalias()
    if isinstance(value, (exp.Coalesce, exp.Cast, exp.Round, exp.Paren)):
        return _is_additive(value.this, scope, depth + 1)
    if isinstance(value, (exp.Count, exp.Sum)):
        if isinstance(value.this, exp.Distinct) or _has_rows_once_each(scope):
            return False
        return not any(_is_of_a_window(column, scope) for column in value.find_all(exp.Column))
    if isinstance(value, exp.Column):
        source = _source_of(value, scope)
        return source is not None and any(
            inner.alias_or_name.lower() == value.name.lower() and _is_additive(inner, source, depth + 1)
            for inner in source.selects
        )
    return False


def _is_of_a_window(column: exp.Column, scope: exp.Select) -> bool:
    """Tell whether a row has it by its place among others: sums of that pick a row out, as a median does."""
    source = _source_of(column, scope)
    return source is not None and any(
        inner.alias_or_name.lower() == column.name.lower() and inner.find(exp.Window) is not None
        for inner in source.selects
    )


def _has_rows_once_each(scope: exp.Select) -> bool:
    """Tell whether rows were brought down to one for each group that they belong to: they may belong to several."""
    sources = [_named_source(name, scope) for name in _source_names(scope)]
    return any(source is not None and source.args.get("distinct") is not None for source in sources)


def _is_grouped(tree: exp.Select, depth: int) -> bool:
    if tree.args.get("group") or any(_aggregates(item) for item in tree.selects):
        return True
    if depth > _MAX_DEPTH:
        return False
    sources = [_named_source(name, tree) for name in _source_names(tree)]
    return any(source is not None and _is_grouped(source, depth + 1) for source in sources)


def _aggregates(item: exp.Expr) -> bool:
    return any(
        not isinstance(found.parent, exp.Window) and found.parent_select is item.parent_select
        for found in item.find_all(exp.AggFunc)
    )


def _source_of(column: exp.Column, scope: exp.Select) -> exp.Select | None:
    names = [column.table.lower()] if column.table else _source_names(scope)
    found = [source for name in names if (source := _named_source(name, scope)) is not None]
    return found[0] if len(found) == 1 else None


def _source_names(scope: exp.Select) -> list[str]:
    return [source.alias_or_name.lower() for source in _sources(scope)]


def _sources(scope: exp.Select) -> list[exp.Expr]:
    origin = scope.args.get("from_") or scope.args.get("from")
    joined = [join.this for join in scope.args.get("joins") or ()]
    return [*([origin.this] if origin else []), *joined]


def _named_source(name: str, scope: exp.Select) -> exp.Select | None:
    for source in _sources(scope):
        if source.alias_or_name.lower() != name:
            continue
        if isinstance(source, exp.Subquery):
            return source.this if isinstance(source.this, exp.Select) else None
        return _cte(source.name.lower(), scope)
    return None


def _cte(name: str, scope: exp.Select) -> exp.Select | None:
    place: exp.Expr | None = scope
    while place is not None:
        for cte in getattr(place, "ctes", ()):
            if cte.alias.lower() == name and isinstance(cte.this, exp.Select) and cte.this is not scope:
                return cte.this
        place = place.parent
    return None
