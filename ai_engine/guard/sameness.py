"""How far a value tells rows apart: what is the same in every row, or takes a handful of values, ties no tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from ai_engine.guard.scopes import LEAVES

_TWO_VALUED = (exp.Predicate, exp.Connector, exp.Not, exp.Sign, exp.Length)


def telling_nodes(root: exp.Expr) -> list[exp.Expr]:
    """Nodes of a value, outer before inner, save those below a part that is the same in every row."""
    nodes: list[exp.Expr] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if gives_one_value(node):
            continue
        nodes.append(node)
        if type(node) not in LEAVES and not isinstance(node, exp.Query):
            stack.extend(node.iter_expressions(reverse=True))
    return nodes


def gives_one_value(value: exp.Expr) -> bool:
    """Whether a value looks as if it came from the row, and is the same in every one: `x * 0`, `COUNT(*) OVER ()`."""
    test = _TESTS.get(type(value))
    return test is not None and test(value)


def gives_few_values(value: exp.Expr) -> bool:
    """Whether a value can only be one of a handful: a comparison, a sign, a remainder, a CASE over constants."""
    while isinstance(value, (exp.Paren, exp.Cast)):
        value = value.this
    if isinstance(value, exp.Mod):
        return isinstance(value.right, exp.Literal)
    if isinstance(value, (exp.Case, exp.If)):
        return all(isinstance(result, (exp.Literal, exp.Null)) for result in _results(value))
    return isinstance(value, _TWO_VALUED)


def _one_window(value: Any) -> bool:
    whole = not value.args.get("partition_by") and not value.args.get("order")
    return whole and isinstance(value.this, exp.AggFunc)


def _one_product(value: Any) -> bool:
    return any(_is_zero(side) or _is_computed_without_columns(side) for side in (value.left, value.right))


def _one_difference(value: Any) -> bool:
    return bool(value.this == value.args.get("expression"))


def _one_sum(value: Any) -> bool:
    return all(isinstance(side, exp.Literal) or gives_one_value(side) for side in (value.left, value.right))


def _one_case(value: Any) -> bool:
    results = _results(value)
    return isinstance(results[0], exp.Literal) and all(result == results[0] for result in results)


def _results(value: exp.Expr) -> list[exp.Expr]:
    """What a CASE or an IF may give."""
    branches = value.args["ifs"] if isinstance(value, exp.Case) else [value]
    default = value.args.get("default" if isinstance(value, exp.Case) else "false")
    return [branch.args["true"] for branch in branches] + [default or exp.Null()]


def _one_part(value: Any) -> bool:
    length = value.args.get("length") or (value.expression if isinstance(value, (exp.Left, exp.Right)) else None)
    return length is not None and _is_zero(length)


def _is_zero(value: exp.Expr) -> bool:
    return isinstance(value, exp.Literal) and not value.this.strip("0.")


def _is_computed_without_columns(value: exp.Expr) -> bool:
    return not isinstance(value, (exp.Literal, exp.Neg)) and value.find(exp.Column, exp.Query) is None


_TESTS: dict[type[exp.Expr], Callable[[Any], bool]] = {
    exp.Paren: lambda value: gives_one_value(value.this),
    exp.Window: _one_window,
    exp.Mul: _one_product,
    exp.Mod: lambda value: isinstance(value.right, exp.Literal) and value.right.this == "1",
    exp.Pow: lambda value: _is_zero(value.expression),
    exp.Sub: _one_difference,
    exp.Div: _one_difference,
    exp.Nullif: _one_difference,
    exp.Replace: _one_difference,
    exp.Add: _one_sum,
    exp.DPipe: _one_sum,
    exp.Case: _one_case,
    exp.If: _one_case,
    exp.Coalesce: lambda value: isinstance(value.this, exp.Literal),
    exp.Substring: _one_part,
    exp.Left: _one_part,
    exp.Right: _one_part,
}
