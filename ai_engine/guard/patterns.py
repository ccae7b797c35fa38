"""Search patterns that could take a search exponential time, or DuckDB too long over wide text, are refused."""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import comb, prod

from sqlglot import exp

from ai_engine.guard.refusal import refuse, written
from ai_engine.guard.scopes import USUAL_CHARS
from ai_engine.guard.statement import Statement

_MAX_WILDCARDS = 12
_MOST_STEPS = 10**8  # about a second
_MAX_REGEX_CHARS = 300
_MAX_REGEX_COUNT = 100
LIKES = (exp.Like, exp.ILike, exp.Glob, exp.SimilarTo)
_REGEX_NAME = re.compile(r"regexp_|string_split_regex")
_MAX_OPEN_QUANTIFIERS = 8
_REGEX_PARTS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{[\d,]*\}|\(\?:|.", re.DOTALL)
_BACK_REFERENCE = re.compile(r"\\[1-9]|\(\?[=!<R&(|C]|\(\?[+-]?\d|\\g|\(\?P[=>]")
_OF_ANOTHER_KIND = re.compile(r"\*\*\*|\(\?[a-zA-Z]")
"""By which PostgreSQL reads the rest of a pattern as a regular expression of another kind, with other signs."""
_PLAIN_FLAGS = re.compile("[igcnsm]*")
_NUMBERS = (exp.Literal, exp.Add, exp.Sub, exp.Mul, exp.Mod, exp.Neg, exp.Length, exp.StrPosition)
"""What PostgreSQL never takes for text; columns and most functions it may."""
_PATTERN_AND_TEXTS = frozenset({"this", "expression", "replacement"})
_GROWING = (exp.Repeat, exp.Pad, exp.Replace, exp.GroupConcat)


def patterns_are_cheap(statement: Statement) -> None:
    """Refuse patterns with very many wildcards, and regular expressions that can run away."""
    for like in statement.nodes(*LIKES):
        _require_few_wildcards(like)
        if isinstance(like, exp.SimilarTo):
            _require_cheap_regex(like.expression, statement.dialect)
    for search in statement.nodes(exp.Func):
        if isinstance(search, exp.Anonymous):
            if _REGEX_NAME.match(str(search.this).lower()) and len(search.expressions) > 1:
                _require_cheap_regex(search.expressions[1], statement.dialect)
                _require_plain_flags(search.expressions[2:], statement.dialect)
        elif _REGEX_NAME.match(search.sql_names()[0].lower()):
            _require_cheap_regex(search.args.get("expression"), statement.dialect)
            further = (value for name, value in search.args.items() if name not in _PATTERN_AND_TEXTS)
            _require_plain_flags((value for value in further if isinstance(value, exp.Expr)), statement.dialect)
        elif isinstance(search, exp.Substring) and statement.dialect == "postgres":
            _settle_start(search.args["start"])


def _require_plain_flags(further: Iterable[exp.Expr], dialect: str) -> None:
    """Refuse what PostgreSQL takes for flags by which it reads another pattern than was judged."""
    for flags in further if dialect == "postgres" else ():
        if not isinstance(flags, exp.Literal) or (flags.is_string and not _PLAIN_FLAGS.fullmatch(flags.this)):
            reason = "places of a regular expression must be written out, and its flags be some of i, g, c, n, s and m"
            raise refuse(reason, written(flags))


def _settle_start(start: exp.Expr) -> None:
    """Judge the start that PostgreSQL takes for a regular expression where it is text; else write it as a number."""
    value = start
    while isinstance(value, exp.Paren) or (isinstance(value, exp.Cast) and value.to.this in exp.DataType.TEXT_TYPES):
        value = value.this
    if isinstance(value, exp.Literal) and value.is_string:
        _require_cheap_regex(value, "postgres")
    elif not isinstance(value, _NUMBERS) and not (isinstance(value, exp.Cast) and value.is_type("int")):
        start.replace(exp.cast(start.copy(), "int"))


def require_cheap_search(like: exp.Expr, chars: int) -> None:
    """Refuse a search of wide text that DuckDB, which tries every way to share it out among wildcards, never ends.

    Text of a table may be as wide as any; `chars` is how wide the text is made to be, at most.
    """
    pattern = like.args["expression"]
    text, is_literal = like.this, isinstance(like.this, exp.Literal)
    chars = len(text.this) if is_literal else chars
    if chars <= USUAL_CHARS and not is_literal:
        return
    is_written = isinstance(pattern, exp.Literal)
    wildcards = len(re.findall(r"[%*]+", pattern.this.rstrip("%*"))) if is_written else _MAX_WILDCARDS
    if comb(chars, wildcards) > _MOST_STEPS:
        raise refuse(
            f"a pattern with {wildcards} wildcards takes too long over text of {chars} characters", written(pattern)
        )


def _require_few_wildcards(like: exp.Expr) -> None:
    pattern = like.args["expression"]
    if any(True for _ in pattern.find_all(*_GROWING)):
        raise refuse("a search pattern may not be built by repetition", written(pattern))
    wildcards = sum(
        re.sub(r"[%*]+", "%", text.this).count("%") for text in pattern.find_all(exp.Literal) if text.is_string
    )
    if wildcards > _MAX_WILDCARDS:
        raise refuse(f"a search pattern may hold at most {_MAX_WILDCARDS} wildcards", written(pattern))


def _require_cheap_regex(pattern: exp.Expr | None, dialect: str) -> None:
    if not isinstance(pattern, exp.Literal) or not pattern.is_string:
        raise refuse("a regular expression must be written out", written(pattern) if pattern else "")
    text: str = pattern.this
    if dialect == "postgres" and _OF_ANOTHER_KIND.search(text):
        raise refuse("the regular expression may not say of which kind it is, nor set options", text)
    counts = [int(digits[:9]) for braces in re.findall(r"\{([\d,]*)\}", text) for digits in braces.split(",") if digits]
    if len(text) > _MAX_REGEX_CHARS or any(count > _MAX_REGEX_COUNT for count in counts):
        raise refuse("the regular expression is too long or counts too far", text)
    if _repeats_repetitions(text) or _BACK_REFERENCE.search(text):
        raise refuse("the regular expression repeats a repetition or refers back, which can take forever", text)


def _repeats_repetitions(text: str) -> bool:
    """Whether a repeated group repeats or chooses inside, a repetition is repeated, or very many are open-ended."""
    ambiguous = [False]
    open_ended = 0
    before = ""
    closed_ambiguous = False
    for part in _REGEX_PARTS.findall(text):
        if part in {"(", "(?:"}:
            ambiguous.append(False)
        elif part == ")" and len(ambiguous) > 1:
            closed_ambiguous = ambiguous.pop()
            ambiguous[-1] = ambiguous[-1] or closed_ambiguous
        elif part == "|" and len(ambiguous) > 1:
            ambiguous[-1] = True
        elif part in {"*", "+", "?"} or part[0] == "{":
            is_lazy = part == "?" and _is_quantifier(before)
            if not is_lazy:
                if _is_quantifier(before) or (before == ")" and closed_ambiguous and part != "?"):
                    return True
                ambiguous[-1] = True
                open_ended += part != "?"
        before = part
    return open_ended > _MAX_OPEN_QUANTIFIERS


def steps_of_search(pattern: str, chars: int) -> int:
    """In how many ways text of so many characters can be shared out among the parts of a regular expression.

    MariaDB tries them all, from every place of the text on that is not anchored, and hears no KILL meanwhile.
    """
    alternatives, branches, shares, before = [1], 1, 0, ""
    for part in _REGEX_PARTS.findall(pattern):
        if part in {"(", "(?:"}:
            alternatives.append(1)
        elif part == ")" and len(alternatives) > 1:
            branches *= alternatives.pop()
        elif part == "|":
            alternatives[-1] += 1
        elif part == "?":
            branches *= 1 if _is_quantifier(before) else 2
        elif part in {"*", "+"} or (part[0] == "{" and "," in part):
            shares += 1
        before = part
    is_anchored = pattern.startswith("^") and alternatives[0] == 1
    return prod(alternatives) * branches * comb(chars + shares, shares if is_anchored else shares + 1)


def _is_quantifier(part: str) -> bool:
    return part in {"*", "+", "?"} or (part.startswith("{") and part.endswith("}"))
