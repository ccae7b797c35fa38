"""Rows that no statement orders come in an order that tells nothing of restricted columns which an index holds."""

from __future__ import annotations

import contextlib
import threading

import psycopg
import pytest

from ai_engine.guard import Policy, check
from backend.catalogue.sampling import collect_samples
from backend.databases import open_database
from backend.databases.hidden_columns import hidden_columns
from backend.databases.postgres_indexes import has_telling_index
from tests.backend.databases.servers.small_bank import NAME, administer_postgres, own_postgres

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


@pytest.mark.parametrize("setting", ["enable_seqscan", "enable_sort", "enable_seqscan = off; SET enable_sort"])
def test_a_setting_of_the_role_leads_no_statement_through_such_an_index(bank, postgres_url, setting):
    administer_postgres(postgres_url, "CREATE INDEX telling ON ranked (city, phone)", "ANALYZE ranked", database=NAME)
    off = setting.replace("SET", f"ALTER DATABASE {NAME} SET")
    try:
        administer_postgres(postgres_url, f"ALTER DATABASE {NAME} SET {off} = off")
        with open_database(bank) as database:
            hidden = hidden_columns(database.catalogue, allowed_tables=None, hidden_tables=(), **PHONE)
            told = ask(database.runner, "SELECT id FROM ranked ORDER BY city LIMIT 3")
            assert told == ((19_999,), (19_998,), (19_997,))
            assert ask(database.without(hidden), "SELECT id FROM ranked ORDER BY city LIMIT 3") != told
    finally:
        administer_postgres(postgres_url, f"ALTER DATABASE {NAME} RESET ALL")
        administer_postgres(postgres_url, "DROP INDEX telling", database=NAME)


def test_no_statement_is_so_large_that_such_an_index_is_worth_its_price(bank, postgres_url):
    """Switched off, an index is still taken where PostgreSQL expects everything else to cost more than 10^10 pages."""
    administer_postgres(postgres_url, "CREATE INDEX telling ON ranked (city, phone)", "ANALYZE ranked", database=NAME)
    joins = "".join(f" JOIN ranked {name} ON a.id * 0 = {name}.id * 0 AND {name}.id * 1 <= 1" for name in "bcdef")
    sql = f"SELECT a.id FROM ranked a{joins} ORDER BY a.city LIMIT 3"
    kept = {"allowed_tables": None, "hidden_tables": (), **PHONE}
    try:
        with open_database(bank) as database:
            assert ask(database.runner, sql) == ((19_999,), (19_998,), (19_997,))
            untold = ask(database.without(hidden_columns(database.catalogue, **kept)), sql)
            assert sorted(untold) == [(1,), (2,), (3,)]
    finally:
        administer_postgres(postgres_url, "DROP INDEX telling", database=NAME)


OF_A_ROLE = f"""
    CREATE ROLE {NAME};
    CREATE SCHEMA kept; CREATE TABLE kept.people (id INTEGER, city TEXT, phone TEXT, "Größe" TEXT);
    CREATE TABLE kept.heirs (left_on DATE) INHERITS (kept.people);
    CREATE TABLE kept.parted (id INTEGER, city TEXT, phone TEXT) PARTITION BY LIST (city);
    CREATE TABLE kept.parted_p PARTITION OF kept.parted FOR VALUES IN ('p');
    CREATE TABLE kept."ÄMTER" (id INTEGER, city TEXT, "Größe" TEXT);
    CREATE TABLE kept.open (id INTEGER, city TEXT);
    CREATE FUNCTION kept.found() RETURNS SETOF INTEGER LANGUAGE plpgsql SECURITY DEFINER
        AS 'BEGIN RETURN QUERY SELECT id FROM kept.people WHERE phone < ''5''; END';
    CREATE FUNCTION kept.rank_of(INTEGER) RETURNS TEXT LANGUAGE sql IMMUTABLE
        AS 'SELECT max(phone) FROM kept.people WHERE id = $1';
    CREATE VIEW kept.seen AS SELECT id FROM kept.people WHERE phone < '5';
    CREATE VIEW kept.seen_again AS SELECT id FROM kept.seen;
    CREATE VIEW kept.called AS SELECT kept.found() AS id;
    GRANT USAGE ON SCHEMA kept TO {NAME};
"""
OF_PEOPLE = "SELECT (id, city) ON kept.people"


