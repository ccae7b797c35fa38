"""A statement of a model computes what it gives out."""

import pytest

from ai_engine.catalogue import Catalogue
from ai_engine.llm.computed_outputs import not_computed

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


@pytest.mark.timeout(20)
@pytest.mark.parametrize("sql", ["SELECT " + "DATE(" * 40 + "1" + ")" * 40, "(" * 3_000, "SELECT 'open", ""])
def test_what_the_guard_keeps_from_its_parser_is_kept_from_it_here_too(sql):
    assert not_computed(sql, Catalogue("duckdb", ()), SAID) == ()
