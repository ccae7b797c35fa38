"""What PostgreSQL plans by, beside permitted columns, is not told: pages, statistics and indexes that others are in."""

from __future__ import annotations

import contextlib
import threading

import pytest

from ai_engine.errors import SqlRejected
from ai_engine.guard import Policy, check
from ai_engine.types import ScanEstimate
from backend.configuration.database_rights import runner_under
from backend.databases import open_database
from backend.settings import read_settings
from tests.backend.databases.servers.small_bank import administer_postgres, own_postgres

pytestmark = pytest.mark.server

ROWS = 20_000
POLICY = Policy(restricted_columns={"payments": frozenset({"narrative"})})
MADE = f"""
    CREATE TABLE branches (id INTEGER PRIMARY KEY, city TEXT); INSERT INTO branches SELECT generate_series(1, 10), 'n';
    CREATE TABLE payments (id INTEGER PRIMARY KEY, branch INTEGER, kind INTEGER, narrative TEXT);
    CREATE INDEX by_branch ON payments (branch);
    INSERT INTO payments SELECT i, i % 10, i % 2, {{}} FROM generate_series(1, {ROWS}) i; {{}}; ANALYZE; {{}}
"""
FLAT, VARIED = "'q'", "CASE WHEN i % 10 = 3 THEN i::text ELSE 'q' END"
WIDE = "i::text || repeat('z', {})"
GROWING = f"INSERT INTO payments SELECT {ROWS} + i, i % 10, i % 2, repeat('z', {{}}) FROM generate_series(1, 2000) i"
SET_OFF = "ALTER DATABASE %1$I SET enable_seqscan = off; ALTER DATABASE %1$I SET enable_sort = off"
TWINS = {
    "grown": [(FLAT, "", GROWING.format(width)) for width in (4, 600)],
    "statistics": [(value, "CREATE STATISTICS s (mcv) ON branch, kind, narrative FROM payments", "")
                   for value in (FLAT, VARIED)],
    "index": [(WIDE.format(width), "DROP INDEX by_branch; CREATE INDEX ON payments (branch, narrative)", "")
              for width in (4, 400)],
    "condition": [(WIDE.format(wide), "DROP INDEX by_branch; CREATE INDEX ON payments (narrative) WHERE branch = 3", "")
                  for wide in (4, 400)],
    "settings": [(WIDE.format(wide), "CREATE INDEX ON payments (narrative)", f"DO $$ BEGIN EXECUTE format('{SET_OFF}',"
                  " current_database()); END $$") for wide in (4, 400)],
}  # fmt: skip
BY_THE_PLAN = (
    "SELECT id, branch FROM payments LIMIT 10",
    "SELECT SUM(id) FROM payments WHERE branch = 3 AND kind = 1",
    "SELECT SUM(branch) FROM payments WHERE id <= 5000",
    "SELECT b.city, SUM(p.kind) FROM payments p JOIN branches b ON b.id = p.branch WHERE p.id < 900 GROUP BY b.city",
)


@pytest.mark.parametrize("way", TWINS)
def test_nothing_is_told_that_goes_by_what_is_withheld(postgres_url, way):
    with contextlib.ExitStack() as stack:
        banks = []
        for made in TWINS[way]:
            name = stack.enter_context(own_postgres(postgres_url, "swayed"))
            administer_postgres(postgres_url, MADE.format(*made), database=name)
            banks.append(stack.enter_context(open_database(f"{postgres_url}/{name}")))

        def expected(sql: str) -> list[ScanEstimate]:
            asked = [(bank, runner_under(bank, POLICY, read_settings())) for bank in banks]
            return [
                runner.cost(check(sql, bank.catalogue, POLICY).run_sql, timeout_s=20, stop=threading.Event())
                for bank, runner in asked
            ]

        assert {sql: told for sql in BY_THE_PLAN if (told := expected(sql))[0] != told[1]} == {}
        whole = expected("SELECT COUNT(*) FROM payments")
        assert whole[0] == whole[1]
        assert whole[0].rows == ROWS


OF_A_ROLE = f"""
    CREATE ROLE {{role}} LOGIN PASSWORD 'x';
    CREATE VIEW seen AS SELECT id, branch FROM payments;
    CREATE TABLE parted (id INTEGER) PARTITION BY HASH (id);
    CREATE TABLE parted_0 PARTITION OF parted FOR VALUES WITH (MODULUS 1, REMAINDER 0);
    INSERT INTO parted SELECT generate_series(1, {ROWS});
    CREATE TABLE vault (secret INTEGER); INSERT INTO vault SELECT generate_series(1, {{width}});
    ALTER TABLE branches ENABLE ROW LEVEL SECURITY;
    CREATE POLICY few ON branches USING (EXISTS (SELECT FROM vault WHERE secret = id));
    ANALYZE parted, vault; GRANT SELECT ON parted, branches, vault TO {{role}}; GRANT {{granted}} TO {{role}};
"""
HIDDEN = Policy(hidden_tables=frozenset({"vault"}))


