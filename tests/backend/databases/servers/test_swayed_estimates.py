"""What PostgreSQL plans by, beside permitted columns, is not told: pages, statistics and indexes that others are in."""

from __future__ import annotations

import contextlib
import os
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
POLICY = Policy(hidden_tables=frozenset({"vault"}), restricted_columns={"payments": frozenset({"narrative"})})
MADE = f"""
    CREATE TABLE branches (id INTEGER PRIMARY KEY, city TEXT); INSERT INTO branches SELECT generate_series(1, 10), 'n';
    CREATE TABLE payments (id INTEGER PRIMARY KEY, branch INTEGER, kind INTEGER, narrative TEXT);
    CREATE INDEX by_branch ON payments (branch);
    INSERT INTO payments SELECT i, i % 10, i % 2, {{}} FROM generate_series(1, {ROWS}) i; {{}}
"""
COUNTED = ("SELECT pg_stat_force_next_flush()", "ANALYZE")
FLAT, VARIED = "'q'", "CASE WHEN i % 10 = 3 THEN i::text ELSE 'q' END"
WIDE = "i::text || repeat('z', {})"
GROWING = f"INSERT INTO payments SELECT {ROWS} + i, i % 10, i % 2, repeat('z', {{}}) FROM generate_series(1, 2000) i"
SET_OFF = "ALTER DATABASE %1$I SET enable_seqscan = off; ALTER DATABASE %1$I SET enable_sort = off"
PRICED = f"priced_{os.getpid()}"
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
    "ranges of pages": [(WIDE.format(wide), "CREATE INDEX ON payments USING brin (id) WITH (pages_per_range = 1)", "")
                        for wide in (4, 400)],
    "priced pages": [(WIDE.format(wide), f"ALTER TABLE payments SET TABLESPACE {PRICED}", "") for wide in (4, 400)],
    "function": [("'q'", f"CREATE TABLE vault AS SELECT generate_series(1, {rows}); CREATE FUNCTION is_few(integer)"
                  " RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT $1 < (SELECT count(*) FROM public.vault)';"
                  f" INSERT INTO branches SELECT generate_series(11, {ROWS}), 'n'; ALTER TABLE branches DROP CONSTRAINT"
                  " branches_pkey; CREATE INDEX ON branches (id) WHERE id <= 9 OR is_few(id)", "")
                 for rows in (1, 9_999)],
}  # fmt: skip
BY_THE_PLAN = (
    "SELECT id, branch FROM payments LIMIT 10",
    "SELECT SUM(id) FROM payments WHERE branch = 3 AND kind = 1",
    "SELECT SUM(branch) FROM payments WHERE id <= 5000",
    "SELECT MIN(city) FROM branches WHERE id <= 9",
    "SELECT b.city, SUM(p.kind) FROM payments p JOIN branches b ON b.id = p.branch WHERE p.id < 900 GROUP BY b.city",
)


@pytest.fixture(scope="module")
def tablespace(postgres_url):
    """In which a page costs something, whatever the settings of a session are."""
    administer_postgres(
        postgres_url,
        "SET allow_in_place_tablespaces = on",
        f"CREATE TABLESPACE {PRICED} LOCATION '' WITH (seq_page_cost = 1, random_page_cost = 4)",
    )
    yield
    administer_postgres(postgres_url, f"DROP TABLESPACE {PRICED}")


@contextlib.contextmanager
def expecting(url, banks, policy=POLICY):
    """What is expected of a statement in each of several banks."""
    with contextlib.ExitStack() as stack:
        opened = []
        for made in banks:
            name = stack.enter_context(own_postgres(url, "swayed"))
            administer_postgres(url, *made, database=name)
            opened.append(stack.enter_context(open_database(f"{url}/{name}")))

        def expected(sql: str) -> list[ScanEstimate]:
            asked = [(bank, runner_under(bank, policy, read_settings())) for bank in opened]
            return [
                runner.cost(check(sql, bank.catalogue, policy).run_sql, timeout_s=20, stop=threading.Event())
                for bank, runner in asked
            ]

        yield expected


@pytest.mark.parametrize("way", TWINS)
@pytest.mark.usefixtures("tablespace")
def test_nothing_is_told_that_goes_by_what_is_withheld(postgres_url, way):
    with expecting(postgres_url, [(MADE.format(*made), *COUNTED, then) for *made, then in TWINS[way]]) as expected:
        assert {sql: told for sql in BY_THE_PLAN if (told := expected(sql))[0] != told[1]} == {}
        whole = expected("SELECT COUNT(*) FROM payments")
        assert whole[0] == whole[1]
        assert whole[0].rows == ROWS


