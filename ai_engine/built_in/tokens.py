"""Cut a question into tokens, keeping where each stood."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, TypeAlias

TokenKind: TypeAlias = Literal["word", "number", "date", "quoted", "name", "mark"]

_MONTHS = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
# "loan no, name": after a noun and before a comma it is a number; "with no, or one" denies.
_NUMBERED = re.compile(
    r"(?<=[a-z]{2})(?<!\bwith)(?<!\bhave)(?<!\bhas)\s+nos?\b\.?(?=\s*(?:[,;&)]|$|\.$|(?:and|n)\b))", re.I
)
_CONTRACTIONS = (
    (re.compile(r"\b(ca)n['’]t\b", re.I), r"\1n not"),
    (re.compile(r"\b(wo)n['’]t\b", re.I), "will not"),
    (re.compile(r"n['’]t\b", re.I), " not"),
    (re.compile(r"\b(do|does|did|has|have|had|is|are|was|were)nt\b", re.I), r"\1 not"),
    (re.compile(r"\b(?!other|like|clock)([a-z]{3,})wise\b", re.I), r"\1 wise"),
    (re.compile(r"\b(what|who|where|when|how|that|there|it)['’]s\b", re.I), r"\1 is"),
    (re.compile(r"['’]s?(?=[\s,.?!]|$)", re.I), " "),
    (re.compile(r"\b(?:i\.\s?e|e\.\s?g)\.?", re.I), ","),
    (re.compile(r"\ba/c(s?)\b", re.I), r"account\1"),
    (re.compile(r"\bno\.\s+of\b", re.I), "number of"),
    (_NUMBERED, " number"),
    (re.compile(r"\b(usd|inr|eur|rs)\.?(?=\d)", re.I), r"\1 "),
    (re.compile(rf"\b({_MONTHS}[a-z]*)[-–](?={_MONTHS})", re.I), r"\1 to "),
    (re.compile(rf"\b(\d{{1,2}})\s?[-–]\s?(?=\d{{1,2}}\s+{_MONTHS})", re.I), r"\1 to "),
    (re.compile(r"(?<=\w)-(?=[A-Za-z])|(?<=[A-Za-z])[-/](?=\w)"), " "),
    (re.compile(r"(?<=[a-z])(?=[A-Z][a-z])"), " "),
    (re.compile(r"(?<=[A-Za-z])\.(?=[a-z]{2,4}\b)"), " "),  # "Booking.com"
    (re.compile(rf"(?<=\d)(?:\s+[-–—]\s+|\s*—\s*)(?=\d|{_MONTHS}|today\b|now\b)", re.I), " to "),
    (re.compile(r"(?<=\d)\s*—\s*(?=[A-Za-z])"), " , "),
    (re.compile(r"(?<=\d)–(?=\d)"), "-"),
    (re.compile(rf"(?<=\w)\s+[-–—]\s+(?={_MONTHS})", re.I), " to "),
    (re.compile(r"(?<=[\w)])\s+[-–—]\s+(?=[A-Za-z])"), " , "),
    (re.compile(r"\s\((?=(?:\w+\s){0,2}\w+(?:,| and )[^()]*\))"), " , "),
    (re.compile(r"[‘’]"), "'"),
    (re.compile(r"[“”]"), '"'),
)
_QUOTED = re.compile(r"(?<!\w)[‘'\"“`]([^‘’'\"“”`]{1,80})[’'\"”`](?!\w)")
_IDENTIFIER = re.compile(r"(?<!\w)(?=\w*(?:_|[a-z][A-Z]))[A-Za-z]\w*(?!\w)")
_MAIL_ADDRESS = re.compile(r"(?<![\w'\"‘“`.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+(?![\w'\"’”`-])")
_LETTER = re.compile(r"\b(letters?|(?:start|begin|end)(?:s|ing|ning)?\s+with)\s+([A-Za-z])\b(?!['’])", re.I)
_TOKEN = re.compile(
    r"""
      (?P<date> \d{4}-\d{1,2}-\d{1,2} | \d{4}/\d{1,2}/\d{1,2} | \d{1,2}[/.]\d{1,2}[/.]\d{4}
        | (?<![\d-])\d{1,2}-\d{1,2}-\d{4}(?![\d-]) | (?<![\d/])\d{1,2}/\d{1,2}/\d{2}(?![\d/]) )
    | (?P<ordinal> \d+(?i:st|nd|rd|th)\b | \d{4}[sS]\b )
    | (?P<number> (?:(?<![\w.])[-+])?\d[\d,]*(?:\.\d+)? | (?<!\w)\.\d+ )
    | (?P<word> [^\W\d_]+\d+[^\W_]* | [^\W\d_]+ )
    | (?P<mark> >= | <= | != | <> | [<>=%#,;&+?.:] | [₹$€£] )
    """,
    re.X,
)


@dataclass(frozen=True, slots=True)
class Token:
    """One word, number, date, quoted text, mark, or name of a table or column as the database spells it.

    Attributes:
        text: as typed, quotes removed.
        word: lower case.
    """

    text: str
    word: str
    kind: TokenKind


def tokenise(question: str, spelled: Collection[str] = ()) -> tuple[Token, ...]:
    """Return the tokens in order; contractions are spelled out, hyphens and slashes between words separate.

    A mail address counts as quoted.

    Args:
        question: as typed.
        spelled: lower-case names of tables and columns that stay whole where they are typed as the database has them
            ("Valid_To", "validTo").
    """
    question = _MAIL_ADDRESS.sub(r'"\g<0>"', _LETTER.sub(r'\1 "\2"', question))
    kept: list[Token] = []
    text = _QUOTED.sub(lambda found: _keep(kept, found[1].strip(), "quoted"), question.replace("\x00", " "))
    text = _IDENTIFIER.sub(
        lambda found: _keep(kept, found[0], "name") if found[0].lower() in spelled else found[0], text
    )
    for pattern, replacement in _CONTRACTIONS:
        text = pattern.sub(replacement, text)
    tokens: list[Token] = []
    for index, part in enumerate(text.split("\x00")):
        if index % 2:
            tokens.append(kept[int(part)])
        else:
            tokens.extend(_plain_tokens(part))
    return tuple(tokens)


def _keep(kept: list[Token], text: str, kind: TokenKind) -> str:
    """Put a token aside, and its number between NULs in its place, so that nothing below cuts it."""
    kept.append(Token(text, text.lower(), kind))
    return f" \x00{len(kept) - 1}\x00 "


def _plain_tokens(text: str) -> list[Token]:
    found = []
    for match in _TOKEN.finditer(text):
        kind: TokenKind = "word" if match.lastgroup == "ordinal" else match.lastgroup  # type: ignore[assignment]
        written = match.group()
        if kind == "number":
            written = written.rstrip(",")
        found.append(Token(written, written.lower(), kind))
    return found