@pytest.mark.parametrize(
    ("index", "granted", "hidden", "tells"),
    [
        ("people (city, phone)", OF_PEOPLE, set(), True),
        ("people (city, id)", OF_PEOPLE, set(), False),
        ("people (phone)", OF_PEOPLE, set(), False),
        ("people (phone)", "SELECT ON kept.open", set(), False),
        ("people (phone)", "SELECT ON kept.seen", set(), True),
        ("people (phone)", "SELECT ON kept.seen_again", set(), True),
        ("heirs (phone)", "SELECT ON kept.seen", set(), True),
        ("people (phone)", "SELECT ON kept.called", set(), True),
        ("people (city, phone)", "SELECT ON kept.open", set(), False),
        ("heirs (city, left_on)", OF_PEOPLE, set(), True),
        ("heirs (city, id)", OF_PEOPLE, set(), False),
        ("heirs (city, left_on)", "SELECT ON kept.people, kept.heirs", {("heirs", "")}, True),
        ("heirs (city, id)", "SELECT ON kept.people, kept.heirs", {("heirs", "")}, False),
        ("parted_p (city, phone)", "SELECT (id, city) ON kept.parted", set(), True),
        ("parted_p (city, id)", "SELECT (id, city) ON kept.parted", set(), False),
        ('"ÄMTER" (city, "Größe")', 'SELECT ON kept."ÄMTER"', {("ämter", "größe")}, True),
        ('"ÄMTER" (city, id)', 'SELECT ON kept."ÄMTER"', {("ämter", "größe")}, False),
        ("open (id)", "SELECT ON kept.open", {("open", "id")}, False),
        ("open (city, (kept.rank_of(id)))", "SELECT ON kept.open", set(), True),
        ("open (city, (abs(id)))", "SELECT ON kept.open", set(), False),
        ("open (city) WHERE id > 1 OR kept.rank_of(id) > ''", "SELECT ON kept.open", set(), True),
        ("open (id)", "SELECT ON kept.open; ALTER TABLE kept.open ENABLE ROW LEVEL SECURITY; CREATE POLICY few"
         " ON kept.open USING (id < 5)", {("open", "id")}, True),
    ],
)  # fmt: skip
def test_every_index_is_known_whose_order_a_role_could_be_told(bank, index, granted, hidden, tells):
    rights, _, further = granted.partition(";")
    with psycopg.connect(bank.replace("+psycopg", "")) as connection:
        connection.execute(f"{OF_A_ROLE} GRANT {rights} TO {NAME}; {further}; CREATE INDEX telling ON kept.{index}")
        connection.execute(f"SET LOCAL ROLE {NAME}")
        assert has_telling_index(connection, hidden) == tells
        connection.rollback()


def ask(runner, sql):
    return runner.run(sql, max_rows=9, timeout_s=20, stop=threading.Event()).rows


OF_A_SAMPLE = """
    CREATE TABLE leads (id INTEGER, sex TEXT, wealth INTEGER) PARTITION BY LIST (wealth);
    CREATE TABLE leads_poor PARTITION OF leads FOR VALUES IN (1);
    CREATE TABLE leads_rich PARTITION OF leads FOR VALUES IN (2);
    INSERT INTO leads SELECT i, CASE WHEN i <= 1200 THEN 'm' ELSE 'note' || i END, CASE WHEN i <= 1200 THEN {} ELSE {}
        END FROM generate_series(1, 2400) i;
    CREATE ROLE {role} LOGIN PASSWORD 'x'; GRANT SELECT (id, sex) ON leads TO {role};
"""


def test_which_rows_are_sampled_tells_nothing_of_a_partition_key_that_the_role_may_not_read(postgres_url):
    read = []
    for keys in ((1, 2), (2, 1)):
        with own_postgres(postgres_url, "sampled") as name, contextlib.ExitStack() as stack:
            role = f"{name}_reader"
            administer_postgres(postgres_url, OF_A_SAMPLE.format(*keys, role=role), database=name)
            stack.callback(administer_postgres, postgres_url, f"DROP OWNED BY {role}; DROP ROLE {role}", database=name)
            bank = stack.enter_context(open_database(f"{postgres_url.replace('postgres@', f'{role}:x@')}/{name}"))
            read.append(collect_samples(bank).values)
    assert read[0] == read[1]
    assert len(read[0]["leads", "sex"]) > 0


