"""Rows that no statement orders come in an order that tells nothing of restricted columns which an index holds."""

from __future__ import annotations

import pytest

from ai_engine.guard import check
from tests.ai_engine.guard.twins import POLICY, reachable_twins, tells_apart, twins_catalogue

TELLING = {
    "sqlite": [
        "SELECT label FROM tokens",
        "SELECT t.label, s.label AS other FROM tokens t LEFT JOIN segment s ON s.label = t.label LIMIT 2",
        "SELECT customer_id FROM customers LIMIT 2",
        "SELECT customer_id, city FROM customers WHERE city = 'p' ORDER BY city LIMIT 1",
        "SELECT city, group_concat(customer_id) AS names FROM customers GROUP BY city",
        "SELECT customer_id, row_number() OVER () AS n FROM customers WHERE city = 'p'",
        "SELECT x.customer_id FROM (SELECT customer_id, city FROM customers WHERE city = 'p') AS x LIMIT 1",
        "SELECT s.label, (SELECT c.customer_id FROM customers c WHERE c.city = 'p' LIMIT 1) AS one FROM segment s",
        "SELECT a.customer_id, b.customer_id AS other FROM customers a LEFT JOIN customers b ON a.city = b.city",
    ],
    "mysql": [
        "SELECT label FROM tokens",
        "SELECT s.label, (SELECT t.label FROM tokens t LIMIT 1) AS one FROM segment s",
        "SELECT customer_id FROM customers LIMIT 2",
        "SELECT customer_id, city FROM customers WHERE city = 'p' LIMIT 1",
        "SELECT city, group_concat(customer_id) AS names FROM customers GROUP BY city",
        "SELECT x.customer_id FROM (SELECT customer_id, city FROM customers WHERE city = 'p') AS x LIMIT 1",
        "SELECT s.label, (SELECT c.customer_id FROM customers c WHERE c.city = 'p' LIMIT 1) AS one FROM segment s",
        "SELECT a.customer_id, b.customer_id AS other FROM customers a LEFT JOIN customers b ON a.city = b.city",
    ],
}


@pytest.mark.parametrize("dialect", ["sqlite", pytest.param("mysql", marks=pytest.mark.server)])
def test_the_order_of_an_index_tells_nothing_of_a_restricted_column_in_it(dialect):
    with reachable_twins(dialect, indexed=True) as pair:
        for sql in TELLING[dialect]:
            assert tells_apart(pair, sql), sql
            ran = check(sql, twins_catalogue(dialect, indexed=True), POLICY).run_sql
            assert not tells_apart(pair, ran), ran


@pytest.mark.parametrize("dialect", ["sqlite", pytest.param("mysql", marks=pytest.mark.server)])
def test_a_view_of_the_banks_own_over_such_a_table_still_tells(dialect):
    """Not promised: see SECURITY.md."""
    with reachable_twins(dialect, indexed=True) as pair:
        for bank in pair:
            bank.execute("CREATE VIEW label AS SELECT customer_id FROM customers")
        assert tells_apart(pair, "SELECT customer_id FROM label LIMIT 2")
