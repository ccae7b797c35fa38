from __future__ import annotations

from dataclasses import replace

import pytest

from ai_engine.llm.aggregated import aggregated_columns
from ai_engine.llm.disclosure import kept_back
from ai_engine.ports import InsightTask
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import ColumnType, OutputColumn, QueryResult
from tests.ai_engine.built_in.bank import vocabulary

_TYPES: dict[str, ColumnType] = {"t": "text", "n": "decimal", "d": "date"}


def task(sql: str, kinds: str) -> InsightTask:
    names = tuple(f"c{place}" for place in range(len(kinds)))
    result = QueryResult(names, tuple(_TYPES[kind] for kind in kinds), (tuple("x" for _ in kinds),))
    return InsightTask("", "", sql, result, tuple(OutputColumn(name, name) for name in names))


def in_duckdb() -> Vocabulary:
    known = vocabulary()
    return replace(known, catalogue=replace(known.catalogue, dialect="duckdb"))


@pytest.mark.parametrize(
    ("sql", "kinds", "shown"),
    [
        ("SELECT COUNT(*) AS n FROM customers", "n", {0}),
        ("SELECT SUM(balance) / NULLIF(COUNT(*), 0) AS a FROM accounts", "n", {0}),
        ("SELECT segment, SUM(annual_income) AS s FROM customers GROUP BY segment", "tn", {0, 1}),
        ("SELECT segment, SUM(annual_income) AS s FROM customers GROUP BY 1", "tn", {0, 1}),
        ("SELECT b.branch_name, SUM(a.balance) AS s FROM accounts AS a JOIN branches AS b ON a.branch_id = b.branch_id"
         " GROUP BY b.branch_name", "tn", {0, 1}),
        ("SELECT DATE_TRUNC('month', posted_at) AS m, SUM(amount) AS s FROM transactions GROUP BY"
         " DATE_TRUNC('month', posted_at)", "dn", {0, 1}),
        ("SELECT CASE WHEN balance < 100 THEN 'low' ELSE 'high' END AS band, COUNT(*) AS n FROM accounts GROUP BY"
         " CASE WHEN balance < 100 THEN 'low' ELSE 'high' END", "tn", {0, 1}),
        ("WITH f AS (SELECT segment AS g, SUM(annual_income) AS s FROM customers GROUP BY segment)"
         " SELECT g, s, 100.0 * s / SUM(s) OVER () AS p FROM f", "tnn", {0, 1, 2}),
        ("SELECT band, COUNT(*) AS n FROM (SELECT CASE WHEN balance < 9 THEN 'low' END AS band FROM accounts) AS t"
         " GROUP BY band", "tn", {0, 1}),
        ("SELECT a.segment, b.n FROM (SELECT segment FROM customers GROUP BY segment) AS a JOIN (SELECT segment,"
         " COUNT(*) AS n FROM customers GROUP BY 1) AS b ON a.segment = b.segment", "tn", {0, 1}),
        ("SELECT segment, (SELECT COUNT(*) FROM accounts) AS n FROM customers GROUP BY segment", "tn", {0, 1}),
        ("SELECT 'all' AS g, COUNT(*) AS n FROM customers UNION ALL SELECT segment, COUNT(*) FROM customers GROUP BY 1",
         "tn", {0, 1}),
        ("SELECT m.d, COUNT(a.account_id) AS n FROM (VALUES (DATE '2026-01-01')) AS m(d) LEFT JOIN accounts AS a"
         " ON a.opened_on = m.d GROUP BY m.d", "dn", {0, 1}),
        # names go by what they stand for, not by what they are called
        ("SELECT segment, n FROM (SELECT full_name AS segment, COUNT(*) AS n FROM customers GROUP BY full_name) AS t",
         "tn", {1}),
        ("WITH t(city, n) AS (SELECT full_name, COUNT(*) FROM customers GROUP BY full_name) SELECT city, n FROM t",
         "tn", {1}),
        ("SELECT t.city, COUNT(*) AS n FROM (SELECT full_name AS city FROM customers) AS t GROUP BY t.city", "tn", {1}),
        ("SELECT c.full_name AS city, b.city AS c2 FROM customers AS c JOIN (SELECT city FROM branches GROUP BY city)"
         " AS b ON c.city = b.city", "tt", {1}),
        ("SELECT n, city FROM (SELECT annual_income AS n, city FROM customers) AS t JOIN (SELECT COUNT(*) AS m FROM"
         " accounts) AS u ON 1 = 1", "nt", set()),
        ("SELECT segment, COUNT(*) AS n FROM customers GROUP BY segment UNION ALL SELECT full_name, 1 FROM customers",
         "tn", {1}),
        ("SELECT segment, ARRAY_AGG(annual_income)[1] AS n FROM customers GROUP BY segment", "tn", {0}),
        ("SELECT segment, (SELECT COUNT(*) FROM accounts AS a WHERE a.customer_id = c.customer_id) AS n FROM customers"
         " AS c", "tn", set()),
        # single rows, keys and people stay
        ("SELECT full_name, annual_income FROM customers", "tn", set()),
        ("SELECT segment, annual_income FROM customers", "tn", set()),
        ("SELECT full_name, COUNT(*) AS n FROM customers GROUP BY full_name", "tn", {1}),
        ("SELECT customer_id, SUM(balance) AS s FROM accounts GROUP BY customer_id", "nn", {1}),
        ("SELECT balance, COUNT(*) AS n FROM accounts GROUP BY balance", "nn", {1}),
        ("SELECT MAX(full_name) AS m FROM customers", "t", set()),
        ("SELECT balance, AVG(balance) OVER () AS a FROM accounts", "nn", set()),
        ("SELECT balance - AVG(balance) OVER () AS d FROM accounts", "n", set()),
        ("SELECT account_number || CAST(COUNT(*) AS VARCHAR) AS x FROM accounts GROUP BY account_number", "n", set()),
        ("SELECT g AS x, COUNT(*) AS n FROM (SELECT full_name AS g FROM customers) AS i GROUP BY g", "tn", {1}),
        ("SELECT * FROM customers", "t", set()),
        ("SELECT broken FROM (", "t", set()),
        # a name, a key or a text does not leave letter by letter
        ("SELECT MAX(UNICODE(SUBSTR(full_name, 1, 1))) AS a FROM customers WHERE customer_id = 1", "n", set()),
        ("SELECT MAX(STRPOS('abcd', LOWER(SUBSTR(full_name, 2, 1)))) AS a, COUNT(*) AS n FROM customers", "nn", {1}),
        ("SELECT SUM(CASE SUBSTR(full_name, 1, 1) WHEN 'A' THEN 65 ELSE 66 END) AS a FROM customers", "n", set()),
        ("SELECT MAX(a) AS a FROM (SELECT ASCII(full_name) AS a FROM customers) AS t", "n", set()),
        ("SELECT SUM(ASCII(full_name)) FILTER (WHERE city = 'Pune') AS a FROM customers", "n", set()),
        ("SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY customer_id) AS a FROM customers", "n", set()),
        ("SELECT MAX(customer_id) AS a, MIN(home_branch_id) AS b FROM customers", "nn", set()),
        ("SELECT AVG((SELECT MAX(ASCII(c.full_name)) FROM accounts AS a WHERE a.customer_id = c.customer_id)) AS x"
         " FROM customers AS c", "n", set()),
        ("SELECT CASE WHEN full_name < 'M' THEN 'first' ELSE 'second' END AS half, COUNT(*) AS n FROM customers"
         " GROUP BY CASE WHEN full_name < 'M' THEN 'first' ELSE 'second' END", "tn", {1}),
        ("SELECT COUNT(DISTINCT customer_id) AS a, COUNT(full_name) AS b FROM customers", "nn", {0, 1}),
        ("SELECT SUM(CASE WHEN status = 'Active' THEN balance ELSE 0 END) AS a, MAX(opened_on) AS b FROM accounts",
         "nd", {0, 1}),
        ("SELECT AVG(n) AS a FROM (SELECT customer_id, COUNT(*) AS n FROM accounts GROUP BY customer_id) AS t",
         "n", {0}),
        ("SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY balance) AS a FROM accounts", "n", {0}),
        ("SELECT SUM(CASE WHEN a.account_id IS NULL THEN 1 ELSE 0 END) AS n FROM customers AS c LEFT JOIN accounts AS a"
         " ON a.customer_id = c.customer_id", "n", {0}),
        ("SELECT AVG((SELECT COUNT(*) FROM accounts AS a WHERE a.customer_id = c.customer_id)) AS x FROM customers"
         " AS c", "n", {0}),
    ],
)  # fmt: skip
def test_figures_over_rows_and_the_names_of_their_groups_are_told_from_single_rows(
    sql: str, kinds: str, shown: set[int]
):
    assert aggregated_columns(task(sql, kinds), in_duckdb()) == shown


