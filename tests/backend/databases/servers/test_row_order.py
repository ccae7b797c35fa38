"""Rows that no statement orders come in an order that tells nothing of restricted columns which an index holds."""

from __future__ import annotations

import threading

import pytest

from backend.databases import open_database
from backend.databases.hidden_columns import hidden_columns
from tests.backend.databases.servers.small_bank import NAME, administer_postgres

pytestmark = pytest.mark.server

BANK = """
    CREATE TABLE ranked (id INTEGER, city TEXT, phone TEXT, wealth INTEGER);
    INSERT INTO ranked SELECT n, CASE n % 500 WHEN 0 THEN 'q' ELSE 'p' END, (99999 - n)::text, 99999 - n
        FROM generate_series(1, 20000) n;
    CREATE TABLE heirs (id INTEGER, city TEXT, phone TEXT);
    CREATE TABLE heirs_old () INHERITS (heirs);
    INSERT INTO heirs_old SELECT id, city, phone FROM ranked;
    CREATE VIEW seen AS SELECT id, city FROM ranked;
    CREATE VIEW seen_in_part AS SELECT id FROM ranked WHERE phone <= '80050';
    CREATE VIEW seen_of_heirs AS SELECT id, city FROM heirs;
"""
STATEMENT = "SELECT id FROM ranked WHERE city = 'q' ORDER BY city LIMIT 3"
OF_HEIRS = "SELECT id FROM heirs WHERE city = 'q' ORDER BY city LIMIT 3"
SEEN = "SELECT id FROM seen WHERE city = 'q' ORDER BY city LIMIT 3"
SEEN_OF_HEIRS = "SELECT id FROM seen_of_heirs WHERE city = 'q' ORDER BY city LIMIT 3"
SEEN_IN_PART = "SELECT id FROM seen_in_part LIMIT 3"
AS_STORED = ((500,), (1_000,), (1_500,))
IN_ORDER_OF_THE_INDEX = ((20_000,), (19_500,), (19_000,))
FIRST_IN_PART = ((19_949,), (19_950,), (19_951,))
LAST_IN_PART = ((20_000,), (19_999,), (19_998,))
PHONE = {"restricted_columns": {"ranked": {"phone"}, "heirs": {"phone"}}}
HIDDEN = {"hidden_tables": {"ranked", "heirs"}}


@pytest.fixture(scope="module")
def bank(postgres_bank, postgres_url):
    administer_postgres(postgres_url, BANK, database=NAME)
    return postgres_bank


@pytest.mark.parametrize(
    ("index", "kept", "sql", "expected"),
    [
        ("ranked (city, phone)", PHONE, STATEMENT, AS_STORED),
        ("ranked (city, (wealth / 2))", {"restricted_columns": {"ranked": {"wealth"}}}, STATEMENT, AS_STORED),
        ("ranked (city, phone)", {"restricted_columns": {"ranked": {"wealth"}}}, STATEMENT, IN_ORDER_OF_THE_INDEX),
        ("ranked (phone) WHERE city = 'q'", PHONE, STATEMENT, AS_STORED),
        ("ranked ((lower(phone))) WHERE city = 'q'", PHONE, STATEMENT, AS_STORED),
        ("heirs_old (city, phone)", PHONE, OF_HEIRS, AS_STORED),
        ("ranked (city, phone)", HIDDEN, SEEN, AS_STORED),
        ("ranked (phone)", PHONE, SEEN_IN_PART, FIRST_IN_PART),
        ("ranked (phone)", HIDDEN, SEEN_IN_PART, FIRST_IN_PART),
        ("heirs_old (city, phone)", HIDDEN, SEEN_OF_HEIRS, AS_STORED),
    ],
)
def test_postgresql_follows_no_index_that_holds_a_restricted_column(bank, postgres_url, index, kept, sql, expected):
    administer_postgres(
        postgres_url, f"CREATE INDEX telling ON {index}", "ANALYZE ranked, heirs, heirs_old", database=NAME
    )
    try:
        with open_database(bank) as database:
            assert ask(database.runner, sql) in (IN_ORDER_OF_THE_INDEX, LAST_IN_PART)
            nothing = {"allowed_tables": None, "hidden_tables": (), "restricted_columns": {}}
            hidden = hidden_columns(database.catalogue, **{**nothing, **kept})
            assert ask(database.without(hidden), sql) == expected
    finally:
        administer_postgres(postgres_url, "DROP INDEX telling", database=NAME)


def ask(runner, sql):
    return runner.run(sql, max_rows=9, timeout_s=20, stop=threading.Event()).rows
