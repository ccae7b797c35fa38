"""A figure defined by arithmetic over phrases: "(total amount - tax) / total amount * 100"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, TypeAlias

Operator: TypeAlias = Literal["+", "-", "*", "/"]
_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?)\s*(?P<percent>%)?(?=\s*(?:[+*/×÷()\[\]{},]|\s[-–−]\s|$))"
    r"|(?P<symbol>[+*/×÷()\[\]{},]|(?<=[\s)\]}])[-–−](?=[\s(\[{]))"
    r"|(?P<word>'[^']*'|\"[^\"]*\"|[^\s+*/×÷()\[\]{},]+))"
)
_SYMBOLS: dict[str, str] = {"×": "*", "÷": "/", "–": "-", "−": "-", "[": "(", "{": "(", "]": ")", "}": ")"}
_DIVISIONS = frozenset({"divide", "div", "ratio"})


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that name a figure, as written."""

    words: str


@dataclass(frozen=True, slots=True)
class Number:
    """A constant."""

    value: Decimal


@dataclass(frozen=True, slots=True)
class Operation:
    """Two figures combined."""

    operator: Operator
    left: Formula
    right: Formula


Formula: TypeAlias = Phrase | Number | Operation


def parse_formula(text: str) -> Formula | None:
    """Return the tree of an arithmetic definition, None when the text is not one; "* 100%" is a factor of 100."""
    reader = _Reader(list(_tokens(text)))
    found = reader.sum()
    return found if found is not None and reader.at == len(reader.tokens) else None


def _tokens(text: str) -> Iterator[str]:
    end = 0
    for match in _TOKEN.finditer(text):
        if match.start() != end:
            return
        end = match.end()
        yield _SYMBOLS.get(match["symbol"] or "", match["symbol"]) or match["number"] or match["word"]


class _Reader:
    """Recursive descent over the tokens; `at` is the next one."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.at = 0

    def _peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def sum(self) -> Formula | None:
        return self._chain("+-")

    def _chain(self, operators: str) -> Formula | None:
        inner = self._factor if operators == "*/" else lambda: self._chain("*/")
        left = inner()
        while left is not None and self._peek() and self._peek() in operators:
            operator = self._peek()
            self.at += 1
            right = inner()
            if right is None:
                return None
            left = Operation(_operator(operator), left, right)
        return left

    def _factor(self) -> Formula | None:
        if self._peek() == "(":
            return self._bracketed()
        if re.fullmatch(r"\d+(?:\.\d+)?", self._peek()):
            self.at += 1
            return Number(Decimal(self.tokens[self.at - 1]))
        return self._phrase()

    def _bracketed(self) -> Formula | None:
        self.at += 1
        found = self.sum()
        if found is None or self._peek() != ")":
            return None
        self.at += 1
        return found

    def _phrase(self) -> Formula | None:
        words: list[str] = []
        while self._peek() and self._peek() not in set("+-*/),"):
            if self._peek() != "(":
                words.append(self._peek())
                self.at += 1
                continue
            if len(words) == 1 and words[0].lower() in _DIVISIONS:
                return self._division()
            inside = self._inside()
            if inside is None:
                return None
            words += inside
        return Phrase(" ".join(words)) if words else None

    def _inside(self) -> list[str] | None:
        """Return the words of a call's brackets, as in "count(male clients)", without reading arithmetic in them."""
        depth = 0
        words: list[str] = []
        while self._peek():
            piece = self._peek()
            self.at += 1
            depth += {"(": 1, ")": -1}.get(piece, 0)
            if depth == 0:
                return words
            if piece not in "()":
                words.append(piece)
        return None

    def _division(self) -> Formula | None:
        self.at += 1
        left = self.sum()
        if left is None or self._peek() != ",":
            return None
        self.at += 1
        right = self.sum()
        if right is None or self._peek() != ")":
            return None
        self.at += 1
        return Operation("/", left, right)


def _operator(token: str) -> Operator:
    operators: dict[str, Operator] = {"+": "+", "-": "-", "*": "*", "/": "/"}
    return operators[token]
