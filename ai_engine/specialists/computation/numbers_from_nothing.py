"""Finds what of a program makes a number of what has none: of a truth, of letters, of a figure divided by itself."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator

_CODES = frozenset({"ord", "hash", "id"})
_COUNTING = frozenset({"len", "sum", "enumerate"})
_COUNTING_METHODS = frozenset("find rfind index rindex count".split())
_COUNTING_BITS = frozenset({"bit_length", "bit_count"})
_NUMERIC = frozenset({"int", "float", "Decimal"})
_WRITING = frozenset({"str", "repr", "format", "ascii", "bin", "hex", "oct", "chr"})
_KEEPS_DIGITS = frozenset({"replace", "strip", "lstrip", "rstrip", "lower", "upper"})
_NUMBERS_OF_MATH = frozenset({"pi", "e", "tau"})
_OF_BITS = (ast.BitXor, ast.LShift, ast.RShift)
_LEAVES = (ast.Name, ast.Constant)
_CANCELLING = (ast.Div, ast.FloorDiv, ast.Mod, ast.Sub)
_VANISHING = (ast.Mult, ast.Pow)


class NumbersFromNothing:
    """Looks for numbers in a program that none of its figures come to.

    Args:
        tree: the program.
        depends: whether a part of it has anything that it was given, or that is given to one of its functions.
        zero_is_said: whether the question has a zero.
    """

    def __init__(self, tree: ast.Module, depends: Callable[[ast.AST], bool], *, zero_is_said: bool) -> None:
        self._tree, self._depends, self._zero_is_said = tree, depends, zero_is_said
        self._times: Counter[str] = Counter()
        self._values: dict[str, ast.AST] = {}
        self._shapes = _shapes(tree)
        self._followed: dict[str, ast.AST] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        self._times[target.id] += 1
                        self._values[target.id] = node.value
            elif isinstance(node, (ast.AugAssign, ast.NamedExpr)) and isinstance(node.target, ast.Name):
                self._times[node.target.id] += 1
                self._values[node.target.id] = node.value

    def found(self) -> Iterator[str]:
        """Yield the parts, as they are written."""
        return (ast.unparse(node) for node in ast.walk(self._tree) if self._is_one(node))

    def _is_one(self, node: ast.AST) -> bool:
        if isinstance(node, ast.BinOp):
            counts_on = isinstance(node.right, _LEAVES) and any(map(self._is_counter, (node.left, node.right)))
            alone = counts_on and isinstance(node.left, _LEAVES) and not self._depends(node)
            return alone or self._is_of_operands(node.op, node.left, node.right)
        if isinstance(node, ast.AugAssign):
            alone = self._is_counter(node.target) and not self._depends(node)
            return alone or self._is_of_operands(node.op, node.target, node.value)
        if isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
            return isinstance(node.op, ast.Invert) or self._is_truth(node.operand)
        if isinstance(node, ast.Attribute):
            return isinstance(node.value, ast.Name) and node.value.id == "math" and node.attr in _NUMBERS_OF_MATH
        if isinstance(node, ast.Call):
            return self._is_counted(node)
        return isinstance(node, ast.Name) and node.id in _CODES

    def _is_of_operands(self, op: ast.operator, left: ast.AST, right: ast.AST) -> bool:
        if isinstance(op, _OF_BITS) or any(map(self._is_truth, (left, right))):
            return True
        if isinstance(op, ast.Mult) and any(map(self._is_text, (left, right))):
            return True
        if isinstance(op, _CANCELLING) and self._shape(left) == self._shape(right):
            return not isinstance(op, ast.Sub) or not isinstance(left, ast.Constant)
        vanishes = isinstance(op, _VANISHING) and any(map(self._is_zero, (left, right)))
        return vanishes and not self._zero_is_said

    def _is_counter(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and self._times[node.id] > 1

    def _is_counted(self, call: ast.Call) -> bool:
        parts = [*call.args, *(one.value for one in call.keywords)]
        if isinstance(call.func, ast.Attribute):
            counts = call.func.attr in _COUNTING_METHODS and not any(map(self._depends, (call.func.value, *parts)))
            return counts or call.func.attr in _COUNTING_BITS
        name = call.func.id if isinstance(call.func, ast.Name) else ""
        if name in _COUNTING and (not any(map(self._depends, parts)) or any(map(self._is_text, parts))):
            return True
        listed = [one for part in parts if isinstance(part, (ast.List, ast.Tuple, ast.Set)) for one in part.elts]
        if name == "sum" and any(map(self._is_truth, listed)):
            return True
        return name in _NUMERIC and any(self._is_truth(one) or self._is_put_together(one) for one in parts)

    def _shape(self, node: ast.AST) -> int:
        return self._shapes[id(self._meant(node))]

    def _meant(self, node: ast.AST) -> ast.AST:
        """Follow a name that is assigned once."""
        path = dict[str, None]()
        while isinstance(node, ast.Name) and self._times[node.id] == 1 and node.id not in path:
            if node.id in self._followed:
                node = self._followed[node.id]
                break
            path[node.id] = None
            node = self._values[node.id]
        self._followed.update(dict.fromkeys(path, node))
        return node

    def _is_truth(self, node: ast.AST) -> bool:
        meant = self._meant(node)
        if isinstance(meant, ast.UnaryOp):
            return isinstance(meant.op, ast.Not)
        named_bool = isinstance(meant, ast.Call) and isinstance(meant.func, ast.Name) and meant.func.id == "bool"
        return (
            named_bool
            or isinstance(meant, ast.Compare)
            or (isinstance(meant, ast.Constant) and isinstance(meant.value, bool))
        )

    def _is_text(self, node: ast.AST) -> bool:
        meant = self._meant(node)
        if isinstance(meant, ast.Call):
            return isinstance(meant.func, ast.Name) and meant.func.id in _WRITING
        return isinstance(meant, ast.JoinedStr) or (isinstance(meant, ast.Constant) and isinstance(meant.value, str))

    def _is_put_together(self, node: ast.AST) -> bool:
        """Tell whether a text is made of others, so that its digits stand beside each other by chance."""
        meant = self._meant(node)
        if isinstance(meant, ast.JoinedStr):
            return len(meant.values) > 1
        if isinstance(meant, ast.BinOp):
            return self._is_text(meant.left) or self._is_text(meant.right)
        if isinstance(meant, ast.Subscript):
            return self._is_text(meant.value)
        if isinstance(meant, ast.Call) and isinstance(meant.func, ast.Attribute):
            return self._is_text(meant.func.value) and meant.func.attr not in _KEEPS_DIGITS
        return False

    def _is_zero(self, node: ast.AST) -> bool:
        meant = self._meant(node)
        return isinstance(meant, ast.Constant) and not isinstance(meant.value, (bool, str)) and meant.value == 0


def _shapes(tree: ast.AST) -> dict[int, int]:
    """Number the parts of a program, those alike that are written alike."""
    numbers, shapes = dict[object, int](), dict[int, int]()

    def key(value: object) -> object:
        if isinstance(value, list):
            return tuple(map(key, value))
        return ("part", shapes[id(value)]) if isinstance(value, ast.AST) else repr(value)

    for node in reversed(list(ast.walk(tree))):  # what a part is made of comes first
        of = (type(node), *(key(value) for _, value in ast.iter_fields(node)))
        shapes[id(node)] = numbers.setdefault(of, len(numbers))
    return shapes
