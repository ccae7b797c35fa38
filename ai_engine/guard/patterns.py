"""Search patterns that could take a search exponential time are refused."""

from __future__ import annotations

import re

from sqlglot import exp

from ai_engine.guard.refusal import refuse, written
from ai_engine.guard.statement import Statement

_MAX_WILDCARDS = 12
_MAX_REGEX_CHARS = 300
_MAX_REGEX_COUNT = 100
_LIKES = (exp.Like, exp.ILike, exp.Glob, exp.SimilarTo)
_REGEXES = (
    *(exp.RegexpLike, exp.RegexpILike, exp.RegexpReplace, exp.RegexpExtract, exp.RegexpFullMatch),
    *(exp.RegexpInstr, exp.RegexpCount, exp.RegexpSplit),
)
_REGEX_NAMES = frozenset({"regexp_match", "regexp_substr", "regexp_matches", "regexp_extract", "string_split_regex"})
_MAX_OPEN_QUANTIFIERS = 8
_REGEX_PARTS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{[\d,]*\}|\(\?:|.", re.DOTALL)
_BACK_REFERENCE = re.compile(r"\\[1-9]|\(\?[=!<]|\\g|\(\?P=")
_GROWING = (exp.Repeat, exp.Pad, exp.Replace, exp.GroupConcat)


def patterns_are_cheap(statement: Statement) -> None:
    """Refuse patterns with very many wildcards, and regular expressions that can run away."""
    for like in statement.nodes(*_LIKES):
        _require_few_wildcards(like)
        if isinstance(like, exp.SimilarTo):
            _require_cheap_regex(like.expression)
    for search in statement.nodes(*_REGEXES):
        _require_cheap_regex(search.args.get("expression"))
    for call in statement.nodes(exp.Anonymous):
        if str(call.this).lower() in _REGEX_NAMES and len(call.expressions) > 1:
            _require_cheap_regex(call.expressions[1])


def _require_few_wildcards(like: exp.Expr) -> None:
    pattern = like.args["expression"]
    if any(True for _ in pattern.find_all(*_GROWING)):
        raise refuse("a search pattern may not be built by repetition", written(pattern))
    wildcards = sum(
        re.sub(r"[%*]+", "%", text.this).count("%") for text in pattern.find_all(exp.Literal) if text.is_string
    )
    if wildcards > _MAX_WILDCARDS:
        raise refuse(f"a search pattern may hold at most {_MAX_WILDCARDS} wildcards", written(pattern))


def _require_cheap_regex(pattern: exp.Expr | None) -> None:
    if not isinstance(pattern, exp.Literal) or not pattern.is_string:
        raise refuse("a regular expression must be written out", written(pattern) if pattern else "")
    text: str = pattern.this
    counts = [int(digits[:9]) for braces in re.findall(r"\{([\d,]*)\}", text) for digits in braces.split(",") if digits]
    if len(text) > _MAX_REGEX_CHARS or any(count > _MAX_REGEX_COUNT for count in counts):
        raise refuse("the regular expression is too long or counts too far", text)
    if _repeats_repetitions(text) or _BACK_REFERENCE.search(text):
        raise refuse("the regular expression repeats a repetition or refers back, which can take forever", text)


def _repeats_repetitions(text: str) -> bool:
    """Whether a repeated group repeats inside, a repetition is repeated itself, or very many are open-ended."""
    repeats = [False]
    open_ended = 0
    before = ""
    closed_repeats = False
    for part in _REGEX_PARTS.findall(text):
        if part in {"(", "(?:"}:
            repeats.append(False)
        elif part == ")" and len(repeats) > 1:
            closed_repeats = repeats.pop()
            repeats[-1] = repeats[-1] or closed_repeats
        elif part in {"*", "+", "?"} or part[0] == "{":
            is_lazy = part == "?" and _is_quantifier(before)
            if not is_lazy:
                if _is_quantifier(before) or (before == ")" and closed_repeats and part != "?"):
                    return True
                repeats[-1] = True
                open_ended += part != "?"
        before = part
    return open_ended > _MAX_OPEN_QUANTIFIERS


def _is_quantifier(part: str) -> bool:
    return part in {"*", "+", "?"} or (part.startswith("{") and part.endswith("}"))
