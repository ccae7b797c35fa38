"""What PostgreSQL and MariaDB are expected to read, held against what there is."""

from __future__ import annotations

import os
import threading

import pytest

from backend.databases import open_database
from tests.backend.databases.servers.small_bank import administer_mariadb, administer_postgres

pytestmark = pytest.mark.server

NAME = f"bank_estimates_{os.getpid()}"
ROWS, BRANCHES = 20_000, 40
TABLES = (
    "CREATE TABLE branches (id INTEGER PRIMARY KEY, city VARCHAR(20))",
    "CREATE TABLE bookings (id INTEGER PRIMARY KEY, branch INTEGER, purpose VARCHAR(60))",
)
IN_POSTGRES = (
    *TABLES,
    f"INSERT INTO branches SELECT i, 'n' FROM generate_series(1, {BRANCHES}) AS i",
    f"INSERT INTO bookings SELECT i, i % {BRANCHES}, repeat('z', 50) FROM generate_series(1, {ROWS}) AS i",
    "CREATE TABLE parted (id INTEGER, booked_on DATE) PARTITION BY RANGE (booked_on)",
    *(
        f"CREATE TABLE parted_{year} PARTITION OF parted FOR VALUES FROM ('{year}-01-01') TO ('{year + 1}-01-01')"
        for year in (2024, 2025)
    ),
    f"INSERT INTO parted SELECT i, DATE '2024-01-01' + i % 730 FROM generate_series(1, {ROWS}) AS i",
    "ANALYZE",
)
IN_MARIADB = (
    *TABLES,
    f"INSERT INTO branches SELECT seq, 'n' FROM seq_1_to_{BRANCHES}",
    f"INSERT INTO bookings SELECT seq, seq % {BRANCHES}, repeat('z', 50) FROM seq_1_to_{ROWS}",
    "ANALYZE TABLE branches, bookings",
)


@pytest.fixture(scope="module")
def postgres(postgres_url):
    administer_postgres(postgres_url, f"CREATE DATABASE {NAME}")
    for statement in IN_POSTGRES:
        administer_postgres(postgres_url, statement, database=NAME)
    yield f"{postgres_url}/{NAME}"
    administer_postgres(postgres_url, f"DROP DATABASE {NAME} WITH (FORCE)")


@pytest.fixture(scope="module")
def mariadb(mariadb_url):
    administer_mariadb(f"CREATE DATABASE {NAME}", f"USE {NAME}", *IN_MARIADB)
    yield f"{mariadb_url}/{NAME}"
    administer_mariadb(f"DROP DATABASE {NAME}")


@pytest.fixture(params=["postgres", "mariadb"])
def expect(request):
    with open_database(request.getfixturevalue(request.param)) as bank:
        yield lambda sql: bank.runner.cost(sql, timeout_s=10, stop=threading.Event())


def about(rows):
    return pytest.approx(rows, rel=0.05)


def test_a_scan_reads_the_whole_table_and_an_index_what_it_finds(expect):
    every, one = (expect(f"SELECT b.purpose FROM bookings AS b{end}") for end in ("", " WHERE b.id = 7"))
    filtered = expect("SELECT b.purpose FROM bookings AS b WHERE b.purpose LIKE '%q%'")
    assert every.rows == filtered.rows == about(ROWS)
    assert every.bytes == filtered.bytes
    assert ROWS * 50 < every.bytes < ROWS * 200
    assert one.rows == 1
    assert 0 < one.bytes < 500


@pytest.mark.parametrize(
    "value", ["SUM(b.branch)", "COUNT(*)", "(SELECT c.id FROM bookings AS c ORDER BY c.purpose LIMIT 1)"]
)
def test_a_limit_that_ends_no_scan_makes_none_smaller(expect, value):
    origin = "" if "FROM" in value else " FROM bookings AS b"
    assert expect(f"SELECT {value} AS v{origin} LIMIT 101").rows == about(ROWS)


def test_a_join_reads_both_tables(expect):
    joined = expect("SELECT c.city, COUNT(*) FROM bookings AS b JOIN branches AS c ON c.id = b.branch GROUP BY c.city")
    assert ROWS * 0.95 < joined.rows < ROWS * 2.1  # the second is read once, or looked up for each row of the first


def test_a_limit_ends_a_scan_unless_all_rows_are_needed_before_it(expect):
    first = expect("SELECT b.id, b.purpose FROM bookings AS b LIMIT 100")
    ranked = expect("SELECT b.purpose FROM bookings AS b ORDER BY b.purpose LIMIT 100")
    assert first.rows == about(100)
    assert first.bytes < 20_000
    assert ranked.rows == about(ROWS)


def test_a_shared_part_is_read_once_where_the_server_computes_it_once(postgres):
    sql = """WITH m AS MATERIALIZED (SELECT branch, COUNT(*) AS n FROM bookings GROUP BY branch)
        SELECT a.n FROM m AS a JOIN m AS b ON a.branch = b.branch"""
    with open_database(postgres) as bank:
        assert bank.runner.cost(sql, timeout_s=10, stop=threading.Event()).rows == about(ROWS)


def test_a_period_leaves_partitions_unread(postgres):
    with open_database(postgres) as bank:
        every, year = (
            bank.runner.cost(f"SELECT COUNT(p.id) FROM parted AS p{end}", timeout_s=10, stop=threading.Event())
            for end in ("", " WHERE p.booked_on >= DATE '2025-01-01'")
        )
    assert every.rows == about(ROWS)
    assert year.rows == about(ROWS / 2)
    assert year.bytes == pytest.approx(every.bytes / 2, rel=0.1)
