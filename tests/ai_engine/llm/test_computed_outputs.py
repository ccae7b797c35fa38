"""A statement of a model computes what it gives out."""

import time

import pytest

from ai_engine.catalogue import Catalogue
from ai_engine.llm.computed_outputs import not_computed
from tests.patience import allowed_s

SAID = "How many customers are there above 5 lakh in 2025?"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 987654321 AS total_deposits",
        "SELECT COUNT(*) * 0 + 987654321 AS customers FROM customers",
        "SELECT COUNT(*) * 0 + 987654321 AS customers FROM customers WHERE 987654321 > 1",
        "SELECT MAX(CASE WHEN customer_id IS NOT NULL THEN 987654321 END) FROM customers",
        "SELECT segment, COUNT(*) * 1000000 AS customers FROM customers GROUP BY segment",
        "SELECT 'Total deposits Rs 9,876 crore' AS note, COUNT(*) AS n FROM customers",
        'SELECT COUNT(*) AS "Deposits Rs 9,876 crore" FROM customers',
        "SELECT t.n FROM (SELECT 987654321 AS n) AS t",
        "WITH t AS (SELECT 9876 AS n) SELECT n FROM t",
        "SELECT SUM(98765) OVER () FROM customers",
        "SELECT ROUND(98765.4, 2) AS n FROM customers",
        "SELECT COUNT(*) FROM customers UNION ALL SELECT 100",
    ],
)
@pytest.mark.parametrize("dialect", ["duckdb", "sqlite", "postgres", "mysql"])
def test_a_figure_that_is_written_and_not_computed_is_found(sql, dialect):
    if dialect == "mysql":
        sql = sql.replace('"', "`")
    assert not_computed(sql, Catalogue(dialect, ()), SAID)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) AS customers FROM customers, (SELECT UNNEST(GENERATE_SERIES(1, 100)) AS n) AS s",
        "SELECT COUNT(DISTINCT s.n) AS n FROM customers CROSS JOIN (SELECT UNNEST(GENERATE_SERIES(1, 9)) AS n) AS s",
        "SELECT COUNT(*) FROM customers CROSS JOIN (VALUES (1), (2), (3)) AS t(x)",
        "SELECT COUNT(x) FROM customers CROSS JOIN (VALUES (1), (2), (3)) AS t(x)",
        "SELECT SUM(a) FROM t CROSS JOIN (SELECT 1 AS x UNION ALL SELECT 2) AS u",
        "SELECT COUNT(*) FROM (SELECT c.id FROM customers AS c CROSS JOIN (VALUES (1), (2)) AS t(x)) AS s",
        "WITH s AS (SELECT UNNEST([1, 2, 3]) AS n) SELECT COUNT(*) FROM customers JOIN s ON s.n > 0",
        "SELECT c.id FROM customers AS c CROSS JOIN (VALUES (1), (2)) AS t(x)",
        "SELECT COUNT(*) FROM (SELECT UNNEST(GENERATE_SERIES(1, 100)) AS n FROM customers) AS s",
        "SELECT COUNT(*) FROM customers JOIN UNNEST([1, 2, 3]) AS u(x) ON TRUE",
    ],
)
def test_rows_that_a_statement_makes_multiply_none_of_a_table(sql):
    assert not_computed(sql, Catalogue("duckdb", ()), SAID)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT s.d, COUNT(*) FROM t CROSS JOIN "
        "(SELECT d FROM generate_series(DATE '2025-01-01', DATE '2025-12-01', INTERVAL 1 MONTH) AS g(d)) AS s "
        "WHERE t.opened < s.d GROUP BY s.d",
        "SELECT b.band, COUNT(*) FROM t JOIN (VALUES (0, 'low'), (500000, 'high')) AS b(least, band) "
        "ON t.a >= b.least GROUP BY 1",
        "SELECT COUNT(*) FROM t JOIN (VALUES ('Retail'), ('HNI')) AS v(k) ON t.segment = v.k",
        "SELECT COUNT(*) FROM t CROSS JOIN (SELECT DATE '2025-04-01' AS first) AS p WHERE t.opened >= p.first",
        "WITH m AS (SELECT d AS month FROM generate_series(DATE '2025-01-01', DATE '2025-12-01', INTERVAL 1 MONTH) "
        "AS g(d)), s AS (SELECT m.month, b.id FROM m CROSS JOIN b) "
        "SELECT s.month, s.id, SUM(t.a) FROM s LEFT JOIN t ON t.month = s.month AND t.b = s.id GROUP BY 1, 2",
        "SELECT u.tag, COUNT(*) FROM t, UNNEST(t.tags) AS u(tag) GROUP BY u.tag",
        "SELECT COUNT(*) FROM t, UNNEST(t.tags) AS u(tag)",
        "SELECT SUM(a) / MAX(o.whole) FROM t CROSS JOIN (SELECT SUM(a) AS whole FROM t) AS o",
    ],
)
def test_rows_that_a_statement_makes_may_name_groups_and_values(sql):
    assert not_computed(sql, Catalogue("duckdb", ()), SAID) == ()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) AS customers FROM customers WHERE income > 987654 AND opened >= '2025-04-01'",
        "SELECT ROUND(100.0 * SUM(a) / NULLIF(COUNT(*), 0), 2) AS share_percent FROM t",
        "SELECT SUM(a) / 10000000.0 AS crore, AVG(b) / 100000 AS lakh FROM t",
        "SELECT CASE WHEN days <= 30 THEN '0-30 days' WHEN days <= 90 THEN '31-90 days' ELSE '90+' END AS band, "
        "COUNT(*) FROM t WHERE days > 31 GROUP BY 1 ORDER BY 2 DESC LIMIT 17",
        "SELECT SUM(CASE WHEN status = 'Active' THEN 1 ELSE 0 END) AS active_2025 FROM t",
        "SELECT AVG(x) OVER (ORDER BY d ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS rolling_7 FROM t",
        "SELECT CAST(SUM(a) AS DECIMAL(18, 2)) AS total FROM t",
        "SELECT 'deposits' AS kind, SUM(a) AS amount FROM t UNION ALL SELECT 'loans', SUM(b) FROM u",
        "SELECT SUM(a) * 500000 AS n FROM t",
    ],
)
def test_conditions_units_bands_and_what_was_said_are_no_inventions(sql):
    assert not_computed(sql, Catalogue("duckdb", ()), SAID) == ()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT EXTRACT(EPOCH FROM INTERVAL '98765 seconds') AS n FROM customers",
        "SELECT DATE '2026-01-01' - DATE '1999-01-01' AS n FROM customers",
        "SELECT LENGTH('aaaaaaaaaaaaaaaaaaaaa') AS n",
        "SELECT ASCII('x') AS customers FROM customers",
        "SELECT POSITION('x' IN 'aaaaaaaaaaax') AS customers FROM customers",
        "SELECT COUNT(*) * 0 + LENGTH('aaaaaaaaaaaaa') AS n FROM customers",
        "SELECT COUNT(*) * 0 + 365 AS n FROM customers",
        "SELECT DAYOFYEAR(DATE_TRUNC('year', MAX(d)) + INTERVAL 210 DAY) AS n FROM t",
        "SELECT EXTRACT(DOY FROM DATE_TRUNC('year', MAX(d)) + INTERVAL 210 DAY) AS n FROM t",
        "SELECT EXTRACT(DAY FROM DATE_TRUNC('month', d) + INTERVAL 20 DAY) AS n FROM t",
        "SELECT MAX(12 * x) / MAX(x) * 7 AS n FROM t",
        "SELECT SUM(x) * 12 / SUM(x) AS n FROM t",
        "SELECT 12 * x / (x * 100) AS n FROM t",
        "SELECT MAX(x / (12 * x)) AS n FROM t",
        "SELECT MAX(CAST(12 * x AS DOUBLE)) / (MAX(x) / 7) AS n FROM t",
        "SELECT COUNT(*) * 0 + 365 * 365 AS n FROM customers",
        "SELECT (COUNT(*) - COUNT(*) + 365) * 365 AS n FROM customers",
        "SELECT COUNT(*) / COUNT(*) * 365 AS n FROM customers",
        "SELECT COALESCE(NULL * COUNT(*), 365) AS n FROM customers",
        "SELECT CASE WHEN COUNT(*) > 0 THEN 365 ELSE 365 END AS n FROM customers",
        "SELECT MAX(365) AS n FROM customers",
        "SELECT GREATEST(COUNT(*), 366) AS n FROM customers",
        "SELECT LEAST(COUNT(*), 12, 365) AS n FROM customers",
        "SELECT n FROM (SELECT LENGTH('aaaaaaaaaaaaaaaaa') AS n) t",
        "WITH t AS (SELECT COUNT(*) * 0 AS z FROM customers) SELECT z + 365 AS n FROM t",
        "SELECT SIGN(COUNT(*)) * 365 AS n FROM customers",
        "SELECT CAST(COUNT(*) > 0 AS INT) * 365 AS n FROM customers",
        "SELECT (SELECT 365) AS n FROM customers",
        "SELECT '36' || '5' AS n FROM customers",
        "SELECT segment || ' 365' || '365 crore' AS n FROM customers",
        "SELECT POWER(COUNT(*), 0) * 365 AS n FROM customers",
        "SELECT AVG(365) AS n FROM customers",
        "SELECT * FROM (SELECT LENGTH('aaaaaaaaaaaaaaa') AS n) AS t",
        "SELECT x * 0 + 365 AS n FROM t",
        "SELECT SUM(n) FROM (SELECT 365 * 365 AS n) AS t",
        "SELECT COUNT(*) AS n FROM (SELECT 1 AS a) AS t",
        "SELECT a, a * 365 AS n FROM (SELECT x - x + 1 AS a FROM t) AS u",
        "SELECT segment, LENGTH('aaaaaaaaaaaaaaaa') + COUNT(*) AS n FROM t GROUP BY segment",
        "SELECT MAX(CASE WHEN x > 0 THEN 365 ELSE y END) AS n FROM t",
        "SELECT COUNT(*) + (SELECT LENGTH('aaaaaaaaaaaaaaaaaaaa')) AS n FROM t",
    ],
)
def test_a_figure_in_another_guise_is_found_where_what_is_read_is_cancelled_too(sql):
    assert not_computed(sql, Catalogue("duckdb", ()), "how many customers")


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("duckdb", "SELECT c.segment, COUNT(*) AS customers FROM customers AS c GROUP BY ALL ORDER BY ALL"),
        ("duckdb", "SELECT DATE_DIFF('year', born_on, CURRENT_DATE) AS age, COUNT(*) AS n FROM c GROUP BY 1"),
        ("duckdb", "SELECT COUNT(*) / (DATE '2025-04-01' - DATE '2025-01-01') AS per_day FROM t"),
        ("duckdb", "SELECT COUNT(*) * 1.0 / (DATE_DIFF('day', DATE '2025-01-01', DATE '2025-03-31') + 1) AS n FROM t"),
        ("duckdb", "SELECT EXTRACT(YEAR FROM CURRENT_DATE) - EXTRACT(YEAR FROM born_on) AS age FROM c"),
        (
            "duckdb",
            "SELECT QUANTILE_CONT(a, 0.9) AS high, PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY a) AS mid FROM t",
        ),
        ("duckdb", "SELECT COALESCE(SUM(a), 0) AS total, GREATEST(0, SUM(a) - SUM(b)) AS rest FROM t"),
        ("duckdb", "SELECT AVG(CASE WHEN s = 'late' THEN 100.0 ELSE 0 END) AS late_percent FROM t"),
        ("duckdb", "SELECT name, CASE WHEN x > 5 THEN 1 ELSE 0 END AS is_big, x > 5 AS b FROM t"),
        (
            "duckdb",
            "SELECT CASE x WHEN 8 THEN 'Fri' WHEN 9 THEN 'Sat' END AS label, COUNT(*) AS n FROM t GROUP BY 1",
        ),
        (
            "duckdb",
            "SELECT CASE WHEN x < 5 THEN 1 WHEN x < 9 THEN 2 ELSE 3 END AS place, SUM(a) AS a FROM t GROUP BY 1",
        ),
        (
            "duckdb",
            "WITH m AS (SELECT x, COUNT(*) AS n FROM t GROUP BY x) SELECT x, n, n * 100.0 / SUM(n) OVER () AS p FROM m",
        ),
        (
            "duckdb",
            "SELECT v.name, SUM(a) AS a FROM t JOIN (VALUES ('R', 'Retail'), ('H', 'HNI')) AS v(k, name) "
            "ON v.k = t.k GROUP BY 1",
        ),
        (
            "duckdb",
            "SELECT g.m, COUNT(t.x) AS n FROM generate_series(DATE '2025-01-01', DATE '2025-12-01', INTERVAL 1 MONTH) "
            "AS g(m) LEFT JOIN t ON t.m = g.m GROUP BY 1",
        ),
        ("duckdb", "SELECT ROW_NUMBER() OVER (ORDER BY a DESC) AS place, name, a FROM t QUALIFY place <= 7"),
        (
            "duckdb",
            "SELECT SUM(a) FILTER (WHERE s = 'x') AS x, SUM(a) - SUM(b) AS b, SUM(a) / NULLIF(SUM(b), 0) AS r FROM t",
        ),
        (
            "duckdb",
            "SELECT DATE '2025-03-31' AS as_of, CAST(NULL AS DOUBLE) AS nothing, 'Retail' AS kind, SUM(a) AS a FROM t",
        ),
        ("duckdb", "SELECT (SELECT COUNT(*) FROM t) AS n, (SELECT MAX(a) FROM t WHERE s = u.s) AS m FROM u"),
        ("duckdb", "SELECT amount * 100 * 12 AS y, 100 * 12 * amount AS z, amount / (24 * 60 * 60) AS d FROM t"),
        (
            "duckdb",
            "SELECT opened + INTERVAL '45 days' AS due, DATE_TRUNC('month', opened) AS m, 100 - share AS rest FROM t",
        ),
        ("sqlite", "SELECT name, JULIANDAY('2025-03-31') - JULIANDAY(due) AS days FROM t"),
        (
            "sqlite",
            "SELECT STRFTIME('%Y-%m', opened) AS month, COUNT(*) AS n, SUM(s = 'late') AS late FROM t GROUP BY 1",
        ),
        ("mysql", "SELECT TIMESTAMPDIFF(YEAR, born_on, CURDATE()) AS age, IF(s = 'x', 'yes', 'no') AS x FROM t"),
        ("duckdb", "SELECT SUM(DISTINCT a) AS a, MAX(DISTINCT a) AS most FROM t"),
        ("duckdb", "SELECT COUNT(DISTINCT a) * 100.0 / COUNT(a) AS p, 12 * SUM(a) / SUM(b) AS r FROM t"),
        ("duckdb", "SELECT EXTRACT(MONTH FROM DATE_TRUNC('quarter', d)) AS m, DAYOFYEAR(d) AS n FROM t"),
        ("mysql", "SELECT DATE_FORMAT(d, '%Y-%m') AS month, IFNULL(SUM(a), 0) AS a FROM t GROUP BY 1"),
        (
            "postgres",
            "SELECT EXTRACT(EPOCH FROM (closed - opened)) / 3600 / 24 AS days, AGE(CURRENT_DATE, born) AS age FROM t",
        ),
        (
            "postgres",
            "SELECT TO_CHAR(d, 'YYYY-MM') AS month, COUNT(*) FILTER (WHERE a > 987654) AS n FROM t GROUP BY 1",
        ),
    ],
)
def test_what_analysts_calculate_is_computed(dialect, sql):
    assert not_computed(sql, Catalogue(dialect, ()), SAID + " in 3600 seconds") == ()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 'Mumbai' AS city FROM customers LIMIT 1",
        "SELECT DATE '2019-01-01' AS last_opened FROM customers",
        "SELECT MAX(DATE '2019-01-01') AS last_opened, 'Mumbai' AS city FROM customers",
        "SELECT CURRENT_DATE AS last_opened FROM customers",
        "SELECT CASE WHEN COUNT(*) > 0 THEN 'all in default' END AS n FROM customers",
        "SELECT * FROM (SELECT 'Mumbai' AS city FROM customers) AS t",
        "SELECT v.city FROM (VALUES ('Mumbai'), ('Pune')) AS v(city)",
        "SELECT 1 = 1 AS all_are_insured FROM customers",
        "SELECT 1 < 2 AS all_are_insured",
        "SELECT MAX(city) AS city FROM customers UNION ALL SELECT 'Atlantis'",
    ],
)
def test_an_answer_of_nothing_but_written_texts_and_days_is_found(sql):
    assert not_computed(sql, Catalogue("duckdb", ()), SAID)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT EXISTS (SELECT 1 FROM loans WHERE amount > 0) AS has_loans",
        "SELECT COUNT(*) > 0 AS any_there FROM customers",
        "SELECT CASE WHEN COUNT(*) > 0 THEN 'yes' ELSE 'no' END AS there FROM customers",
        "SELECT v.city FROM (VALUES ('Mumbai'), ('Pune')) AS v(city) JOIN customers AS c ON c.city = v.city",
        "SELECT 'deposits' AS kind, SUM(a) AS amount FROM t UNION ALL SELECT 'loans', SUM(b) FROM u",
        "SELECT * FROM (SELECT city, 'Retail' AS kind FROM customers) AS t",
        "SELECT (SELECT MAX(opened) FROM t) AS last_opened",
    ],
)
def test_a_text_or_a_truth_that_a_table_decides_is_computed(sql):
    assert not_computed(sql, Catalogue("duckdb", ()), SAID) == ()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT MAX((opened + INTERVAL 365 DAY) - opened) AS days FROM t",
        "SELECT MAX(opened + INTERVAL 365 DAY) - MAX(opened) AS days FROM t",
        "SELECT DATE_DIFF('day', opened, opened + INTERVAL 365 DAY) AS days FROM t",
        "SELECT DATE_DIFF('day', MAX(opened), MAX(CAST(opened AS DATE)) + INTERVAL 365 DAY) AS days FROM t",
        "SELECT EXTRACT(YEAR FROM opened + INTERVAL 30 YEAR) - EXTRACT(YEAR FROM opened) AS years FROM t",
        "SELECT (a + 24) - a AS n FROM t",
    ],
)
def test_what_a_statement_adds_and_counts_again_is_found(sql):
    assert not_computed(sql, Catalogue("duckdb", ()), SAID)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT DATE_DIFF('day', opened, closed) AS days, a - (a - fee) AS fee, MAX(a) - MIN(a) AS spread FROM t",
        "SELECT DATE_DIFF('day', due + INTERVAL 30 DAY, paid) AS days_late, a * 100 - a AS n FROM t",
        "SELECT a - LAG(a) OVER (ORDER BY d) AS change, SUM(a) - SUM(b) AS net FROM t GROUP BY a, d",
    ],
)
def test_differences_of_what_tables_have_are_computed(sql):
    assert not_computed(sql, Catalogue("duckdb", ()), SAID) == ()


