"""What the guard promises about single statements."""

from __future__ import annotations

import string
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_engine.catalogue import Catalogue, Column, Table
from ai_engine.errors import SqlRejected
from ai_engine.guard import check
from tests.ai_engine.guard.bank import DIALECTS, POLICY, UNION_POLICY, catalogue


def reason(sql, dialect="duckdb", policy=POLICY):
    with pytest.raises(SqlRejected) as refusal:
        check(sql, catalogue(dialect), policy)
    return refusal.value


def test_a_missing_limit_is_added_and_one_row_more_is_fetched():
    checked = check("SELECT city FROM branches", catalogue("duckdb"), POLICY)
    assert checked.sql.endswith("LIMIT 100")
    assert checked.run_sql.endswith("LIMIT 101")
    assert checked.max_rows == 100
    assert checked.notes == ("LIMIT 100 was added",)


def test_a_smaller_limit_of_the_analyst_stays():
    checked = check("SELECT city FROM branches LIMIT 7 OFFSET 2", catalogue("duckdb"), POLICY)
    assert checked.run_sql == "SELECT city FROM branches LIMIT 7 OFFSET 2"
    assert checked.max_rows == 7


def test_a_larger_limit_is_lowered():
    checked = check("SELECT city FROM branches LIMIT 5000 OFFSET 3", catalogue("duckdb"), POLICY)
    assert checked.sql.endswith("LIMIT 1000\nOFFSET 3")
    assert checked.run_sql.endswith("LIMIT 1001 OFFSET 3")


def test_people_read_line_breaks_and_the_database_one_line():
    checked = check("SELECT city FROM branches WHERE city = 'a\n  b' LIMIT 7", catalogue("duckdb"), POLICY)
    assert checked.sql == "SELECT\n  city\nFROM branches\nWHERE\n  city = 'a\n  b'\nLIMIT 7"
    assert checked.run_sql == "SELECT city FROM branches WHERE city = 'a\n  b' LIMIT 7"


def test_a_literal_that_line_breaks_would_change_is_shown_in_one_line():
    sql = "SELECT city FROM branches WHERE city = '__SQLGLOT__LB__' LIMIT 7"
    assert check(sql, catalogue("duckdb"), POLICY).sql == sql


def test_a_limit_inside_a_subquery_stays():
    checked = check("SELECT * FROM (SELECT city FROM branches LIMIT 5000) AS b", catalogue("duckdb"), POLICY)
    assert "LIMIT 5000" in checked.run_sql
    assert checked.run_sql.endswith("LIMIT 101")


@pytest.mark.parametrize(
    ("dialect", "limit"),
    [
        ("duckdb", "LIMIT 10%"),
        ("duckdb", "LIMIT 5 PERCENT"),
        ("postgres", "LIMIT ALL"),
        ("postgres", "LIMIT NULL"),
        ("postgres", "FETCH FIRST 5 ROWS WITH TIES"),
        ("sqlite", "LIMIT -1"),
        ("duckdb", "LIMIT 2 + 3"),
        ("duckdb", "LIMIT (SELECT 5)"),
    ],
)
def test_every_other_limit_becomes_a_plain_number(dialect, limit):
    sql = f"SELECT city FROM branches ORDER BY city {limit}"
    assert check(sql, catalogue(dialect), POLICY).run_sql.endswith("ORDER BY city LIMIT 101") or dialect == "duckdb"
    assert check(sql, catalogue(dialect), POLICY).sql.endswith("LIMIT 100")


def test_fetch_first_rows_becomes_a_limit():
    checked = check("SELECT city FROM branches FETCH FIRST 5 ROWS ONLY", catalogue("postgres"), POLICY)
    assert checked.run_sql.endswith("LIMIT 5")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_star_expands_to_the_permitted_columns(dialect):
    sql = check("SELECT * FROM cards", catalogue(dialect), POLICY).sql
    assert "pan" not in sql and "*" not in sql and "expires_on" in sql


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_hidden_table_is_told_exactly_like_a_missing_one(dialect):
    hidden = reason("SELECT * FROM staff_logins", dialect)
    missing = reason("SELECT * FROM staff_lxgins", dialect)
    assert str(hidden).replace("staff_logins", "X") == str(missing).replace("staff_lxgins", "X")


def test_an_unknown_table_comes_with_the_nearest_known_ones():
    refusal = reason("SELECT * FROM customer")
    assert refusal.part == "customer"
    assert refusal.nearest[0] == "customers"
    assert str(refusal).startswith("table customer does not exist; nearest: customers")


def test_an_unknown_column_comes_with_the_nearest_known_ones():
    assert reason("SELECT c.segmnt FROM customers c").nearest[0] == "segment"


def test_restricted_columns_are_never_offered_as_nearest():
    assert "phone" not in reason("SELECT phones FROM customers").nearest


def test_set_operations_pass_when_the_policy_allows_them():
    sql = "SELECT city FROM branches UNION ALL SELECT segment FROM customers ORDER BY city"
    assert check(sql, catalogue("duckdb"), UNION_POLICY).run_sql.endswith("LIMIT 101")
    assert "phone" in str(reason("SELECT city FROM branches UNION SELECT phone FROM customers", policy=UNION_POLICY))


