"""Arithmetic by its signs, or by the words for them."""

from __future__ import annotations

import ast
import re

from ai_engine.specialists.computation.calculation import Calculation, literal
from ai_engine.specialists.computation.quantities import quantities

_ASKING = re.compile(
    r"^(?:so |and |then )*(?:please )?(?:can you )?(?:what(?:'s| is| are| would be)?|how much (?:is|are)|"
    r"calculate|compute|work out|evaluate|tell me|find|give me)?\s*(?:the (?:value|result) of)?\s*",
    re.IGNORECASE,
)
_OPERATORS = (
    (re.compile(r"\b(?:plus)\b", re.I), "+"),
    (re.compile(r"\b(?:minus|less)\b", re.I), "-"),
    (re.compile(r"\b(?:times|multiplied by)\b|[×x](?=\s*[\d(])", re.I), "*"),
    (re.compile(r"\b(?:divided by|over)\b|÷", re.I), "/"),
    (re.compile(r"\b(?:to the power of)\b|\^", re.I), "**"),
)
_SIGNS = re.compile(r"\*\*|[-+*/()]")
_ONLY_SIGNS = re.compile(r"[-+*/()\s]*")


def arithmetic(text: str) -> Calculation | None:
    """Read numbers and signs alone, after the words that ask; None for anything else."""
    question = _ASKING.sub("", text.rstrip(" ?=."), count=1)
    for pattern, sign in _OPERATORS:
        question = pattern.sub(f" {sign} ", question)
    pieces: list[str] = []
    end = 0
    for quantity in quantities(question):
        gap = question[end : quantity.start]
        if quantity.kind not in {"number", "money"} or not _ONLY_SIGNS.fullmatch(gap):
            return None
        pieces += [*_SIGNS.findall(gap), literal(quantity.value)]
        end = quantity.end
    rest = question[end:]
    if not _ONLY_SIGNS.fullmatch(rest):
        return None
    code = " ".join([*pieces, *_SIGNS.findall(rest)])
    if len(pieces) < 3 or not _is_expression(code):
        return None
    return Calculation("result", ("Work out the expression.",), f"result = {code}", "number", given=question.strip())


def _is_expression(code: str) -> bool:
    try:
        ast.parse(code, mode="eval")
    except SyntaxError:
        return False
    return True
