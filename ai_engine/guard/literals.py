"""Literals with a word before them: those of which sqlglot keeps a part, or whose casts it applies in another order."""

from __future__ import annotations

import re

from sqlglot import TokenType, exp
from sqlglot.parser import Parser
from sqlglot.tokenizer_core import Token

from ai_engine.guard.refusal import refuse

_ONE_AMOUNT = re.compile(r"\s*[+-]?\d+(?:\.\d+)?\s*[A-Za-z]+\s*", re.ASCII)
_TYPES = frozenset(Parser.TYPE_TOKENS) - {TokenType.INTERVAL} | {TokenType.R_PAREN}
_APPLIED_FIRST = frozenset({TokenType.DCOLON, TokenType.L_BRACKET, TokenType.DOT})
_SIGNS = frozenset({TokenType.DASH, TokenType.PLUS})


def literals_are_read_whole(tokens: list[Token], kinds: list[TokenType], dialect: str) -> None:
    """Refuse `INTERVAL '3 days ago'`, read as three days, and `DATE '2025-01-31'::text`, whose casts are swapped.

    MariaDB rounds `INTERVAL 1.5 DAY`, and cuts the text off that sqlglot makes of the number.

    Args:
        tokens: those of the statement.
        kinds: of which types they are.
        dialect: as sqlglot calls it.
    """
    if TokenType.INTERVAL in kinds:
        for place, kind in enumerate(kinds[:-2]):
            if kind is TokenType.INTERVAL:
                _amount_is_read_whole(tokens[place + 1 : place + 4], dialect)
    if not _APPLIED_FIRST.isdisjoint(kinds):
        for place, kind in enumerate(kinds[1:-1], 1):
            if kind is TokenType.STRING and kinds[place + 1] in _APPLIED_FIRST and _ends_a_type(tokens[place - 1]):
                literal = f"{tokens[place - 1].text} '{tokens[place].text}'"
                raise refuse(f"put brackets around {literal} before {tokens[place + 1].text}", literal)


def _amount_is_read_whole(after: list[Token], dialect: str) -> None:
    """Refuse what stands `after` INTERVAL where not all of it would be kept."""
    text = after[0].text
    if dialect != "mysql":
        is_one = after[0].token_type is TokenType.STRING and len(exp.INTERVAL_STRING_RE.findall(text)) == 1
        if is_one and not _ONE_AMOUNT.fullmatch(text):
            raise refuse(f"write the interval {text} as one number and one unit, or as several of both", text)
        return
    if after[0].token_type in _SIGNS:
        after = after[1:]
    amount, *units = after
    is_fraction = amount.token_type is TokenType.NUMBER and not amount.text.isdecimal()
    if is_fraction and units and units[0].text.upper() != "SECOND":
        raise refuse(f"write the interval {amount.text} {units[0].text} in whole units", amount.text)


def _ends_a_type(token: Token) -> bool:
    return token.token_type in _TYPES or token.text.lower() == "zone"
