"""PostgreSQL and MariaDB on loopback: types, read-only sessions, cancellation, and servers that go away."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import select
import socket
import threading
import time
import traceback
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path

import psycopg
import pymysql
import pytest

from ai_engine.errors import DatabaseUnavailable, QueryFailed, QueryStopped, QueryTimedOut, ResultTooLarge
from ai_engine.guard import Policy
from ai_engine.semantics.infer import infer_vocabulary
from ai_engine.semantics.values import FoundValues, StoredValue, ValueIndex
from ai_engine.semantics.vocabulary import Vocabulary
from backend.databases import Database, DatabaseLimits, excess_rights, open_database
from backend.service import open_assistant
from backend.settings import read_settings
from backend.value_search import DatabaseValueSearch
from tests.backend.databases.resources import child_processes, count_resources
from tests.backend.databases.statements import ENDLESS

pytestmark = pytest.mark.server
SOON_S = 3.0  # a second is promised; the machine may be busy
NAME = f"bank_runner_{os.getpid()}"
SCHEMA = """
    CREATE TABLE branches (branch_id INTEGER PRIMARY KEY, city VARCHAR(40) NOT NULL UNIQUE);
    CREATE TABLE accounts (
        account_id INTEGER PRIMARY KEY, branch_id INTEGER, balance DECIMAL(12,2), opened DATE, active BOOLEAN,
        note VARCHAR(40), FOREIGN KEY (branch_id) REFERENCES branches (branch_id)
    );
    INSERT INTO branches VALUES (1, 'Pune'), (2, 'Mumbai');
    INSERT INTO accounts VALUES (1, 1, 1200.50, '2024-01-31', TRUE, ''), (2, 2, 0.10, NULL, NULL, NULL);
