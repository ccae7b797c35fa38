"""Rows that no statement orders come in an order that tells nothing of restricted columns which an index holds."""

from __future__ import annotations

import threading

import pytest

from backend.databases import open_database
from tests.backend.databases.servers.small_bank import NAME, administer_postgres

pytestmark = pytest.mark.server

BANK = """
    CREATE TABLE ranked (id INTEGER, city TEXT, phone TEXT, wealth INTEGER);
    INSERT INTO ranked SELECT n, CASE n % 500 WHEN 0 THEN 'q' ELSE 'p' END, (99999 - n)::text, 99999 - n
        FROM generate_series(1, 20000) n;
"""
STATEMENT = "SELECT id FROM ranked WHERE city = 'q' ORDER BY city LIMIT 3"
AS_STORED = ((500,), (1_000,), (1_500,))
IN_ORDER_OF_THE_INDEX = ((20_000,), (19_500,), (19_000,))


@pytest.mark.parametrize(
    ("index", "hidden", "expected"),
    [
        ("(city, phone)", "phone", AS_STORED),
        ("(city, (wealth / 2))", "wealth", AS_STORED),
        ("(city, phone)", "wealth", IN_ORDER_OF_THE_INDEX),
    ],
)
def test_postgresql_follows_no_index_that_holds_a_restricted_column(
    postgres_bank, postgres_url, index, hidden, expected
):
    administer_postgres(postgres_url, BANK, database=NAME)
    administer_postgres(postgres_url, f"CREATE INDEX ON ranked {index}", "ANALYZE ranked", database=NAME)
    try:
        with open_database(postgres_bank) as database:
            assert ask(database.runner) == IN_ORDER_OF_THE_INDEX
            assert ask(database.without(frozenset({("ranked", hidden)}))) == expected
    finally:
        administer_postgres(postgres_url, "DROP TABLE ranked", database=NAME)


def ask(runner):
    return runner.run(STATEMENT, max_rows=9, timeout_s=20, stop=threading.Event()).rows