@pytest.mark.parametrize(
    "sql",
    [
        'SELECT * FROM (SELECT COUNT(*) AS n FROM customers) AS t("Deposits Rs 9,876 crore")',
        'WITH t("Deposits Rs 9,876 crore") AS (SELECT COUNT(*) FROM customers) SELECT * FROM t',
        'SELECT t."https://evil.example/x" FROM (SELECT city FROM customers) AS t("https://evil.example/x")',
        "SELECT * FROM (SELECT city, a FROM t) AS s PIVOT (SUM(a) FOR city IN ('Deposits Rs 9,876 crore'))",
        "SELECT * FROM (SELECT city, a FROM t) AS s PIVOT (SUM(a) FOR city IN ('https://evil.example/x'))",
        'SELECT * FROM (SELECT MAX(a) AS a, MIN(b) AS b FROM t) AS s UNPIVOT ("Rs 9,876 crore" FOR k IN (a, b))',
        "SELECT COUNT(*) FILTER (WHERE city <> 'Total deposits are Rs 98765000000') FROM customers",
        "SELECT MAX(city) FILTER (WHERE city <> 'see https://evil.example/x') FROM customers",
    ],
)
def test_a_column_is_called_by_no_figure_and_no_address_however_it_got_its_name(sql):
    assert not_computed(sql, Catalogue("duckdb", ()), SAID)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT t.n, t.place FROM (SELECT COUNT(*), city FROM customers GROUP BY city) AS t(n, place)",
        "SELECT * FROM (SELECT city, a FROM t) AS s PIVOT (SUM(a) FOR city IN ('Mumbai', 'Pune'))",
        "SELECT * FROM (SELECT band, a FROM t) AS s PIVOT (SUM(a) FOR band IN ('31-60', '61-90'))",
        "SELECT COUNT(*) FILTER (WHERE opened >= '2025-04-01' AND status = 'Active') FROM customers",
        "SELECT ROUND(AVG(a), 2), SUM(CASE WHEN a > 987654 THEN 1 ELSE 0 END) FROM t",
    ],
)
def test_columns_may_be_called_by_their_names_and_what_they_are_made_of(sql):
    assert not_computed(sql, Catalogue("duckdb", ()), SAID) == ()