@pytest.mark.parametrize(
    ("sql", "kinds", "shown"),
    [
        # by its being missing
        ("SELECT CASE WHEN NULLIF(full_name LIKE 'A%', TRUE) IS NULL THEN 'A' END AS l, COUNT(*) AS n FROM customers"
         " GROUP BY 1", "tn", {1}),
        ("SELECT CASE WHEN CASE WHEN full_name LIKE 'A%' THEN NULL ELSE 1 END IS NULL THEN 'A' END AS l, COUNT(*) AS n"
         " FROM customers GROUP BY 1", "tn", {1}),
        ("SELECT MAX(NULLIF(customer_id % 2, 0) IS NULL) AS l FROM customers", "n", set()),
        ("SELECT CASE WHEN x IS NULL THEN 'A' END AS l, COUNT(*) AS n FROM (SELECT NULLIF(full_name LIKE 'A%', TRUE)"
         " AS x FROM customers) AS t GROUP BY 1", "tn", {1}),
        ("SELECT CASE WHEN x.customer_id IS NULL THEN 'other' ELSE 'A' END AS l, COUNT(*) AS n FROM customers AS c"
         " LEFT JOIN customers AS x ON x.customer_id = c.customer_id AND x.full_name LIKE 'A%' GROUP BY 1", "tn", {1}),
        ("SELECT CASE WHEN x.customer_id IS NULL THEN 'other' ELSE 'A' END AS l, COUNT(*) AS n FROM customers AS c"
         " LEFT JOIN (SELECT customer_id FROM customers WHERE full_name LIKE 'A%') AS x"
         " ON x.customer_id = c.customer_id GROUP BY 1", "tn", {1}),
        # by what it is tied to
        ("SELECT a.l, SUM(c.annual_income) AS s FROM customers AS c JOIN (VALUES ('a'), ('b')) AS a(l)"
         " ON a.l = SUBSTR(c.full_name, 1, 1) GROUP BY a.l", "tn", set()),
        ("SELECT a.word, SUM(c.annual_income) AS s FROM customers AS c JOIN (VALUES ('a', 'x'), ('b', 'y')) AS"
         " a(l, word) ON a.l = SUBSTR(c.full_name, 1, 1) GROUP BY a.word", "tn", set()),
        ("SELECT l, COUNT(*) AS n FROM (VALUES ('a')) AS a(l) JOIN (SELECT SUBSTR(full_name, 1, 1) AS l FROM customers)"
         " AS t USING (l) GROUP BY l", "tn", set()),
        ("SELECT a.l, COUNT(*) AS n FROM customers AS c, (VALUES ('a'), ('b')) AS a(l) WHERE (a.l = 'a' AND"
         " c.full_name LIKE 'a%') OR (a.l = 'b' AND c.full_name LIKE 'b%') GROUP BY a.l", "tn", set()),
        ("SELECT b.l, COUNT(*) AS n FROM customers AS c JOIN (VALUES ('a')) AS a(l) ON STARTS_WITH(c.full_name, a.l)"
         " JOIN (SELECT 'a' AS l) AS b ON b.l = a.l GROUP BY b.l", "tn", set()),
        ("SELECT s.i, SUM(c.annual_income) AS s FROM customers AS c JOIN generate_series(1, 9) AS s(i)"
         " ON s.i = c.customer_id GROUP BY s.i", "nn", set()),
        ("SELECT s.i, COUNT(*) AS n FROM accounts AS a JOIN generate_series(1, 9) AS s(i) ON s.i = a.balance"
         " GROUP BY s.i", "nn", {1}),
        ("SELECT b.city, SUM(c.annual_income) AS s FROM customers AS c JOIN branches AS b"
         " ON SUBSTR(b.city, 1, 1) = SUBSTR(c.full_name, 1, 1) GROUP BY b.city", "tn", set()),
        # by a query inside
        ("SELECT l, SUM(s) AS s FROM (SELECT CASE WHEN EXISTS (SELECT 1 FROM accounts AS a WHERE a.customer_id ="
         " c.customer_id AND c.full_name LIKE 'A%') THEN 'A' END AS l, annual_income AS s FROM customers AS c) AS t"
         " GROUP BY l", "tn", set()),
        ("SELECT MAX((SELECT COUNT(*) FROM customers AS x WHERE x.customer_id = c.customer_id AND x.full_name LIKE"
         " 'A%')) AS n FROM customers AS c", "n", set()),
        ("WITH y AS (SELECT customer_id, 'A' AS l FROM customers WHERE full_name LIKE 'A%') SELECT x.l,"
         " SUM(c.annual_income) AS s FROM customers AS c JOIN (SELECT customer_id, l FROM y) AS x"
         " ON x.customer_id = c.customer_id GROUP BY x.l", "tn", {1}),
        # by how many there are
        ("SELECT COUNT(*) FILTER (WHERE full_name LIKE 'a%') AS a, SUM(annual_income) AS s FROM customers"
         " GROUP BY customer_id", "nn", {1}),
        ("SELECT COUNT(CASE WHEN full_name LIKE 'a%' THEN 1 END) AS a, COUNT(NULLIF(full_name LIKE 'a%', TRUE)) AS b,"
         " COUNT_IF(full_name LIKE 'a%') AS c FROM customers GROUP BY customer_id", "nnn", set()),
        ("SELECT COUNT(*) FILTER (WHERE customer_id IN (SELECT customer_id FROM customers WHERE full_name LIKE 'a%'))"
         " AS a FROM customers GROUP BY customer_id", "n", set()),
    ],
)  # fmt: skip
def test_no_name_of_a_group_and_no_figure_tells_what_is_in_a_name_a_key_or_a_text(
    sql: str, kinds: str, shown: set[int]
):
    assert aggregated_columns(task(sql, kinds), in_duckdb()) == shown


