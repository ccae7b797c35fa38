"""Finds figures in a model's program that neither the question nor a table gave: such a program computes nothing."""

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cache
from itertools import islice

from ai_engine.conversions import LARGE_CONVERSIONS, SMALL_CONVERSIONS
from ai_engine.insight.checking.spelling import plain_digits
from ai_engine.insight.figures import figures_in
from ai_engine.insight.retold import figures_of_text
from ai_engine.specialists.computation.finance import library_sources
from ai_engine.specialists.computation.numbers_from_nothing import NumbersFromNothing
from ai_engine.specialists.computation.quantities import quantities

CONVERSIONS = SMALL_CONVERSIONS | LARGE_CONVERSIONS
_DATES = {"date": (2_200, 12, 31), "datetime": (2_200, 12, 31, 23, 59, 59)}
_PERIOD = re.compile(
    r"(?:q[1-4]|fy|h[12])?[- ]?(?:19|20|21)\d\d(?:[-/ ](?:q[1-4]|h[12]|\d{1,2}|[a-z]{3,9}))*", re.IGNORECASE
)
_NO_UNIT = Decimal(-1)
MARKUP = re.compile(r"[<>\[\]`*_#|]|\b\w+://", re.IGNORECASE)
_LISTED = 20
"""So many of each kind are found; more nobody is told."""
_PASSES = 4
"""How often a program is looked through for what depends on what; one goes down the lines, others round its loops."""


def known_figures(question: str) -> frozenset[Decimal]:
    """Return the numbers of a question, in digits or words, scaled as they are said and plain."""
    return frozenset(figures_of_text(question) | {quantity.value for quantity in quantities(question)})


def unknown_figures(text: str, question: str) -> bool:
    """Whether a text has a figure that the question has not, or one that cannot be read."""
    return _has_unreadable(text) or not figures_of_text(text) <= known_figures(question)


def _has_unreadable(text: str) -> bool:
    return any(not one.readings for one in figures_in(plain_digits(text)))


def says_more(text: str, question: str) -> bool:
    """Whether a text, names in it too, has a figure that the question has not, markup or an address."""
    return unknown_figures(text.replace("_", " "), question) or MARKUP.search(text) is not None


def invented_figures(code: str, question: str, names: Collection[str]) -> tuple[str, ...]:
    """Return the literals of a program that were made up, as they are written; all of it when it takes up nothing.

    It takes up something when its outcome depends on a table, a number of the question or a date that has one. A
    literal is known when the question says it, also times or divided by a unit such as 12 months, or when it is such
    a unit itself; parts of a date are. What is made of units alone has to be one again, and nothing is made of what has
    no number, such as truths and letters.

    Args:
        code: a program that can be parsed.
        question: what was asked.
        names: of tables that the program may read and of their columns.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: as `ast.parse`.
    """
    tree = ast.parse(code)
    said = known_figures(question)
    derived = said | {number * unit for number in said for unit in CONVERSIONS}
    derived |= {number / unit for number in said for unit in CONVERSIONS if unit}
    dates = {id(part) for node in ast.walk(tree) for part in _parts_of_date(node)}
    constants = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in dates]
    invented = [ast.unparse(node) for node in constants if not _is_known(node.value, derived, names)]
    values, may_be_made = _Constants(tree, said), derived | CONVERSIONS
    made = ((node, values.of(node)) for node in ast.walk(tree) if isinstance(node, ast.BinOp))
    unknown = (node for node, value in made if value is not None and value not in may_be_made)
    invented += islice(
        (ast.unparse(node) for node in unknown if 1 / (values.of(node) or 1) not in CONVERSIONS), _LISTED
    )
    reads = any(isinstance(node, ast.Name) and node.id in names for node in ast.walk(tree)) or any(
        _number(node.value) in derived - CONVERSIONS or _number(node.value) in said for node in constants
    )
    without_input = any(_number(node.value) is not None for node in constants) and not (reads or dates)
    given = {id(node) for node in constants if _number(node.value) in derived - (CONVERSIONS - said)}
    given |= {id(part) for node in ast.walk(tree) for part in _parts_of_date(node) if part.value in said}
    without_input = without_input or not _Dependence(tree, given, names).of_outcome()
    handed_on = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    depends = _Dependence(tree, given, {*names, *handed_on}).depends
    invented += islice(NumbersFromNothing(tree, depends, zero_is_said=Decimal(0) in said).found(), _LISTED)
    return tuple(dict.fromkeys(invented)) or ((code.strip(),) if without_input else ())


def _is_known(value: object, derived: Collection[Decimal], names: Collection[str]) -> bool:
    number = _number(value)
    if number is not None:
        return abs(number) in derived or abs(number) in CONVERSIONS
    if isinstance(value, (bytes, complex)):
        return False
    if not isinstance(value, str) or value in names or _PERIOD.fullmatch(value.strip()) is not None:
        return True
    return not _has_unreadable(value) and figures_of_text(value) <= set(derived) | CONVERSIONS


