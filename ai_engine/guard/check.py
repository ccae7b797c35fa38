"""The order of judgement."""

from __future__ import annotations

from collections.abc import Container

from sqlglot import exp

from ai_engine.catalogue import Catalogue
from ai_engine.errors import SqlRejected
from ai_engine.guard.added_days import days_are_not_added
from ai_engine.guard.bare_words import bare_words_are_no_names
from ai_engine.guard.domains import read_domains
from ai_engine.guard.frames import frames_are_short
from ai_engine.guard.functions import (
    arguments_are_kept,
    calls_are_of_the_server,
    casts_are_plain,
    functions_are_allowed,
    quoted_names_call_nothing,
)
from ai_engine.guard.json_paths import paths_are_plain
from ai_engine.guard.label_keys import labels_are_matched_as_texts
from ai_engine.guard.labels import labels_are_no_numbers, labels_are_not_tried
from ai_engine.guard.literals import intervals_are_written_out, templates_are_plain
from ai_engine.guard.names import names_resolve
from ai_engine.guard.nesting import conditions_stand_alone, nests_alike
from ai_engine.guard.nodes import nodes_are_allowed, tree_is_shallow
from ai_engine.guard.parsing import text_of, tokens_of, tree_of
from ai_engine.guard.patterns import patterns_are_cheap
from ai_engine.guard.places import all_is_no_name, places_are_allowed
from ai_engine.guard.policy import Policy
from ai_engine.guard.qualify import qualify
from ai_engine.guard.ranking import ranking_of, with_keys
from ai_engine.guard.reading import unused_prefix
from ai_engine.guard.refusal import refuse
from ai_engine.guard.row_limit import is_grouped, set_row_limit, write_limit
from ai_engine.guard.row_order import untold_order
from ai_engine.guard.scopes import all_nodes
from ai_engine.guard.settled import names_are_settled
from ai_engine.guard.spelling import gathered_lists_are_plain, pluses_are_plain, spell_for_every_server, spell_plainly
from ai_engine.guard.statement import Rule, Statement, statement_of
from ai_engine.guard.tables import permitted_part
from ai_engine.guard.text import text_is_bounded, tokens_are_bounded, written_out_is_plain
from ai_engine.guard.warehouses import (
    literals_say_what_they_mean,
    warehouse_reads_alike,
)
from ai_engine.guard.with_clause import with_reads_backwards
from ai_engine.types import CheckedStatement, FurtherRows

_LINE_BREAK_OF_THE_PRINTER = "__SQLGLOT"  # a literal with it would be changed by printing with line breaks
_MOST_READINGS = 3
_FURTHER_ROWS = 10
"""Rows fetched beyond a ranking's own limit, to tell how many are level with its last one."""
_ACCEPTED = Policy(
    allow_union=True, allow_recursive=True, max_sql_chars=1_000_000, max_tables=1_000, max_columns=10_000
)
RULES: tuple[Rule, ...] = (
    tree_is_shallow,
    spell_plainly,
    nodes_are_allowed,
    places_are_allowed,
    warehouse_reads_alike,
    conditions_stand_alone,
    with_reads_backwards,
    functions_are_allowed,
    paths_are_plain,
    casts_are_plain,
    patterns_are_cheap,
    frames_are_short,
    names_resolve,
    bare_words_are_no_names,
    labels_are_not_tried,
)


def check(
    sql: str, catalogue: Catalogue, policy: Policy, *, for_answer: bool = False, ranked_by: int | None = None
) -> CheckedStatement:
    """Say what may run in place of `sql`.

    Args:
        sql: one statement, whoever wrote it.
        catalogue: what the database has; of it the rules see only the tables that the policy permits.
        policy: what may be read of it.
        for_answer: fetch a list without a LIMIT up to `policy.max_rows`, since more than its start is offered, and a
            few rows beyond a ranking's own LIMIT, to see whether they are level with the last one.
        ranked_by: leading ORDER BY keys that rank the rows, where that is known.

    Raises:
        SqlRejected: the only error, whatever the input; names the offending part and the nearest known names.
    """
    try:
        return _checked(sql, catalogue, policy, for_answer=for_answer, ranked_by=ranked_by)
    except SqlRejected:
        raise
    except Exception as error:
        raise refuse("the statement cannot be judged") from error


def names_written_out(sql: str, catalogue: Catalogue) -> exp.Query:
    """Return a statement that was accepted as it is read: every column qualified, no star, no name of two meanings.

    Raises:
        SqlRejected: it cannot be read.
    """
    text_is_bounded(sql, _ACCEPTED)
    try:
        tree = _query(tree_of(tokens_of(sql, catalogue.dialect), sql, catalogue.dialect))
        statement = _judged(tree, catalogue, _ACCEPTED, unused_prefix(sql, catalogue))
        qualify(statement)
    except SqlRejected:
        raise
    except Exception as error:
        raise refuse("the statement cannot be judged") from error
    return statement.tree


