"""Every table in FROM must be tied to the others; what is not makes a cartesian product."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod

from sqlglot import exp

from ai_engine.guard.refusal import refuse
from ai_engine.guard.scopes import Reference, Scope, local_nodes
from ai_engine.guard.shapes import gives_one_value

_EQUALITIES = (exp.EQ, exp.NullSafeEQ, exp.In, exp.Is)
_RANGES = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.Like, exp.ILike)
_MOST_ROWS_OF_FEW = 100  # a month list or a handful of bands against a table is a report, not an accident
_OUTSIDE = ""
_Edges = set[frozenset[str]]


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
    select: exp.Select, scope: Scope, shared: list[tuple[str, str]], found: Mapping[int, Reference]
) -> None:
    """Refuse a cartesian product, save with a side of one row or a list of few.

    Equalities between two sources tie them, in ON or WHERE; one pair may be tied by an order (`a.day <= b.day`) alone.
    `shared` are the pairs that USING or NATURAL tie.
    """
    many = [key for key, source in scope.sources.items() if source.most_rows is None or source.most_rows > 1]
    if len(many) < 2:
        return
    few = [key for key in many if scope.sources[key].most_rows is not None]
    if prod(scope.sources[key].most_rows or 1 for key in few) <= _MOST_ROWS_OF_FEW:
        many = [key for key in many if key not in few]
    ties = Ties(scope.sources)
    for one, other in shared:
        ties.tie(one, other)
    conditions = list(_conditions(select))
    alternatives = [condition for condition in conditions if isinstance(condition, exp.Or)]
    for condition in conditions:
        for edge in _edges(condition, _EQUALITIES, scope, found):
            ties.tie(*edge)
    for condition in alternatives:
        _tie_alternatives(condition, ties, scope, found)
    orders_left = 1
    for condition in conditions:
        for one, other in (tuple(edge) for edge in _edges(condition, _RANGES, scope, found)):
            if orders_left and ties.separate(one, other):
                ties.tie(one, other)
                orders_left -= 1
    loose = [key for key in many[1:] if ties.separate(key, many[0])]
    if loose:
        names = [scope.sources[key].alias.this for key in (many[0], loose[0])]
        raise refuse(
            f"cartesian join: nothing ties {names[1]} to {names[0]}; join them on a column that both have",
            names[1],
        )


def _conditions(select: exp.Select) -> Iterator[exp.Expr]:
    where = select.args.get("where")
    stack = [join.args["on"] for join in select.args.get("joins") or () if join.args.get("on") is not None]
    stack += [where.this] if where is not None else []
    while stack:
        condition = stack.pop()
        if isinstance(condition, exp.And):
            stack += [condition.left, condition.right]
        elif isinstance(condition, exp.Paren):
            stack.append(condition.this)
        else:
            yield condition


def _edges(condition: exp.Expr, kinds: tuple[type, ...], scope: Scope, found: Mapping[int, Reference]) -> _Edges:
    """Pairs of sources that stand on different sides of a comparison."""
    if not isinstance(condition, kinds):
        return set()
    left = _sources(condition.this, scope, found)
    others = [value for arg, value in condition.args.items() if arg != "this"]
    right: set[str] = set()
    for value in others:
        for side in value if isinstance(value, list) else [value]:
            if isinstance(side, exp.Expr):
                right |= _sources(side, scope, found)
    if left & right:
        return set()
    return {frozenset({one, other}) for one in left for other in right}


def _sources(side: exp.Expr, scope: Scope, found: Mapping[int, Reference]) -> set[str]:
    keys: set[str] = set()
    if gives_one_value(side):
        return keys
    for node in local_nodes(side):
        reference = found.get(id(node)) if isinstance(node, exp.Column) else None
        if reference is not None and reference.scope is not None and not reference.column.constant:
            keys.add(reference.source if reference.scope is scope else _OUTSIDE)
    return keys


def _tie_alternatives(condition: exp.Or, ties: Ties, scope: Scope, found: Mapping[int, Reference]) -> None:
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
                for edge in _edges(part.unnest(), _EQUALITIES, scope, found)
            }
            common = edges if common is None else common & edges
    for edge in common or ():
        if len(edge) == 2:
            ties.tie(*edge)