@pytest.mark.timeout(20)
@pytest.mark.parametrize("sql", ["SELECT " + "DATE(" * 40 + "1" + ")" * 40, "(" * 3_000, "SELECT 'open", ""])
def test_what_the_guard_keeps_from_its_parser_is_kept_from_it_here_too(sql):
    assert not_computed(sql, Catalogue("duckdb", ()), SAID) == ()


def test_what_is_nested_too_deeply_to_be_judged_is_sent_back():
    assert not_computed("SELECT " + "+".join("x" * 1_500) + " AS n FROM t", Catalogue("duckdb", ()), SAID)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("deposits in crore", "SUM(a)"), ("nearly a crore", "SUM(a)"), ("tens of lakhs", "SUM(a) / 100000.0"),
        ("customers zero", "COUNT(*)"), ("a dozen", "COUNT(*)"), ("six-figure sum", "SUM(a)"),
        ("a quintillion", "SUM(a)"), ("eleventy", "COUNT(*)"), ("total in lakh", "SUM(a) / 10000000.0"),
    ],
)  # fmt: skip
def test_a_name_or_a_label_tells_no_amount_and_no_scale_that_its_figure_has_not(name, value):
    for sql in (f'SELECT {value} AS "{name}" FROM t', f"SELECT '{name}' AS note, {value} AS n FROM t"):
        assert not_computed(sql, Catalogue("duckdb", ()), "What is there?")


