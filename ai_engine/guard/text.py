"""Bounds on the text and its tokens, checked before the parser sees them."""

from __future__ import annotations

import re
import unicodedata

from sqlglot import TokenType
from sqlglot.parser import Parser
from sqlglot.tokenizer_core import Token

from ai_engine.guard.policy import Policy
from ai_engine.guard.refusal import refuse

_MAX_TOKENS = 5_000
_MAX_NESTING = 32
_MAX_BRACKETS = 2
_MOST = {TokenType.DCOLON: 200, TokenType.L_BRACKET: 50}  # long chains of these take sqlglot quadratic time
_MAX_TYPE_NESTING = 5  # sqlglot reads `DATE(` as a type first, then as a call: each level doubles its work
_MAX_PREFIXES_IN_A_ROW = 16
_WHITESPACE = "\n\r\t"
_DIRECTION_MARKS = frozenset(
    "\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
)
_QUOTED = frozenset({TokenType.STRING, TokenType.IDENTIFIER})
_FIRST_WORDS = frozenset({TokenType.SELECT, TokenType.WITH, TokenType.FROM})
_TYPES = frozenset(Parser.TYPE_TOKENS)
_OPENING = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.CASE})
_CLOSING = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.END})
_REFUSED = frozenset({TokenType.L_BRACE, TokenType.R_BRACE, TokenType.PARAMETER, TokenType.PLACEHOLDER})
_PREFIXES = frozenset({TokenType.NOT, TokenType.DASH, TokenType.PLUS, TokenType.TILDE, TokenType.INTERVAL})
_COMMENT = re.compile(r"--[^\n]*|#[^\n]*|/\*.*?\*/", re.DOTALL)
_SHARED_OPENING = re.compile(r"/\*M?!")


def text_is_bounded(sql: str, policy: Policy) -> None:
    """Refuse text that is empty, too long or holds characters no analyst types."""
    if not sql.strip():
        raise refuse("there is no statement")
    if len(sql) > policy.max_sql_chars:
        raise refuse(f"the statement is longer than {policy.max_sql_chars} characters")
    if sql.isascii() and sql.isprintable():
        return
    for character in sql:
        if character in _WHITESPACE or " " <= character <= "~":
            continue
        if character in _DIRECTION_MARKS or unicodedata.category(character) in {"Cc", "Cs", "Co", "Cn"}:
            raise refuse(f"the character U+{ord(character):04X} is not allowed", f"U+{ord(character):04X}")


def tokens_are_bounded(tokens: list[Token], sql: str) -> None:
    """Refuse statements that are too large or too deep to be parsed safely, or written in foreign letters."""
    if len(tokens) > _MAX_TOKENS:
        raise refuse(f"the statement has more than {_MAX_TOKENS} words and signs")
    first = next((token for token in tokens if token.token_type not in {TokenType.SEMICOLON, TokenType.L_PAREN}), None)
    if first is None:
        raise refuse("there is no statement")
    if first.token_type not in _FIRST_WORDS:
        raise refuse(f"only SELECT may run, not {first.text.upper()}", first.text)
    kinds = [token.token_type for token in tokens]
    for kind, most in _MOST.items():
        if kinds.count(kind) > most:
            raise refuse(f"more than {most} times {kind.value}", str(kind.value))
    brackets = prefixes = end = 0
    opened: list[bool] = []
    before = TokenType.SELECT
    for token in tokens:
        kind = token.token_type
        if kind in _REFUSED:
            raise refuse(f"{token.text} is not allowed in a query", token.text)
        if kind in _OPENING:
            opened.append(before in _TYPES)
            if len(opened) > _MAX_NESTING or (opened[-1] and sum(opened) > _MAX_TYPE_NESTING):
                raise refuse("the statement is nested too deeply", token.text)
        elif kind in _CLOSING:
            del opened[-1:]
        brackets += (kind is TokenType.L_BRACKET) - (kind is TokenType.R_BRACKET)
        if brackets > _MAX_BRACKETS:
            raise refuse(f"brackets are nested deeper than {_MAX_BRACKETS} levels", "[")
        prefixes = prefixes + 1 if kind in _PREFIXES else 0
        if prefixes > _MAX_PREFIXES_IN_A_ROW:
            raise refuse(f"{token.text} is repeated too often", token.text)
        if kind not in _QUOTED and not token.text.isascii():
            raise refuse(f"{token.text} has letters that are only allowed in literals and quoted names", token.text)
        _gap_is_plain(sql[end : token.start])
        end = token.end + 1
        before = kind
    _gap_is_plain(sql[end:])


def _gap_is_plain(gap: str) -> None:
    """Between tokens there may be blanks and comments, but none that one server runs and another skips."""
    if not gap or (gap.isspace() and gap.isascii()):
        return
    if _SHARED_OPENING.search(gap):
        raise refuse("comments that MySQL runs are not allowed: /*! */", "/*!")
    if not _COMMENT.sub("", gap).isascii():
        raise refuse("letters outside ASCII are only allowed in literals and quoted names", gap.strip())