def _checked(
    sql: str, catalogue: Catalogue, policy: Policy, *, for_answer: bool, ranked_by: int | None
) -> CheckedStatement:
    catalogue = permitted_part(catalogue, policy)
    dialect = catalogue.dialect
    text_is_bounded(sql, policy)
    tokens = tokens_of(sql, dialect)
    tokens_are_bounded(tokens, sql, catalogue)
    pluses_are_plain(tokens, dialect)
    gathered_lists_are_plain(tokens, dialect)
    literals_say_what_they_mean(tokens, sql, dialect)
    tree = _query(tree_of(tokens, sql, dialect))
    quoted_names_call_nothing(tokens, tree)
    all_is_no_name(tokens, tree)
    intervals_are_written_out(tokens, tree, dialect)
    statement = _judged(tree, catalogue, policy, unused_prefix(sql, catalogue))
    templates_are_plain(tokens, statement)
    spell_for_every_server(statement)
    rows, ours, notes = set_row_limit(tree, policy, whole_lists=for_answer)
    shown = ""
    for _ in range(_MOST_READINGS):
        tree = statement.tree
        pretty = _LINE_BREAK_OF_THE_PRINTER not in sql
        before, shown = shown, text_of(tree, dialect, statement.kinds, pretty=pretty)
        if not before and any(issubclass(kind, exp.Func) for kind in statement.kinds):
            arguments_are_kept(tokens, shown, dialect)
        groups = is_grouped(tree)
        ranking = None if ours or not for_answer else ranking_of(tree, ranked_by)
        running = statement
        if ranking is not None and ranking.unshown:
            running = _judged(with_keys(tree, ranking), catalogue, policy, statement.prefix)
        further = FurtherRows(_FURTHER_ROWS, ranking.places, len(ranking.unshown)) if ranking is not None else None
        more = _FURTHER_ROWS if further is not None else int(ours)
        write_limit(running.tree, rows + more)
        text, reads_the_same = _written_out(running)
        if reads_the_same or shown == before:
            return CheckedStatement(shown, text, rows, notes, groups, further)
        statement = _judged(_read_again(shown, dialect), catalogue, policy, statement.prefix)
    raise refuse("the statement means something else when it is written plainly")


def _judged(tree: exp.Query, catalogue: Catalogue, policy: Policy, prefix: str) -> Statement:
    statement = statement_of(tree, catalogue, policy, prefix)
    for rule in RULES:
        rule(statement)
    return statement


def _read_again(text: str, dialect: str) -> exp.Query:
    """Read what was printed, which for some functions is much longer than what was written."""
    tokens = tokens_of(text, dialect)
    written_out_is_plain(tokens, dialect)
    return _query(tree_of(tokens, text, dialect))


def _query(tree: exp.Expr) -> exp.Query:
    """Unwrap parentheses around the whole statement; a limit outside them moves in where there is none."""
    while isinstance(tree, exp.Subquery):
        outside = {arg: value for arg, value in tree.args.items() if value and arg != "this"}
        limits_twice = outside and any(tree.this.args.get(arg) for arg in ("limit", "offset"))
        if not set(outside) <= {"limit", "offset"} or limits_twice:
            break
        inner = tree.this
        for arg, value in outside.items():
            inner.set(arg, value)
        tree = inner
    if not isinstance(tree, (exp.Select, exp.SetOperation)):
        raise refuse(f"only SELECT may run, not {tree.key.upper()}", tree.key.upper())
    return tree


def _written_out(statement: Statement) -> tuple[str, bool]:
    """Print what runs and read it as the database will; what reads differently is judged once more.

    Returns:
        The statement in one line with every name written out, and whether it reads as what was judged.
    """
    qualify(statement)
    dialect, tree = statement.dialect, statement.tree
    kinds: Container[type[exp.Expr]] | None = statement.kinds
    for _ in range(_MOST_READINGS):
        text = text_of(tree, dialect, kinds, keep=False)
        again = _read_again(text, dialect)
        is_same = again == tree
        if not is_same:
            if not nests_alike(tree, again):
                raise refuse("the statement means something else when it is written plainly; put brackets around parts")
            _judged(again.copy(), statement.catalogue, statement.policy, statement.prefix)
        if is_same or text_of(again, dialect) == text:
            nodes = all_nodes(again)
            names_are_settled(nodes, statement.prefix, dialect)
            is_same = is_same and tree is statement.tree
            days_are_not_added(nodes, statement.catalogue)
            has_domains = read_domains(nodes, statement.catalogue)
            has_keys = labels_are_matched_as_texts(again, nodes, statement)
            nodes = all_nodes(again) if has_keys else nodes
            has_labels = labels_are_no_numbers(nodes, statement.catalogue) or has_keys
            if untold_order(again, nodes, statement) or has_domains or has_labels:
                text = text_of(again, dialect, keep=False)
                names_are_settled(all_nodes(_read_again(text, dialect)), statement.prefix, dialect)
            calls_are_of_the_server(text, statement.catalogue)
            return text, is_same
        tree, kinds = again, None
    raise refuse("the statement means something else when it is written plainly")