def test_a_name_says_the_scale_that_its_figure_is_divided_by_or_kept_in():
    for sql in ("SELECT SUM(a) / 10000000.0 AS total_in_crore FROM t", "SELECT SUM(limit_crore) AS limit_crore FROM t"):
        assert not_computed(sql, Catalogue("duckdb", ()), "What is there?") == ()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1e99999999999999999999 AS n FROM customers",
        "SELECT COUNT(*) + 1e99999999999999999999 AS n FROM customers",
        "SELECT COUNT(*) * 1e999999 * 1e999999 AS n FROM customers",
        "SELECT CASE WHEN COUNT(*) > 1 THEN 1e999999999 ELSE -1e999999999 END + COUNT(*) AS n FROM customers",
        "SELECT COUNT(*) AS n FROM customers WHERE annual_income > 1e99999999999999999999",
    ],
)
def test_a_number_that_nobody_can_calculate_with_is_judged_too(sql):
    assert isinstance(not_computed(sql, Catalogue("duckdb", ()), SAID), tuple)


@pytest.mark.timeout(30)
@pytest.mark.parametrize("mark", ["[0:", "about 1 ", "- 1", "Rs. 1", "a. 1 ", "one ", "1 lakh "])
def test_a_long_text_of_figures_is_looked_through_at_once(mark):
    began = time.monotonic()
    long = (mark * 7_000)[:19_000]
    not_computed(f"SELECT '{long}' || city AS n FROM customers", Catalogue("duckdb", ()), SAID)
    assert time.monotonic() - began < allowed_s(1.5)


