"""What is written plainly means to the engine what was written."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ai_engine.catalogue_from_ddl import catalogue_from_ddl
from ai_engine.errors import SqlRejected
from ai_engine.guard import check
from tests.ai_engine.guard.bank import POLICY, catalogue, rows_of, sqlite_bank
from tests.ai_engine.guard.twins import reachable_twins

OF_ORDERS = "CREATE TABLE orders (order_id INTEGER PRIMARY KEY, shop_id INTEGER, note TEXT)"
OF_SHOPS = "CREATE TABLE shops (shop_id INTEGER PRIMARY KEY, name TEXT)"


def test_sqlite_may_read_tables_that_a_comma_joins_in_any_order():
    sql = "SELECT o.note FROM orders o, shops s WHERE o.shop_id = s.shop_id AND s.name = 'x'"
    made = (OF_ORDERS, OF_SHOPS, "CREATE INDEX by_shop ON orders (shop_id)", "CREATE INDEX by_name ON shops (name)")
    ran = check(sql, catalogue_from_ddl(";".join(made[:2]) + ";", "sqlite"), POLICY).run_sql
    with reachable_twins("sqlite") as pair:
        for statement in made:
            pair.first.execute(statement)
        written, run = (pair.first.answer(f"EXPLAIN QUERY PLAN {one}")[2] for one in (sql, ran))
    assert ["by_name" in written[0][-1], "by_shop" in written[1][-1]] == [True, True]
    assert ["by_name" in run[0][-1], "by_shop" in run[1][-1]] == [True, True]


def test_a_remainder_of_sqlite_stays_the_function_or_the_operator_that_was_written():
    for sql in ("SELECT mod(7.5, 2) AS m", "SELECT 7.5 % 2 AS m", "SELECT MOD(balance, 7) AS m FROM accounts"):
        ran = check(sql, catalogue("sqlite"), POLICY).run_sql
        assert rows_of(sqlite_bank(), ran) == rows_of(sqlite_bank(), sql)


PLUSES = (
    *("+balance = '5'", "5 = + balance", "CASE WHEN +status THEN 1 END", "+(balance)", "- +balance"),
    *("+CAST(balance AS TEXT) = 5", "2 * +balance"),
)


@pytest.mark.parametrize("plus", PLUSES)
def test_a_plus_that_changes_how_sqlite_compares_is_refused(plus):
    with pytest.raises(SqlRejected, match="leave it out"):
        check(f"SELECT {plus} AS x FROM accounts", catalogue("sqlite"), POLICY)


def test_other_pluses_are_written_as_ever():
    sql = "SELECT +5, +ABS(balance), +'5', balance + +5, (1) + balance, CASE 1 WHEN 1 THEN 2 END + balance"
    check(f"{sql} FROM accounts", catalogue("sqlite"), POLICY)
    check("SELECT +balance FROM accounts", catalogue("postgres"), POLICY)


AS_OPERATORS = {
    "postgres": [
        ("'y' || regexp_like('a', 'b')", "'y' || FALSE"),
        ("'n' || regexp_like('A', 'a', 'i')", "'n' || TRUE"),
    ],
    "duckdb": [
        (
            "DATE '2024-05-01' - add_months(d, 1) FROM (SELECT DATE '2024-01-01' AS d) AS t",
            "TIMESTAMP '2024-05-01' - TIMESTAMP '2024-02-01'",
        ),
    ],
}


@pytest.mark.parametrize("dialect", [pytest.param("postgres", marks=pytest.mark.server), "duckdb"])
def test_a_call_that_is_written_as_an_operator_keeps_its_operands(dialect):
    with reachable_twins(dialect) as pair:
        for call, value in AS_OPERATORS[dialect]:
            ran = check(f"SELECT {call}", pair.catalogue, POLICY).run_sql
            assert pair.first.answer(ran)[2] == pair.first.answer(f"SELECT {value}")[2], ran


@pytest.mark.parametrize(("dialect", "value", "written"), [
    ("spark", "'y' || regexp_like(status, 'a')", "'y' || (status RLIKE 'a')"),
    ("spark", "2 - rand(1, 3, 4)", "2 - ((4 - 3) * RAND(1) + 3)"),
    ("postgres", "NOT regexp_like(status, 'a')", "NOT status ~ 'a'"),
])  # fmt: skip
def test_brackets_stand_around_what_is_written_as_an_operator_beside_another_one(dialect, value, written):
    shown = " ".join(check(f"SELECT {value} AS x FROM accounts", catalogue(dialect), POLICY).sql.split())
    assert shown.replace("( ", "(").replace(" )", ")").startswith(f"SELECT {written} AS x")


OF_TWO_TABLES = (
    "CREATE TABLE firsts (id INTEGER, kind INTEGER, a INTEGER, unseen INTEGER INVISIBLE DEFAULT 7)",
    "CREATE TABLE others (b INTEGER, kind INTEGER, id INTEGER, unseen INTEGER INVISIBLE DEFAULT 8)",
    "INSERT INTO firsts VALUES (1, 2, 3), (2, 3, 4)",
    "INSERT INTO others VALUES (5, 2, 1), (6, 9, 9)",
    "CREATE INDEX by_a ON firsts (kind, a) IGNORED",
)


@pytest.mark.server
@pytest.mark.parametrize(
    "joined",
    [
        "firsts RIGHT JOIN others USING (id)",
        "firsts RIGHT JOIN others USING (kind, id)",
        "firsts LEFT JOIN others USING (kind, id)",
        "firsts NATURAL RIGHT JOIN others",
        "firsts NATURAL JOIN others",
        "firsts JOIN others USING (id) RIGHT JOIN others AS o USING (id)",
        "firsts",
    ],
)
def test_a_star_of_mariadb_is_of_its_own_columns_in_its_own_order(joined):
    policy = replace(POLICY, restricted_columns={"firsts": frozenset({"a"})})
    with reachable_twins("mysql") as pair:
        for statement in OF_TWO_TABLES:
            pair.first.execute(statement)
        for judged in (POLICY, policy):
            ran = check(f"SELECT * FROM {joined}", pair.first.catalogue(), judged).run_sql
            (kind, names, rows), written = pair.first.answer(ran), pair.first.answer(f"SELECT * FROM {joined}")
            assert kind == "rows", ran
            if judged is POLICY:
                assert (names, sorted(map(str, rows))) == (written[1], sorted(map(str, written[2])))


@pytest.mark.server
def test_totals_of_mariadb_keep_the_value_of_a_subquery_that_is_grouped_by():
    largest = "(SELECT MAX(city) FROM segment JOIN customers USING (segment))"
    sql = f"SELECT segment, {largest} AS m, COUNT(*) AS n FROM customers GROUP BY segment, {largest} WITH ROLLUP"
    with reachable_twins("mysql") as pair:
        ran = check(sql, pair.catalogue, POLICY).run_sql
        assert pair.first.answer(ran)[2] == pair.first.answer(sql)[2]


@pytest.mark.parametrize(
    ("dialect", "call"),
    [
        ("duckdb", "RTRIM(full_name, 'x', 'y')"),
        ("duckdb", "ARRAY_AGG(full_name, segment)"),
        ("duckdb", "DATE_TRUNC('month', DATE '2024-01-01', full_name)"),
        ("duckdb", "MAX(LEFT(UPPER(full_name), 1, 2))"),
        ("sqlite", "RTRIM(full_name, 'x', 'y')"),
        ("postgres", "STRING_AGG(full_name, ',', segment)"),
        ("postgres", "ROUND(2.5, 1, 3)"),
    ],
)
def test_a_call_with_more_arguments_than_would_run_is_refused(dialect, call):
    with pytest.raises(SqlRejected, match="is given more arguments than it takes"):
        check(f"SELECT {call} AS x FROM customers", catalogue(dialect), POLICY)


def test_an_argument_that_is_printed_in_another_call_is_not_missed():
    ran = check("SELECT GROUP_CONCAT(full_name, '; ') AS x FROM customers", catalogue("mysql"), POLICY).run_sql
    assert "CONCAT(`q_1`.`full_name`, '; ')" in ran
