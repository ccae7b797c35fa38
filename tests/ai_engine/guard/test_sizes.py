"""What engines make of a statement by putting in what names stand for is bounded before they see it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from random import Random

import pytest

from ai_engine.errors import SqlRejected
from ai_engine.guard import check
from ai_engine.guard.allowed_functions import ALLOWED_FUNCTIONS
from ai_engine.guard.parsing import text_of, tokens_of, tree_of
from tests.ai_engine.guard.bank import DIALECTS, UNION_POLICY, catalogue

MOST = 20_000
VALUES = (  # an expression over a, and how many copies of what a stands for an engine makes at least
    ("CASE WHEN a > 1 THEN a ELSE a - 1 END", 3),
    ("COALESCE(a, a * 2)", 2),
    ("NULLIF(a, a + 1)", 2),
    ("(SELECT MAX(b.branch_id) FROM branches AS b WHERE b.branch_id > a) + a", 2),
    ("CASE WHEN a BETWEEN 0 AND 9 THEN 1 ELSE 2 END", 2),
    ("CASE a WHEN 1 THEN 2 WHEN 3 THEN 4 ELSE 5 END", 2),
    ("CASE WHEN a IN (a + 1, a + 2) THEN 1 ELSE 2 END", 4),
    ("CASE WHEN (a, 1) IN ((1, 2), (3, 4)) THEN 1 ELSE 2 END", 2),
    ("SUM(a) OVER (PARTITION BY a ORDER BY a)", 3),
    ("CASE WHEN EXISTS (SELECT 1 FROM branches AS b WHERE b.branch_id IN (a, a + 1)) THEN a ELSE 1 END", 3),
    ("ROUND(a + 0.5)", 1),
)
SELECTS = (  # what names what is below, how many times the value, and how many times what is below itself
    ("SELECT {value} AS a FROM {below} WHERE a > 0", 1, 0),
    ("SELECT {value} AS a FROM {below} GROUP BY a", 1, 0),
    ("SELECT MAX({value}) AS a FROM {below} HAVING MAX({value}) > 3", 1, 0),
    ("SELECT z.a FROM (SELECT {value} AS a FROM {below}) AS z", 1, 0),
    ("SELECT * FROM (SELECT {value} AS a FROM {below}) AS z", 1, 0),
)
OF_ONE_NAME = (
    ("SELECT {value} AS a FROM {below} JOIN {below} AS y USING (a)", 1, 1),
    ("SELECT * FROM {below} FULL JOIN {below} AS y USING (a)", 0, 2),
    ("SELECT a FROM {below} UNION ALL SELECT {value} AS a FROM {below}", 1, 1),
)
FIRST = "SELECT account_id AS a FROM accounts"


def levels(random, dialect):
    """A statement of levels that name what is below them, and how many columns of tables it has written out."""
    by_name = random.random() < 0.5
    select, per_value, per_table = random.choice(SELECTS + (OF_ONE_NAME if by_name and dialect != "mysql" else ()))
    forms = random.sample(VALUES, 2)
    text, leaves, parts = FIRST, 1, []
    for level in range(random.choice((1, 2, 3, 6, 10, 14, 20, 28))):
        value, times = forms[level % 2]
        parts.append(f"t{level} AS ({text})")
        below = f"t{level}" if by_name else f"({text}) AS t{level}"
        leaves *= per_value * times + per_table
        text = select.format(value=value, below=below)
    return f"WITH {', '.join(parts)} {text}" if by_name else text, leaves


def refusal_of(sql, dialect):
    try:
        check(sql, catalogue(dialect), replace(UNION_POLICY, max_sql_chars=10**6))
    except SqlRejected as refusal:
        return str(refusal)
    return ""


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_is_accepted_stays_small_when_every_name_is_written_out(dialect):
    seen = {"accepted": 0, "too large": 0}
    for seed in range(100):
        sql, leaves = levels(Random(seed), dialect)
        refusal = refusal_of(sql, dialect)
        if not refusal:
            assert leaves <= MOST, sql
        seen["accepted"] += not refusal
        seen["too large"] += "too large" in refusal
        if "too large" in refusal:
            assert leaves > 20, sql
    assert min(seen.values()) > 10


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("value", [value for value, times in VALUES if times > 1 and "OVER" not in value])
def test_an_expression_that_doubles_at_each_of_thirty_levels_is_refused(dialect, value):
    nested = FIRST
    for level in range(28):
        nested = f"SELECT {value} AS a FROM ({nested}) AS t{level}"
    assert "too large" in refusal_of(nested, dialect) or "nested too deeply" in refusal_of(nested, dialect)
    chain = [f"t{level} AS (SELECT {value} AS a FROM t{level - 1})" for level in range(1, 25)]
    assert "too large" in refusal_of(f"WITH t0 AS ({FIRST}), {', '.join(chain)} SELECT a FROM t24", dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("value", [
    "CASE WHEN {} BETWEEN 0 AND 9 THEN 1 ELSE 2 END", "NULLIF({}, 7)", "CASE {} WHEN 1 THEN 2 WHEN 3 THEN 4 END",
    "CASE WHEN 5 BETWEEN SYMMETRIC {} AND 9 THEN 1 ELSE 2 END",
    "CASE WHEN ({}, 1) IN ((1, 2), (3, 4)) THEN 1 ELSE 2 END",
    "(SELECT MAX(b.branch_id) FROM branches AS b WHERE b.branch_id = {})",
])  # fmt: skip
def test_an_operand_that_engines_copy_while_they_read_is_counted_as_often(dialect, value):
    nested = "account_id"
    for _ in range(15):
        nested = value.format(nested)
    assert "too large" in refusal_of(f"SELECT {nested} AS a FROM accounts", dialect)


CALLS = ("{name}({value})", "{name}({value}, 1, 2)", "{name}('month', {value})", "{name}(1, {value})")


def nested_call(call, name, depth):
    value = "opened_on"
    for _ in range(depth):
        value = call.format(name=name, value=value)
    return f"SELECT {value} AS a FROM accounts"


def printed_chars(sql, dialect):
    with suppress(SqlRejected):
        return len(text_of(tree_of(tokens_of(sql, dialect), sql, dialect), dialect))
    return 0


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_function_that_the_printer_spells_out_makes_a_short_statement_long(dialect):
    growing = []
    for name in sorted(ALLOWED_FUNCTIONS[dialect]):
        for call in CALLS:
            one, two, three = (printed_chars(nested_call(call, name, depth), dialect) for depth in (1, 2, 3))
            if three - two > 1.5 * (two - one) > 0:
                growing.append(nested_call(call, name, 14))
    for sql in growing:
        assert refusal_of(sql, dialect), sql


def test_functions_that_are_spelled_out_are_accepted_as_far_as_people_nest_them():
    for dialect, value in (("mysql", "DATE_TRUNC('month', {})"), ("sqlite", "GREATEST({}, 1, 2)")):
        sql = f"SELECT {value.format(value.format(value.format('opened_on')))} AS a FROM accounts"
        assert not refusal_of(sql, dialect)


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
@pytest.mark.parametrize(
    ("group", "few", "many"),
    [("ROLLUP ({})", 20, 400), ("CUBE ({})", 6, 30), ("GROUPING SETS (ROLLUP ({}), (branch_id))", 20, 400)],
)
def test_the_lists_of_columns_that_a_group_by_stands_for_are_counted(dialect, group, few, many):
    for columns, refused in ((few, False), (many, True)):
        listed = ", ".join(f"account_id + {number}" for number in range(columns))
        refusal = refusal_of(f"SELECT COUNT(*) AS n FROM accounts GROUP BY {group.format(listed)}", dialect)
        assert ("too large" in refusal) is refused, refusal


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_table_that_is_read_by_name_twice_per_level_is_refused(dialect):
    chain = [f"t{n} AS (SELECT x.a FROM t{n - 1} AS x JOIN t{n - 1} AS y ON x.a = y.a)" for n in range(1, 15)]
    assert "too large" in refusal_of(f"WITH t0 AS ({FIRST}), {', '.join(chain)} SELECT a FROM t14", dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_a_view_computes_is_taken_to_be_more_than_a_column(dialect):
    bank = catalogue(dialect)
    views = replace(bank, tables=tuple(replace(table, is_view=True) for table in bank.tables))
    sql = FIRST
    for level in range(9):
        sql = f"SELECT COALESCE(a, a * 2) AS a FROM ({sql}) AS t{level}"
    check(sql, bank, UNION_POLICY)
    with pytest.raises(SqlRejected, match="too large"):
        check(sql, views, UNION_POLICY)
