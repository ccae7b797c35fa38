"""Text to syntax tree and back; the only module that meets sqlglot's errors."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import lru_cache
from typing import Any

from sqlglot import TokenType, exp
from sqlglot.dialects.dialect import Dialect as SqlDialect
from sqlglot.errors import ErrorLevel, SqlglotError
from sqlglot.parser import binary_range_parser
from sqlglot.tokenizer_core import Token

from ai_engine.errors import SqlRejected
from ai_engine.guard.refusal import refuse
from ai_engine.guard.scopes import WITHOUT_PARTS, all_nodes
from ai_engine.plain_negation import plain_negation

_NODES_PER_TOKEN = 5  # honest statements make fewer than one; where sqlglot guesses and goes back, it doubles per level
_NODES_OF_THE_SHORTEST = 500
_TOO_MANY_NODES = "Maximum number of AST nodes"


_NO_NAMES = frozenset(
    kind for kind in TokenType if kind.name.endswith("STRING") or kind in (TokenType.NUMBER, TokenType.PARAMETER)
)
_RESERVED_WORDS = frozenset(  # in every dialect, also where sqlglot takes them for names
    "all and as between by case check column create cross default distinct else from group having in is join like "
    "limit not null on or order primary references select table then to union unique using values when where".split()
)
_ROOTS = (TokenType.PIPE_SLASH, TokenType.DPIPE_SLASH)
_WITH_SIGNS_OF_THEIR_OWN = frozenset({"duckdb", "postgres"})
_INSTEAD = {
    TokenType.LIKE: "LIKE",
    TokenType.ILIKE: "ILIKE",
    TokenType.GLOB: "GLOB",
    TokenType.CARET_AT: "starts_with(...)",
    TokenType.NULLSAFE_EQ: "IS NOT DISTINCT FROM",
}
_READ_OTHERWISE = frozenset({*_ROOTS, *_INSTEAD, TokenType.NOT})
_NEGATED_BY_SIGN = frozenset({*_INSTEAD, TokenType.TILDE, TokenType.RLIKE, TokenType.IRLIKE})
_BEFORE_A_VALUE = (TokenType.SELECT, TokenType.COMMA, TokenType.L_PAREN, TokenType.WHERE, TokenType.AND, TokenType.OR)
_HEAD_OF_ROWS = [TokenType.ALIAS, TokenType.L_PAREN, TokenType.VALUES, TokenType.L_PAREN]

_DUCKDB_CLOCKS: dict[type[exp.Expr], str] = {
    exp.CurrentDate: "today",
    exp.CurrentTime: "get_current_time",
    exp.CurrentTimestamp: "get_current_timestamp",
    exp.Localtime: "current_localtime",
    exp.Localtimestamp: "current_localtimestamp",
}

_AS_DECLARED = {exp.DataType.Type.DECIMAL: "NUMERIC", exp.DataType.Type.BOOLEAN: "BOOLEAN"}
"""What sqlglot prints as REAL and INTEGER, which SQLite casts to in other ways."""
_BARE_IN_OTHERS: dict[type[exp.Expr], str] = {exp.CurrentDate: "current_date"}
_CLOCKS = {"duckdb": _DUCKDB_CLOCKS} | dict.fromkeys(("spark", "databricks", "bigquery"), _BARE_IN_OTHERS)

_engine = lru_cache(SqlDialect.get_or_raise)
_OTHERS = (
    *(("MOD", "sqlite"), ("LOG10", "postgres"), ("LOG10 LOG2 CHR", "mysql")),
    ("DATE_ADD JARO_WINKLER_SIMILARITY", "duckdb"),
    *(("MOD", one) for one in ("duckdb", "postgres")),
)
"""Not those of sqlglot: % of whole numbers, LOG(10, x) to its last digit, CHAR, of bytes, a date that stays one.

