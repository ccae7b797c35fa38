"""How large a statement becomes when an engine puts in for every name what it stands for.

Planners do so before the first row, some without hearing that they should stop: a derived column that is named twice
at each of thirty levels is 2^30 copies. Some also copy an operand, such as that of BETWEEN, while they read.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from ai_engine.guard.refusal import refuse, written
from ai_engine.guard.scopes import LEAVES, Reference

_MOST_PARTS = 20_000  # PostgreSQL plans them in half a second and 60 MB, both grow with it; honest ones have hundreds
_OF_A_SUBQUERY = 50  # in an expression; each copy is planned by itself, for 30 KB on PostgreSQL
OF_A_VIEW_COLUMN = 25  # what a view of the bank computes is not known here


def require_small(size: int, part: exp.Expr) -> int:
    """Return the size when it is within the bound.

    Raises:
        SqlRejected: written out the statement would have too many parts.
    """
    if size > _MOST_PARTS:
        reason = "the statement is too large once its names are written out; name a computed column fewer times"
        raise refuse(reason, written(part))
    return size


class Sizes:
    """Nodes of values with every name written out, in one statement.

    `found` maps the id of a column reference to what it means.
    """

    def __init__(self, found: Mapping[int, Reference]) -> None:
        self._found = found
        self._queries: dict[int, int] = {}

    def note(self, query: exp.Expr, size: int) -> None:
        """Remember how large a subquery is."""
        self._queries[id(query)] = _OF_A_SUBQUERY + size

    def of(self, *roots: exp.Expr) -> int:
        """Nodes of expressions together, an operand that engines copy as often as they do."""
        total = 0
        stack = [(root, 1) for root in roots]
        while stack:
            node, times = stack.pop()
            if type(node) is exp.Column:
                reference = self._found.get(id(node))
                total += times * (reference.size if reference is not None else 1)
                continue
            if isinstance(node, exp.Query):
                total += times * self._queries[id(node)]
                continue
            total += times
            if type(node) in LEAVES:
                continue
            copied = _copies(node)
            for child in node.iter_expressions():
                stack.append((child, times * copied if child.arg_key == "this" else times))
        return total


def _copies(node: exp.Expr) -> int:
    """How many copies of its first operand an engine makes."""
    if isinstance(node, exp.Between):
        return 4 if node.args.get("symmetric") else 2
    if isinstance(node, exp.Nullif):
        return 2
    if isinstance(node, exp.Case):
        return len(node.args["ifs"])
    if isinstance(node, exp.In):
        return max(1, sum(1 for value in node.expressions if value.find(exp.Column) is not None))
    return 1
