from __future__ import annotations

import pytest

from ai_engine.llm.disclosure import hidden_columns
from ai_engine.ports import InsightTask
from ai_engine.types import OutputColumn, QueryResult
from tests.ai_engine.llm.bank import BANK


def hidden(sql, *names):
    result = QueryResult(names, ("text",) * len(names), ())
    return hidden_columns(InsightTask("", "", sql, result, tuple(OutputColumn(n, n) for n in names)), BANK)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT pan AS x FROM customers",
        "SELECT SUBSTR(pan, 1, 5) AS x FROM customers",
        "SELECT MAX(pan) AS x FROM customers",
        "SELECT p AS x FROM (SELECT pan AS p FROM customers) AS inner_rows",
        "WITH a AS (SELECT pan AS p FROM customers), b AS (SELECT p AS q FROM a) SELECT q AS x FROM b",
        "WITH a(q) AS (SELECT pan FROM customers) SELECT q AS x FROM a",
        "SELECT q AS x FROM (SELECT pan FROM customers) AS a(q)",
        "SELECT (SELECT MIN(pan) FROM customers) AS x",
        "SELECT c AS x FROM customers AS c",
        "SELECT CASE WHEN segment = 'HNI' THEN full_name ELSE '' END AS x FROM customers",
        "SELECT segment AS x FROM customers UNION ALL SELECT pan FROM customers",
        "SELECT segment AS x FROM (SELECT segment FROM customers UNION ALL SELECT pan FROM customers) AS t",
        "SELECT q AS x FROM (SELECT * FROM customers) AS t(a, b, q, d, e)",
        "WITH t(a, b, q, d, e) AS (SELECT * FROM customers) SELECT q AS x FROM t",
        "SELECT MAX(segment) AS x FROM (SELECT pan AS segment FROM customers) AS t",
        "SELECT broken FROM (",
    ],
)
def test_a_sensitive_value_is_hidden_whatever_way_it_takes(sql):
    assert hidden(sql, "x") == {0}


def test_other_columns_are_shown():
    sql = "SELECT segment, COUNT(DISTINCT pan) AS customers, MAX(born_on) AS b FROM customers GROUP BY segment"
    assert hidden(sql, "segment", "customers", "b") == frozenset()
    assert hidden("SELECT pan AS x FROM (SELECT segment AS pan FROM customers) AS t", "x") == frozenset()


def test_a_star_is_judged_by_the_columns_it_stands_for():
    assert hidden("SELECT * FROM customers", "customer_id", "full_name", "pan", "segment", "born_on") == {1, 2}
