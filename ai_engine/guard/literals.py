"""Literals that sqlglot reads in part or otherwise than the engine: intervals, typed ones, templates of dates."""

from __future__ import annotations

import re
from itertools import pairwise

from sqlglot import TokenType, exp
from sqlglot.parser import Parser
from sqlglot.tokenizer_core import Token

from ai_engine.guard.refusal import refuse, written
from ai_engine.guard.statement import Statement

_ONE_AMOUNT = re.compile(r"\s*[+-]?\d+(?:\.\d+)?\s*[A-Za-z]+\s*", re.ASCII)
_CUT_OFF = frozenset("YEAR MONTH DAY HOUR MINUTE".split())  # of a fraction in a text before them
_OF_ONE_TEXT = frozenset({"postgres", "snowflake"})  # amount and unit of an interval stand in one
_TYPES = frozenset(Parser.TYPE_TOKENS) - {TokenType.INTERVAL} | {TokenType.R_PAREN}
_OF_ONE_SIGN = frozenset({TokenType.CHAR, TokenType.NCHAR, TokenType.BIT})
"""Types of which a cast keeps one sign where no size stands, and a literal all."""
_APPLIED_FIRST = frozenset({TokenType.DCOLON, TokenType.L_BRACKET, TokenType.DOT})
_SIGNS = frozenset({TokenType.DASH, TokenType.PLUS})
_TEMPLATED = (exp.TimeToStr, exp.StrToDate, exp.StrToTime, exp.UnixToTime)
_TAKE_TEMPLATES = {
    "postgres": frozenset({"to_char", "to_date", "to_timestamp"}),
    "mysql": frozenset({"date_format", "str_to_date", "from_unixtime"}),
}
_PLAIN_TEMPLATES = {
    "postgres": re.compile(r"(?:(?![Tt]m)[^%])*"),
    "mysql": re.compile(r"(?:[^%]|%[abcDdefHhIijklMmprSsTUuVvWwXxYy]|%%(?![A-Za-z-]))*%?"),
}
"""Those that stay what they are when sqlglot takes their parts for strftime's: %A is a letter to MySQL."""


def literals_are_read_whole(tokens: list[Token], kinds: list[TokenType], dialect: str) -> None:
    """Refuse `INTERVAL '3 days ago'`, read as three days, and `DATE '2025-01-31'::text`, whose casts are swapped.

    MariaDB rounds `INTERVAL 1.5 DAY`, and cuts the text off that sqlglot makes of the number, as DuckDB does, which
    does not know the number. Of `'a' 'b'` SQLite makes a text and its name, sqlglot one text.

    Args:
        tokens: those of the statement.
        kinds: of which types they are.
        dialect: as sqlglot calls it.
    """
    if TokenType.INTERVAL in kinds:
        for place, kind in enumerate(kinds[:-2]):
            if kind is TokenType.INTERVAL:
                _amount_is_read_whole(tokens[place + 1 : place + 4], dialect)
    if dialect == "sqlite" and (TokenType.STRING, TokenType.STRING) in pairwise(kinds):
        raise refuse("write AS between a text and its name, and || between two texts", "'")
    if dialect == "postgres" and not _OF_ONE_SIGN.isdisjoint(kinds):
        for token, after in pairwise(tokens):
            if token.token_type in _OF_ONE_SIGN and after.token_type is TokenType.STRING:
                raise refuse(f"write CAST('...' AS {token.text}(n)), with a size", token.text)
    if not _APPLIED_FIRST.isdisjoint(kinds):
        for place, kind in enumerate(kinds[1:-1], 1):
            if kind is TokenType.STRING and kinds[place + 1] in _APPLIED_FIRST and _ends_a_type(tokens[place - 1]):
                literal = f"{tokens[place - 1].text} '{tokens[place].text}'"
                raise refuse(f"put brackets around {literal} before {tokens[place + 1].text}", literal)


def _amount_is_read_whole(after: list[Token], dialect: str) -> None:
    """Refuse what stands `after` INTERVAL where not all of it would be kept."""
    text = after[0].text
    amount = after[1] if after[0].token_type in _SIGNS else after[0]
    if amount.token_type is TokenType.DOT:  # one token with what is behind it, which the rest takes for no number
        raise refuse("write the interval with a digit before its point", "INTERVAL .")
    if dialect == "postgres" and after[0].token_type is TokenType.L_PAREN:
        raise refuse("write an interval without the digits of its seconds", "INTERVAL (")
    if dialect == "duckdb" and after[0].token_type is TokenType.NUMBER and not text.isdecimal():
        raise refuse(f"write the interval {text} in whole units", text)
    if dialect == "postgres" and "." in text and len(after) > 1 and after[1].text.upper() in _CUT_OFF:
        raise refuse(f"write the interval {text} {after[1].text} in whole units, or in one text", text)
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


def intervals_are_written_out(tokens: list[Token], tree: exp.Expr, dialect: str) -> None:
    """Refuse `INTERVAL '1 day' + 2 * a` and `- INTERVAL '1 day' + '2 hours'`: sqlglot reads another interval there.

    On PostgreSQL it prints of an amount that is computed no more than its first name, `INTERVAL '2'` for that one.
    """
    written_so = sum(token.token_type is TokenType.INTERVAL for token in tokens)
    if not written_so:
        return
    intervals = list(tree.find_all(exp.Interval))
    types = sum(kind.this is exp.DataType.Type.INTERVAL for kind in tree.find_all(exp.DataType))
    if len(intervals) + types > written_so:
        raise refuse("put brackets around an interval to which something else than an INTERVAL is added", "INTERVAL")
    for interval in intervals if dialect in _OF_ONE_TEXT else ():
        if interval.this is not None and not isinstance(interval.this, exp.Literal):
            raise refuse("write one number in an interval, and multiply it by what is computed", written(interval))


def _ends_a_type(token: Token) -> bool:
    return token.token_type in _TYPES or token.text.lower() == "zone"


def templates_are_plain(tokens: list[Token], statement: Statement) -> None:
    """Refuse templates of dates that are not written out, or have parts that only strftime knows.

    sqlglot prints all that stands in the place of one as if it were strftime's, names of months as minutes.
    """
    templates = [node for node in statement.nodes(*_TEMPLATED) if node.args.get("format") is not None]
    for node in templates:
        if not isinstance(node.args["format"], exp.Literal):
            raise refuse("the template of a date must be written out", written(node.args["format"]))
    plain = _PLAIN_TEMPLATES.get(statement.dialect)
    if not templates or plain is None:
        return
    for place, token in enumerate(tokens):
        if token.text.lower() in _TAKE_TEMPLATES[statement.dialect]:
            for template in second_argument(tokens[place + 1 :]):
                if not template.text or not plain.fullmatch(template.text):  # of an empty one sqlglot makes "None"
                    raise refuse(f"not all of the template {template.text} is known here", template.text)


def second_argument(tokens: list[Token]) -> list[Token]:
    """Return the first token behind the first comma of the brackets that open the tokens; none where there is none."""
    depth = 0
    for token, following in pairwise(tokens):
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
        if depth <= 0:
            break
        if depth == 1 and token.token_type is TokenType.COMMA:
            return [following]
    return []
