"""The order of judgement."""

from __future__ import annotations

from itertools import zip_longest

from sqlglot import exp
from sqlglot.tokenizer_core import Token

from ai_engine.catalogue import Catalogue
from ai_engine.errors import SqlRejected
from ai_engine.guard.functions import functions_are_allowed, quoted_names_call_nothing
from ai_engine.guard.names import names_resolve
from ai_engine.guard.nodes import nodes_are_allowed, tree_is_shallow
from ai_engine.guard.parsing import text_of, tokens_of, tree_of
from ai_engine.guard.patterns import patterns_are_cheap
from ai_engine.guard.policy import Policy
from ai_engine.guard.refusal import refuse
from ai_engine.guard.row_limit import set_row_limit
from ai_engine.guard.spelling import spell_for_every_server, spell_plainly
from ai_engine.guard.statement import Rule, Statement, statement_of
from ai_engine.guard.text import text_is_bounded, tokens_are_bounded
from ai_engine.guard.types import casts_are_plain
from ai_engine.types import CheckedStatement

_MOST_READINGS = 3
RULES: tuple[Rule, ...] = (
    tree_is_shallow,
    spell_plainly,
    nodes_are_allowed,
    functions_are_allowed,
    casts_are_plain,
    patterns_are_cheap,
    names_resolve,
)


def check(sql: str, catalogue: Catalogue, policy: Policy) -> CheckedStatement:
    """Say what may run in place of `sql`.

    Raises:
        SqlRejected: the only error, whatever the input; names the offending part and the nearest known names.
    """
    try:
        return _checked(sql, catalogue, policy)
    except SqlRejected:
        raise
    except Exception as error:
        raise refuse("the statement cannot be judged") from error


def _checked(sql: str, catalogue: Catalogue, policy: Policy) -> CheckedStatement:
    dialect = catalogue.dialect
    text_is_bounded(sql, policy)
    tokens = tokens_of(sql, dialect)
    tokens_are_bounded(tokens, sql)
    tree = _query(tree_of(tokens, sql, dialect))
    quoted_names_call_nothing(tokens, tree)
    spell_for_every_server(_judged(tree, catalogue, policy))
    rows, ours, notes = set_row_limit(tree, policy)
    text, shown = _canonical(tree, catalogue, policy)
    return CheckedStatement(shown, _one_row_more(tree, text, rows) if ours else text, rows, notes)


def _one_row_more(tree: exp.Query, text: str, rows: int) -> str:
    """The same text with a LIMIT one higher."""
    offset = tree.args.get("offset")
    skip = f" OFFSET {offset.expression.this}" if offset is not None else ""
    end = f" LIMIT {rows}{skip}"
    if not text.endswith(end):
        raise refuse("the limit is not the last part of the statement")
    return f"{text.removesuffix(end)} LIMIT {rows + 1}{skip}"


def _judged(tree: exp.Query, catalogue: Catalogue, policy: Policy) -> Statement:
    statement = statement_of(tree, catalogue, policy)
    for rule in RULES:
        rule(statement)
    return statement


def _query(tree: exp.Expr) -> exp.Query:
    """Unwrap parentheses around the whole statement; a limit outside them moves in where there is none."""
    while isinstance(tree, exp.Subquery):
        outside = {arg: value for arg, value in tree.args.items() if value and arg != "this"}
        if not set(outside) <= {"limit", "offset"} or any(tree.this.args.get(arg) for arg in ("limit", "offset")):
            break
        inner = tree.this
        for arg, value in outside.items():
            inner.set(arg, value)
        tree = inner
    if not isinstance(tree, (exp.Select, exp.SetOperation)):
        raise refuse(f"only SELECT may run, not {tree.key.upper()}", tree.key.upper())
    return tree


def _canonical(tree: exp.Query, catalogue: Catalogue, policy: Policy) -> tuple[str, str]:
    """Print what was checked and read it again; what reads differently is judged once more, until nothing changes.

    Returns:
        The statement in one line, and the same as people read it.
    """
    dialect = catalogue.dialect
    for _ in range(_MOST_READINGS):
        text = text_of(tree, dialect, keep=False)
        tokens = tokens_of(text, dialect)
        again = _query(tree_of(tokens, text, dialect))
        if again == tree:
            return text, _in_lines(again, text, tokens, dialect)
        _judged(again, catalogue, policy)
        if text_of(again, dialect) == text:
            return text, _in_lines(again, text, tokens, dialect)
        tree = again
    raise refuse("the statement means something else when it is written plainly")


def _in_lines(tree: exp.Query, text: str, tokens: list[Token], dialect: str) -> str:
    """Print a statement with line breaks; should more than blanks change, the one line stays."""
    lines = text_of(tree, dialect, keep=False, pretty=True)
    pairs = zip_longest(tokens, tokens_of(lines, dialect))
    same = all(one and other and (one.token_type, one.text) == (other.token_type, other.text) for one, other in pairs)
    return lines if same else text
