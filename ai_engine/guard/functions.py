"""A statement calls only listed functions, and casts to listed types, whatever the others do."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

from sqlglot import TokenType, exp
from sqlglot.tokenizer_core import Token

from ai_engine.guard.allowed_functions import ALLOWED_FUNCTIONS
from ai_engine.guard.growth import CALLED_BY_NAME
from ai_engine.guard.refusal import refuse, unknown, written
from ai_engine.guard.statement import Statement

WITH_EXPLODE = frozenset({"spark", "databricks"})
_WITH_SERIES = WITH_EXPLODE | {"duckdb", "postgres", "trino"}
_ALLOWED_TYPES = frozenset(
    {
        *("TINYINT", "SMALLINT", "MEDIUMINT", "INT", "BIGINT", "INT128", "INT256"),
        *("UTINYINT", "USMALLINT", "UMEDIUMINT", "UINT", "UBIGINT", "UINT128"),
        *("DECIMAL", "UDECIMAL", "BIGDECIMAL", "FLOAT", "DOUBLE", "UDOUBLE", "MONEY"),
        *("CHAR", "NCHAR", "VARCHAR", "NVARCHAR", "TEXT", "BPCHAR", "BOOLEAN", "BINARY"),
        *("DATE", "TIME", "TIMETZ", "TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMPNTZ", "TIMESTAMPLTZ"),
        *("TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "DATETIME", "YEAR", "INTERVAL"),
        *("DATETIME2", "SMALLDATETIME", "DATETIME64", "DATE32", "BIT", "SMALLMONEY", "DECIMAL32", "DECIMAL64"),
    }
)
_LARGEST_SIZE = 1_000
_LISTING = (exp.GenerateSeries, exp.ExplodingGenerateSeries, exp.Unnest, exp.Explode)


def functions_are_allowed(statement: Statement) -> None:
    """Refuse a function that is not listed for the dialect, and a series or an UNNEST out of its place."""
    listed, compared = ALLOWED_FUNCTIONS[statement.dialect], _compared(statement.dialect)
    for node in statement.nodes(exp.Func):
        if isinstance(node, CALLED_BY_NAME):  # is printed as it is typed
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
    if statement.dialect == "sqlite":
        for cast in statement.nodes(exp.Cast):
            _require_no_date(cast)
    for node in statement.nodes(exp.DataType):
        kind = node.this
        name = kind.value if isinstance(kind, exp.DataType.Type) else written(kind)
        if name not in _ALLOWED_TYPES or node.args.get("nested") or node.args.get("values"):
            raise unknown("type", written(node), _ALLOWED_TYPES, "is not allowed in a cast")
        for size in node.expressions:
            digits = size.name
            if not digits.isdecimal() or len(digits) > 9 or int(digits) > _LARGEST_SIZE:
                raise refuse(f"the size in {written(node)} must be at most {_LARGEST_SIZE}", digits)


def _require_no_date(cast: exp.Cast) -> None:
    """Refuse what would be printed as DATE(x), while SQLite's own cast keeps the number that a text begins with."""
    is_literal = isinstance(cast.this, exp.Literal) and cast.this.is_string
    if cast.to.this in exp.DataType.TEMPORAL_TYPES and not is_literal:
        raise refuse("SQLite has no dates to cast to; write DATE(...), DATETIME(...) or TIME(...)", written(cast))


@cache
def _compared(dialect: str) -> frozenset[str]:
    """Names without underscores: the same function is spelled both ways."""
    return frozenset(name.replace("_", "") for name in ALLOWED_FUNCTIONS[dialect])


def _is_of_spark(parent: exp.Expr, dialect: str) -> bool:
    """Whether a series stands in FROM by itself, as it may not on Spark."""
    return dialect in WITH_EXPLODE and isinstance(parent, exp.Table)


def _lists_rows(node: exp.Func, dialect: str) -> bool:
    """Whether a series or an UNNEST stands in FROM, or makes the rows of a SELECT that has no FROM."""
    if dialect not in _WITH_SERIES or not isinstance(node, _LISTING):
        return False
    parent = node.parent
    if isinstance(node, exp.Unnest):
        return isinstance(parent, (exp.From, exp.Join))
    if isinstance(parent, (exp.Table, exp.Unnest, exp.Explode)):
        return dialect in WITH_EXPLODE if isinstance(node, exp.Explode) else not _is_of_spark(parent, dialect)
    while isinstance(parent, (exp.Alias, exp.Cast, exp.Paren)):
        parent = parent.parent
    is_alone = isinstance(parent, exp.Select) and parent.args.get("from_") is None
    return is_alone and type(node) is not exp.GenerateSeries
