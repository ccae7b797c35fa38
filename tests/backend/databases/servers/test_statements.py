"""PostgreSQL and MariaDB on loopback: types, read-only sessions, limits and cancellation."""

from __future__ import annotations

import contextlib
import threading
import time
import traceback
from datetime import date
from decimal import Decimal
from pathlib import Path

import psycopg
import pymysql
import pytest

from ai_engine.errors import QueryFailed, QueryStopped, QueryTimedOut, ResultTooLarge, SqlRejected
from ai_engine.guard import Policy, check
from ai_engine.guard.policy import unknown_names
from ai_engine.semantics.infer import infer_vocabulary
from ai_engine.semantics.values import FoundValues, StoredValue, ValueIndex
from ai_engine.semantics.vocabulary import Vocabulary
from backend.databases import Database, DatabaseLimits, open_database
from backend.values.search import DatabaseValueSearch
from tests.backend.databases.resources import child_processes
from tests.backend.databases.servers.small_bank import NAME, administer_mariadb, run
from tests.backend.databases.statements import ENDLESS
from tests.patience import allowed_s

pytestmark = pytest.mark.server
SOON_S = 3.0  # a second is promised; the machine may be busy


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


def test_values_arrive_with_their_types(bank):
    result = run(bank, "SELECT account_id, balance, opened, active, note, note FROM accounts ORDER BY 1")
    flag = "boolean" if bank.dialect == "postgres" else "integer"
    assert result.columns == ("account_id", "balance", "opened", "active", "note", "note_2")
    assert result.types == ("integer", "decimal", "date", flag, "text", "text")
    assert result.rows == ((1, Decimal("1200.50"), date(2024, 1, 31), 1, "", ""), (2, Decimal("0.10"), *[None] * 4))


def test_a_column_that_is_not_grouped_is_refused_by_the_server(bank):
    with pytest.raises(QueryFailed, match="neither grouped"):
        run(bank, "SELECT account_id, COUNT(*) FROM accounts GROUP BY note")


def test_the_catalogue_knows_keys_and_types(bank):
    accounts = bank.catalogue.table("accounts")
    assert accounts.primary_key == ("account_id",)
    assert [(key.columns, key.to_table, key.to_columns) for key in accounts.foreign_keys] == [
        (("branch_id",), "branches", ("branch_id",))
    ]
    assert [column.type for column in accounts.columns] == ["integer", "integer", "decimal", "date", "boolean", "text"]
    assert bank.catalogue.table("branches").unique_keys == (("city",),)


def test_a_column_of_mariadb_is_closed_under_its_own_name_whatever_quotes_that_has(mariadb_bank):
    column = "`ph``one`"
    administer_mariadb(
        f"USE {NAME}",
        f"CREATE TABLE quoted (id INTEGER, {column} VARCHAR(9) PRIMARY KEY)",
        "CREATE TABLE pointing (id INTEGER, `o``f` VARCHAR(40), FOREIGN KEY (`o``f`) REFERENCES branches (city))",
        "CREATE VIEW seen AS SELECT * FROM quoted",
        "INSERT INTO quoted VALUES (1, 'c'), (2, 'a'), (3, 'b')",
    )
    try:
        with open_database(mariadb_bank) as bank:
            policy = Policy(restricted_columns={name: frozenset({"ph`one"}) for name in ("quoted", "seen")})
            assert unknown_names(policy, bank.catalogue) == []
            assert run(bank, check("SELECT * FROM quoted", bank.catalogue, policy).run_sql).rows == ((1,), (2,), (3,))
            with pytest.raises(SqlRejected, match="restricted"):
                check(f"SELECT {column} FROM seen", bank.catalogue, policy)
            assert run(bank, check(f"SELECT {column} FROM quoted ORDER BY 1", bank.catalogue, Policy()).run_sql).rows
            assert bank.catalogue.table("pointing").foreign_keys[0].columns == ("o`f",)
    finally:
        administer_mariadb(f"USE {NAME}", "DROP VIEW seen", "DROP TABLE quoted, pointing")


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
        asked = "current_setting('search_path'), current_setting('statement_timeout') <> '0', current_setting('jit')"
        assert run(bank, f"SELECT {asked}").rows == (('"$user", public', True, "off"),)
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
    assert time.monotonic() - began < 1.0 + allowed_s(SOON_S)
    assert statements_running() == 0


def test_a_stop_ends_the_statement_on_the_server(bank, statements_running):
    run(bank, "SELECT 1")
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    began = time.monotonic()
    with pytest.raises(QueryStopped):
        run(bank, ENDLESS[bank.dialect], stop=stop)
    assert time.monotonic() - began < allowed_s(SOON_S)
    assert statements_running() == 0
    assert run(bank, "SELECT 1").rows == ((1,),)


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


def lock_accounts(dialect, postgres_url):
    if dialect == "postgres":
        holder = psycopg.connect(f"{postgres_url.replace('+psycopg', '')}/{NAME}")
        holder.execute("LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE")
    else:
        holder = pymysql.connect(host="127.0.0.1", user="root", database=NAME)
        holder.cursor().execute("LOCK TABLES accounts WRITE")
    return contextlib.closing(holder)


def test_a_locked_table_does_not_hold_a_question_for_long(bank, bank_url, postgres_url):
    with lock_accounts(bank.dialect, postgres_url), pytest.raises(QueryFailed):
        run(bank, "SELECT count(*) FROM accounts", timeout_s=1.0)


def test_a_lock_is_waited_for_no_longer_than_set(bank_url, postgres_url):
    with (
        open_database(bank_url, DatabaseLimits(lock_wait_s=1)) as database,
        lock_accounts(database.dialect, postgres_url),
        pytest.raises(QueryFailed, match=r"(?i)lock"),
    ):
        run(database, "SELECT count(*) FROM accounts", timeout_s=30)


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
            "'{\"a\": 1}'::jsonb AS j, '\\xaabb'::bytea AS b, ARRAY[1, 2] AS a, "
            "'24:00'::time AS late, '12:00+15:59:59'::timetz AS far, '100000000 years'::interval AS long, "
            "ARRAY['100000000 years'::interval] AS longer",
        )
        day, moment, number, document, content, items, *rest = result.rows[0]
        assert (day, moment, document, content, items) == ("infinity", "-infinity", '{"a": 1}', "0xaabb", "[1, 2]")
        assert number != number
        assert rest[0] == "24:00:00"
        assert rest[2:] == ["100000000 years", "['100000000 years']"]
        assert result.types[:3] == ("text", "text", "decimal")


@pytest.mark.parametrize("text", ["Pune", "pUnE"])
def test_a_value_that_was_not_learnt_is_found_on_the_server(bank, text):
    model = infer_vocabulary(bank.catalogue)
    vocabulary = Vocabulary(bank.catalogue, model, ValueIndex((), model), date(2026, 11, 21))
    search = DatabaseValueSearch(bank.runner, Policy(), timeout_s=20, max_columns=8)
    found = search.find((text, "It's \\ nowhere"), vocabulary, stop=threading.Event())
    assert found == FoundValues((StoredValue("branches", "city", "Pune"),))