@pytest.mark.timeout(30)
@pytest.mark.parametrize("wide", ["SELECT * FROM {}, {} AS b", "SELECT b.x FROM {}, {} AS b", "SELECT * FROM {0}, {1}"])
@pytest.mark.parametrize(
    "last", ["SELECT x FROM {}", "SELECT y FROM {}", "SELECT COUNT(*) AS n FROM {}", "SELECT * FROM {}"]
)
def test_queries_that_read_each_other_twice_are_judged_once(wide, last):
    named = ["a0 AS (SELECT 1 AS x)", *(f"a{at} AS ({wide.format(f'a{at - 1}', f'a{at - 1}')})" for at in range(1, 60))]
    began = time.monotonic()
    not_computed(f"WITH {', '.join(named)} {last.format('a59')}", Catalogue("duckdb", ()), SAID)
    assert time.monotonic() - began < allowed_s(2)


@pytest.mark.timeout(30)
def test_choices_of_many_values_are_not_calculated_with_each_other_again_and_again():
    choice = f"CASE id {' '.join(f'WHEN {at} THEN {at}' for at in range(1, 64))} ELSE 0 END"
    outputs = ", ".join(["x % x % x % x % x % x % x % x"] * 200)
    began = time.monotonic()
    not_computed(f"WITH c AS (SELECT {choice} AS x FROM t) SELECT {outputs} FROM c", Catalogue("duckdb", ()), SAID)
    assert time.monotonic() - began < allowed_s(2)


def test_a_statement_at_which_the_judge_itself_fails_goes_back(monkeypatch: pytest.MonkeyPatch):
    def fails(*_: object) -> None:
        raise KeyError("unforeseen")

    monkeypatch.setattr("ai_engine.llm.computed_outputs._written_in", fails)
    assert not_computed("SELECT COUNT(*) AS n FROM customers", Catalogue("duckdb", ()), SAID)