@pytest.mark.parametrize(
    ("sql", "kinds"),
    [
        ("SELECT CASE WHEN x.customer_id IS NULL THEN 'other' ELSE 'A' END AS l, COUNT(*) AS n FROM customers AS c"
         " LEFT JOIN (SELECT customer_id FROM customers ORDER BY CASE WHEN full_name LIKE 'A%' THEN 0 ELSE 1 END"
         " LIMIT 5) AS x ON x.customer_id = c.customer_id GROUP BY 1", "tn"),
        ("SELECT COUNT(CASE WHEN customer_id IN (SELECT customer_id FROM customers ORDER BY CASE WHEN full_name = 'A'"
         " THEN 0 ELSE 1 END LIMIT 1) THEN 1 END) AS n FROM customers GROUP BY segment", "n"),
        ("SELECT COUNT(*) FILTER (WHERE customer_id IN (SELECT customer_id FROM customers ORDER BY full_name = 'A' DESC"
         " LIMIT 1)) AS n FROM customers GROUP BY segment", "n"),
        ("SELECT CASE WHEN x.customer_id IS NULL THEN 'other' ELSE 'A' END AS l, COUNT(*) AS n FROM customers AS c"
         " LEFT JOIN (SELECT DISTINCT ON (segment) customer_id FROM customers ORDER BY segment, full_name = 'A' DESC)"
         " AS x ON x.customer_id = c.customer_id GROUP BY 1", "tn"),
        ("SELECT x.l, COUNT(*) AS n FROM customers AS c JOIN (SELECT DISTINCT ON (full_name LIKE 'A%') customer_id, 'A'"
         " AS l FROM customers) AS x ON x.customer_id = c.customer_id GROUP BY 1", "tn"),
        ("WITH f AS (SELECT customer_id FROM customers ORDER BY SUBSTR(full_name, 1, 1) OFFSET 9) SELECT COUNT(*) AS n"
         " FROM customers AS c JOIN f ON f.customer_id = c.customer_id", "n"),
        ("SELECT segment, COUNT(*) AS n FROM customers GROUP BY segment ORDER BY MAX(CASE WHEN full_name = 'A' THEN 1"
         " ELSE 0 END) DESC", "tn"),
        ("SELECT annual_income, n FROM (SELECT SUM(annual_income) AS annual_income, COUNT(*) AS n, MAX(full_name LIKE"
         " 'A%') AS m FROM customers GROUP BY customer_id) AS t ORDER BY m", "nn"),
        ("SELECT SUM(annual_income) AS s FROM customers GROUP BY full_name ORDER BY TRIM(LEADING 'A' FROM full_name)",
         "n"),
        ("SELECT segment, COUNT(*) AS n FROM customers GROUP BY segment LIMIT (SELECT MAX(CASE WHEN full_name LIKE 'A%'"
         " THEN 1 ELSE 2 END) FROM customers)", "tn"),
        # names beside what is known
        ("SELECT full_name AS g, SUM(annual_income) AS s FROM customers GROUP BY full_name UNION ALL SELECT 'M', 0"
         " ORDER BY 1", "tn"),
        ("SELECT s FROM (SELECT full_name AS g, SUM(annual_income) AS s FROM customers GROUP BY full_name UNION ALL"
         " SELECT branch_name, 0 FROM branches) AS t ORDER BY g", "n"),
    ],
)  # fmt: skip
def test_nothing_is_told_of_rows_in_an_order_that_tells_of_a_name(sql: str, kinds: str):
    assert aggregated_columns(task(sql, kinds), in_duckdb()) == set()