RANKED = """
    CREATE TABLE vault (secret INTEGER); INSERT INTO vault VALUES ({});
    CREATE FUNCTION rank_of(INTEGER) RETURNS INTEGER LANGUAGE sql IMMUTABLE
        AS 'SELECT CASE WHEN $1 = secret THEN 1 ELSE 2 END FROM public.vault';
    CREATE TABLE cards (id INTEGER) PARTITION BY LIST (rank_of(id));
    CREATE TABLE cards_1 PARTITION OF cards FOR VALUES IN (1);
    CREATE TABLE cards_2 PARTITION OF cards FOR VALUES IN (2);
    INSERT INTO cards SELECT generate_series(1, 9);
"""


@pytest.mark.parametrize(("hidden", "tells"), [({"vault"}, False), (set(), True)])
def test_rows_come_in_no_order_by_which_a_function_of_the_banks_own_keeps_them_apart(postgres_url, hidden, tells):
    policy, found = Policy(hidden_tables=frozenset(hidden)), []
    for secret in (3, 7):
        with own_postgres(postgres_url, "ranked") as name:
            administer_postgres(postgres_url, RANKED.format(secret), database=name)
            with open_database(f"{postgres_url}/{name}") as bank:
                told = ask(bank.runner, check("SELECT id FROM cards", bank.catalogue, policy).run_sql)
                found.append((told, collect_samples(bank).values["cards", "id"]))
    assert (found[0][0] != found[1][0]) == tells
    assert found[0][1] == found[1][1]


OF_CLIENTS = """
    CREATE TABLE clients (id INTEGER, city TEXT);
    CREATE TABLE clients_retail (wealth INTEGER) INHERITS (clients);
    CREATE TABLE clients_private (wealth INTEGER) INHERITS (clients_retail);
    INSERT INTO clients_{} VALUES (2, 'p', 5); INSERT INTO clients_{} VALUES (4, 'p', 5);
    INSERT INTO clients_retail VALUES (3, 'p', 5);
    CREATE TABLE parted (id INTEGER, city TEXT) PARTITION BY RANGE ((id / 2));
    CREATE TABLE parted_low PARTITION OF parted FOR VALUES FROM (0) TO (9);
    CREATE ROLE {role} LOGIN PASSWORD 'x'; GRANT SELECT ON clients, parted TO {role};
"""
OF_HEIRS_TOO = "GRANT SELECT ({}) ON clients_retail, clients_private TO {}"


@pytest.mark.parametrize(
    ("granted", "policy", "tells"),
    [
        ("", Policy(), False),
        ("id, city", Policy(), False),
        ("id, city, wealth", Policy(allowed_tables=frozenset({"clients"})), False),
        ("id, city, wealth", Policy(allowed_tables=frozenset({"clients", "clients_retail"})), False),
        ("id, city, wealth", Policy(restricted_columns={"clients_private": frozenset({"wealth"})}), False),
        ("id, city, wealth", Policy(), True),
    ],
)
def test_rows_of_heirs_come_in_an_order_that_tells_nothing_of_columns_of_the_heirs_own(
    postgres_url, granted, policy, tells
):
    answers = []
    for first, second in (("retail", "private"), ("private", "retail")):
        with own_postgres(postgres_url, "heirs") as name, contextlib.ExitStack() as stack:
            role = f"{name}_reader"
            administer_postgres(postgres_url, OF_CLIENTS.format(first, second, role=role), database=name)
            stack.callback(administer_postgres, postgres_url, f"DROP OWNED BY {role}; DROP ROLE {role}", database=name)
            if granted:
                administer_postgres(postgres_url, OF_HEIRS_TOO.format(granted, role), database=name)
            bank = stack.enter_context(open_database(f"{postgres_url.replace('postgres@', f'{role}:x@')}/{name}"))
            asked = ("SELECT id FROM clients", "SELECT STRING_AGG(CAST(id AS TEXT), ',') AS ids FROM clients")
            answers.append([ask(bank.runner, check(sql, bank.catalogue, policy).run_sql) for sql in asked])
            assert "ORDER BY" not in check("SELECT id FROM parted", bank.catalogue, Policy()).run_sql
    assert (answers[0] != answers[1]) == tells
