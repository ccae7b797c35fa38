"""The engine itself keeps what the policy withholds, whatever statement reaches it."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import threading
import time

import duckdb
import pytest

from ai_engine.catalogue import Catalogue, Column, Table
from ai_engine.errors import QueryFailed, QueryStopped
from ai_engine.guard import check, policy_from_json
from backend.configuration.database_rights import runner_under
from backend.databases import DatabaseLimits, open_database
from backend.databases.hidden_columns import hidden_columns
from backend.settings import Settings
from tests.backend.databases.resources import child_processes
from tests.backend.databases.statements import ENDLESS
from tests.patience import allowed_s

HIDDEN = frozenset({("branches", ""), ("accounts", "balance")})
SCHEMA = """
    CREATE TABLE branches (branch_id INTEGER PRIMARY KEY, city TEXT);
    CREATE TABLE accounts (account_id INTEGER PRIMARY KEY, branch_id INTEGER, balance DECIMAL(12,2));
    CREATE VIEW cities AS SELECT city FROM branches;
    CREATE VIEW balances AS SELECT balance FROM accounts;
    INSERT INTO branches VALUES (1, 'Pune');
    INSERT INTO accounts VALUES (7, 1, 10);
"""
DUCKDB_SCHEMA = """
    CREATE SCHEMA crm;
    CREATE TABLE crm.people (id INTEGER, contact STRUCT(email VARCHAR, phone VARCHAR), "Odd ""name" VARCHAR);
    INSERT INTO crm.people VALUES (1, {'email': 'asha@bank', 'phone': '12'}, 'x');
    CREATE TABLE crm.accounts (id INTEGER, balance INTEGER);
    INSERT INTO crm.accounts VALUES (2, 900);
    CREATE TABLE "Ta ""ble" (only_column INTEGER);
    INSERT INTO "Ta ""ble" VALUES (1), (2);
    CREATE VIEW crm.contacts AS SELECT contact.email AS address FROM people;
    CREATE VIEW counted AS SELECT count(*) AS n FROM bank.main.cities JOIN bank.crm.people ON true;
    CREATE VIEW leaking AS SELECT balance FROM bank.main.accounts;
    CREATE VIEW duckdb_columns AS SELECT CAST(balance AS VARCHAR) AS column_name FROM bank.main.accounts;
