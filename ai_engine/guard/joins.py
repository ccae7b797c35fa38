"""Every table in FROM must be tied to the others; what is not makes a cartesian product."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import prod

from sqlglot import exp

from ai_engine.guard.from_clause import Joined
from ai_engine.guard.refusal import refuse
from ai_engine.guard.sameness import gives_few_values, telling_nodes
from ai_engine.guard.scopes import Reference, Scope, Source

_EQUALITIES = (exp.EQ, exp.NullSafeEQ, exp.In, exp.Is)
_ORDERS = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)
_RANGES = (*_ORDERS, exp.Like, exp.ILike)
_MOST_ROWS_OF_FEW = 100  # a written list of months or bands against a table is a report, not an accident
_OUTSIDE = ""
_Edges = set[frozenset[str]]


@dataclass(frozen=True, slots=True)
class Known:
    """What the resolver knows of the nodes of a statement, by their ids.

    Attributes:
        found: what a column means.
        tied: sources of the query around that the equalities inside a nested query tie all its rows to.
    """

    found: Mapping[int, Reference]
    tied: Mapping[int, frozenset[str]]


class Ties:
    """Which sources of one SELECT are tied together, as a partition that grows."""

    def __init__(self, sources: Mapping[str, object]) -> None:
        self._root = {key: key for key in (_OUTSIDE, *sources)}

    def root(self, key: str) -> str:
        """The name of the part that holds a source."""
        while self._root[key] != key:
            key = self._root[key]
        return key

    def tie(self, one: str, other: str) -> None:
        """Make one part of two."""
        self._root[self.root(one)] = self.root(other)

    def separate(self, one: str, other: str) -> bool:
        """Whether two sources lie in different parts."""
        return self.root(one) != self.root(other)


def require_tied(
    select: exp.Select, scope: Scope, joined: Joined, known: Known, max_series_rows: int
) -> frozenset[str]:
    """Refuse a cartesian product, save with a side of one row or with few rows that the statement brings along.

    Equalities between two sources tie them, in ON or WHERE; one pair may be tied by an order (`a.day <= b.day`) alone
    where the result is grouped or one side is, or where a column lies between two of the other side.

    Returns:
        Keys of sources of the query around that equalities tie every source to.
    """
    conditions = list(_conditions(select, joined))
    sources = scope.sources | scope.filters
    ties, inside = Ties(sources), Ties(sources)
    edges = [frozenset(pair) for pair in joined.pairs]
    edges += [edge for condition in conditions for edge in _edges(condition, _EQUALITIES, scope, known)]
    for edge in edges:
        ties.tie(*edge)
        if _OUTSIDE not in edge:
            inside.tie(*edge)
    for condition in conditions:
        if isinstance(condition, exp.Or):
            _tie_alternatives(condition, ties, scope, known)
    many = _of_many_rows(sources, max_series_rows)
    tied_to = _tied_to(conditions, ties, inside, many, scope, known)
    loose = _loose(many, ties)
    if loose:
        _tie_by_one_order(select, conditions, ties, scope, known)
        loose = _loose(many, ties)
    if loose:
        names = [sources[key].alias.this for key in (many[0], loose[0])]
        raise refuse(
            f"cartesian join: nothing ties {names[1]} to {names[0]}; join them on a column that both have",
            names[1],
        )
    return tied_to


def _loose(many: list[str], ties: Ties) -> list[str]:
    return [key for key in many[1:] if ties.separate(key, many[0])]


def _of_many_rows(sources: Mapping[str, Source], max_series_rows: int) -> list[str]:
    """Sources that must be tied to each other: those of constants only where they multiply too far."""
    many = [key for key, source in sources.items() if source.most_rows is None or source.most_rows > 1]
    few = [key for key in many if sources[key].most_rows is not None]
    bound = _MOST_ROWS_OF_FEW if len(few) < len(many) else max_series_rows
    if prod(sources[key].most_rows or 1 for key in few) <= bound:
        return [key for key in many if key not in few]
    return many


def _tie_by_one_order(select: exp.Select, conditions: list[exp.Expr], ties: Ties, scope: Scope, known: Known) -> None:
    """Tie one pair by an order, where the product of two whole tables is not what comes out."""
    grouped = select.args.get("group") is not None
    intervals = _intervals(conditions, scope, known)
    for condition in conditions:
        for edge in _edges(condition, _RANGES, scope, known):
            one, other = edge
            small = any(key in scope.sources and scope.sources[key].condensed for key in edge)
            if ties.separate(one, other) and (small or grouped or edge in intervals):
                ties.tie(one, other)
                return


def _intervals(conditions: list[exp.Expr], scope: Scope, known: Known) -> _Edges:
    """Pairs of sources where a column of one lies between two columns of the other, as an amount in a band does."""
    compared: dict[frozenset[str], dict[str, set[str]]] = {}
    for condition in conditions:
        edges = _edges(condition, _ORDERS, scope, known)
        read = [known.found.get(id(column)) for column in condition.find_all(exp.Column)] if edges else []
        own = {(one.source, one.column.name) for one in read if one is not None and one.scope is scope}
        for edge in edges:
            columns = compared.setdefault(edge, {key: set() for key in edge})
            for source, name in own:
                if source in edge:
                    columns[source].add(name)
    return {edge for edge, columns in compared.items() if sorted(map(len, columns.values())) == [1, 2]}


def _tied_to(
    conditions: list[exp.Expr], ties: Ties, inside: Ties, many: list[str], scope: Scope, known: Known
) -> frozenset[str]:
    """Sources of the query around to which every source of many rows is tied: directly, or by others `inside`."""
    if scope.outer is None or not many or any(ties.separate(key, _OUTSIDE) for key in many):
        return frozenset()
    reached: dict[str, set[str]] = {inside.root(key): set() for key in many}
    for condition in conditions:
        for edge in _edges(condition, _EQUALITIES, scope, known):
            if _OUTSIDE in edge:
                (own,) = edge - {_OUTSIDE}
                reached.get(inside.root(own), set()).update(_outer_sources(condition, scope, known))
    return frozenset.intersection(*map(frozenset, reached.values()))


def _outer_sources(condition: exp.Expr, scope: Scope, known: Known) -> Iterator[str]:
    for node in condition.find_all(exp.Column):
        reference = known.found.get(id(node))
        if reference is not None and reference.scope is not None and reference.scope is scope.outer:
            yield reference.source


def _conditions(select: exp.Select, joined: Joined) -> Iterator[exp.Expr]:
    where = select.args.get("where")
    stack = [*joined.conditions, where.this] if where is not None else list(joined.conditions)
    while stack:
        condition = stack.pop()
        if isinstance(condition, exp.And):
            stack += [condition.left, condition.right]
        elif isinstance(condition, exp.Paren):
            stack.append(condition.this)
        else:
            yield (_equal_or_both_null(condition) or condition) if isinstance(condition, exp.Or) else condition


def _edges(condition: exp.Expr, kinds: tuple[type, ...], scope: Scope, known: Known) -> _Edges:
    """Pairs of sources that stand on different sides of a comparison, or that one EXISTS is tied to."""
    if isinstance(condition, exp.Exists) and kinds is _EQUALITIES:
        return {frozenset(pair) for pair in combinations(known.tied.get(id(condition.this), ()), 2)}
    if not isinstance(condition, kinds):
        return set()
    others = [side for side in condition.iter_expressions() if side is not condition.this]
    if gives_few_values(condition.this) and all(map(gives_few_values, others)):
        return set()
    left = _sources(condition.this, scope, known)
    right = {key for side in others for key in _sources(side, scope, known)}
    if left & right:
        return set()
    return {frozenset({one, other}) for one in left for other in right}


def _sources(side: exp.Expr, scope: Scope, known: Known) -> set[str]:
    keys: set[str] = set()
    for node in telling_nodes(side):
        tied = known.tied.get(id(node))
        if tied:
            keys |= tied & (scope.sources.keys() | scope.filters.keys())
        reference = known.found.get(id(node)) if isinstance(node, exp.Column) else None
        if reference is not None and reference.scope is not None and not reference.column.constant:
            keys.add(reference.source if reference.scope is scope else _OUTSIDE)
    return keys


def _equal_or_both_null(condition: exp.Or) -> exp.Expr | None:
    """The equality in `a = b OR (a IS NULL AND b IS NULL)`, as databases without a word for it write it."""
    test, missing = condition.left.unnest(), condition.right.unnest()
    if not isinstance(test, exp.EQ) or not isinstance(missing, exp.And):
        return None
    sides = [side.unnest() for side in (missing.left, missing.right)]
    are_null = all(isinstance(side, exp.Is) and isinstance(side.expression, exp.Null) for side in sides)
    compared = {side.this for side in sides}
    return test if are_null and compared == {test.left, test.right} else None


def _tie_alternatives(condition: exp.Or, ties: Ties, scope: Scope, known: Known) -> None:
    """Tie what every alternative of an OR ties."""
    common: _Edges | None = None
    stack: list[exp.Expr] = [condition]
    while stack:
        branch = stack.pop()
        if isinstance(branch, exp.Paren):
            stack.append(branch.this)
        elif isinstance(branch, exp.Or):
            stack += [branch.left, branch.right]
        else:
            parts = list(branch.flatten()) if isinstance(branch, exp.And) else [branch]
            edges = {
                frozenset(map(ties.root, edge))
                for part in parts
                for edge in _edges(part.unnest(), _EQUALITIES, scope, known)
            }
            common = edges if common is None else common & edges
    for edge in common or ():
        if len(edge) == 2:
            ties.tie(*edge)
