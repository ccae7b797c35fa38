"""Each dialect bounds rows in its own way, and is told of and read in that way."""

from __future__ import annotations

from typing import get_args

import pytest
import sqlglot
from sqlglot import exp

from ai_engine.catalogue import Dialect
from ai_engine.dialect_names import told_dialect
from ai_engine.insight.checking.bounds import read_bounds
from ai_engine.insight.statement import read_statement
from ai_engine.row_bounds import most_rows
from ai_engine.sql_in_words import sql_in_words
from tests.ai_engine.insight.results import BALANCE, BRANCH, THREE_BRANCHES, result_of
from tests.ai_engine.tie_out.test_planted_faults import VOCABULARY

BY_BRANCH = "SELECT branch, SUM(balance) AS balance FROM accounts GROUP BY branch"
FETCHED = f"{BY_BRANCH} FETCH FIRST {{}} ROWS ONLY"
TOP = BY_BRANCH.replace("SELECT", "SELECT TOP {}")


@pytest.mark.parametrize(
    ("dialect", "clause", "most"),
    [
        ("duckdb", "SELECT a FROM t LIMIT 5", "5"),
        ("oracle", "SELECT a FROM t FETCH FIRST 5 ROWS ONLY", "5"),
        ("oracle", "SELECT a FROM t FETCH FIRST ROW ONLY", "1"),
        ("tsql", "SELECT TOP 5 a FROM t", "5"),
        ("tsql", "SELECT a FROM t ORDER BY a OFFSET 2 ROWS FETCH NEXT 5 ROWS ONLY", "5"),
        ("tsql", "SELECT TOP 5 PERCENT a FROM t", None),
        ("oracle", "SELECT a FROM t ORDER BY a FETCH FIRST 5 ROWS WITH TIES", None),
        ("duckdb", "SELECT a FROM t", None),
    ],
)
def test_the_bound_is_read_in_every_spelling(dialect, clause, most):
    found = most_rows(sqlglot.parse_one(clause, read=dialect).args.get("limit"))
    assert (found.sql() if found is not None else None) == most


@pytest.mark.parametrize(
    ("dialect", "sql", "whole"),
    [
        ("oracle", FETCHED.format(4), True),
        ("oracle", FETCHED.format(3), False),
        ("tsql", TOP.format(4), True),
        ("tsql", TOP.format(3), False),
        ("tsql", TOP.format("90 PERCENT"), False),
    ],
)
def test_fewer_rows_than_the_bound_are_all_there_are(dialect, sql, whole):
    assert read_statement(sql, result_of([BRANCH, BALANCE], THREE_BRANCHES), dialect).whole is whole


def test_a_sentence_may_name_the_bound():
    [ranked] = {read_bounds(sqlglot.parse_one(FETCHED.format(7), read="oracle"), 3).ranked}
    assert 7 in ranked


def test_a_statement_is_told_with_its_bound():
    [*_, last] = sql_in_words("SELECT amount FROM bookings FETCH FIRST 10 ROWS ONLY", VOCABULARY)
    assert last == "Returns at most 10 rows."
    [*_, last] = sql_in_words("SELECT amount FROM bookings FETCH FIRST ROW ONLY", VOCABULARY)
    assert last == "Returns at most 1 row."


@pytest.mark.parametrize("dialect", get_args(Dialect))
def test_a_prompt_tells_the_way_that_the_dialect_itself_writes(dialect):
    [bound] = sqlglot.parse_one("SELECT a FROM t LIMIT 8", read="duckdb").find_all(exp.Limit)
    written = " ".join(sqlglot.parse_one(f"SELECT a FROM t {bound.sql()}").sql(dialect).split())
    said = told_dialect(dialect)
    assert next(word for word in ("TOP", "FETCH FIRST", "LIMIT") if word in said) in written
