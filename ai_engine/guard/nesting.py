"""Whether what is printed nests as it did in the tree: a bracket that the printer leaves out changes what is asked."""

from __future__ import annotations

from sqlglot import exp


def nests_alike(tree: exp.Expr, again: exp.Expr) -> bool:
    """Whether the conditions of two trees stand in one another alike; what is computed may be printed otherwise."""
    return _conditions(tree) == _conditions(again)


def _conditions(tree: exp.Expr) -> list[tuple[type[exp.Expr], str | None, type[exp.Expr]]]:
    """Every condition that is an operand of another one, with its side and that one, in order."""
    found: list[tuple[type[exp.Expr], str | None, type[exp.Expr]]] = []
    for node in tree.find_all(exp.Connector, exp.Not, exp.Predicate, bfs=False):
        operand = node
        while isinstance(operand.parent, exp.Paren):
            operand = operand.parent
        around = operand.parent
        if around is not None and _is_condition(node) and _is_condition(around):
            found.append((type(node), operand.arg_key, type(around)))
    return found


def _is_condition(node: exp.Expr) -> bool:
    if isinstance(node, (exp.Connector, exp.Not)):
        return True
    return isinstance(node, exp.Predicate) and not isinstance(node, (exp.Func, exp.SubqueryPredicate))
