"""Bounds on the text and its tokens, checked before the parser sees them."""

from __future__ import annotations

from sqlglot.tokens import Token, TokenType

from ai_engine.guard.policy import Policy
from ai_engine.guard.refusal import refuse

_MAX_TOKENS = 6_000
_MAX_NESTING = 40
_WHITESPACE = "\n\r\t"
_OPENING = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE})
_CLOSING = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END})


def text_is_bounded(sql: str, policy: Policy) -> None:
    """Refuse text that is empty, too long or holds characters no analyst types."""
    if not sql.strip():
        raise refuse("there is no statement")
    if len(sql) > policy.max_sql_chars:
        raise refuse(f"the statement is longer than {policy.max_sql_chars} characters")
    for character in sql:
        if (character < " " and character not in _WHITESPACE) or character in "\x7f\ufeff":
            raise refuse(f"control character U+{ord(character):04X} is not allowed", repr(character))


def tokens_are_bounded(tokens: list[Token], sql: str, dialect: str) -> None:
    """Refuse statements too large or too deep to be parsed safely."""
    if len(tokens) > _MAX_TOKENS:
        raise refuse(f"the statement has more than {_MAX_TOKENS} words and signs")
    depth = 0
    for token in tokens:
        if token.token_type in _OPENING:
            depth += 1
            if depth > _MAX_NESTING:
                raise refuse(f"the statement is nested deeper than {_MAX_NESTING} levels")
        elif token.token_type in _CLOSING:
            depth -= 1