"""


def opened(kind, folder, workers=2):
    path = folder / f"bank.{kind}"
    writer = sqlite3.connect(path) if kind == "sqlite" else duckdb.connect(path)
    for statement in (SCHEMA + DUCKDB_SCHEMA * (kind == "duckdb")).split(";"):
        writer.execute(statement)
    writer.commit()
    writer.close()
    with open_database(str(path), DatabaseLimits(workers=workers)) as database:
        yield database


@pytest.fixture(scope="module", params=["duckdb", "sqlite"])
def bank(request, tmp_path_factory):
    yield from opened(request.param, tmp_path_factory.mktemp("hidden"))


@pytest.fixture(scope="module")
def duckdb_bank(tmp_path_factory):
    yield from opened("duckdb", tmp_path_factory.mktemp("hidden"))


def run(runner, sql, **limits):
    return runner.run(sql, **{"max_rows": 10, "timeout_s": 20.0, "stop": threading.Event(), **limits}).rows


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT city FROM branches",
        "SELECT count(*) FROM branches",
        "SELECT count(*) FROM main.branches",
        "SELECT 1 FROM accounts WHERE (branch_id, 'Pune') IN (SELECT * FROM branches)",
        "SELECT BALANCE FROM ACCOUNTS",
        "SELECT account_id FROM accounts ORDER BY balance",
        "SELECT count(*) FROM accounts AS a WHERE a.balance > 5",
        "SELECT * FROM accounts AS a JOIN (SELECT 10 AS balance) AS b ON b.balance = a.balance",
    ],
)
def test_hidden_tables_and_columns_are_refused_in_every_clause(bank, statement):
    assert run(bank.runner, statement) is not None
    with pytest.raises(QueryFailed, match=r"may not be read|unknown"):  # what DuckDB may not show is not there
        run(bank.without(HIDDEN), statement)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT rowid FROM branches",
        "SELECT 1 FROM accounts WHERE (branch_id, 'Pune') IN branches",
        "SELECT * FROM accounts",
        "WITH accounts_2 AS (SELECT * FROM accounts) SELECT count(*) FROM accounts_2",
    ],
)
@pytest.mark.parametrize("bank", ["sqlite"], indirect=True)
def test_sqlite_refuses_a_star_over_what_is_hidden(bank, statement):
    assert run(bank.runner, statement) is not None
    with pytest.raises(QueryFailed, match="may not be read"):
        run(bank.without(HIDDEN), statement)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM accounts AS a JOIN (SELECT 10 AS balance) AS b USING (balance)",
        "SELECT * FROM accounts NATURAL JOIN (SELECT 10 AS balance)",
        "SELECT name FROM (SELECT 'x' AS name) FULL JOIN sqlite_master USING (name)",
    ],
)
@pytest.mark.parametrize("bank", ["sqlite"], indirect=True)
def test_sqlite_refuses_using_and_natural_whatever_is_hidden(bank, statement):
    for hidden in (frozenset(), HIDDEN):
        with pytest.raises(QueryFailed, match="may not be read"):
            run(bank.without(hidden), statement)


def test_duckdb_refuses_a_hidden_column_in_using(duckdb_bank):
    statement = "SELECT * FROM accounts AS a JOIN (SELECT 10 AS balance) AS b USING (balance)"
    assert run(duckdb_bank.runner, statement) is not None
    with pytest.raises(QueryFailed, match=r"may not be read|unknown"):
        run(duckdb_bank.without(HIDDEN), statement)


@pytest.mark.parametrize("kind", ["duckdb", "sqlite"])
def test_one_worker_shows_each_in_turn_what_it_may_see(kind, tmp_path):
    for bank in opened(kind, tmp_path, workers=1):
        for _ in range(2):
            assert run(bank.runner, "SELECT count(balance) FROM accounts") is not None
            with pytest.raises(QueryFailed, match=r"may not be read|unknown"):
                run(bank.without(HIDDEN), "SELECT count(balance) FROM accounts")


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM accounts",
        "SELECT c FROM accounts AS c",
        "SELECT 1 AS c, c FROM accounts c LIMIT 1",
        "SELECT 1 AS c, (SELECT c) FROM accounts c",
        "SELECT to_json(c) FROM accounts c",
        "SELECT struct_pack(x := c) FROM accounts c",
        "SELECT COLUMNS('.*') FROM accounts",
        "WITH a AS (FROM accounts) SELECT a FROM a",
        "SELECT list(c) FROM accounts c",
        "SELECT z.v FROM accounts c, (SELECT c AS v) z",
        "SELECT * FROM accounts NATURAL JOIN (SELECT 10 AS account_id UNION SELECT 7)",
        "SELECT max(c) FROM accounts c",
        "SELECT a FROM crm.accounts a",
        "SUMMARIZE accounts",
    ],
)
def test_a_whole_row_of_duckdb_holds_nothing_hidden(duckdb_bank, statement):
    plain, kept = str(run(duckdb_bank.runner, statement)), str(run(duckdb_bank.without(HIDDEN), statement))
    assert "10.0" in plain or "900" in plain
    assert "10.0" not in kept
    assert "900" not in kept


def test_a_struct_of_duckdb_is_hidden_as_a_whole(duckdb_bank):
    kept = duckdb_bank.without(frozenset({("people", "contact")}))
    assert run(kept, "SELECT * FROM crm.people") == ((1, "x"),)
    assert "asha" not in str(run(kept, "SELECT people FROM crm.people"))
    for statement in ("SELECT contact.email FROM crm.people", "SELECT crm.people.contact.email FROM crm.people"):
        assert run(duckdb_bank.runner, statement) == (("asha@bank",),)
        with pytest.raises(QueryFailed):
            run(kept, statement)


def test_the_names_of_a_duckdb_file_mean_what_they_meant(duckdb_bank):
    kept = duckdb_bank.without(HIDDEN)
    for statement, rows in {
        "SELECT id FROM bank.crm.people": ((1,),),
        'SELECT "odd ""NAME" FROM crm.People': (("x",),),
        "SELECT address FROM crm.contacts": (("asha@bank",),),
        "SELECT n FROM counted": ((1,),),
        "SELECT count(*) FROM main.accounts AS a JOIN crm.accounts AS b ON a.account_id > b.id": ((1,),),
    }.items():
        assert run(duckdb_bank.runner, statement) == run(kept, statement) == rows


@pytest.mark.parametrize("name", ["bank", "memory", "Memory"])
def test_a_schema_may_be_called_as_duckdb_calls_what_is_in_memory(name, tmp_path):
    path, schema = tmp_path / f"{name}.duckdb", "memory" if name == "bank" else "crm"
    with duckdb.connect(path) as writer:
        writer.execute(f"CREATE SCHEMA {schema}; CREATE TABLE {schema}.accounts AS SELECT 7 AS id, 900 AS balance")
    with open_database(str(path), DatabaseLimits(workers=1)) as database:
        assert run(database.without(HIDDEN), f"SELECT * FROM {schema}.accounts") == ((7,),)


def test_a_table_with_every_column_hidden_can_still_be_counted(duckdb_bank):
    kept = duckdb_bank.without(frozenset({('ta "ble', "only_column")}))
    assert run(kept, 'SELECT count(*) FROM "Ta ""ble"') == ((2,),)
    assert run(kept, 'SELECT DISTINCT * FROM "Ta ""ble"') == ((None,),)


def test_a_view_that_reads_the_hidden_through_the_databases_own_name_is_not_there(duckdb_bank):
    assert run(duckdb_bank.runner, "SELECT balance FROM leaking") != ()
    with pytest.raises(QueryFailed):
        run(duckdb_bank.without(HIDDEN), "SELECT balance FROM leaking")


def test_a_view_that_is_not_there_does_not_come_to_mean_what_duckdb_calls_so(duckdb_bank):
    assert run(duckdb_bank.runner, "SELECT column_name FROM duckdb_columns") != ()
    kept = duckdb_bank.without(HIDDEN)
    for statement in ("SELECT column_name FROM duckdb_columns", "SELECT count(*) FROM duckdb_columns"):
        with pytest.raises(QueryFailed):
            run(kept, statement)


def test_a_stopped_statement_takes_no_view_with_it(duckdb_bank):
    kept = duckdb_bank.without(HIDDEN)
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    began = time.monotonic()
    with pytest.raises(QueryStopped):
        run(kept, f"SELECT (SELECT count(*) FROM accounts) + ({ENDLESS['duckdb']})", stop=stop)
    assert time.monotonic() - began < allowed_s(3)
    assert run(kept, "SELECT count(*) FROM accounts") == ((1,),)


def test_duckdb_lets_no_statement_reach_a_file_or_a_setting_through_the_views(duckdb_bank):
    kept = duckdb_bank.without(HIDDEN)
    assert run(kept, "SELECT count(*) FROM accounts") == ((1,),)
    for statement in (
        "SELECT * FROM read_csv('/etc/passwd')",
        "ATTACH 'bank.duckdb' AS again",
        "CREATE TABLE mine AS SELECT 1",
        "CREATE OR REPLACE VIEW accounts AS SELECT 1",
        "DROP VIEW accounts",
        "SELECT 1; DROP VIEW accounts",
        "SET memory_limit = '100GB'",
        "USE memory",
    ):
        with pytest.raises(QueryFailed):
            run(kept, statement)
    assert run(kept, "SELECT count(*) FROM accounts") == ((1,),)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM enable_logging('QueryLog')",
        "SELECT * FROM Enable_Logging(storage := 'file', storage_config := {'path': '/tmp/left'})",
        'SELECT * FROM system.main."enable_profiling" /* ( */ ()',
        "SELECT * FROM query('SELECT * FROM enable_' || 'logging()')",
        "SELECT E'\\'', q.* FROM query -- (\n ('SELECT * FROM enable_' || 'logging()') AS q, (SELECT '')",
        "SELECT 'ä' AS x FROM enable_logging('QueryLog') -- padding",
        "SELECT 'मुंबई' AS x FROM query('SELECT * FROM enable_' || 'logging()') -- padding",
        "SELECT * FROM\u3000enable_logging\u00a0(storage := 'memory')",
        "SELECT\u00a0E'\\'' AS x FROM enable_logging() WHERE '' = ''",
        "SELECT $\u00a0$ ' $\u00a0$ AS x FROM enable_logging() WHERE '' = ''",
    ],
)
@pytest.mark.parametrize("hidden", [HIDDEN, frozenset()])
def test_nothing_of_one_statement_of_duckdb_is_left_to_the_next(duckdb_bank, statement, hidden):
    kept = duckdb_bank.without(hidden)
    with pytest.raises(QueryFailed):
        run(kept, statement)
    assert run(kept, "SELECT 'asked by another person', 'query (' AS query FROM accounts")
    assert run(kept, "SELECT count(*) FROM duckdb_logs WHERE message LIKE '%person%'") == ((0,),)


def test_a_column_that_is_called_like_such_a_function_is_read_beside_letters_of_any_script(duckdb_bank):
    kept = duckdb_bank.without(HIDDEN)
    for text in ("ä", "मुंबई", "\u00a0", "\U0001f600"):
        sql = f"SELECT count(query) FROM (SELECT '{text}' AS query) AS a WHERE query = '{text}' AND 1 = 1"
        assert run(kept, sql) == ((1,),)


def test_everything_else_is_read_as_before(bank):
    runner = bank.without(HIDDEN)
    assert run(runner, "SELECT account_id, branch_id FROM accounts") == ((7, 1),)
    assert run(runner, "SELECT count(*) FROM accounts") == ((1,),)


def test_a_view_shows_what_it_was_made_to_show_unless_it_is_hidden_itself(bank):
    assert run(bank.without(HIDDEN), "SELECT city FROM cities") == (("Pune",),)
    with pytest.raises(QueryFailed):
        run(bank.without(HIDDEN | {("cities", "")}), "SELECT city FROM cities")
    with pytest.raises(QueryFailed):
        run(bank.without(HIDDEN | {("balances", "balance")}), "SELECT balance FROM balances")


def test_the_tables_that_keep_the_content_of_a_virtual_one_are_not_there(tmp_path):
    path = tmp_path / "texts.sqlite"
    with sqlite3.connect(path) as writer:
        writer.execute("CREATE VIRTUAL TABLE vault USING fts5(words)")
        writer.execute("CREATE TABLE vault_keys (id INTEGER)")
    writer.close()
    with open_database(str(path), DatabaseLimits(workers=1)) as bank:
        assert {table.name for table in bank.catalogue.tables} == {"vault", "vault_keys"}
        assert run(bank.runner, "SELECT id FROM vault_keys") == ()
        for part in ("content", "data", "config", "docsize", "idx"):
            with pytest.raises(QueryFailed, match="may not be read"):
                run(bank.runner, f"SELECT * FROM vault_{part}")
        with pytest.raises(QueryFailed, match="may not be read"):
            run(bank.runner, "SELECT words FROM vault")  # which FTS5 would look up in them


def test_where_only_some_tables_are_allowed_it_does_not_show_whether_there_are_others():
    catalogue = Catalogue("duckdb", (Table("a", (Column("id", "integer"),)),))
    assert hidden_columns(catalogue, allowed_tables={"a"}, hidden_tables=(), restricted_columns={})
    assert not hidden_columns(catalogue, allowed_tables=None, hidden_tables=(), restricted_columns={})


@pytest.mark.parametrize("policy", [{"allowed_tables": ["accounts"]}, {"hidden_tables": ["q_1"]}])
def test_a_hidden_table_that_is_called_like_a_name_of_the_guard_does_not_show_that_it_is_there(policy, tmp_path):
    statement = "WITH a AS (SELECT COUNT(*) AS n FROM accounts) SELECT COUNT(*) FROM a AS b CROSS JOIN a AS c"
    read = policy_from_json(json.dumps(policy))
    shown = []
    for more in ("", "CREATE TABLE q_1 (a); CREATE TABLE q_2 (a)"):
        path = tmp_path / f"{len(shown)}.sqlite"
        with contextlib.closing(sqlite3.connect(path)) as writer:
            writer.executescript(SCHEMA + more)
        with open_database(str(path), DatabaseLimits(workers=1)) as database:
            kept = runner_under(database, read, Settings())
            shown.append(run(kept, check(statement, database.catalogue, read).run_sql))
            with pytest.raises(QueryFailed):
                run(kept, "SELECT COUNT(*) FROM q_1")
    assert shown == [((1,),), ((1,),)]


def test_a_policy_becomes_pairs_of_bare_small_names():
    catalogue = Catalogue("sqlite", tuple(Table(name, (Column("id", "integer"),)) for name in ("A", "b", "c")))
    written = {"allowed_tables": ["main.a", "B"], "hidden_tables": ['"B"'], "restricted_columns": {"main.A": ["PAN"]}}
    policy = policy_from_json(json.dumps(written))
    pairs = hidden_columns(
        catalogue,
        allowed_tables=policy.allowed_tables,
        hidden_tables=policy.hidden_tables,
        restricted_columns=policy.restricted_columns,
    )
    assert pairs == {("c", ""), ("b", ""), ("a", "pan"), ("", "*")}


def test_questions_under_several_policies_in_turn_keep_their_workers(tmp_path):
    path = tmp_path / "bank.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (a INTEGER, b INTEGER, c INTEGER)")
    with open_database(str(path), DatabaseLimits(workers=2)) as database:
        runners = [database.without(frozenset({("t", column)})) for column in "abc"]

        def ask(place):
            runners[place].run("SELECT COUNT(*) FROM t", max_rows=1, timeout_s=20, stop=threading.Event())
            return child_processes()

        first, both = ask(0), ask(1)
        assert first < both
        assert ask(0) == ask(1) == both
        assert len(ask(2)) == len(both)


def test_a_view_of_the_bank_that_reads_a_file_fails_no_other_statement(tmp_path):
    with duckdb.connect(tmp_path / "bank.duckdb") as writer:
        (tmp_path / "rates.csv").write_text("a,b\n1,2\n")
        writer.execute("CREATE TABLE moves (next_day DATE, amount INTEGER)")
        writer.execute("INSERT INTO moves VALUES ('2026-01-01', 5)")
        writer.execute(f"CREATE VIEW ext AS SELECT * FROM read_csv('{tmp_path / 'rates.csv'}')")
    with open_database(str(tmp_path / "bank.duckdb"), DatabaseLimits(workers=1)) as bank:
        kept = bank.without(frozenset({("moves", "amount")}))
        assert run(kept, "SELECT year(next_day) FROM moves") == ((2026,),)
        with pytest.raises(QueryFailed):
            run(kept, "SELECT a FROM ext")
        assert run(kept, "SELECT year(next_day) FROM moves") == ((2026,),)