def test_a_name_without_some_of_its_letters_is_no_key_to_join_by():
    sql = (
        "SELECT CASE WHEN x.customer_id IS NULL THEN 'A' ELSE 'other' END AS l, COUNT(*) AS n FROM customers AS c LEFT"
        " JOIN customers AS x ON x.customer_id = c.customer_id AND TRIM(LEADING 'A' FROM x.full_name) = c.full_name"
        " GROUP BY 1"
    )
    assert aggregated_columns(task(sql, "tn"), in_duckdb()) == set()


@pytest.mark.parametrize(
    ("sql", "kinds", "shown"),
    [
        ("SELECT segment, COUNT(*) AS n FROM customers GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 5", "tn", {0, 1}),
        ("SELECT full_name, SUM(annual_income) AS s FROM customers GROUP BY full_name ORDER BY s DESC, full_name",
         "tn", {1}),
        ("SELECT full_name || ' ' || city AS g, COUNT(*) AS n FROM customers GROUP BY 1 ORDER BY n DESC, LOWER(g)",
         "tn", {1}),
        ("SELECT COUNT(*) AS n FROM customers AS c JOIN (SELECT customer_id FROM accounts GROUP BY customer_id ORDER BY"
         " SUM(balance) DESC, customer_id LIMIT 10) AS t ON t.customer_id = c.customer_id", "n", {0}),
        ("SELECT segment AS g, COUNT(*) AS n FROM customers GROUP BY 1 UNION ALL SELECT segment, COUNT(*) FROM"
         " customers GROUP BY 1 ORDER BY g, n", "tn", {0, 1}),
        ("SELECT a.status, COUNT(*) AS n FROM (SELECT DISTINCT ON (customer_id) status FROM accounts ORDER BY"
         " customer_id, opened_on DESC) AS a GROUP BY a.status", "tn", {0, 1}),
    ],
)  # fmt: skip
def test_rows_may_be_sorted_by_figures_groups_and_whole_names(sql: str, kinds: str, shown: set[int]):
    assert aggregated_columns(task(sql, kinds), in_duckdb()) == shown