Nor % for MOD(~a, 3), which DuckDB and PostgreSQL read as ~(a % 3).
"""
for _names, _dialect in _OTHERS:
    for _name in _names.split():
        _engine(_dialect).parser_class.FUNCTIONS.pop(_name, None)
        _engine(_dialect).parser_class.FUNCTION_PARSERS.pop(_name, None)
for _name in ("spark", "databricks"):  # which would print PERCENTILE_APPROX for PERCENTILE_CONT
    _engine(_name).generator_class.TRANSFORMS.pop(exp.WithinGroup, None)
_of_mysql = _engine("mysql").parser_class
_of_mysql.COMPARISON = {**_of_mysql.EQUALITY, **_of_mysql.COMPARISON}  # a <=> b >= c compares from left to right
_of_mysql.EQUALITY = {}
_of_postgres = _engine("postgres").parser_class
_date_part = _of_postgres.FUNCTION_PARSERS["DATE_PART"]  # read as EXTRACT, which is an exact number there
_of_postgres.FUNCTION_PARSERS["DATE_PART"] = lambda parser: exp.cast(_date_part(parser), "double")
_engine("duckdb").parser_class.RANGE_PARSERS[TokenType.TILDE] = binary_range_parser(exp.RegexpFullMatch)


def tokens_of(sql: str, dialect: str) -> list[Token]:
    """Split text into the dialect's tokens.

    Raises:
        SqlRejected: an unfinished literal or comment.
    """
    try:
        return _engine(dialect).tokenize(sql)
    except (SqlglotError, RecursionError) as error:
        raise refuse("the text cannot be read as SQL: a quote or a comment is not closed", sql) from error


def names_in(sql: str, dialect: str) -> frozenset[str]:
    """Every word of a statement that may be a name, in small letters; what stands in literals and comments is none."""
    try:
        tokens = tokens_of(sql, dialect)
    except SqlRejected:
        return frozenset()
    return frozenset(token.text.lower() for token in tokens if token.token_type not in _NO_NAMES)


def may_be_a_name(word: str, dialect: str) -> bool:
    """Whether a word can be a name without quotes; `order` cannot."""
    if word.lower() in _RESERVED_WORDS or any(sign in word for sign in "\"'`"):
        return False
    tokens = tokens_of(word, dialect)
    return len(tokens) == 1 and tokens[0].token_type in _engine(dialect).parser_class.ID_VAR_TOKENS


def tree_of(tokens: list[Token], sql: str, dialect: str) -> exp.Expr:
    """Parse exactly one statement.

    Raises:
        SqlRejected: a syntax error (with its place), no statement, more than one, or text with too many readings.
    """
    if dialect == "mysql":
        tokens = _rows_as_selects(tokens)
    if dialect in _WITH_SIGNS_OF_THEIR_OWN:
        _require_plain_operators(tokens, dialect)
    most = _NODES_PER_TOKEN * len(tokens) + _NODES_OF_THE_SHORTEST
    try:
        parsed = _engine(dialect).parser(max_nodes=most).parse(tokens, sql)
    except SqlglotError as error:
        if _TOO_MANY_NODES in str(error):
            raise refuse("the statement can be read in too many ways; give every JOIN its ON", "JOIN") from error
        details = getattr(error, "errors", None) or [{}]
        first = details[0]
        token = str(first.get("highlight", ""))
        place = (int(first["line"]), int(first["col"]) - len(token) + 1) if first.get("line") else None
        at = f" at line {place[0]}, column {place[1]}" if place else ""
        near = f" near {token}" if token else ""
        raise refuse(f"syntax error{at}{near}", token, place=place) from error
    except (RecursionError, ValueError, TypeError, AttributeError, AssertionError, LookupError) as error:
        raise refuse("the statement cannot be parsed", sql) from error
    trees = [tree for tree in parsed if tree is not None]
    if not trees:
        raise refuse("there is no statement")
    if len(trees) > 1:
        raise refuse("exactly one statement may be given, not several", trees[1].key.upper())
    return trees[0]


def _require_plain_operators(tokens: list[Token], dialect: str) -> None:
    """Refuse what sqlglot reads otherwise than the engine: roots, which reach further there, and LIKE as a function.

    `~~` and `^@` bind there like ||, `5!` is a factorial where it is one, and `<=>` the distance of two vectors.
    """
    if _READ_OTHERWISE.isdisjoint(token.token_type for token in tokens):
        return
    before = None
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        kind = token.token_type
        if kind in _ROOTS and dialect == "postgres":
            raise refuse(f"write sqrt(...) or cbrt(...) in place of {token.text}", token.text)
        if kind is TokenType.LIKE and before in _BEFORE_A_VALUE and dialect == "postgres":
            raise refuse("LIKE stands between a text and its pattern", token.text)
        if kind in _INSTEAD and not token.text.isalpha():
            raise refuse(f"write {_INSTEAD[kind]} in place of {token.text}", token.text)
        if kind is TokenType.NOT and token.text == "!" and (after is None or after.token_type not in _NEGATED_BY_SIGN):
            raise refuse("write NOT in place of !", "!")
        before = kind


def _rows_as_selects(tokens: list[Token]) -> list[Token]:
    """Read `AS (VALUES (1), (2))` as `AS (SELECT 1 UNION ALL SELECT 2)`; sqlglot takes MySQL's VALUES for a call."""
    kinds = [token.token_type for token in tokens]
    if TokenType.VALUES not in kinds:
        return tokens
    read: list[Token] = []
    depth = 0  # of brackets inside the list of rows; 0 outside of any list
    for place, token in enumerate(tokens):
        if not depth and kinds[place - 2 : place + 2] == _HEAD_OF_ROWS:
            read.append(_word(TokenType.SELECT, token))
            depth = 1
            continue
        row_ends = token.token_type is TokenType.COMMA and depth == 1
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN) if depth else 0
        opens_row = depth == 2 and token.token_type is TokenType.L_PAREN
        closes_row = depth == 1 and token.token_type is TokenType.R_PAREN
        if row_ends:
            read += [_word(kind, token) for kind in (TokenType.UNION, TokenType.ALL, TokenType.SELECT)]
        elif not opens_row and not closes_row:
            read.append(token)
    return read