def _number(value: object) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = Decimal(str(value).strip())
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _parts_of_date(node: ast.AST) -> list[ast.Constant]:
    """The literals of a date that is one."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _DATES):
        return []
    bounds = _DATES[node.func.id]
    parts = [part for part in node.args if isinstance(part, ast.Constant)]
    fits = all(isinstance(part.value, int) and part.value <= bound for part, bound in zip(parts, bounds, strict=False))
    return parts if fits and len(parts) == len(node.args) <= len(bounds) else []


@cache
def _names_of_ours() -> frozenset[str]:
    """What a program may name that it has not made itself, and that holds nothing which was given."""
    library = (node for text in library_sources() for node in ast.parse(text).body)
    functions = {node.name for node in library if isinstance(node, ast.FunctionDef)}
    return frozenset({*dir(builtins), *functions, "math", "Decimal", "date", "datetime", "timedelta", "time"})


class _Dependence:
    """Which names of a program depend on what it was given: a name, a loop or a choice that has some of it does.

    Args:
        tree: the program.
        given: ids of the constants that the question says.
        names: of what it may read.
    """

    def __init__(self, tree: ast.Module, given: Collection[int], names: Collection[str]) -> None:
        self._tree = tree
        nodes = list(ast.walk(tree))
        made = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        made |= {node.arg for node in nodes if isinstance(node, ast.arg)}
        made |= {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
        independent = made - frozenset(names)
        gains = [_Gain.of(*parts, given) for node in nodes for parts in _deciding(node)]
        for _ in range(_PASSES):
            for gain in gains:
                if gain.has_given or not gain.read <= independent:
                    independent -= gain.changed
        self._dependent = {
            id(node)
            for node in nodes
            if id(node) in given
            or (isinstance(node, ast.Name) and node.id not in independent and node.id not in _names_of_ours())
        }
        for node in reversed(nodes):  # what it is made of comes first
            if any(id(part) in self._dependent for part in ast.iter_child_nodes(node)):
                self._dependent.add(id(node))

    def of_outcome(self) -> bool:
        """Tell whether the variable `result`, else the value of the last line, does; true where there is none."""
        outcomes = [one for one in ast.walk(self._tree) if isinstance(one, ast.Name) and one.id == "result"]
        last = self._tree.body[-1] if self._tree.body else None
        if outcomes:
            return any(self.depends(one) for one in outcomes)
        return not isinstance(last, ast.Expr) or self.depends(last)

    def depends(self, node: ast.AST) -> bool:
        """Tell whether a part of the program has anything that was given."""
        return id(node) in self._dependent


@dataclass(frozen=True, slots=True)
class _Gain:
    """Names that depend on something where a part of the program does: it has something given, or reads such names."""

    changed: frozenset[str]
    has_given: bool
    read: frozenset[str]

    @classmethod
    def of(cls, changed: frozenset[str], deciding: ast.AST, given: Collection[int]) -> _Gain:
        parts = list(ast.walk(deciding))
        read = {part.id for part in parts if isinstance(part, ast.Name)} - _names_of_ours()
        return cls(changed, any(id(part) in given for part in parts), frozenset(read))


def _deciding(node: ast.AST) -> Iterator[tuple[frozenset[str], ast.AST]]:
    """Yield the names that are made in a part of the program, and what chooses it or what they are made of."""
    if isinstance(node, (ast.While, ast.If)):
        yield frozenset(_changed(node)), node.test
    elif isinstance(node, (ast.For, ast.comprehension)):
        yield frozenset(_changed(node)), node.iter
    elif isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.NamedExpr, ast.FunctionDef, ast.Expr)):
        own = (node.name,) if isinstance(node, ast.FunctionDef) else ()
        yield frozenset((*_changed(node), *own)), node


def _changed(node: ast.AST) -> Iterator[str]:
    """Yield what is assigned, and what a method or an index is taken of; what another loop goes over is its own."""
    loops = [part for part in ast.walk(node) if isinstance(part, ast.comprehension) and part is not node]
    of_loops = {id(part) for loop in loops for part in ast.walk(loop.target)}
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store) and id(part) not in of_loops:
            yield part.id
        elif isinstance(part, (ast.Attribute, ast.Subscript)) and isinstance(part.value, ast.Name):
            yield part.value.id


class _Constants:
    """Values of what is made of literals alone, through names that are assigned once."""

    def __init__(self, tree: ast.AST, said: Collection[Decimal]) -> None:
        self._units = CONVERSIONS - frozenset(said)
        stored = [
            (target.id, node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        ]
        times = Counter(name for name, _ in stored)
        self._values = {name: value for name, value in stored if times[name] == 1}
        self._known: dict[str | int, Decimal | None] = {}
        for node in reversed(list(ast.walk(tree))):  # what a sum is made of comes first
            self.of(node)

    def of(self, node: ast.AST) -> Decimal | None:
        """Return the value; None where it depends on anything or calculates with a figure of the question."""
        if id(node) not in self._known:
            self._known[id(node)] = self._of(node)
        return self._known[id(node)]

    def _of(self, node: ast.AST) -> Decimal | None:
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
