"""What a database expects of a statement is the same on two banks that differ in nothing but what is withheld."""

from __future__ import annotations

import contextlib
import threading
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest

from ai_engine.guard import Policy, check
from ai_engine.types import ScanEstimate
from backend.configuration.database_rights import runner_under
from backend.databases import open_database
from backend.settings import read_settings
from tests.backend.databases.servers.small_bank import administer_mariadb, administer_postgres, own_postgres

POLICY = Policy(
    hidden_tables=frozenset({"staff", "q_1", "q_2", "q_3"}),
    restricted_columns={"payments": frozenset({"narrative"})},
    max_rows=10**6,
)
ONLY_SOME = Policy(allowed_tables=frozenset({"payments", "branches", "shown", "old staff"}), restricted_columns={
    "payments": frozenset({"narrative"})
})  # fmt: skip
ROWS = 20_000
SERIES = {
    "duckdb": f"generate_series(1, {ROWS}) AS s(i)",
    "postgres": f"generate_series(1, {ROWS}) AS s(i)",
    "mysql": f"(SELECT seq AS i FROM seq_1_to_{ROWS}) AS s",
}
OVER_TABLES = (
    "SELECT SUM(p.branch) FROM payments AS p",
    "SELECT p.branch FROM payments AS p",
    "SELECT p.id, p.branch FROM payments AS p WHERE p.branch = 3",
    "SELECT b.city, SUM(p.branch) FROM payments AS p JOIN branches AS b ON b.id = p.branch GROUP BY b.city",
    "SELECT b.city FROM branches AS b",
    'SELECT COUNT(*) FROM "old staff" AS o',
    """SELECT o.city FROM "old staff" AS o WHERE o.city <> 'staff AS `q1_1`'""",
    "WITH q AS (SELECT city, id FROM branches) SELECT q.city FROM q JOIN branches AS b ON b.id = q.id",
    *(f"SELECT p.branch FROM payments AS p WHERE p.id BETWEEN 1 AND {last}" for last in range(1, ROWS, ROWS // 40)),
    *(f"SELECT p.branch FROM payments AS p WHERE p.branch BETWEEN 1 AND {last}" for last in range(1, 40)),
)
OVER_VIEWS = ("SELECT s.city FROM shown AS s", "SELECT COUNT(*) FROM shown AS s JOIN branches AS b ON b.city = s.city")


def quoted(name: str, dialect: str) -> str:
    return f"`{name}`" if dialect == "mysql" else f'"{name}"'


def tables_of(dialect: str, width: int, *, seen: str) -> Iterator[str]:
    """A bank whose restricted column is that wide, and whose view shows a table that may be hidden."""
    yield "CREATE TABLE branches (id INTEGER PRIMARY KEY, city VARCHAR(20))"
    yield "CREATE TABLE payments (id INTEGER PRIMARY KEY, branch INTEGER, narrative VARCHAR(600))"
    yield "CREATE INDEX payments_branch ON payments (branch)"
    yield f"INSERT INTO branches SELECT i, 'n' FROM {SERIES[dialect]} WHERE i <= 40"
    yield f"INSERT INTO payments SELECT i, i % 40, repeat('z', {width}) FROM {SERIES[dialect]}"
    yield f"CREATE TABLE {quoted('old staff', dialect)} AS SELECT id, city FROM branches"
    if seen != "branches":
        yield f"CREATE TABLE {seen} AS SELECT i AS id, 'n' AS city FROM {SERIES[dialect]}"
    for name in ("q_1", "q_2", "q_3") if seen != "branches" else ():  # as the guard calls what stands in FROM
        yield f"CREATE TABLE {name} AS SELECT i AS id, repeat('z', {width}) AS narrative FROM {SERIES[dialect]}"
    yield f"CREATE VIEW shown AS SELECT city FROM {seen}"
    if dialect == "postgres":
        yield "SELECT pg_stat_force_next_flush()"  # else the rows count as written after they were counted
    yield {"duckdb": "CHECKPOINT", "postgres": "ANALYZE", "mysql": "ANALYZE TABLE payments, branches"}[dialect]


@contextlib.contextmanager
def opened(dialect: str, url: str, folder: Path, width: int, *, seen: str) -> Iterator[str]:
    statements = list(tables_of(dialect, width, seen=seen))
    name = f"bank_twin_{uuid.uuid4().hex[:12]}"
    if dialect == "duckdb":
        with duckdb.connect(folder / f"{name}.duckdb") as writer:
            for statement in statements:
                writer.execute(statement)
        yield str(folder / f"{name}.duckdb")
    elif dialect == "postgres":
        with own_postgres(url, "bank_twin") as name:
            administer_postgres(url, *statements, database=name)
            yield f"{url}/{name}"
    else:
        administer_mariadb(f"CREATE DATABASE {name}", f"USE {name}", *statements)
        try:
            yield f"{url}/{name}"
        finally:
            administer_mariadb(f"DROP DATABASE {name}")


Expect = Callable[[str, Policy], list[ScanEstimate]]


@pytest.fixture(
    scope="module",
    params=["duckdb", *(pytest.param(one, marks=pytest.mark.server) for one in ("postgres", "mysql"))],
)
def expect(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Expect]:
    """What each of the twins is expected to read, as the app asks it."""
    dialect, folder, settings = request.param, tmp_path_factory.mktemp("twins"), read_settings()
    fixture = {"postgres": "postgres_url", "mysql": "mariadb_url"}.get(dialect)
    url = request.getfixturevalue(fixture) if fixture else ""
    with contextlib.ExitStack() as stack:
        places = [
            stack.enter_context(opened(dialect, url, folder, width, seen=seen))
            for width, seen in ((4, "branches"), (400, "staff"))
        ]
        banks = [stack.enter_context(open_database(place)) for place in places]

        def ask(sql: str, policy: Policy) -> list[ScanEstimate]:
            return [
                runner_under(bank, policy, settings).cost(
                    check(sql.replace('"old staff"', quoted("old staff", dialect)), bank.catalogue, policy).run_sql,
                    timeout_s=20,
                    stop=threading.Event(),
                )
                for bank in banks
            ]

        yield ask


@pytest.mark.parametrize("policy", [POLICY, ONLY_SOME], ids=["hidden", "allowed"])
def test_no_estimate_tells_how_wide_a_restricted_column_is_or_of_a_hidden_table(expect: Expect, policy: Policy):
    told = {sql: expect(sql, policy) for sql in OVER_TABLES + OVER_VIEWS}
    assert {sql: found for sql, found in told.items() if found[0] != found[1]} == {}


@pytest.mark.parametrize("policy", [POLICY, ONLY_SOME], ids=["hidden", "allowed"])
def test_a_view_is_not_told_whatever_it_shows(expect: Expect, policy: Policy):
    assert all(expect(sql, policy) == [ScanEstimate()] * 2 for sql in OVER_VIEWS)


def test_what_tells_of_permitted_columns_alone_is_told(expect: Expect):
    tables = "SELECT SUM(b.id) FROM branches AS b"
    assert [told.rows for told in expect(tables, POLICY)] == [40, 40]
    whole, _ = expect(OVER_TABLES[0], POLICY)
    if whole.bytes is not None:  # MariaDB knows pages alone
        assert whole.rows == ROWS
        assert ROWS * 4 <= whole.bytes <= ROWS * 40