@pytest.mark.parametrize(
    ("sql", "kinds"),
    [
        ("SELECT COUNT(DISTINCT CASE WHEN status = 'Open' THEN customer_id END) AS n FROM accounts", "n"),
        ("SELECT COUNT(DISTINCT LOWER(full_name)) AS n FROM customers", "n"),
        ("SELECT COUNT(*) FILTER (WHERE c.customer_id IN (SELECT customer_id FROM accounts WHERE balance > 5)) AS n"
         " FROM customers AS c", "n"),
        ("SELECT a.status, SUM(t.balance) AS s FROM accounts AS a JOIN (SELECT account_id, balance FROM (SELECT"
         " account_id, balance, ROW_NUMBER() OVER (PARTITION BY account_id ORDER BY opened_on) AS rn FROM accounts)"
         " AS r WHERE rn = 1) AS t ON t.account_id = a.account_id GROUP BY a.status", "tn"),
        ("SELECT m.d, COALESCE(f.n, 0) AS n FROM (VALUES (DATE '2026-01-01')) AS m(d) LEFT JOIN (SELECT"
         " DATE_TRUNC('month', opened_on) AS mo, COUNT(*) AS n FROM accounts GROUP BY 1) AS f ON f.mo = m.d", "dn"),
        ("SELECT CASE WHEN a.customer_id IS NULL THEN 'without' ELSE 'with' END AS l, COUNT(*) AS n FROM customers AS c"
         " LEFT JOIN (SELECT customer_id FROM accounts WHERE balance > 5) AS a ON a.customer_id = c.customer_id"
         " GROUP BY 1", "tn"),
        ("SELECT l, COUNT(*) AS n FROM (SELECT CASE WHEN EXISTS (SELECT 1 FROM accounts AS a WHERE a.customer_id ="
         " c.customer_id AND a.status = 'Open') THEN 'yes' END AS l FROM customers AS c) AS t GROUP BY l", "tn"),
        ("SELECT b.branch_name, SUM(a.balance) AS s FROM accounts AS a LEFT JOIN branches AS b"
         " ON CAST(a.branch_id AS VARCHAR) = TRIM(CAST(b.branch_id AS VARCHAR)) GROUP BY b.branch_name", "tn"),
    ],
)  # fmt: skip
def test_keys_may_join_rows_number_them_and_be_counted(sql: str, kinds: str):
    assert aggregated_columns(task(sql, kinds), in_duckdb()) == {*range(len(kinds))}


def test_nothing_leaves_where_nothing_may_and_the_sensitive_stays_everywhere():
    asked = task("SELECT segment, email, COUNT(*) AS n FROM customers GROUP BY segment, email", "ttn")
    known = vocabulary()
    datasets = tuple(
        replace(one, fields=tuple(replace(item, sensitive=item.name == "email") for item in one.fields))
        for one in known.model.datasets
    )
    known = replace(known, model=replace(known.model, datasets=datasets))
    assert kept_back(asked, known, "none") == {0, 1, 2}
    assert kept_back(asked, known, "aggregates") == {1}
    assert kept_back(asked, known, "sample") == {1}
