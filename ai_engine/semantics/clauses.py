"""What a column's comment says of its codes: "F = female", "'C' stands for running"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

_QUOTES = "'\"`‘’“”"
_QUOTED = re.compile(r"""^(?:'([^']*)'|"([^"]*)"|`([^`]*)`|‘([^’]*)’|“([^”]*)”)$""")
_ABBREVIATED = re.compile(
    r"\b(?:no|nos|approx|e\.g|i\.e|etc|vs|incl|excl|resp|dept|acct|avg|max|min)\.$", re.IGNORECASE
)
_VERB = re.compile(
    r"(?<!\bin)(?<!\bof)(?<!\bfor)\s+(?:(?:is|are|was|were)\s+)?(?:ref{1,2}ere?s?\s+to|refer(?:s|red|ring)?\s+to|stands?\s+for|standing\s+for"
    r"|represent(?:s|ed\s+by|ing)?(?:\s+for)?|means?(?:\s+that)?|denotes?|denoted\s+by|indicates?|indicated\s+by|signif(?:y|ies)"
    r"|marks?|flags?|counts?\s+as|short\s+for|called|known\s+as|the\s+same\s+as|defined\s+as|equals?(?:\s+to)?)\s+",
    re.IGNORECASE,
)
_HOLDS = re.compile(
    r"\s+(?:contains?|holds?|stores?|records?|lists?|keeps?|gives?|shows?)\s+"
    r"(?:the\s+)?(?:(?:data|information|info|details?|values?)\s+(?:of|about|on|for)\s+)?",
    re.IGNORECASE,
)
_FOUND_IN = re.compile(
    r"\s+(?:(?:can|could|may|will)\s+be\s+(?:found|seen|read|taken|obtained)|(?:is|are)\s+(?:found|stored|kept|recorded|given|listed)"
    r"|appears?|(?:is|are))\s+(?:in|from|under|by|at)\s+",
    re.IGNORECASE,
)
_IS = re.compile(r"^(?:column\s+)?(\S+)\s+(?:is|are|gives|shows)\s+(?!(?:one|all|only|not)\b)(.+)$", re.IGNORECASE)
_ABOUT = re.compile(
    r"^(?:the\s+)?(?:data|information|info|details|records?|values?)\s+(?:of|about|on|for)\s+", re.IGNORECASE
)
_CONDITIONAL = re.compile(
    r"^(?:when|if|where)\s+(.+?),\s*(?:then\s+)?(?:it(?:'s|\s+is|\s+means)?|this\s+means|means)\s+(.+)$", re.IGNORECASE
)
_EQUALS = re.compile(r"(?<![<>!=])\s*=(?!=)\s*|\s*:\s+|\s+[-–—]+>?\s+|\s*[=-]>\s*")


@dataclass(frozen=True, slots=True)
class Statement:
    """One definition: both sides are said to be the same, or `left` is a place that "holds" `right`.

    "equals" was written as a sign; "is" is weak, and worth something only where `left` is known to be a column.
    """

    left: str
    right: str
    kind: Literal["means", "holds", "equals", "is"]


def clauses(text: str) -> tuple[str, ...]:
    """Part a text at semicolons, line ends and full stops, but not inside quotes, brackets or abbreviations."""
    found, start, depth, quote = [], 0, 0, ""
    for at, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"" and not (at and text[at - 1].isalnum()) and letter in text[at + 1 :]:
            quote = letter
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth = max(0, depth - 1)
        elif _ends_clause(text, at, depth):
            found.append(text[start:at])
            start = at + 1
    found.append(text[start:])
    return tuple(clause.strip() for clause in found if clause.strip())


def _ends_clause(text: str, at: int, depth: int) -> bool:
    letter, rest = text[at], text[at + 1 : at + 2]
    if letter in ";\n\r":
        return depth == 0 or letter != ";"
    return letter == "." and depth == 0 and (not rest or rest.isspace()) and not _ABBREVIATED.search(text[: at + 1])


def _statement(clause: str) -> Statement | None:
    conditional = _CONDITIONAL.match(clause)
    if conditional:
        return Statement(clean(conditional[2]), conditional[1].strip(), "means")
    patterns: tuple[tuple[re.Pattern[str], Literal["means", "holds"]], ...] = (
        (_VERB, "means"),
        (_HOLDS, "holds"),
        (_FOUND_IN, "holds"),
    )
    for pattern, kind in patterns:
        parts = pattern.split(clause, maxsplit=1)
        if len(parts) == 2 and all(part.strip() for part in parts) and not clause.lower().startswith(("if ", "to ")):
            left, right = (part.strip() for part in parts)
            if pattern is _FOUND_IN:
                left, right = right, _ABOUT.sub("", left)
            return Statement(left, right, kind)
    weak = _IS.match(clause)
    if weak and "=" not in clause:
        return Statement(weak[1], weak[2].strip(), "is")
    parts = _EQUALS.split(clause, maxsplit=1)
    if len(parts) == 2 and all(part.strip() for part in parts):
        return Statement(parts[0].strip(), parts[1].strip(), "equals")
    return None


def quoted(text: str) -> str | None:
    """Return what stands between the quotes when all of the text is quoted."""
    found = _QUOTED.match(text.strip())
    return next((part for part in found.groups() if part is not None), None) if found else None


def clean(phrase: str) -> str:
    """Return a phrase in lower case without article, quotes and closing punctuation."""
    text = re.sub(r"^(?:(?:the|a|an|its|it's)\s+)+", "", phrase.strip(" \t.,;:" + _QUOTES), flags=re.IGNORECASE)
    return " ".join(text.split()).lower()


def code_meanings(text: str) -> tuple[tuple[str, str], ...]:
    """Return (stored code, words) pairs of a column's description: "F = female, M = male", "1: open; 2: closed".

    The caller decides whether such a code exists in the column.
    """
    found: list[tuple[str, str]] = []
    for clause in clauses(text):
        for part in _enumerated(clause):
            statement = _statement(part)
            if statement is None or statement.kind in {"holds", "is"}:
                continue
            code = quoted(statement.left)
            if code is None:
                code = statement.left.split("(")[-1].strip(" ()[]")
                code = quoted(code) or code
            meaning = clean(statement.right.strip(" ()[]"))
            if code and meaning and len(code.split()) <= 4 and len(meaning.split()) <= 8:
                found.append((code, meaning))
    return tuple(found)


def _enumerated(clause: str) -> list[str]:
    """Part "status: A = open, B = closed" at its commas, leaving the name of the column out."""
    parts = re.split(
        r"\s*[,/|]\s*(?=[^,/|]{1,30}?(?:\s*[=:]\s*|\s+[-–]\s+))|\s+(?:and|or)\s+(?=\S{1,20}\s*[=:]\s)", clause
    )
    parts[0] = re.sub(r"^[^=:]*:\s+(?=[^=:]+(?:=|:\s))", "", parts[0])
    return parts
