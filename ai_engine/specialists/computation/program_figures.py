"""Finds figures in a model's program that neither the question nor a table gave: such a program computes nothing."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection
from decimal import Decimal, InvalidOperation

from ai_engine.conversions import LARGE_CONVERSIONS, SMALL_CONVERSIONS
from ai_engine.insight.retold import figures_of_text
from ai_engine.specialists.computation.quantities import quantities

_CONVERSIONS = SMALL_CONVERSIONS | LARGE_CONVERSIONS
_DATES = {"date": (2_200, 12, 31), "datetime": (2_200, 12, 31, 23, 59, 59)}
_PERIOD = re.compile(
    r"(?:q[1-4]|fy|h[12])?[- ]?(?:19|20|21)\d\d(?:[-/ ](?:q[1-4]|h[12]|\d{1,2}|[a-z]{3,9}))*", re.IGNORECASE
)
_NO_UNIT = Decimal(-1)
_FROM_TEXT = frozenset({"ord", "hash", "id"})
"""Functions that make numbers of what has none."""
MARKUP = re.compile(r"[<>\[\]`*_#|]|\b\w+://", re.IGNORECASE)
_DIGIT = re.compile(r"\d")


def known_figures(question: str) -> frozenset[Decimal]:
    """Return the numbers of a question, in digits or words, scaled as they are said and plain."""
    return frozenset(figures_of_text(question) | {quantity.value for quantity in quantities(question)})


def unknown_figures(text: str, question: str) -> bool:
    """Whether a text has a figure that the question has not."""
    return not figures_of_text(text) <= known_figures(question)


def says_more(text: str, question: str) -> bool:
    """Whether a text, names in it too, has a figure that the question has not, markup or an address."""
    return unknown_figures(text.replace("_", " "), question) or MARKUP.search(text) is not None


def invented_figures(code: str, question: str, names: Collection[str]) -> tuple[str, ...]:
    """Return the literals of a program that were made up, as they are written; all of it when it takes up nothing.

    A literal is known when the question says it, also times or divided by a unit such as 12 months, or when it is such
    a unit itself; parts of a date are. What is made of units alone has to be one again.

    Args:
        code: a program that can be parsed.
        question: what was asked.
        names: of tables that the program may read and of their columns.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: as `ast.parse`.
    """
    tree = ast.parse(code)
    said = known_figures(question)
    derived = said | {number * unit for number in said for unit in _CONVERSIONS}
    derived |= {number / unit for number in said for unit in _CONVERSIONS if unit}
    dates = {id(part) for node in ast.walk(tree) for part in _parts_of_date(node)}
    constants = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in dates]
    invented = [ast.unparse(node) for node in constants if not _is_known(node.value, derived, names)]
    invented += [ast.unparse(node) for node in ast.walk(tree) if _is_made_of_text(node)]
    values = _Constants(tree, said)
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp):
            value = values.of(node)
            if value is not None and value not in derived | _CONVERSIONS and 1 / (value or 1) not in _CONVERSIONS:
                invented.append(ast.unparse(node))
    reads = any(isinstance(node, ast.Name) and node.id in names for node in ast.walk(tree)) or any(
        _number(node.value) in derived - _CONVERSIONS or _number(node.value) in said for node in constants
    )
    without_input = any(_number(node.value) is not None for node in constants) and not (reads or dates)
    return tuple(dict.fromkeys(invented)) or ((code.strip(),) if without_input else ())


def _is_known(value: object, derived: Collection[Decimal], names: Collection[str]) -> bool:
    number = _number(value)
    if number is not None:
        return abs(number) in derived or abs(number) in _CONVERSIONS
    if isinstance(value, (bytes, complex)):
        return False
    if not isinstance(value, str) or value in names or (not _DIGIT.search(value) and not figures_of_text(value)):
        return True
    return _PERIOD.fullmatch(value.strip()) is not None or figures_of_text(value) <= set(derived) | _CONVERSIONS


def _number(value: object) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = Decimal(str(value).strip())
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _is_made_of_text(node: ast.AST) -> bool:
    """Tell whether a call makes a number of what has none: the code of a letter, the length of a written text."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
        return isinstance(node, ast.Name) and node.id in _FROM_TEXT
    return node.func.id == "len" and not any(isinstance(part, ast.Name) for arg in node.args for part in ast.walk(arg))


def _parts_of_date(node: ast.AST) -> list[ast.Constant]:
    """The literals of a date that is one."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _DATES):
        return []
    bounds = _DATES[node.func.id]
    parts = [part for part in node.args if isinstance(part, ast.Constant)]
    fits = all(isinstance(part.value, int) and part.value <= bound for part, bound in zip(parts, bounds, strict=False))
    return parts if fits and len(parts) == len(node.args) <= len(bounds) else []


class _Constants:
    """Values of what is made of literals alone, through names that are assigned once."""

    def __init__(self, tree: ast.AST, said: Collection[Decimal]) -> None:
        self._units = _CONVERSIONS - frozenset(said)
        stored = [
            (target.id, node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        ]
        times = Counter(name for name, _ in stored)
        self._values = {name: value for name, value in stored if times[name] == 1}
        self._known: dict[str, Decimal | None] = {}

    def of(self, node: ast.AST) -> Decimal | None:
        """Return the value; None where it depends on anything or calculates with a figure of the question."""
        if isinstance(node, ast.Constant):
            return _number(node.value)
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("Decimal", "int", "float")
        ):
            return self.of(node.args[0]) if len(node.args) == 1 else None
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
            return self.of(node.operand)
        if isinstance(node, ast.Name) and node.id in self._values:
            if node.id not in self._known:
                self._known[node.id] = None  # while it is looked at: what is made of itself is no constant
                self._known[node.id] = self.of(self._values[node.id])
            return self._known[node.id]
        if isinstance(node, ast.BinOp):
            left, right = self.of(node.left), self.of(node.right)
            return _combined(node.op, left, right) if {left, right} <= self._units else None
        return None


def _combined(operator: ast.operator, left: Decimal | None, right: Decimal | None) -> Decimal | None:
    if left is None or right is None:
        return None
    if isinstance(operator, ast.Mult):
        return left * right
    if isinstance(operator, ast.Add):
        return left + right
    if isinstance(operator, ast.Sub):
        return left - right
    if isinstance(operator, ast.Div) and right:
        return left / right
    return _NO_UNIT if isinstance(operator, (ast.Pow, ast.LShift)) else None
