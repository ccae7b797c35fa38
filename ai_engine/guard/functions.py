"""A statement calls only listed functions, and casts to listed types, whatever the others do."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

from sqlglot import TokenType, exp
from sqlglot.tokenizer_core import Token

from ai_engine.catalogue import Catalogue, Dialect
from ai_engine.guard.allowed_functions import ALLOWED_FUNCTIONS
from ai_engine.guard.growth import CALLED_BY_NAME
from ai_engine.guard.parsing import tokens_of
from ai_engine.guard.refusal import refuse, unknown, written
from ai_engine.guard.statement import Statement

WITH_EXPLODE = frozenset({"spark", "databricks"})
_WITH_SERIES = WITH_EXPLODE | {"duckdb", "postgres", "trino"}
ALLOWED_TYPES = frozenset(
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
_TYPES_OF_POSTGRES = ALLOWED_TYPES & {
    *("TINYINT", "SMALLINT", "INT", "BIGINT", "DECIMAL", "FLOAT", "DOUBLE", "MONEY", "BOOLEAN", "BIT", "BINARY"),
    *("CHAR", "NCHAR", "VARCHAR", "NVARCHAR", "TEXT", "BPCHAR", "DATE", "TIME", "TIMETZ", "INTERVAL"),
    *("TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMPNTZ", "DATETIME", "DATETIME2", "SMALLDATETIME"),
}
"""What is written as a type of its own there; by any other name it takes the rows of a table, hidden ones included."""
_TYPES_OF_DUCKDB = ALLOWED_TYPES & {
    *("TINYINT", "SMALLINT", "INT", "BIGINT", "INT128", "UTINYINT", "USMALLINT", "UINT", "UBIGINT", "UINT128"),
    *("DECIMAL", "BIGDECIMAL", "FLOAT", "DOUBLE", "BOOLEAN", "BIT", "CHAR", "NCHAR", "VARCHAR", "NVARCHAR", "TEXT"),
    *("BPCHAR", "DATE", "TIME", "TIMETZ", "TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMPNTZ", "TIMESTAMPLTZ", "DATETIME"),
    *("TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "INTERVAL"),
}
"""What is written as a type of its own there; by any other name it takes the bank's own, which may list its labels."""
_TYPES = {"postgres": _TYPES_OF_POSTGRES, "duckdb": _TYPES_OF_DUCKDB}
_LARGEST_SIZE = 1_000
_OPENING = (TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE)
_CLOSING = (TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE)
_BETWEEN = (TokenType.COMMA, TokenType.FROM, TokenType.FOR)  # SUBSTRING(a FROM 1 FOR 2)
_SIDES = frozenset({"LEADING", "TRAILING", "BOTH"})  # TRIM(BOTH FROM a), of one argument
_NO_CALLS = (TokenType.AND, TokenType.OR, TokenType.STRING)
_LEAVING_OUT_DEFAULTS = frozenset({"spark", "databricks"})  # REGEXP_EXTRACT(a, b, 1) is printed as of two
_OF_ONE = frozenset({"log2", "log10"})  # printed as LOG of two, of which the second that was written is none
_LISTING = (exp.GenerateSeries, exp.ExplodingGenerateSeries, exp.Unnest, exp.Explode)


def functions_are_allowed(statement: Statement) -> None:
    """Refuse a function that is not listed for the dialect, and a series or an UNNEST out of its place."""
    listed = ALLOWED_FUNCTIONS[statement.dialect]
    for node in statement.nodes(exp.Func):
        is_typed = isinstance(node, CALLED_BY_NAME)  # and printed so
        name = (node.name if is_typed else node.sql_names()[0]).lower()  # whole: TIME_DIFF is not MySQL's TIMEDIFF
        if name not in listed and not _lists_rows(node, statement.dialect):
            raise unknown("function", name, listed, "is not allowed")