def test_recursion_passes_when_the_policy_allows_it():
    sql = "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i FROM n"
    policy = replace(UNION_POLICY, allow_recursive=True)
    assert check(sql, catalogue("duckdb"), policy).run_sql.endswith("LIMIT 101")
    assert "recursive" in str(reason(sql, policy=UNION_POLICY))


@pytest.mark.parametrize("step", ["x + 1 FROM t, transactions", "a.x + b.x FROM t a, t b"])
def test_the_rows_of_a_recursion_are_many_although_it_begins_with_one(step):
    sql = f"WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT {step}) SELECT COUNT(*) FROM t"
    policy = replace(UNION_POLICY, allow_recursive=True)
    assert "cartesian" in str(reason(sql, policy=policy))


def test_allowed_tables_shut_out_the_others():
    policy = replace(POLICY, allowed_tables=frozenset({"branches"}))
    assert "customers does not exist" in str(reason("SELECT full_name FROM customers", policy=policy))
    assert check("SELECT city FROM Branches", catalogue("duckdb"), policy).max_rows == 100


def test_a_schema_of_the_catalogue_is_written_out():
    bank = Catalogue("postgres", (Table("Loans", (Column("id", "integer"),), schema="core"),))
    assert 'FROM core."Loans"' in check("SELECT id FROM loans", bank, POLICY).sql
    with pytest.raises(SqlRejected):
        check("SELECT id FROM public.loans", bank, POLICY)


def test_a_cte_of_another_case_does_not_hide_the_table_in_mysql():
    sql = "WITH Staff AS (SELECT 1 AS login) SELECT login FROM staff"
    assert "FROM Staff" in check(sql, catalogue("mysql"), POLICY).sql


def test_a_double_quoted_word_is_written_as_text_for_sqlite():
    sql = 'SELECT COUNT(*) FROM accounts WHERE status = "active"'
    assert "status = 'active'" in check(sql, catalogue("sqlite"), POLICY).sql


def test_comments_do_not_reach_the_database():
    checked = check("SELECT city /* a; b */ FROM branches -- c", catalogue("duckdb"), POLICY)
    assert "a; b" not in checked.run_sql and "--" not in checked.run_sql


@pytest.mark.parametrize("character", ["\x00", "\x1b", "\ufeff", "\u202e", "\u200b", "\ud800"])
def test_control_characters_are_refused_even_in_literals(character):
    assert "U+" in str(reason(f"SELECT '{character}' FROM branches"))


def test_foreign_letters_are_fine_in_literals_and_comments_but_not_in_names():
    assert check("SELECT city FROM branches WHERE city = 'पुणे' -- पुणे", catalogue("duckdb"), POLICY)
    assert "ASCII" in str(reason("SELECT city\u00a0FROM branches"))
    reason("SELECT сity FROM branches")


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "deep",
    [
        "(" * 5000,
        "CASE WHEN " * 1500,
        "NOT " * 4000,
        "-" + " -" * 4000,
        "(SELECT " * 2000,
        "ARRAY[" * 28,
        "STRUCT(" * 28,
        "DATE(" * 30,
        "CAST(" * 30,
        "{'a': " * 28,
        "1" + " + 1" * 3000,
        "1" + " = 1" * 3000,
        "a" + ".a" * 4000,
        "1 IN (" * 30,
        "COALESCE(1, " * 33,
        "(END + " * 1200,
    ],
)
def test_deep_and_long_statements_are_refused(dialect, deep):
    reason(f"SELECT {deep}", dialect)


def test_a_sign_repeated_too_often_is_named():
    assert "200 times ::" in str(reason("SELECT 1" + "::int" * 201))


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("sources", ["JOIN cards " * 40, "LEFT JOIN cards " * 40, "JOIN cards, cards " * 20])
def test_readings_that_double_with_every_join_are_stopped_by_counting_nodes(dialect, sources):
    assert "too many ways" in str(reason(f"SELECT 1 FROM customers {sources}", dialect))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_nodes_suffice_for_many_honest_joins(dialect):
    joins = " ".join(f"JOIN accounts a{n} ON a{n}.customer_id = c.customer_id" for n in range(30))
    assert check(f"SELECT c.full_name FROM customers c {joins}", catalogue(dialect), POLICY).max_rows == 100


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet=string.printable + "é\u202e\x00", max_size=120), st.sampled_from(DIALECTS))
def test_nothing_but_a_refusal_is_ever_raised(text, dialect):
    for sql in (text, f"SELECT {text} FROM customers", f"SELECT full_name FROM customers WHERE {text}"):
        try:
            check(sql, catalogue(dialect), POLICY)
        except SqlRejected as refusal:
            assert refusal.user_message


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_condition_that_a_value_is_known_reads_as_people_write_it(dialect):
    checked = check("SELECT branch_id FROM accounts WHERE opened_on IS NOT NULL", catalogue(dialect), POLICY)
    assert "opened_on IS NOT NULL" in checked.sql and "opened_on IS NOT NULL" in checked.run_sql
