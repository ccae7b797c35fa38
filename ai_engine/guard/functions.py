"""A statement calls only listed functions, and casts to listed types, whatever the others do."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

from sqlglot import TokenType, exp
from sqlglot.tokenizer_core import Token

from ai_engine.guard.allowed_functions import ALLOWED_FUNCTIONS
from ai_engine.guard.refusal import refuse, unknown, written
from ai_engine.guard.statement import Statement

_WITH_SERIES = frozenset({"duckdb", "postgres"})
_ALLOWED_TYPES = frozenset(
    {
        *("TINYINT", "SMALLINT", "MEDIUMINT", "INT", "BIGINT", "INT128", "INT256"),
        *("UTINYINT", "USMALLINT", "UMEDIUMINT", "UINT", "UBIGINT", "UINT128"),
        *("DECIMAL", "UDECIMAL", "BIGDECIMAL", "FLOAT", "DOUBLE", "UDOUBLE", "MONEY"),
        *("CHAR", "NCHAR", "VARCHAR", "NVARCHAR", "TEXT", "BPCHAR", "BOOLEAN", "BINARY"),
        *("DATE", "TIME", "TIMETZ", "TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMPNTZ", "TIMESTAMPLTZ"),
        *("TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "DATETIME", "YEAR", "INTERVAL"),
    }
)
_LARGEST_SIZE = 1_000
_LISTING = (exp.GenerateSeries, exp.ExplodingGenerateSeries, exp.Unnest, exp.Explode)


def functions_are_allowed(statement: Statement) -> None:
    """Refuse a function that is not listed for the dialect, and a series or an UNNEST out of its place."""
    listed, compared = ALLOWED_FUNCTIONS[statement.dialect], _compared(statement.dialect)
    for node in statement.nodes(exp.Func):
        if isinstance(node, exp.Anonymous):  # is printed as it is typed
            name, is_listed = node.name.lower(), node.name.lower() in listed
        else:
            name = node.sql_names()[0].lower()
            is_listed = name.replace("_", "") in compared
        if not is_listed and not _lists_rows(node, statement.dialect):
            raise unknown("function", name, listed, "is not allowed")


def quoted_names_call_nothing(tokens: list[Token], tree: exp.Expr) -> None:
    """Refuse `"upper"(x)`: quotes may mean another function than the plain name that would be written in its place."""
    kinds = [token.token_type for token in tokens]
    if TokenType.IDENTIFIER not in kinds:
        return
    called = [
        tokens[place].text
        for place, pair in enumerate(pairwise(kinds))
        if pair == (TokenType.IDENTIFIER, TokenType.L_PAREN)
    ]
    if called:
        with_columns = {alias.name for alias in tree.find_all(exp.TableAlias) if alias.args.get("columns")}
        for name in called:
            if name not in with_columns:
                raise refuse(f"function names may not be quoted: {name}", name)


def casts_are_plain(statement: Statement) -> None:
    """Refuse casts to types that are not numbers, texts, dates, times or booleans, or are given a huge size.

    A cast to anything else can reach the system catalogue or files.
    """
    for node in statement.nodes(exp.DataType):
        kind = node.this
        name = kind.value if isinstance(kind, exp.DataType.Type) else written(kind)
        if name not in _ALLOWED_TYPES or node.args.get("nested") or node.args.get("values"):
            raise unknown("type", written(node), _ALLOWED_TYPES, "is not allowed in a cast")
        for size in node.expressions:
            digits = size.name
            if not digits.isdecimal() or len(digits) > 9 or int(digits) > _LARGEST_SIZE:
                raise refuse(f"the size in {written(node)} must be at most {_LARGEST_SIZE}", digits)


@cache
def _compared(dialect: str) -> frozenset[str]:
    """Names without underscores: the same function is spelled both ways."""
    return frozenset(name.replace("_", "") for name in ALLOWED_FUNCTIONS[dialect])


def _lists_rows(node: exp.Func, dialect: str) -> bool:
    """Whether a series or an UNNEST stands in FROM, or makes the rows of a SELECT that has no FROM."""
    if dialect not in _WITH_SERIES or not isinstance(node, _LISTING):
        return False
    parent = node.parent
    if isinstance(node, exp.Unnest):
        return isinstance(parent, (exp.From, exp.Join))
    if isinstance(parent, (exp.Table, exp.Unnest, exp.Explode)):
        return not isinstance(node, exp.Explode)
    while isinstance(parent, (exp.Alias, exp.Cast, exp.Paren)):
        parent = parent.parent
    is_alone = isinstance(parent, exp.Select) and parent.args.get("from_") is None
    return is_alone and type(node) is not exp.GenerateSeries