@pytest.mark.parametrize(
    ("granted", "policy", "table"),
    [
        ("SELECT ON seen", Policy(), "seen"),
        ("SELECT (id) ON payments TO {role}; GRANT SELECT ON seen", Policy(), "seen"),
        ("SELECT ON seen", HIDDEN, "branches"),
    ],
)
def test_nothing_is_told_of_a_table_that_only_a_view_or_row_security_reads(postgres_url, granted, policy, table):
    with contextlib.ExitStack() as stack:
        told = []
        for width in (4, 400):
            name = stack.enter_context(own_postgres(postgres_url, "granted"))
            role = f"{name}_reader"
            administer_postgres(
                postgres_url,
                MADE.format(f"repeat('z', {width})", "", ""),
                OF_A_ROLE.format(role=role, width=width, granted=granted.format(role=role)),
                database=name,
            )
            stack.callback(administer_postgres, postgres_url, f"DROP OWNED BY {role}; DROP ROLE {role}", database=name)
            bank = stack.enter_context(open_database(f"{postgres_url.replace('postgres@', f'{role}:x@')}/{name}"))
            runner = runner_under(bank, policy, read_settings())
            for asked in (table, "parted"):
                checked = check(f"SELECT COUNT(id) FROM {asked}", bank.catalogue, policy)
                told.append(runner.cost(checked.run_sql, timeout_s=20, stop=threading.Event()))
        assert told[:2] == told[2:]
        assert told[0] == ScanEstimate()
        assert told[1].rows == ROWS


RULED = """
    CREATE TABLE parted (id INTEGER, branch INTEGER) PARTITION BY HASH (id);
    CREATE TABLE parted_0 PARTITION OF parted FOR VALUES WITH (MODULUS 1, REMAINDER 0);
    CREATE TABLE payments (id INTEGER, branch INTEGER);
    INSERT INTO payments SELECT i, 99 FROM generate_series(1, {others}) i;
    INSERT INTO payments SELECT i, i % 10 FROM generate_series(1, 1000) i; INSERT INTO parted SELECT * FROM payments;
    ALTER TABLE payments ENABLE ROW LEVEL SECURITY; CREATE POLICY own ON payments USING (branch < 50);
    ALTER TABLE parted ENABLE ROW LEVEL SECURITY; CREATE POLICY own ON parted USING (branch < 50);
    CREATE TABLE branches AS SELECT generate_series(0, 9) AS id; ANALYZE;
    CREATE ROLE {role} LOGIN PASSWORD 'x'; GRANT SELECT ON payments, parted, branches TO {role};
"""


@pytest.mark.parametrize("policy", [Policy(), Policy(hidden_tables=frozenset({"vault"}))])
def test_nothing_is_told_of_how_many_rows_row_security_keeps_from_the_role(postgres_url, policy):
    told = []
    with contextlib.ExitStack() as stack:
        for others in (1, 5_000):
            name = stack.enter_context(own_postgres(postgres_url, "ruled"))
            role = f"{name}_reader"
            administer_postgres(postgres_url, RULED.format(others=others, role=role), database=name)
            stack.callback(administer_postgres, postgres_url, f"DROP OWNED BY {role}; DROP ROLE {role}", database=name)
            bank = stack.enter_context(open_database(f"{postgres_url.replace('postgres@', f'{role}:x@')}/{name}"))
            runner = runner_under(bank, policy, read_settings())
            for table in ("payments", "parted"):
                for sql in (f"SELECT COUNT(*) FROM {table}", f"SELECT id FROM {table} WHERE id > 1010"):
                    checked = check(sql, bank.catalogue, policy)
                    told.append(runner.cost(checked.run_sql, timeout_s=20, stop=threading.Event()))
                with pytest.raises(SqlRejected, match="sampled"):
                    check(f"SELECT id FROM {table} TABLESAMPLE SYSTEM (50)", bank.catalogue, policy)
            assert check("SELECT id FROM branches TABLESAMPLE SYSTEM (50)", bank.catalogue, policy)
            checked = check("SELECT id FROM branches", bank.catalogue, policy)
            assert runner.cost(checked.run_sql, timeout_s=20, stop=threading.Event()).rows == 10
    assert told == [ScanEstimate()] * 8
