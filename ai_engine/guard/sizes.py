"""How large a statement becomes when an engine puts in for every name what it stands for.

Planners do so before the first row, some without hearing that they should stop: a derived column that is named twice
at each of thirty levels is 2^30 copies. Some also copy an operand, such as that of BETWEEN, while they read, and so
does the printer where a dialect has no word for a function.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import count
from math import prod
from typing import Any, TypeAlias

from sqlglot import exp

from ai_engine.errors import SqlRejected
from ai_engine.guard.parsing import text_of, tokens_of
from ai_engine.guard.refusal import refuse
from ai_engine.guard.scopes import LEAVES, Reference

_MOST_PARTS = 20_000  # PostgreSQL plans them in half a second and 60 MB, both grow with it; honest ones have hundreds
_STEPS_OF_A_PART = 5_000  # so that all searches together take a second
_OF_A_SUBQUERY = 50  # in an expression; each copy is planned by itself, for 30 KB on PostgreSQL
_COPIES_OF_A_SUBQUERY = 2  # DuckDB plans one twice that stands in one that reads the query around it
OF_A_VIEW_COLUMN = 25  # what a view of the bank computes is not known here
_REWRITTEN = (exp.Func, exp.Ordered)
_COPYING = (exp.Between, exp.Nullif, exp.Case, exp.In, exp.Group)
_WRITTEN_ONCE = (exp.Connector, exp.Case, exp.If, exp.Cast)
_PARTS_OF_CALLS = (exp.Distinct, exp.Order, exp.Ordered, exp.Interval, exp.Var, exp.DataType, exp.Star)
_TOKENS_OF_A_CALL = 5
_OPERAND = "operand_"
_PLAIN: tuple[int, tuple[int, ...]] = (1, ())
_Form: TypeAlias = tuple[type[exp.Expr], tuple[tuple[str, Any], ...]]


def require_small(size: int) -> int:
    """Return the size when it is within the bound.

    Raises:
        SqlRejected: written out the statement would have too many parts.
    """
    if size > _MOST_PARTS:
        reason = "the statement is too large once its names are written out; name a computed column fewer times"
        raise refuse(reason)
    return size


class Sizes:
    """Nodes of values with every name written out, in one statement.

    `found` maps the id of a column reference to what it means, `steps` that of a search to how long it takes.
    """

    def __init__(self, found: Mapping[int, Reference], steps: Mapping[int, int], dialect: str) -> None:
        self._found = found
        self._steps = steps
        self._dialect = dialect
        self._queries: dict[int, int] = {}

    def note(self, query: exp.Expr, size: int) -> None:
        """Remember how large a subquery is."""
        self._queries[id(query)] = _OF_A_SUBQUERY + _COPIES_OF_A_SUBQUERY * size

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
            if type(node) in LEAVES:
                total += times
                continue
            if isinstance(node, exp.Query):
                total += times * self._queries[id(node)]
                continue
            is_call = isinstance(node, _REWRITTEN) and not isinstance(node, _WRITTEN_ONCE)
            own, printed = _printed(_form_of(node), self._dialect) if is_call else _PLAIN
            total += times * (own + self._steps.get(id(node), 0) // _STEPS_OF_A_PART)
            if printed or isinstance(node, _COPYING):
                stack += [(child, times * copies) for child, copies in _copied(node, printed)]
            else:
                stack += [(child, times) for child in node.iter_expressions()]
        return total


def _copied(node: exp.Expr, printed: tuple[int, ...]) -> Iterator[tuple[exp.Expr, int]]:
    """The parts of an expression, and how many copies of each an engine or the printer makes."""
    sets = _sets(node) if isinstance(node, exp.Group) else 1
    for place, child in enumerate(node.iter_expressions()):
        yield child, sets * max(_copies(node, child.arg_key), printed[place] if printed else 1)


def _copies(node: exp.Expr, arg: str | None) -> int:
    """How many copies of an operand an engine makes."""
    if isinstance(node, exp.Between):  # DuckDB also looks for equal parts among its copies
        if node.args.get("symmetric"):
            return 6 if arg == "this" else 2
        return 3 if arg == "this" else 1
    if arg != "this":
        return 1
    if isinstance(node, exp.Nullif):
        return 2
    if isinstance(node, exp.Case):
        return len(node.args["ifs"])
    if isinstance(node, exp.In):
        is_row = isinstance(node.this.unnest(), exp.Tuple)
        return max(1, sum(1 for value in node.expressions if is_row or value.find(exp.Column) is not None))
    return 1


def _sets(group: exp.Expr) -> int:
    """How many lists of columns a GROUP BY stands for, which engines write out."""
    if isinstance(group, exp.Cube):
        return 1 << min(len(group.expressions), _MOST_PARTS.bit_length())
    if isinstance(group, exp.Rollup):
        return len(group.expressions) + 1
    if isinstance(group, exp.GroupingSets):
        return sum(map(_sets, group.expressions))
    if isinstance(group, exp.Group):
        return prod(map(_sets, group.expressions))
    return 1


def _form_of(node: exp.Expr) -> _Form:
    """What the printer looks at: an expression without its operands."""
    return type(node), tuple((arg, _part_of(value)) for arg, value in node.args.items() if value)


def _part_of(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_part_of, value))
    if isinstance(value, exp.Literal):
        return exp.Literal, (("this", value.this if value.this.isalpha() else "1"), ("is_string", value.is_string))
    if isinstance(value, _PARTS_OF_CALLS):
        return _form_of(value)
    return None if isinstance(value, exp.Expr) else value


@lru_cache(maxsize=10_000)
def _printed(form: _Form, dialect: str) -> tuple[int, tuple[int, ...]]:
    """What the printer makes of an expression, names standing for its operands.

    Returns:
        How many calls long it is without them, and how many copies of each part there are, () where each has one.
    """
    names = (exp.Identifier(this=f"{_OPERAND}{place}") for place in count())
    whole = _filled(form, names)
    try:
        tokens = tokens_of(text_of(exp.Select(expressions=[whole.copy()]), dialect), dialect)
    except SqlRejected:
        return _PLAIN
    found = Counter(token.text for token in tokens if token.text.startswith(_OPERAND))
    copies = tuple(
        max((found[column.name] for column in child.find_all(exp.Column)), default=1)
        for child in whole.iter_expressions()
    )
    own = max(1, (len(tokens) - found.total()) // _TOKENS_OF_A_CALL)
    return own, copies if max(copies, default=1) > 1 else ()


def _filled(form: _Form, names: Iterator[exp.Identifier]) -> exp.Expr:
    kind, parts = form
    return kind(**{arg: _filled_part(part, names) for arg, part in parts})


def _filled_part(part: Any, names: Iterator[exp.Identifier]) -> Any:
    if part is None:
        return exp.Column(this=next(names))
    if not isinstance(part, tuple):
        return part
    if part and isinstance(part[0], type):
        return _filled(part, names)
    return [_filled_part(one, names) for one in part]
