"""How a test for known values is printed; the parser is the judge of what it still means."""

from __future__ import annotations

import pytest
from sqlglot import exp, parse_one

from ai_engine.plain_negation import plain_negation


def _as_negation(node: exp.Expr) -> exp.Expr:
    """PostgreSQL's reader has one node for `IS NOT NULL`, the others' two."""
    if isinstance(node, exp.Is) and node.args.get("negate"):
        return exp.Not(this=exp.Is(this=node.this, expression=node.expression))
    return node


DIALECTS = ["duckdb", "sqlite", "postgres", "mysql"]


def printed(tree: exp.Expr, dialect: str) -> str:
    with plain_negation(tree):
        return tree.sql(dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "condition",
    [
        "closed_on IS NOT NULL",
        "a = 1 AND closed_on IS NOT NULL OR b IS NOT NULL",
        "NOT (closed_on IS NOT NULL)",
        "a + b IS NOT NULL",
        "a IN (SELECT x FROM u WHERE y IS NOT NULL)",
        "SUM(CASE WHEN a IS NOT NULL THEN 1 END) IS NOT NULL",
    ],
)
def test_a_known_value_is_asked_for_as_people_write_it(dialect, condition):
    tree = parse_one(f"SELECT a FROM t WHERE {condition}", read=dialect)
    before = tree.copy()
    assert printed(tree, dialect) == f"SELECT a FROM t WHERE {condition}"
    assert tree == before


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "place", ["b = (NOT a IS NULL)", "b = NOT a IS NULL", "b + (a IS NOT NULL) > 1", "NOT a IS NULL"]
)
def test_what_is_printed_means_what_was_written(dialect, place):
    tree = parse_one(f"SELECT a FROM t WHERE {place}", read=dialect)
    again = parse_one(printed(tree, dialect), read=dialect)
    assert again.transform(_as_negation) == tree.transform(_as_negation)


def test_several_values_together_stay_as_they_are_written():
    tree = parse_one("SELECT a FROM t WHERE NOT (a, b) IS NULL", read="postgres")
    assert "NOT (a, b) IS NULL" in printed(tree, "postgres")


def test_a_negation_beside_another_operator_is_left_alone():
    tree = exp.select("a").from_("t").where(exp.EQ(this=exp.column("b"), expression=parse_one("NOT a IS NULL")))
    assert "b = NOT a IS NULL" in printed(tree, "duckdb")
