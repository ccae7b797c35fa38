"""Bounds on the text and its tokens, checked before the parser sees them."""

from __future__ import annotations

import re
import unicodedata

from sqlglot import TokenType
from sqlglot.parser import Parser
from sqlglot.tokenizer_core import Token

from ai_engine.catalogue import Catalogue
from ai_engine.guard.json_paths import ARROWS, paths_say_what_they_mean
from ai_engine.guard.literals import literals_are_read_whole
from ai_engine.guard.policy import Policy
from ai_engine.guard.refusal import refuse

_MAX_TOKENS = 5_000
_MAX_TOKENS_WRITTEN_OUT = 20_000
_MAX_NESTING = 32
_MAX_BRACKETS = 2
_MOST = {TokenType.DCOLON: 200, TokenType.L_BRACKET: 50, TokenType.FARROW: 7}  # many of these take sqlglot long
_MAX_TYPE_NESTING = 5  # sqlglot reads `DATE(` as a type first, then as a call: each level doubles its work
_MAX_PREFIXES_IN_A_ROW = 16
_UNUSUAL = re.compile(r"[^\n\r\t -~]")
_DIRECTION_MARKS = frozenset(
    "\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
)
_QUOTED = frozenset(
    {TokenType.STRING, TokenType.IDENTIFIER, TokenType.HEREDOC_STRING, TokenType.RAW_STRING, TokenType.NATIONAL_STRING}
)
_FIRST_WORDS = frozenset({TokenType.SELECT, TokenType.WITH, TokenType.FROM})
_TYPES = frozenset(Parser.TYPE_TOKENS)
_OPENING = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.CASE})
_CLOSED_BY = {TokenType.R_PAREN: TokenType.L_PAREN, TokenType.R_BRACKET: TokenType.L_BRACKET}
_REFUSED = frozenset(
    {
        *(TokenType.L_BRACE, TokenType.R_BRACE, TokenType.PARAMETER, TokenType.PLACEHOLDER, TokenType.COLON_EQ),
        *(TokenType.HASH_ARROW, TokenType.DHASH_ARROW, *ARROWS),
    }
)
_NUMBERS = frozenset({TokenType.NUMBER, TokenType.HEX_STRING, TokenType.BIT_STRING})
_PLAIN_NUMBER = re.compile(r"""(?<![\w.$)\]"'`])(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![\w.$"'`])""")
_WORD_AROUND = re.compile(r"[\w.$]*(?:'[^']*')?")
_PREFIXES = frozenset({TokenType.NOT, TokenType.DASH, TokenType.PLUS, TokenType.TILDE, TokenType.INTERVAL})
_COUNTED = _OPENING | _CLOSED_BY.keys() | _REFUSED | _PREFIXES | {TokenType.END}
_COMMENT = re.compile(r"--[^\n]*|#[^\n]*|/\*.*?\*/", re.DOTALL)
_SHARED_OPENING = re.compile(r"/\*M?!")


def text_is_bounded(sql: str, policy: Policy) -> None:
    """Refuse text that is empty, too long or holds characters no analyst types."""
    if not sql.strip():
        raise refuse("there is no statement")
    if len(sql) > policy.max_sql_chars:
        raise refuse(f"the statement is longer than {policy.max_sql_chars} characters")
    for character in _UNUSUAL.findall(sql):
        if character in _DIRECTION_MARKS or unicodedata.category(character) in {"Cc", "Cs", "Co", "Cn"}:
            raise refuse(f"the character U+{ord(character):04X} is not allowed", f"U+{ord(character):04X}")


def written_out_is_plain(tokens: list[Token], dialect: str) -> None:
    """Refuse a statement that has become too large to be read again, or whose literals would not be read whole."""
    literals_are_read_whole(tokens, [token.token_type for token in tokens], dialect)
    if len(tokens) > _MAX_TOKENS_WRITTEN_OUT:
        raise refuse("the statement is too large once it is written out; call fewer functions on one another")