def calls_are_of_the_server(text: str, catalogue: Catalogue) -> None:
    """Refuse, in the text that runs, what the server has no function of its own for, or the bank one beside it."""
    spelled = text.lower()
    if not any(name in spelled for name in catalogue.doubtful_functions):
        return
    for token, after in pairwise(tokens_of(text, catalogue.dialect)):
        name = token.text.lower()
        is_called = after.token_type is TokenType.L_PAREN and token.token_type is not TokenType.IDENTIFIER
        if is_called and name in catalogue.doubtful_functions:
            listed = ALLOWED_FUNCTIONS[catalogue.dialect].difference(catalogue.doubtful_functions)
            raise unknown("function", name, listed, "may be one of the bank's own here")


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


def arguments_are_kept(tokens: list[Token], printed: str, dialect: Dialect) -> None:
    """Refuse a call of which sqlglot prints fewer arguments than were written: it would run as another one."""
    if dialect in _LEAVING_OUT_DEFAULTS:
        return
    given = _arguments(tokens)
    several = sum(map(sum, given.values()))
    if not several:
        return
    for name in _OF_ONE & given.keys():
        if any(given[name]):
            raise refuse(f"{name.upper()} is given more arguments than it takes", name)
    kept = _arguments(tokens_of(printed, dialect))
    if sum(map(sum, kept.values())) >= several:
        return  # nothing is gone; MySQL's GROUP_CONCAT(a, b) is printed as one of CONCAT(a, b)
    for name, counts in given.items():
        if len(kept[name]) == len(counts) and sum(kept[name]) < sum(counts):
            raise refuse(f"{name.upper()} is given more arguments than it takes", name)


def _arguments(tokens: list[Token]) -> defaultdict[str, list[int]]:
    """How many arguments each call of a name has beyond its first."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    open_calls: list[list[int]] = []  # where the name stands, and how many follow the first; 0 stands for no name
    for place, token in enumerate(tokens):
        kind = token.token_type
        if kind in _OPENING:
            open_calls.append([place if kind is TokenType.L_PAREN else 0, 0])
        elif not open_calls:
            continue
        elif kind in _CLOSING:
            after, count = open_calls.pop()
            called = tokens[after - 1] if after else None
            if called is not None and called.token_type not in _NO_CALLS and called.text.isidentifier():
                found[called.text.lower()].append(count)
        elif kind in _BETWEEN and tokens[place - 1].text.upper() not in _SIDES:
            open_calls[-1][1] += 1
    return found


def casts_are_plain(statement: Statement) -> None:
    """Refuse casts to types that are not numbers, texts, dates, times or booleans, or are given a huge size.

    A cast to anything else can reach the system catalogue or files.
    """
    if statement.dialect == "sqlite":
        for cast in statement.nodes(exp.Cast):
            _require_no_date(cast)
    allowed = _TYPES.get(statement.dialect, ALLOWED_TYPES)
    for node in statement.nodes(exp.DataType):
        kind = node.this
        name = kind.value if isinstance(kind, exp.DataType.Type) else written(kind)
        if name not in allowed or node.args.get("nested") or node.args.get("values"):
            raise unknown("type", written(node), allowed, "is not allowed in a cast")
        for size in node.expressions:
            digits = size.name
            if not digits.isdecimal() or len(digits) > 9 or int(digits) > _LARGEST_SIZE:
                raise refuse(f"the size in {written(node)} must be at most {_LARGEST_SIZE}", digits)


def _require_no_date(cast: exp.Cast) -> None:
    """Refuse what would be printed as DATE(x), while SQLite's own cast keeps the number that a text begins with."""
    is_literal = isinstance(cast.this, exp.Literal) and cast.this.is_string
    if cast.to.this in exp.DataType.TEMPORAL_TYPES and not is_literal:
        raise refuse("SQLite has no dates to cast to; write DATE(...), DATETIME(...) or TIME(...)", written(cast))


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
