"""How wide one value may become: functions and operators that grow text are bounded before they run."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sqlglot import exp

from ai_engine.guard.refusal import refuse, written
from ai_engine.guard.scopes import USUAL_CHARS, Reference
from ai_engine.guard.statement import Statement

_ROWS_PER_GROUP = 100
_ROWS_PER_TABLE = 10_000
_LONGEST_TYPED_CHARS = 1_000  # what columns and literals joined by hand come to; wider values were made to be wide
_NUMBER_CHARS = 20
_LARGEST_FORMAT_NUMBER = 1_000
_LARGEST_EXPONENT = 1_000
_HEX_PER_CHAR = 8  # two digits for each of at most four bytes
_REPEATS = frozenset({"space"})
_GATHERING = (exp.GroupConcat, exp.ArrayAgg)
_GATHERING_NAMES = frozenset({"list", "string_agg", "array_to_string"})
_JOINING = (exp.DPipe, exp.Concat, exp.ConcatWs, exp.Add)
_FORMATTING_NAMES = frozenset({"printf", "format"})
_GROWING = (
    *(
        exp.Hex,
        exp.Repeat,
        exp.Pad,
        exp.Space,
        exp.Format,
        exp.Replace,
        exp.RegexpReplace,
        exp.Stuff,
        exp.Pow,
        exp.Anonymous,
    ),
    *_GATHERING,
    *_JOINING,
)


class Widths:
    """Upper estimates of the characters of values, in one statement; without anything that grows text all are usual.

    `found` maps the id of a column reference to what it means.
    """

    def __init__(self, statement: Statement, found: Mapping[int, Reference]) -> None:
        self._policy = statement.policy
        self._grows = bool(statement.nodes(*_GROWING))
        self._found = found
        self._known: dict[int, int] = {}

    def of(self, root: exp.Expr) -> int:
        """Characters of a value at most; refused when the policy's bound is passed."""
        if not self._grows:
            return USUAL_CHARS
        chars = self._known.get(id(root))
        if chars is not None:
            return chars
        chars = self._known[id(root)] = self._chars(root)
        if chars > self._policy.max_value_chars:
            raise refuse(
                f"a value may grow to {chars} characters, more than the {self._policy.max_value_chars} allowed",
                written(root),
            )
        return chars

    def note(self, query: exp.Expr, chars: int) -> None:
        """Remember how wide the values of a subquery are at most."""
        self._known[id(query)] = chars

    def _chars(self, node: exp.Expr) -> int:
        if isinstance(node, exp.Literal):
            return len(node.this)
        if isinstance(node, exp.Column):
            reference = self._found.get(id(node))
            return reference.column.chars if reference is not None else USUAL_CHARS
        if isinstance(node, exp.Query):
            return USUAL_CHARS
        children = [self.of(child) for child in node.iter_expressions()]
        widest = max(children, default=_NUMBER_CHARS)
        name = node.this.lower() if isinstance(node, exp.Anonymous) and isinstance(node.this, str) else ""
        if isinstance(node, exp.Repeat):
            return self.of(node.this) * self._count(node.args.get("times"), node)
        if isinstance(node, exp.Hex):
            return widest * _HEX_PER_CHAR
        if isinstance(node, exp.Pad):
            return max(widest, self._count(node.args.get("expression"), node))
        if name in _REPEATS or isinstance(node, exp.Space):
            return self._count(node.expressions[0] if name and node.expressions else node.this, node)
        if isinstance(node, exp.Format) or name in _FORMATTING_NAMES:
            return sum(children) * _most_placeholders(node) + _require_small_format(node)
        if isinstance(node, (exp.Replace, exp.RegexpReplace, exp.Stuff)):
            return self._replaced(node, widest)
        if isinstance(node, _GATHERING) or name in _GATHERING_NAMES:
            return widest * (_ROWS_PER_GROUP if widest <= _LONGEST_TYPED_CHARS else _ROWS_PER_TABLE)
        if isinstance(node, _JOINING):
            return sum(children)
        if isinstance(node, exp.Pow):
            _require_small_exponent(node)
        return max(widest, _NUMBER_CHARS)

    def _count(self, count: exp.Expr | None, node: exp.Expr) -> int:
        value = count.this if isinstance(count, exp.Paren) else count
        if not isinstance(value, exp.Literal) or value.is_string or not value.this.isdecimal():
            raise refuse(f"the length in {node.key.upper()} must be a plain number", written(node))
        largest = self._policy.max_literal_count
        if len(value.this) > 9 or int(value.this) > largest:
            raise refuse(f"the length in {node.key.upper()} must be at most {largest}", value.this)
        return int(value.this)

    def _replaced(self, node: exp.Expr, widest: int) -> int:
        replacement = node.args.get("replacement")
        if replacement is None:
            return widest
        pattern = node.args.get("expression")
        if not isinstance(pattern, exp.Literal) or isinstance(node, exp.RegexpReplace):
            pattern_chars = 1
        else:
            pattern_chars = max(1, len(pattern.this))
        growth = -(-self.of(replacement) // pattern_chars)
        return self.of(node.this) * max(1, growth)


def _require_small_format(node: exp.Expr) -> int:
    """Refuse a template that is not a literal, or that pads a value to a huge width; return the widest padding."""
    template = node.expressions[0] if isinstance(node, exp.Anonymous) and node.expressions else node.this
    if isinstance(template, exp.Literal) and not template.is_string:
        return _NUMBER_CHARS
    if not isinstance(template, exp.Literal):
        if isinstance(template, exp.Column) and len(node.expressions) <= 1:
            return _NUMBER_CHARS
        raise refuse("the template of a format must be written out", written(template))
    if re.search(r"%[^a-zA-Z%]*\*|\{[^{}]*\{", template.this):
        raise refuse("a format may not take its width from a value", template.this)
    numbers = [int(digits[:9]) for digits in re.findall(r"\d+", template.this)]
    if any(number > _LARGEST_FORMAT_NUMBER for number in numbers):
        raise refuse(f"a width in a format must be at most {_LARGEST_FORMAT_NUMBER}", template.this)
    return sum(numbers)


def _most_placeholders(node: exp.Expr) -> int:
    """How often a format may write each of its values: `{0}{0}` and `%1$s%1$s` write one twice."""
    counts: list[int] = [text.this.count("{") + text.this.count("%") for text in node.find_all(exp.Literal)]
    return max([1, *counts])


def _require_small_exponent(node: exp.Pow) -> None:
    exponent = node.expression
    if isinstance(exponent, exp.Literal) and len(exponent.this.split(".")[0]) > len(str(_LARGEST_EXPONENT)) - 1:
        raise refuse(f"an exponent must be below {_LARGEST_EXPONENT}", exponent.this)