def _word(kind: TokenType, place: Token) -> Token:
    return Token(kind, kind.name, place.line, place.col, place.start, place.end)


def text_of(
    tree: exp.Expr,
    dialect: str,
    kinds: Container[type[exp.Expr]] | None = None,
    *,
    keep: bool = True,
    pretty: bool = False,
) -> str:
    """Print a tree in the dialect, without comments: as one line, or `pretty` with line breaks.

    Args:
        tree: what is printed.
        dialect: as sqlglot calls it.
        kinds: the classes of its nodes, where they are known, others perhaps among them.
        keep: False is faster, and leaves the tree as the printer normalised it: not fit for printing again.
            True undoes that.
        pretty: with line breaks.

    Raises:
        SqlRejected: the dialect has no way to write it.
    """
    kinds = set(map(type, all_nodes(tree))) if kinds is None else kinds
    clocks = _CLOCKS.get(dialect, {})
    has_clock = any(clock in kinds for clock in clocks)
    try:
        with (
            _undone(tree) if keep else nullcontext(),
            plain_negation(tree) if dialect != "postgres" and exp.Not in kinds else nullcontext(),
            _clocks_as_calls(tree, clocks) if has_clock else nullcontext(),
            _types_as_declared(tree) if dialect == "sqlite" and exp.DataType in kinds else nullcontext(),
        ):
            return _engine(dialect).generate(
                tree, copy=False, comments=False, pretty=pretty, unsupported_level=ErrorLevel.RAISE
            )
    except (SqlglotError, RecursionError, ValueError, TypeError, AttributeError, LookupError) as error:
        raise refuse("the statement cannot be written in this database's SQL") from error


@contextmanager
def _undone(tree: exp.Expr) -> Iterator[None]:
    """Undo afterwards what was done to a tree; a copy of it would be one more circle for the collector of garbage."""
    before = [
        (node, _args_of(node), node.parent, node.arg_key, node.index, node._type, node._meta)
        for node in all_nodes(tree)
    ]
    tree.parent = None  # as a copy would have none
    try:
        yield
    finally:
        for node, args, parent, arg_key, index, type_, meta in before:
            node.args = args
            node.parent, node.arg_key, node.index = parent, arg_key, index
            node._type, node._meta, node._hash = type_, meta, None


def _args_of(node: exp.Expr) -> dict[str, Any]:
    """A copy of what a node holds, its lists among it, of the same parts."""
    args = node.args.copy()
    if type(node) not in WITHOUT_PARTS:
        for arg, value in args.items():
            if type(value) is list:
                args[arg] = value.copy()
    return args


@contextmanager
def _clocks_as_calls(tree: exp.Expr, clocks: Mapping[type[exp.Expr], str]) -> Iterator[None]:
    """Let `tree` print `today()` for CURRENT_DATE: DuckDB and Spark take the bare word for a column that has it."""
    called: list[tuple[exp.Expr, exp.Expr]] = []
    for clock in list(tree.find_all(*clocks)):
        given = [clock.this.copy()] if isinstance(clock.this, exp.Expr) else []
        call: exp.Expr = exp.Anonymous(this=clocks[type(clock)], expressions=given)
        clock.replace(call)
        called.append((clock, call))
    yield
    for clock, call in called:
        call.replace(clock)


@contextmanager
def _types_as_declared(tree: exp.Expr) -> Iterator[None]:
    """Let `tree` print NUMERIC for SQLite, which keeps whole numbers whole and divides them so."""
    renamed = [(kind, kind.this) for kind in tree.find_all(exp.DataType) if kind.this in _AS_DECLARED]
    for kind, known in renamed:
        kind.set("this", exp.DataType.Type.USERDEFINED)
        kind.set("kind", _AS_DECLARED[known])
    yield
    for kind, known in renamed:
        kind.set("this", known)
        kind.set("kind", None)