"""


def administer_postgres(url: str, *statements: str, database: str = "postgres") -> list[tuple]:
    with psycopg.connect(f"{url.replace('+psycopg', '')}/{database}", autocommit=True) as connection:
        cursor = None
        for statement in statements:
            cursor = connection.execute(statement)
        return cursor.fetchall() if cursor is not None and cursor.description else []


def administer_mariadb(*statements: str) -> tuple:
    with contextlib.closing(pymysql.connect(host="127.0.0.1", user="root", autocommit=True)) as connection:
        cursor = connection.cursor()
        for statement in statements:
            cursor.execute(statement)
        return cursor.fetchall()


@pytest.fixture(scope="module")
def postgres_bank(postgres_url: str) -> Iterator[str]:
    administer_postgres(postgres_url, f"DROP DATABASE IF EXISTS {NAME}", f"CREATE DATABASE {NAME}")
    administer_postgres(postgres_url, SCHEMA, database=NAME)
    yield f"{postgres_url}/{NAME}"
    administer_postgres(postgres_url, f"DROP DATABASE {NAME} WITH (FORCE)")


@pytest.fixture(scope="module")
def mariadb_bank(mariadb_url: str) -> Iterator[str]:
    parts = [part for part in SCHEMA.split(";") if part.strip()]
    administer_mariadb(f"DROP DATABASE IF EXISTS {NAME}", f"CREATE DATABASE {NAME}", f"USE {NAME}", *parts)
    yield f"{mariadb_url}/{NAME}"
    administer_mariadb(f"DROP DATABASE {NAME}")


@pytest.fixture(params=["postgres", "mariadb"])
def bank_url(request: pytest.FixtureRequest) -> str:
    url: str = request.getfixturevalue(f"{request.param}_bank")
    return url


@pytest.fixture
def bank(bank_url: str) -> Iterator[Database]:
    """The bank on each server; whatever the test does, nothing may be left of it here or there."""
    open_database(bank_url).close()  # the clients' own first-time files and threads are no leak
    before = count_resources()
    with open_database(bank_url, DatabaseLimits(connections=2)) as database:
        yield database
    assert count_resources() == before


@pytest.fixture
def statements_running(bank: Database):
    """Tells how many statements of the assistant the server is working on."""

    def count() -> int:
        if bank.dialect == "postgres":
            text = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND application_name LIKE 'banking%'"
            with psycopg.connect(f"host=127.0.0.1 user=postgres dbname={NAME}", autocommit=True) as connection:
                return connection.execute(text).fetchone()[0]
        rows = administer_mariadb(
            f"SELECT count(*) FROM information_schema.processlist WHERE db = '{NAME}' AND command = 'Query'"
        )
        return rows[0][0]

    return count


def run(database, sql, *, max_rows=100, timeout_s=20.0, stop=None):
    return database.runner.run(sql, max_rows=max_rows, timeout_s=timeout_s, stop=stop or threading.Event())


def test_values_arrive_with_their_types(bank):
    result = run(bank, "SELECT account_id, balance, opened, active, note, note FROM accounts ORDER BY 1")
    flag = "boolean" if bank.dialect == "postgres" else "integer"
    assert result.columns == ("account_id", "balance", "opened", "active", "note", "note_2")
    assert result.types == ("integer", "decimal", "date", flag, "text", "text")
    assert result.rows == ((1, Decimal("1200.50"), date(2024, 1, 31), 1, "", ""), (2, Decimal("0.10"), *[None] * 4))


def test_the_catalogue_knows_keys_and_types(bank):
    accounts = bank.catalogue.table("accounts")
    assert accounts.primary_key == ("account_id",)
    assert [(key.columns, key.to_table, key.to_columns) for key in accounts.foreign_keys] == [
        (("branch_id",), "branches", ("branch_id",))
    ]
    assert [column.type for column in accounts.columns] == ["integer", "integer", "decimal", "date", "boolean", "text"]
    assert bank.catalogue.table("branches").unique_keys == (("city",),)


def test_percent_and_colon_in_a_literal_mean_nothing(bank):
    assert run(bank, "SELECT '5% at :noon %s %(x)s ?' AS note").rows == (("5% at :noon %s %(x)s ?",),)


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO branches VALUES (3, 'Delhi')",
        "DELETE FROM accounts",
        "CREATE TABLE stolen (a INTEGER)",
        "SELECT 1; DELETE FROM accounts",
        "COMMIT; DELETE FROM accounts",
        "SELEC 1",
    ],
)
def test_the_server_itself_refuses_all_but_reads(bank, statement):
    with pytest.raises(QueryFailed):
        run(bank, statement)
    assert run(bank, "SELECT count(*) FROM accounts").rows == ((2,),)


def test_a_session_is_as_new_for_every_statement(bank):
    if bank.dialect == "postgres":
        run(bank, "SELECT set_config('statement_timeout', '0', false), set_config('search_path', 'nowhere', false)")
        shown = run(bank, "SELECT current_setting('search_path'), current_setting('statement_timeout') <> '0'").rows
        assert shown == (('"$user", public', True),)
        run(bank, "SELECT pg_advisory_lock(42)")
        time.sleep(0.2)
        assert run(bank, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'").rows == ((0,),)
    else:
        run(bank, "SELECT @left := 42")
        assert run(bank, "SELECT @left").rows == ((None,),)


def test_the_statement_is_ended_on_the_server_at_the_deadline(bank, statements_running):
    began = time.monotonic()
    with pytest.raises(QueryTimedOut):
        run(bank, ENDLESS[bank.dialect], timeout_s=1.0)
    assert time.monotonic() - began < 1.0 + SOON_S
    assert statements_running() == 0


def test_a_stop_ends_the_statement_on_the_server(bank, statements_running):
    run(bank, "SELECT 1")
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    began = time.monotonic()
    with pytest.raises(QueryStopped):
        run(bank, ENDLESS[bank.dialect], stop=stop)
    assert time.monotonic() - began < SOON_S
    assert statements_running() == 0
    assert run(bank, "SELECT 1").rows == ((1,),)


def test_a_connection_that_was_cut_while_idle_is_opened_again(bank, postgres_url):
    run(bank, "SELECT 1")
    time.sleep(0.2)
    cut_connections(bank, postgres_url)
    assert run(bank, "SELECT count(*) FROM accounts").rows == ((2,),)


def test_a_connection_cut_during_a_query_is_a_clear_failure(bank, postgres_url):
    cutter = threading.Timer(0.5, cut_connections, (bank, postgres_url))
    run(bank, "SELECT 1")
    cutter.start()
    with pytest.raises(DatabaseUnavailable, match="lost"):
        run(bank, ENDLESS[bank.dialect])
    cutter.join()
    assert run(bank, "SELECT 1").rows == ((1,),)


def cut_connections(bank, postgres_url):
    if bank.dialect == "postgres":
        administer_postgres(
            postgres_url, f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{NAME}'"
        )
        return
    for (number,) in administer_mariadb(f"SELECT id FROM information_schema.processlist WHERE db = '{NAME}'"):
        administer_mariadb(f"KILL {number}")


def test_ten_million_rows_arrive_as_the_few_that_were_asked_for(bank, statements_running):
    many = {
        "postgres": "SELECT i, repeat('x', 50) FROM generate_series(1, 10000000) i",
        "mysql": "SELECT seq, repeat('x', 50) FROM seq_1_to_10000000",
    }[bank.dialect]
    result = run(bank, many, max_rows=1_000)
    assert (result.row_count, result.truncated) == (1_000, True)
    assert run(bank, "SELECT 1").rows == ((1,),)
    assert statements_running() == 0


def test_a_cell_of_a_hundred_megabytes_is_refused(bank):
    # MariaDB sends no more than its max_allowed_packet, and says NULL instead.
    size = 100_000_000 if bank.dialect == "postgres" else 15_000_000
    with pytest.raises(ResultTooLarge):
        run(bank, f"SELECT repeat('x', {size})")
    assert run(bank, "SELECT 1").rows == ((1,),)


def test_a_locked_table_does_not_hold_a_question_for_long(bank, bank_url, postgres_url):
    if bank.dialect == "postgres":
        holder = psycopg.connect(f"{postgres_url.replace('+psycopg', '')}/{NAME}")
        holder.execute("LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE")
    else:
        holder = pymysql.connect(host="127.0.0.1", user="root", database=NAME)
        holder.cursor().execute("LOCK TABLES accounts WRITE")
    with contextlib.closing(holder), pytest.raises(QueryFailed):
        run(bank, "SELECT count(*) FROM accounts", timeout_s=1.0)


class Valve:
    """Passes bytes between the client and a server until it is shut: then it goes on listening and passes nothing."""

    def __init__(self, port: int) -> None:
        self._server_port = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.open = True
        self._closing = False
        self._thread = threading.Thread(target=self._pass_on)
        self._thread.start()

    def _pass_on(self) -> None:
        partner: dict[socket.socket, socket.socket] = {}
        while not self._closing:
            for ready in select.select([self._listener, *(partner if self.open else ())], [], [], 0.02)[0]:
                if ready is self._listener:
                    client = self._listener.accept()[0]
                    server = socket.create_connection(("127.0.0.1", self._server_port))
                    partner |= {client: server, server: client}
                elif ready in partner:
                    self._move(ready, partner)
        for end in partner:
            end.close()

    @staticmethod
    def _move(ready: socket.socket, partner: dict[socket.socket, socket.socket]) -> None:
        other = partner[ready]
        with contextlib.suppress(OSError):
            piece = ready.recv(65_536)
            if piece:
                other.sendall(piece)
                return
        for end in (ready, other):
            del partner[end]
            end.close()

    def close(self) -> None:
        self._closing = True
        self._thread.join()
        self._listener.close()


@pytest.mark.parametrize("server", ["postgres", "mariadb"])
def test_a_network_that_falls_silent_during_a_query_ends_at_the_deadline(others, server, request):
    url = request.getfixturevalue(f"{server}_bank")
    port = {"postgres": 5432, "mariadb": 3306}[server]
    with contextlib.closing(Valve(port)) as valve:
        with open_database(url.replace(f":{port}", f":{valve.port}"), DatabaseLimits(connect_timeout_s=2)) as database:
            run(database, "SELECT 1")
            valve.open = False
            began = time.monotonic()
            with pytest.raises(QueryTimedOut):
                run(database, "SELECT count(*) FROM accounts", timeout_s=0.5)
            with pytest.raises((DatabaseUnavailable, QueryTimedOut)):
                run(database, "SELECT count(*) FROM accounts", timeout_s=3)
            assert time.monotonic() - began < 0.5 + 3 + 2 * SOON_S
            valve.open = True
            assert run(database, "SELECT count(*) FROM accounts").rows == ((2,),)
        assert not child_processes() - others


def test_the_password_is_shown_nowhere(others, postgres_bank):
    with open_database(postgres_bank.replace("postgres@", "postgres:hush-hush@")) as database:
        assert "***" in database.url_shown
        assert "hush-hush" not in repr(database) + database.url_shown + database.fingerprint
        with pytest.raises(QueryFailed) as caught:
            run(database, "SELECT no_such_column FROM accounts")
        assert "hush-hush" not in "".join(traceback.format_exception(caught.value)) + caught.value.user_message
        for worker in child_processes() - others:
            told = [Path(f"/proc/{worker}/{place}").read_text() for place in ("cmdline", "environ")]
            assert "hush-hush" not in "".join(told)


def test_postgres_values_without_a_python_value_stay_text(postgres_bank):
    with open_database(postgres_bank) as database:
        result = run(
            database,
            "SELECT 'infinity'::date AS d, '-infinity'::timestamptz AS t, 'NaN'::numeric AS n, "
            "'{\"a\": 1}'::jsonb AS j, '\\xaabb'::bytea AS b, ARRAY[1, 2] AS a",
        )
        day, moment, number, document, content, items = result.rows[0]
        assert (day, moment, document, content, items) == ("infinity", "-infinity", '{"a": 1}', "0xaabb", "[1, 2]")
        assert number != number
        assert result.types[:3] == ("text", "text", "decimal")


def test_the_excess_rights_of_an_administrator_are_named(bank):
    rights = " ".join(excess_rights(bank, {"accounts"}))
    expected = ["superuser", "INSERT accounts"] if bank.dialect == "postgres" else ["INSERT everywhere", "FILE"]
    assert all(right in rights for right in [*expected, "may SELECT accounts, which the policy hides"])


def test_a_role_made_for_reading_has_no_excess_rights(bank, bank_url, postgres_url):
    if bank.dialect == "postgres":
        administer_postgres(
            postgres_url,
            f"CREATE ROLE {NAME} LOGIN PASSWORD 'x'",
            "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
            f"GRANT SELECT ON branches TO {NAME}",
            database=NAME,
        )
        url = bank_url.replace("postgres@", f"{NAME}:x@")
        drop = [f"DROP OWNED BY {NAME}", f"DROP ROLE {NAME}"]
    else:
        administer_mariadb(
            f"CREATE USER {NAME}@'127.0.0.1' IDENTIFIED BY 'x'",
            f"GRANT SELECT ON {NAME}.branches TO {NAME}@'127.0.0.1'",
        )
        url = bank_url.replace("root@", f"{NAME}:x@")
        drop = [f"DROP USER {NAME}@'127.0.0.1'"]
    try:
        with open_database(url) as database:
            assert excess_rights(database, {"accounts"}) == ()
            assert run(database, "SELECT count(*) FROM branches").rows == ((2,),)
    finally:
        if bank.dialect == "postgres":
            administer_postgres(postgres_url, *drop, database=NAME)
        else:
            administer_mariadb(*drop)


EXCESSES = {
    "postgres": [
        ("GRANT INSERT, TRUNCATE ON branches TO {role}", ["may INSERT branches", "may TRUNCATE branches"]),
        ("GRANT UPDATE (balance) ON accounts TO {role}", ["may UPDATE single columns of accounts"]),
        ("GRANT USAGE ON SEQUENCE numbers TO {role}", ["may change sequence numbers"]),
        ("GRANT CREATE ON SCHEMA public TO {role}", ["may create tables in schema public"]),
        ("GRANT CREATE ON DATABASE {name} TO {role}", ["may create schemas in this database"]),
        ("GRANT pg_read_server_files TO {role}", ["is a member of pg_read_server_files"]),
        ("ALTER ROLE {role} CREATEROLE", ["is allowed to create roles"]),
        ("GRANT SELECT ON accounts TO {role}", ["may SELECT accounts, which the policy hides"]),
        ("GRANT SELECT (balance) ON accounts TO {role}", ["may SELECT accounts, which the policy hides"]),
    ],
    "mysql": [
        ("GRANT INSERT, DROP ON {name}.branches TO {role}", ["may DROP {name}.branches", "may INSERT {name}.branches"]),
        ("GRANT UPDATE (city) ON {name}.branches TO {role}", ["may UPDATE column {name}.branches.city"]),
        ("GRANT CREATE ON {name}.* TO {role}", ["may CREATE in {name}"]),
        ("GRANT FILE ON *.* TO {role}", ["may FILE everywhere"]),
        ("GRANT SELECT ON {name}.accounts TO {role}", ["may SELECT accounts, which the policy hides"]),
        ("GRANT SELECT (balance) ON {name}.accounts TO {role}", ["may SELECT accounts, which the policy hides"]),
    ],
}


@contextlib.contextmanager
def reading_role(dialect, url, postgres_url):
    """A role that may read the table branches and nothing else: its URL, its name, and a way to grant it more."""
    if dialect == "postgres":

        def administer(statement):
            administer_postgres(postgres_url, statement, database=NAME)

        role, user = NAME, "postgres@"
        makes = [f"CREATE ROLE {role} LOGIN PASSWORD 'x'", "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
                 f"GRANT SELECT ON branches TO {role}", "CREATE SEQUENCE numbers"]  # fmt: skip
        drops = [f"DROP OWNED BY {role}", f"DROP ROLE {role}", "DROP SEQUENCE numbers"]
    else:
        administer = administer_mariadb
        role, user = f"{NAME}@'127.0.0.1'", "root@"
        makes = [f"CREATE USER {role} IDENTIFIED BY 'x'", f"GRANT SELECT ON {NAME}.branches TO {role}"]
        drops = [f"DROP USER {role}"]
    for statement in makes:
        administer(statement)
    try:
        yield url.replace(user, f"{NAME}:x@"), role, administer
    finally:
        for statement in drops:
            administer(statement)


def test_each_excess_right_is_named_and_no_other(bank, bank_url, postgres_url):
    tables = bank.catalogue
    for grant, expected in EXCESSES[bank.dialect]:
        with reading_role(bank.dialect, bank_url, postgres_url) as (url, role, administer):
            administer(grant.format(role=role, name=NAME))
            with open_database(url) as database:
                found = excess_rights(dataclasses.replace(database, catalogue=tables), {"accounts"})
        assert found == tuple(f"the database role {right.format(name=NAME)}" for right in expected), grant


def test_a_role_that_may_read_some_columns_of_a_table_sees_those(bank, bank_url, postgres_url):
    with reading_role(bank.dialect, bank_url, postgres_url) as (url, role, administer):
        table = "accounts" if bank.dialect == "postgres" else f"{NAME}.accounts"
        administer(f"GRANT SELECT (account_id, balance) ON {table} TO {role}")
        with open_database(url) as database:
            assert database.catalogue.table("branches").primary_key == ("branch_id",)
            readable = {column.name: column.type for column in database.catalogue.table("accounts").columns}
            assert (readable["account_id"], readable["balance"]) == ("integer", "decimal")
            assert len(readable) == 2 or bank.dialect == "postgres"  # which tells the others' names
            assert run(database, "SELECT sum(balance) FROM accounts").rows == ((Decimal("1200.60"),),)
            with pytest.raises(QueryFailed):
                run(database, "SELECT note FROM accounts")


@pytest.fixture
def one_connection_role(bank, bank_url, postgres_url):
    """A role that the server lets in once at a time: its URL, and a way to take that one place."""
    if bank.dialect == "postgres":
        statements = [
            f"CREATE ROLE {NAME} LOGIN PASSWORD 'x' CONNECTION LIMIT 1",
            f"GRANT SELECT ON branches TO {NAME}",
        ]
        administer_postgres(postgres_url, *statements, database=NAME)
        url = bank_url.replace("postgres@", f"{NAME}:x@")
        yield url, lambda: psycopg.connect(url.replace("+psycopg", ""))
        administer_postgres(postgres_url, f"DROP OWNED BY {NAME}", f"DROP ROLE {NAME}", database=NAME)
    else:
        user = f"{NAME}@'127.0.0.1'"
        administer_mariadb(
            f"CREATE USER {user} IDENTIFIED BY 'x' WITH MAX_USER_CONNECTIONS 1", f"GRANT SELECT ON {NAME}.* TO {user}"
        )
        yield (
            bank_url.replace("root@", f"{NAME}:x@"),
            lambda: pymysql.connect(host="127.0.0.1", user=NAME, password="x", database=NAME),
        )
        administer_mariadb(f"DROP USER {user}")


def soon(action):
    """Try again for a while: a server notices a little later that a connection was closed."""
    deadline = time.monotonic() + 10
    while True:
        try:
            return action()
        except (DatabaseUnavailable, psycopg.OperationalError, pymysql.OperationalError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def test_a_server_without_a_free_connection_is_unavailable_until_it_has_one(one_connection_role):
    url, take_the_place = one_connection_role
    with open_database(url) as database:
        with contextlib.closing(soon(take_the_place)), pytest.raises(DatabaseUnavailable, match="connect"):
            run(database, "SELECT 1")
        assert soon(lambda: run(database, "SELECT count(*) FROM branches")).rows == ((2,),)


def test_the_start_warns_of_each_excess_right(bank_url, tmp_path, caplog):
    settings = read_settings(database_url=bank_url, cache_dir=tmp_path, openai_api_key=None, openai_base_url=None)
    with contextlib.closing(open_assistant(settings)) as assistant:
        assert assistant.warnings == excess_rights(assistant.database)
        assert assistant.warnings
        assert set(assistant.warnings) <= {record.getMessage() for record in caplog.records}


@pytest.mark.parametrize("text", ["Pune", "pUnE"])
def test_a_value_that_was_not_learnt_is_found_on_the_server(bank, text):
    model = infer_vocabulary(bank.catalogue)
    vocabulary = Vocabulary(bank.catalogue, model, ValueIndex((), model), date(2026, 11, 21))
    search = DatabaseValueSearch(bank.runner, Policy(), timeout_s=20, max_columns=8)
    found = search.find((text, "It's \\ nowhere"), vocabulary, stop=threading.Event())
    assert found == FoundValues((StoredValue("branches", "city", "Pune"),))