def test_of_a_table_that_was_counted_as_it_is_all_is_told_that_permitted_columns_are_known_by(postgres_url):
    made = MADE.format(WIDE.format(4), "CREATE INDEX ON payments (narrative); CREATE INDEX ON payments (kind, branch)")
    with expecting(postgres_url, [(made, *COUNTED)]) as expected:
        assert all(expected(sql)[0].work for sql in BY_THE_PLAN)


PACKED = f"""
    CREATE TABLE payments (id INTEGER PRIMARY KEY, note TEXT, narrative TEXT);
    INSERT INTO payments SELECT i, i || repeat('n', 450), {{}} FROM generate_series(1, {ROWS // 200}) i; {{}}
"""
UNPACKABLE = "(SELECT string_agg(md5((i * 60 + k)::text), '') FROM generate_series(1, 55) k)"


@pytest.mark.parametrize(("indexed", "is_told"), [("", True), ("CREATE INDEX ON payments (note)", False)])
def test_how_permitted_texts_are_packed_beside_what_is_withheld_is_not_told(postgres_url, indexed, is_told):
    banks = [(PACKED.format(value, indexed), *COUNTED) for value in (FLAT, UNPACKABLE)]
    with expecting(postgres_url, banks) as expected:
        for read in ("MAX(note) FROM payments", "note FROM payments WHERE id < 9"):
            first, second = expected(f"SELECT {read}")
            assert first == second
            assert bool(first.bytes) == is_told


PARTED = f"""
    CREATE TABLE payments (id INTEGER, branch INTEGER, note TEXT, narrative INTEGER) PARTITION BY {{by}};
    CREATE TABLE payments_0 PARTITION OF payments FOR VALUES {{first}};
    CREATE TABLE payments_1 PARTITION OF payments FOR VALUES {{second}};
    INSERT INTO payments SELECT i, i % 10, repeat('n', i % 9), CASE WHEN {{closed}} THEN 1 ELSE 9 END
        FROM generate_series(1, {ROWS}) i
"""
LISTED = {"first": "IN (1)", "second": "IN (9)"}
RANGED = {"first": f"FROM (1) TO ({ROWS // 2})", "second": f"FROM ({ROWS // 2}) TO ({ROWS + 1})"}
OF_PARTS = ("SELECT COUNT(*) FROM payments", "SELECT MAX(note) FROM payments", "SELECT MAX(id) FROM payments WHERE "
            "branch = 3", "SELECT branch, COUNT(*) FROM payments GROUP BY branch HAVING COUNT(*) > 3",
            "SELECT MAX(a.note) FROM payments a JOIN payments b ON a.branch = b.branch WHERE a.id < 9")  # fmt: skip


@pytest.mark.parametrize(
    ("by", "counted", "is_told"),
    [
        ({"by": "LIST (narrative)", **LISTED}, COUNTED, False),
        ({"by": "LIST (narrative)", **LISTED}, (), False),
        ({"by": "LIST ((narrative + 0))", **LISTED}, COUNTED, False),
        ({"by": "RANGE (id)", **RANGED}, COUNTED, True),
        ({"by": "RANGE (id)", **RANGED}, ("CREATE STATISTICS s ON branch, narrative FROM payments", *COUNTED), True),
    ],
    ids=["by it", "uncounted", "by what is made of it", "by another", "statistics of the whole"],
)  # fmt: skip
def test_of_partitions_whole_scans_are_told_where_nothing_withheld_keeps_them_apart(postgres_url, by, counted, is_told):
    banks = [(PARTED.format(**by, closed=closed), *counted) for closed in ("i % 10 = 3", "i < 19000", "true")]
    with expecting(postgres_url, banks) as expected:
        told = {sql: expected(sql) for sql in OF_PARTS}
    assert {sql: found for sql, found in told.items() if found != [found[0]] * len(banks)} == {}
    assert told[OF_PARTS[0]][0].rows == (ROWS if is_told else None)
    assert {found[0].work for found in told.values()} == {None}


HEIRS = f"""
    CREATE TABLE payments (id INTEGER, branch INTEGER, narrative INTEGER);
    CREATE TABLE payments_0 () INHERITS (payments); CREATE TABLE payments_1 () INHERITS (payments);
    INSERT INTO payments_0 SELECT i, i % 10, 1 FROM generate_series(1, {ROWS}) i WHERE {{}};
    INSERT INTO payments_1 SELECT i, i % 10, 9 FROM generate_series(1, {ROWS}) i WHERE NOT ({{}})
"""


def test_nothing_is_told_of_heirs_that_may_be_kept_apart_by_what_is_withheld(postgres_url):
    banks = [(HEIRS.format(closed, closed), *COUNTED) for closed in ("i % 10 = 3", "true")]
    with expecting(postgres_url, banks) as expected:
        assert [expected(f"SELECT COUNT(id) FROM {one}") for one in ("payments", "payments_0")] == [
            [ScanEstimate()] * 2
        ] * 2


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
                MADE.format(f"repeat('z', {width})", ""),
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
