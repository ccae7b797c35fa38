"""Cut a question into tokens, keeping where each stood."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

TokenKind: TypeAlias = Literal["word", "number", "date", "quoted", "mark"]

_MONTHS = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
_CONTRACTIONS = (
    (re.compile(r"\b(ca)n['’]t\b", re.I), r"\1n not"),
    (re.compile(r"\b(wo)n['’]t\b", re.I), "will not"),
    (re.compile(r"n['’]t\b", re.I), " not"),
    (re.compile(r"\b(do|does|did|has|have|had|is|are|was|were)nt\b", re.I), r"\1 not"),
    (re.compile(r"\b(?!other|like|clock)([a-z]{3,})wise\b", re.I), r"\1 wise"),
    (re.compile(r"\b(what|who|where|when|how|that|there|it)['’]s\b", re.I), r"\1 is"),
    (re.compile(r"['’]s?(?=[\s,.?!]|$)"), " "),
    (re.compile(r"\b(?:i\.\s?e|e\.\s?g)\.?", re.I), ","),
    (re.compile(r"\ba/c(s?)\b", re.I), r"account\1"),
    (re.compile(r"\bno\.\s+of\b", re.I), "number of"),
    (re.compile(r"\b(usd|inr|eur|rs)\.?(?=\d)", re.I), r"\1 "),
    (re.compile(r"(?<=\w)-(?=[A-Za-z])|(?<=[A-Za-z])[-/](?=\w)"), " "),
    (re.compile(r"(?<=[a-z])(?=[A-Z][a-z])"), " "),
    (re.compile(r"(?<=\d)(?:\s+[-–—]\s+|\s*—\s*)(?=\w)"), " to "),
    (re.compile(r"(?<=\d)–(?=\d)"), "-"),
    (re.compile(rf"(?<=\w)\s+[-–—]\s+(?={_MONTHS})", re.I), " to "),
    (re.compile(r"(?<=[\w)])\s+[-–—]\s+(?=[A-Za-z])"), " , "),
    (re.compile(r"[‘’]"), "'"),
    (re.compile(r"[“”]"), '"'),
)
_QUOTED = re.compile(r"(?<!\w)[‘'\"“`]([^‘’'\"“”`]{1,80})[’'\"”`](?!\w)")
_MAIL_ADDRESS = re.compile(r"(?<![\w'\"‘“`.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+(?![\w'\"’”`-])")
_LETTER = re.compile(r"\b(letters?|(?:start|begin|end)(?:s|ing|ning)?\s+with)\s+([A-Za-z])\b(?!['’])", re.I)
_TOKEN = re.compile(
    r"""
      (?P<date> \d{4}-\d{1,2}-\d{1,2} | \d{4}/\d{1,2}/\d{1,2} | \d{1,2}[/.]\d{1,2}[/.]\d{4} )
    | (?P<ordinal> \d+(?i:st|nd|rd|th)\b | \d{4}[sS]\b )
    | (?P<number> (?:(?<![\w.])[-+])?\d[\d,]*(?:\.\d+)? | (?<!\w)\.\d+ )
    | (?P<word> [^\W\d_]+\d+[^\W_]* | [^\W\d_]+ )
    | (?P<mark> >= | <= | != | <> | [<>=%#,;&+?.:] | [₹$€£] )
    """,
    re.X,
)


@dataclass(frozen=True, slots=True)
class Token:
    """One word, number, date, quoted text or mark.

    Attributes:
        text: as typed, quotes removed.
        word: lower case.
    """

    text: str
    word: str
    kind: TokenKind


def tokenise(question: str) -> tuple[Token, ...]:
    """Return the tokens in order; contractions are spelled out, hyphens and slashes between words separate.

    A mail address counts as quoted.
    """
    question = _MAIL_ADDRESS.sub(r'"\g<0>"', _LETTER.sub(r'\1 "\2"', question))
    quoted = [match.group(1) for match in _QUOTED.finditer(question)]
    text = _keep_quotes_whole(question)
    for pattern, replacement in _CONTRACTIONS:
        text = pattern.sub(replacement, text)
    tokens: list[Token] = []
    for index, part in enumerate(text.split("\x00")):
        if index % 2:
            literal = quoted[int(part)].strip()
            tokens.append(Token(literal, literal.lower(), "quoted"))
        else:
            tokens.extend(_plain_tokens(part))
    return tuple(tokens)


def _keep_quotes_whole(question: str) -> str:
    """Replace each quoted text by its number between NULs, so that nothing below cuts it."""
    numbers = itertools.count()
    return _QUOTED.sub(lambda _: f" \x00{next(numbers)}\x00 ", question.replace("\x00", " "))


def _plain_tokens(text: str) -> list[Token]:
    found = []
    for match in _TOKEN.finditer(text):
        kind: TokenKind = "word" if match.lastgroup == "ordinal" else match.lastgroup  # type: ignore[assignment]
        written = match.group()
        if kind == "number":
            written = written.rstrip(",")
        found.append(Token(written, written.lower(), kind))
    return found
