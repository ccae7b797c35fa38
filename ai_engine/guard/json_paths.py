"""Parts of JSON texts on SQLite, by a path of keys and places that is written out and reads alike everywhere."""

from __future__ import annotations

import re

from sqlglot import TokenType, exp
from sqlglot.tokenizer_core import Token

from ai_engine.guard.literals import second_argument
from ai_engine.guard.refusal import refuse, written
from ai_engine.guard.statement import Statement

_PATH = re.compile(r"\$(?:\.[A-Za-z_]\w*|\[\d{1,6}\])+", re.ASCII)
_KEY = re.compile(r"[A-Za-z_]\w*", re.ASCII)
ARROWS = frozenset({TokenType.ARROW, TokenType.DARROW})
_PARTS = (exp.JSONPathRoot, exp.JSONPathKey, exp.JSONPathSubscript)


def paths_are_plain(statement: Statement) -> None:
    """Refuse a path that is computed or chooses several parts, and more than one path at a time."""
    for node in statement.nodes(exp.JSONExtract, exp.JSONExtractScalar):
        path = node.expression
        parts = path.expressions if isinstance(path, exp.JSONPath) else []
        if not parts or node.expressions or not all(isinstance(part, _PARTS) for part in parts):
            raise refuse("a JSON path must be written out, such as '$.a.b[0]', one at a time", written(node))


def paths_say_what_they_mean(tokens: list[Token]) -> None:
    """Refuse paths that are no plain ones as typed: what stands behind an arrow may be a single key with dots in it."""
    for place, token in enumerate(tokens):
        if token.token_type in ARROWS:
            typed = tokens[place + 1 : place + 2]
            plain = bool(typed) and typed[0].token_type is TokenType.STRING and _reads_plainly(typed[0].text)
        elif token.text.lower().startswith("json_extract") and token.token_type is not TokenType.STRING:
            typed = second_argument(tokens[place + 1 :])
            plain = (
                bool(typed) and typed[0].token_type is TokenType.STRING and _PATH.fullmatch(typed[0].text) is not None
            )
        else:
            continue
        if not plain:
            raise refuse("a JSON path must be written out, such as '$.a.b[0]'", typed[0].text if typed else token.text)


def _reads_plainly(text: str) -> bool:
    return (_PATH.fullmatch(text) or _KEY.fullmatch(text)) is not None
