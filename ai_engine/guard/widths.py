"""How wide one value may become: functions and operators that grow text are bounded before they run."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from sqlglot import exp

from ai_engine.guard.growth import Growth, growth_at, growth_of_kind
from ai_engine.guard.refusal import refuse, written
from ai_engine.guard.scopes import USUAL_CHARS, Reference
from ai_engine.guard.searches import BY_PATTERN, SEARCHES, require_few_steps, steps_of_a_call
from ai_engine.guard.statement import Statement
from ai_engine.guard.vectors import is_likeness

_ROWS_PER_GROUP = 100
_ROWS_PER_TABLE = 10_000
_LONGEST_TYPED_CHARS = 1_000  # what columns and literals joined by hand come to; wider values were made to be wide
_NUMBER_CHARS = 64  # also of a date or an interval
_DIGITS = {"postgres": 147_500}  # of the largest number
_MOST_DIGITS = 310
_LARGEST_FORMAT_NUMBER = 1_000
_LARGEST_EXPONENT = 1_000
_HEX_PER_CHAR = 8  # two digits for each of at most four bytes
_PER_LISTED = 4  # quotes and a comma beside a value that may double when they are escaped
_PER_PART = 6
_PER_PLACEHOLDER = 450  # the longest number, in groups of thousands
_PER_PATTERN_CHAR = 20  # %c is a date and a time, %W a name of a day
_EXPONENT = re.compile(r"[0-9.][eE]\+?([0-9]+)")
_MOST_DECIMALS = 16_383  # of a number of PostgreSQL
_OF_NUMBERS = (
    *(exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Neg, exp.Predicate, exp.Connector, exp.Not),
    *(exp.Sum, exp.Avg, exp.Count, exp.Round, exp.Abs, exp.Extract, exp.Length, exp.PercentileCont, exp.Literal),
)
_CHOOSING = (
    *(exp.Paren, exp.Coalesce, exp.Nullif, exp.Case, exp.If, exp.Min, exp.Max, exp.Greatest, exp.Least),
    *(exp.Window, exp.Filter, exp.WithinGroup),
)
_LOOKAROUND = re.compile(r"\(\?<?[=!]")


class Widths:
    """Upper estimates of the characters of values, in one statement; where no text is wide or grows all are usual.

    `found` maps the id of a column reference to what it means, `steps` that of a search to how long it takes.
    """

    def __init__(self, statement: Statement, found: Mapping[int, Reference]) -> None:
        self.steps: dict[int, int] = {}
        self._policy = statement.policy
        self._dialect = statement.dialect
        self._searches = SEARCHES.get(statement.dialect, ())
        kinds, literals = statement.kinds, statement.kinds.get(exp.Literal, ())
        searched = kinds.keys() & set(self._searches) & set(BY_PATTERN)
        self._is_long = bool(searched) and statement.dialect == "mysql"
        is_wide = any(len(literal.name) > USUAL_CHARS for literal in literals)
        self._grows = bool(searched) or is_wide or any(growth_of_kind(kind) not in _WIDE_BY_OTHERS for kind in kinds)
        self._grows |= self._dialect == "postgres" and (exp.Cast in kinds or _has_exponents(statement))
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

    def longest(self, root: exp.Expr) -> int:
        """Characters where texts of tables are as wide as their types let them be, which patterns of MySQL ask."""
        if not self._is_long:
            return USUAL_CHARS
        found = (self._found.get(id(column)) for column in root.find_all(exp.Column))
        return max(self.of(root), sum(reference.column.longest for reference in found if reference is not None))

    def note(self, query: exp.Expr, chars: int) -> None:
        """Remember how wide the values of a subquery are at most."""
        self._known[id(query)] = chars

    def _chars(self, node: exp.Expr) -> int:
        if isinstance(node, exp.Literal):
            return self._of_text(node.this) if node.is_string else _digits(node.this)
        if isinstance(node, exp.Column):
            reference = self._found.get(id(node))
            return reference.column.chars if reference is not None else USUAL_CHARS
        if isinstance(node, exp.Query):
            return USUAL_CHARS
        children = [self.of(child) for child in node.iter_expressions()]
        widest = max(children, default=_NUMBER_CHARS)
        growth = growth_at(node)
        rule = _RULES.get(growth)
        chars = max(widest, _NUMBER_CHARS) if rule is None or not children else rule(self, node, children)
        if isinstance(node, self._searches) or is_likeness(node):
            self.steps[id(node)] = require_few_steps(node, chars, self.of, self.longest, self._dialect)
        if self._dialect in ("postgres", "mysql"):
            steps = steps_of_a_call(node, max(sum(children), chars), self._dialect)
            self.steps[id(node)] = max(steps, self.steps.get(id(node), 0))
        return chars

    def _joined(self, _node: exp.Expr, children: list[int]) -> int:
        return sum(children)

    def _joined_with(self, node: exp.Expr, children: list[int]) -> int:
        return sum(children) + (len(children) - 2) * self.of(_operands(node)[0])

    def _listed(self, node: exp.Expr, children: list[int]) -> int:
        if any(isinstance(child, exp.Query) for child in node.iter_expressions()):
            return self._gathered(node, children)
        return sum(2 * chars + _PER_LISTED for chars in children)

    def _split(self, _node: exp.Expr, children: list[int]) -> int:
        return _PER_PART * (max(children) + 1)

    def _gathered(self, node: exp.Expr, children: list[int]) -> int:
        widest = max(children)
        each = sum(children) if isinstance(node, exp.GroupConcat) else 2 * widest + _PER_LISTED
        return each * (_ROWS_PER_GROUP if widest <= _LONGEST_TYPED_CHARS else _ROWS_PER_TABLE)

    def _joined_list(self, _node: exp.Expr, children: list[int]) -> int:
        items, *between = children
        return items * (1 + sum(between))

    def _repeated(self, node: exp.Expr, _children: list[int]) -> int:
        return self.of(node.this) * self._count(node.args.get("times"), node)

    def _padded(self, node: exp.Expr, children: list[int]) -> int:
        return max(*children, self._count(node.args.get("expression"), node))

    def _counted(self, node: exp.Expr, _children: list[int]) -> int:
        return self._count(_operands(node)[0], node)

    def _in_hex(self, _node: exp.Expr, children: list[int]) -> int:
        return max(children) * _HEX_PER_CHAR

    def _formatted(self, node: exp.Expr, children: list[int]) -> int:
        padding = _require_small_format(node)
        each = _PER_PLACEHOLDER + 2 * max(children) + padding
        return children[0] + _placeholders(_operands(node)[0]) * each

    def _spelled(self, _node: exp.Expr, children: list[int]) -> int:
        return _PER_PLACEHOLDER + _PER_PATTERN_CHAR * sum(children)

    def _as_date(self, _node: exp.Expr, children: list[int]) -> int:
        if self._dialect == "postgres":  # as a number; what its template has no place for is left out
            return _PER_PLACEHOLDER + _PER_PATTERN_CHAR * sum(children[1:])
        return _NUMBER_CHARS + _PER_PATTERN_CHAR * sum(children)

    def _matched(self, node: exp.Expr, children: list[int]) -> int:
        pattern = _operands(node)[1] if len(children) > 1 else node
        groups = pattern.name.count("(") if isinstance(pattern, exp.Literal) else self.of(pattern)
        return (1 + groups) * self._listed(node, [self.of(_operands(node)[0])])

    def _characters(self, _node: exp.Expr, children: list[int]) -> int:
        return _PER_LISTED * len(children)

    def _sized(self, node: exp.Expr, children: list[int]) -> int:
        sizes = [int(size.name[:9]) for size in node.args["to"].expressions if size.name.isdecimal()]
        if self._dialect == "postgres" and not sizes and node.is_type("decimal") and self._is_made_text(node.this):
            sizes = [_DIGITS["postgres"]]
        return max(*children, *sizes, _NUMBER_CHARS)

    def _of_text(self, text: str) -> int:
        """Characters of a text, or the digits of the number that PostgreSQL reads in it."""
        exponents = _EXPONENT.findall(text) if self._dialect == "postgres" else ()
        return len(text) + max((min(int(digits[:9]), _DIGITS["postgres"]) for digits in exponents), default=0)

    def _is_made_text(self, value: exp.Expr) -> bool:
        """Whether a value may be a text that the statement makes, of which nobody knows what number it spells."""
        if isinstance(value, exp.Column):
            reference = self._found.get(id(value))
            return reference is None or not reference.value or not all(source.table for source, _ in reference.value)
        if isinstance(value, exp.Cast) and value.to.this not in exp.DataType.TEXT_TYPES:
            return False
        if isinstance(value, (*_CHOOSING, exp.Cast)):
            return any(map(self._is_made_text, value.iter_expressions()))
        return not isinstance(value, (*_OF_NUMBERS, exp.Null, exp.DataType, exp.Order, exp.WindowSpec))

    def _rounded(self, node: exp.Expr, children: list[int]) -> int:
        decimals, added = node.args.get("decimals"), 0
        if self._dialect == "postgres" and decimals is not None:
            is_known = isinstance(decimals, exp.Literal) and decimals.this.isdecimal()
            added = min(_MOST_DECIMALS, int(decimals.this[:9]) if is_known else _MOST_DECIMALS)
        return max(*children, _NUMBER_CHARS) + added

    def _number(self, node: exp.Expr, children: list[int]) -> int:
        if isinstance(node, exp.Pow):
            _require_small_exponent(node)
            if isinstance(node.expression, exp.Literal):
                return max(_MOST_DIGITS, self.of(node.this) * _LARGEST_EXPONENT)
        return max(*children, _DIGITS.get(self._dialect, _MOST_DIGITS))

    def _at_worst(self, _node: exp.Expr, children: list[int]) -> int:
        return (sum(children) + _NUMBER_CHARS) ** 2

    def _count(self, count: exp.Expr | None, node: exp.Expr) -> int:
        value = count.this if isinstance(count, exp.Paren) else count
        if not isinstance(value, exp.Literal) or value.is_string or not value.this.isdecimal():
            raise refuse(f"the length in {node.key.upper()} must be a plain number", written(node))
        largest = self._policy.max_literal_count
        if len(value.this) > 9 or int(value.this) > largest:
            raise refuse(f"the length in {node.key.upper()} must be at most {largest}", value.this)
        return int(value.this)

    def _replaced(self, node: exp.Expr, children: list[int]) -> int:
        replacement, pattern = node.args.get("replacement"), node.args.get("expression")
        if replacement is None:
            return max(children)
        pattern_chars = max(1, len(pattern.this)) if isinstance(pattern, exp.Literal) else 1
        return self.of(node.this) * max(1, -(-self.of(replacement) // pattern_chars))

    def _replaced_matches(self, node: exp.Expr, children: list[int]) -> int:
        """A pattern may match nothing before every character; a reference writes what was matched."""
        replacement, pattern, chars = node.args.get("replacement"), node.args.get("expression"), self.of(node.this)
        if replacement is None:
            return max(children)
        is_known = isinstance(replacement, exp.Literal)
        references = sum(map(replacement.name.count, "\\$")) if is_known else self.of(replacement) // 2 + 1
        looks_on = not isinstance(pattern, exp.Literal) or _LOOKAROUND.search(pattern.name) is not None
        matched = chars * references * (chars + 1 if looks_on and self._dialect == "mysql" else 1)
        return chars + (chars + 1) * self.of(replacement) + matched


_Rule: TypeAlias = Callable[[Widths, exp.Expr, list[int]], int]
_RULES: dict[Growth, _Rule] = {
    "joins": Widths._joined,
    "joins with": Widths._joined_with,
    "lists": Widths._listed,
    "splits": Widths._split,
    "gathers": Widths._gathered,
    "joins a list": Widths._joined_list,
    "repeats": Widths._repeated,
    "pads": Widths._padded,
    "counts": Widths._counted,
    "hex": Widths._in_hex,
    "formats": Widths._formatted,
    "spells": Widths._spelled,
    "dates": Widths._as_date,
    "replaces": Widths._replaced,
    "replaces matches": Widths._replaced_matches,
    "matches": Widths._matched,
    "characters": Widths._characters,
    "sizes": Widths._sized,
    "rounds": Widths._rounded,
    "numbers": Widths._number,
    "worst": Widths._at_worst,
}
_WIDE_BY_OTHERS: frozenset[Growth] = frozenset({"keeps", "sizes", "rounds"})
"""What makes no wide value of usual ones."""


def _operands(node: exp.Expr) -> list[exp.Expr]:
    return list(node.iter_expressions())


def _require_small_format(node: exp.Expr) -> int:
    """Refuse a template that is not a literal, or that pads a value to a huge width; return the widest padding."""
    template = node.expressions[0] if isinstance(node, exp.Anonymous) and node.expressions else node.this
    if isinstance(template, exp.Literal) and not template.is_string:
        return _NUMBER_CHARS
    if not isinstance(template, exp.Literal):
        raise refuse("the template of a format must be written out", written(template))
    if re.search(r"%[^a-zA-Z%]*\*|\{[^{}]*\{", template.this):
        raise refuse("a format may not take its width from a value", template.this)
    numbers = [int(digits[:9]) for digits in re.findall(r"\d+", template.this)]
    if any(number > _LARGEST_FORMAT_NUMBER for number in numbers):
        raise refuse(f"a width in a format must be at most {_LARGEST_FORMAT_NUMBER}", template.this)
    return sum(numbers)


def _placeholders(template: exp.Expr) -> int:
    """How often a format may write a value: `{0}{0}` and `%1$s%1$s` write one twice."""
    if not isinstance(template, exp.Literal) or not template.is_string:
        return 1
    return max(1, template.name.count("{") + template.name.count("%"))


def _require_small_exponent(node: exp.Pow) -> None:
    exponent = node.expression
    if isinstance(exponent, exp.Literal) and len(exponent.this.split(".")[0]) > len(str(_LARGEST_EXPONENT)) - 1:
        raise refuse(f"an exponent must be below {_LARGEST_EXPONENT}", exponent.this)


def _has_exponents(statement: Statement) -> bool:
    return any(_EXPONENT.search(literal.name) for literal in statement.kinds.get(exp.Literal, ()))


def _digits(number: str) -> int:
    """Digits of a number, its exponent written out."""
    exponent = number.lower().partition("e")[2].lstrip("+-")
    return len(number) + (min(int(exponent[:9]), _DIGITS["postgres"]) if exponent.isdecimal() else 0)