def tokens_are_bounded(tokens: list[Token], sql: str, catalogue: Catalogue) -> None:
    """Refuse statements that are too large or too deep to be parsed safely, or in letters that no name has."""
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
            sign = tokens[kinds.index(kind)].text
            raise refuse(f"more than {most} times {sign}", sign)
    _spelling_is_plain(tokens, sql, catalogue)
    _numbers_are_plain(tokens, sql)
    literals_are_read_whole(tokens, kinds, catalogue.dialect)
    twice = "==" in sql and catalogue.dialect == "duckdb"
    if twice and any(token.text == "==" and token.token_type is TokenType.EQ for token in tokens):
        raise refuse("write = for ==, which DuckDB reads before other comparisons and with ||", "==")
    if catalogue.dialect == "sqlite":
        paths_say_what_they_mean(tokens)
    _nesting_is_bounded(tokens, _REFUSED - ARROWS if catalogue.dialect == "sqlite" else _REFUSED)


def _nesting_is_bounded(tokens: list[Token], refused: frozenset[TokenType]) -> None:
    """Refuse what would lead the parser deep down; a closing sign closes only its own kind: END may be a name."""
    prefixes = 0
    opened: list[tuple[TokenType, bool]] = []
    before = TokenType.SELECT
    for token in tokens:
        kind = token.token_type
        if kind not in _COUNTED:
            prefixes, before = 0, kind
            continue
        if kind in _OPENING:
            opened.append((kind, before in _TYPES))
            _require_shallow(opened, token)
        elif kind is TokenType.END:
            if opened and opened[-1][0] is TokenType.CASE:
                opened.pop()
        elif kind in _CLOSED_BY:
            place = next((i for i in reversed(range(len(opened))) if opened[i][0] is _CLOSED_BY[kind]), len(opened))
            del opened[place:]
        elif kind in refused:
            raise refuse(f"{token.text} is not allowed in a query", token.text)
        if kind in _PREFIXES:
            prefixes += 1
            if prefixes > _MAX_PREFIXES_IN_A_ROW:
                raise refuse(f"{token.text} is repeated too often", token.text)
        else:
            prefixes = 0
        before = kind


def _require_shallow(opened: list[tuple[TokenType, bool]], token: Token) -> None:
    deep_types = opened[-1][1] and sum(is_type for _, is_type in opened) > _MAX_TYPE_NESTING
    if len(opened) > _MAX_NESTING or deep_types:
        raise refuse("the statement is nested too deeply", token.text)
    if token.token_type is TokenType.L_BRACKET and [kind for kind, _ in opened].count(token.token_type) > _MAX_BRACKETS:
        raise refuse(f"brackets are nested deeper than {_MAX_BRACKETS} levels", "[")


def _spelling_is_plain(tokens: list[Token], sql: str, catalogue: Catalogue) -> None:
    """Refuse foreign letters save in literals and names, and comments that one server runs and another skips.

    Unquoted, a name with foreign letters must be one that the catalogue has, letter by letter.
    """
    if sql.isascii() and "/*" not in sql:
        return
    end = 0
    for token in tokens:
        if token.token_type not in _QUOTED and not token.text.isascii() and not catalogue.has_name(token.text):
            raise refuse(f"{token.text} has letters that are only allowed in literals and quoted names", token.text)
        _gap_is_plain(sql[end : token.start])
        end = token.end + 1
    _gap_is_plain(sql[end:])


def _numbers_are_plain(tokens: list[Token], sql: str) -> None:
    """Refuse `0x1F`, `1_000` and `1L`: some engines read a number there, others and sqlglot a number and an alias."""
    before = tokens[0]
    for token in tokens:
        if token.token_type in _NUMBERS:
            start = before.start if before.token_type is TokenType.DOT else token.start
            found = _PLAIN_NUMBER.match(sql, start)
            if found is None or found.end() != token.end + 1:
                spelled = sql[start : _WORD_AROUND.match(sql, start).end()]  # type: ignore[union-attr]
                raise refuse(f"the number {spelled} is not written plainly; use digits and a point", spelled)
        before = token


def _gap_is_plain(gap: str) -> None:
    """Between tokens there may be blanks and comments, but none that one server runs and another skips."""
    if not gap or (gap.isspace() and gap.isascii()):
        return
    if _SHARED_OPENING.search(gap):
        raise refuse("comments that MySQL runs are not allowed: /*! */", "/*!")
    if not _COMMENT.sub("", gap).isascii():
        raise refuse("letters outside ASCII are only allowed in literals and quoted names", gap.strip())
