"""DuckDB and SQLite files, asked through real worker processes."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import sqlite3
import threading
import time
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from ai_engine.errors import DatabaseBusy, QueryFailed, QueryStopped, QueryTimedOut, ResultTooLarge
from ai_engine.guard.policy import Policy
from backend.configuration.database_limits import database_limits
from backend.configuration.database_rights import told_left_out
from backend.databases import DatabaseLimits, open_database
from backend.settings import Settings, read_settings
from tests.backend.databases.conftest import write_bank
from tests.backend.databases.resources import child_processes
from tests.backend.databases.statements import DEAF_SQLITE, ENDLESS
from tests.patience import allowed_s

SOON_S = 3.0  # a second is promised; the machine may be busy
pytestmark = pytest.mark.usefixtures("nothing_leaks")


def opened(kind, folder):
    file = write_bank(folder, kind)
    with open_database(str(file), DatabaseLimits(workers=1)) as database:
        run(database, "SELECT 1")  # starts the worker, which then belongs to no single test
        yield database
    assert names_beside(file) == {file.name}


@pytest.fixture(scope="module", params=["duckdb", "sqlite"])
def bank(request, tmp_path_factory):
    """One open bank of each kind for the tests that only ask."""
    yield from opened(request.param, tmp_path_factory.mktemp(request.param))


@pytest.fixture(scope="module")
def duckdb_bank(tmp_path_factory):
    yield from opened("duckdb", tmp_path_factory.mktemp("duckdb"))


@pytest.fixture(scope="module")
def sqlite_bank(tmp_path_factory):
    yield from opened("sqlite", tmp_path_factory.mktemp("sqlite"))


def run(database, sql, *, max_rows=100, timeout_s=20.0, stop=None):
    return database.runner.run(sql, max_rows=max_rows, timeout_s=timeout_s, stop=stop or threading.Event())


def test_values_arrive_with_their_types(bank):
    result = run(bank, "SELECT account_id, balance, opened, seen, active, note FROM accounts ORDER BY 1")
    assert result.columns == ("account_id", "balance", "opened", "seen", "active", "note")
    assert result.types == ("integer", "decimal", "date", "timestamp", "boolean", "text")
    assert result.rows == (
        (1, Decimal("1200.50"), date(2024, 1, 31), datetime.fromisoformat("2024-02-01 10:30"), True, ""),
        (2, Decimal("0.10"), date(2024, 3, 1), datetime.fromisoformat("2024-03-02"), False, None),
        (3, Decimal("-7.25"), None, None, None, "x"),
    )
    assert {str(row[1]) for row in result.rows} == {"1200.50", "0.10", "-7.25"}


def test_a_span_with_months_is_told_in_duckdbs_words_and_not_in_days_that_nobody_counted(duckdb_bank):
    span = "AGE(DATE '2024-03-01', DATE '{}')"
    told = ", ".join(span.format(day) for day in ("2024-02-01", "2023-01-20", "2024-02-27"))
    ordered = f"SELECT {told}, NULL::INTERVAL, n, n FROM RANGE(20000) AS r (n) ORDER BY n DESC LIMIT 10000"
    result = run(duckdb_bank, ordered, max_rows=9_999)
    assert result.rows[0] == ("1 month", "1 year 1 month 12 days", timedelta(days=3), None, 19_999, 19_999)
    assert [row[4] for row in result.rows] == list(range(19_999, 10_000, -1))
    assert (len(result.columns), result.truncated) == (6, True)


def test_repeated_and_unnamed_columns_get_numbers(bank):
    result = run(bank, 'SELECT city, city, city AS "CITY" FROM branches LIMIT 1')
    assert result.columns == ("city", "city_2", "CITY_3")


def test_one_row_more_than_asked_tells_that_there_are_more(bank):
    whole = run(bank, "SELECT account_id FROM accounts LIMIT 4", max_rows=3)
    cut = run(bank, "SELECT account_id FROM accounts LIMIT 3", max_rows=2)
    assert (whole.row_count, whole.truncated) == (3, False)
    assert (cut.row_count, cut.truncated) == (2, True)


def test_a_wrong_statement_says_what_is_wrong_and_the_worker_goes_on(bank):
    with pytest.raises(QueryFailed, match="balanse"):
        run(bank, "SELECT balanse FROM accounts")
    assert run(bank, "SELECT count(*) FROM accounts").rows == ((3,),)


def test_percent_and_colon_in_a_literal_mean_nothing(bank):
    assert run(bank, "SELECT '5% at :noon %s ?' AS note").rows == (("5% at :noon %s ?",),)


def test_the_statement_ends_at_the_deadline_and_the_worker_is_used_again(bank):
    run(bank, "SELECT 1")
    workers = child_processes()
    began = time.monotonic()
    with pytest.raises(QueryTimedOut):
        run(bank, ENDLESS[bank.dialect], timeout_s=0.3)
    assert time.monotonic() - began < allowed_s(SOON_S)
    assert run(bank, "SELECT 1").rows == ((1,),)
    assert child_processes() == workers


def test_a_stop_ends_the_running_statement(bank):
    run(bank, "SELECT 1")
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    began = time.monotonic()
    with pytest.raises(QueryStopped):
        run(bank, ENDLESS[bank.dialect], stop=stop)
    assert time.monotonic() - began < allowed_s(SOON_S)


def test_a_stop_that_is_already_set_starts_nothing(bank):
    stop = threading.Event()
    stop.set()
    workers = child_processes()
    with pytest.raises(QueryStopped):
        run(bank, "SELECT 1", stop=stop)
    assert child_processes() == workers


def test_a_stop_reaches_a_statement_in_the_queue(bank_file):
    with open_database(str(bank_file), DatabaseLimits(workers=1)) as database:
        running, waiting = threading.Event(), threading.Event()
        ended = []

        def ask(stop):
            with pytest.raises(QueryStopped):
                run(database, ENDLESS[database.dialect], stop=stop)
            ended.append(stop)

        threads = [threading.Thread(target=ask, args=(stop,)) for stop in (running, waiting)]
        threads[0].start()
        time.sleep(0.2)
        threads[1].start()
        time.sleep(0.1)
        waiting.set()
        threads[1].join(SOON_S)
        assert ended == [waiting]
        running.set()
        threads[0].join(SOON_S)
        assert ended == [waiting, running]


def test_who_waits_until_the_deadline_is_told_that_it_is_busy(bank_file):
    with open_database(str(bank_file), DatabaseLimits(workers=1)) as database:
        stop = threading.Event()

        def hold():
            with pytest.raises(QueryStopped):
                run(database, ENDLESS[database.dialect], stop=stop)

        holder = threading.Thread(target=hold)
        holder.start()
        time.sleep(0.2)
        with pytest.raises(DatabaseBusy):
            run(database, "SELECT 1", timeout_s=0.2)
        stop.set()
        holder.join(SOON_S)


def test_a_statement_that_hears_no_interruption_is_killed_with_its_process(sqlite_file):
    others = child_processes()
    with open_database(str(sqlite_file)) as database:
        run(database, "SELECT 1")
        workers = child_processes() - others
        began = time.monotonic()
        with pytest.raises(QueryTimedOut):
            run(database, DEAF_SQLITE, timeout_s=0.3)
        assert time.monotonic() - began < allowed_s(SOON_S)
        assert not child_processes() & workers
        assert run(database, "SELECT 1").rows == ((1,),)


def test_the_worker_is_given_no_secret_of_the_app(bank_file, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    before = child_processes()
    with open_database(str(bank_file)) as database:
        run(database, "SELECT 1")
        (worker,) = child_processes() - before
        assert b"sk-secret" not in Path(f"/proc/{worker}/environ").read_bytes()


def test_a_worker_ends_when_it_is_idle_and_another_one_takes_over(bank_file):
    with open_database(str(bank_file), DatabaseLimits(idle_close_s=0.2)) as database:
        for _ in range(2):
            assert run(database, "SELECT 1").rows == ((1,),)
            time.sleep(0.35)


def test_sixty_four_threads_get_their_own_rows(bank):
    answers = {}

    def ask(number):
        answers[number] = run(bank, f"SELECT {number} AS n, count(*) FROM accounts", timeout_s=60).rows

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {number: ((number, 3),) for number in range(64)}


def names_beside(file):
    return {entry.name for entry in file.parent.iterdir()}


def digest_of(folder):
    return {
        entry.name: (hashlib.sha256(entry.read_bytes()).hexdigest(), entry.stat().st_mtime_ns)
        for entry in folder.iterdir()
    }


def test_the_file_and_its_folder_stay_as_they_were(bank_file):
    before = digest_of(bank_file.parent)
    with open_database(str(bank_file)) as database:
        run(database, "SELECT * FROM accounts ORDER BY balance")
        assert digest_of(bank_file.parent) == before
        with pytest.raises(QueryFailed):
            run(database, "UPDATE accounts SET balance = 0")
    assert digest_of(bank_file.parent) == before


def test_a_sqlite_file_in_wal_mode_stays_as_it_was_and_gets_no_side_files(sqlite_file):
    writer = sqlite3.connect(sqlite_file)
    writer.execute("PRAGMA journal_mode=WAL")
    writer.close()
    before = digest_of(sqlite_file.parent)
    assert set(before) == {sqlite_file.name}
    with open_database(str(sqlite_file)) as database:
        assert run(database, "SELECT count(*) FROM accounts").rows == ((3,),)
        assert digest_of(sqlite_file.parent) == before
    assert digest_of(sqlite_file.parent) == before


def test_what_a_live_writer_has_only_in_its_log_is_read(sqlite_file):
    with open_database(str(sqlite_file)) as database:
        fingerprint = database.fingerprint
        assert run(database, "SELECT count(*) FROM branches").rows == ((2,),)
        writer = sqlite3.connect(sqlite_file)
        writer.execute("PRAGMA journal_mode=WAL")
        writer.execute("INSERT INTO branches VALUES (3, 'Delhi')")
        writer.commit()
        assert database.fingerprint != fingerprint
        assert run(database, "SELECT count(*) FROM branches").rows == ((3,),)
        writer.close()
        assert names_beside(sqlite_file) == {sqlite_file.name}
        assert run(database, "SELECT count(*) FROM branches").rows == ((3,),)
    assert names_beside(sqlite_file) == {sqlite_file.name}


def test_a_log_left_by_a_crashed_writer_is_read_and_left_alone(sqlite_file, tmp_path):
    writer = sqlite3.connect(sqlite_file)
    writer.execute("PRAGMA journal_mode=WAL")
    writer.execute("INSERT INTO branches VALUES (3, 'Delhi')")
    writer.commit()
    crashed = tmp_path / "crashed"
    crashed.mkdir()
    for name in (sqlite_file.name, f"{sqlite_file.name}-wal"):
        (crashed / name).write_bytes((tmp_path / name).read_bytes())
    writer.close()
    before = digest_of(crashed)
    with open_database(str(crashed / sqlite_file.name)) as database:
        assert run(database, "SELECT count(*) FROM branches").rows == ((3,),)
    assert digest_of(crashed) == before


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM sqlite_master",
        "SELECT * FROM pragma_table_info('accounts')",
        "ATTACH 'other.db' AS other",
        "PRAGMA query_only = OFF",
        "SELECT load_extension('x')",
        "CREATE TEMP TABLE t (a)",
        "BEGIN IMMEDIATE",
        "VACUUM INTO 'copy.db'",
    ],
)
def test_sqlite_itself_refuses_all_but_reads_of_tables(sqlite_bank, statement):
    with pytest.raises(QueryFailed):
        run(sqlite_bank, statement)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "COPY accounts TO 'out.csv'",
        "ATTACH 'other.duckdb'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET memory_limit = '100GB'",
        "SET enable_external_access = true",
        "SELECT * FROM frames",
        "SELECT getenv('PATH')",
    ],
)
def test_duckdb_itself_refuses_files_settings_and_extensions(duckdb_bank, statement):
    with pytest.raises(QueryFailed):
        run(duckdb_bank, statement)


@pytest.mark.parametrize("flipped", [False, True])
def test_what_a_column_of_sqlite_holds_is_judged_by_all_rows_whatever_an_index_puts_first(flipped, tmp_path):
    path = tmp_path / "dates.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, email TEXT, day DATE, amount REAL)")
        connection.execute("CREATE INDEX by_email ON t (email, day)")
        for row in range(10_000):
            email, day = f"{10_000 - row if flipped else row:05}", "2024-01-31" if row < 5_000 else "unknown"
            connection.execute("INSERT INTO t (email, day) VALUES (?, ?)", (email, day))
    with open_database(str(path), DatabaseLimits(workers=1)) as database:
        assert database.catalogue.table("t").column("day").type == "text"


def test_text_dates_of_sqlite_are_dates_only_where_every_value_is_one(tmp_path):
    path = tmp_path / "dates.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(
        """CREATE TABLE t (a TEXT, b TEXT, c DATE, d DATETIME, e DATE, f TEXT, g DATETIME);
        INSERT INTO t VALUES ('2024-01-31', '2024-01-31', '930101', '2024-01-31', NULL, NULL, '2024-01-31 10:00');
        INSERT INTO t VALUES ('2024-02-29', 'soon', '930102', NULL, NULL, NULL, '2024-02-29T11:30:15.5');"""
    )
    connection.close()
    with open_database(str(path)) as database:
        result = run(database, "SELECT a, b, c, d, e, g FROM t ORDER BY a")
        assert result.types == ("date", "text", "text", "date", "other", "timestamp")
        assert result.rows[0][0] == date(2024, 1, 31)
        assert result.rows[1][5] == datetime.fromisoformat("2024-02-29 11:30:15.500")
        types = {column.name: column.type for column in database.catalogue.tables[0].columns}
        assert types == {"a": "date", "b": "text", "c": "text", "d": "date", "e": "date", "f": "text", "g": "timestamp"}


UNREADABLE = {
    "gone": (["CREATE VIEW broken AS SELECT * FROM gone"], "no such table: main.gone"),
    "a column": (["CREATE VIEW broken AS SELECT gone FROM kept"], "no such column: gone"),
    "a function": (["CREATE VIEW broken AS SELECT of_the_app(id) AS x FROM kept"], "no such function: of_the_app"),
    "itself": (
        ["CREATE VIEW other AS SELECT * FROM broken", "CREATE VIEW broken AS SELECT * FROM other"],
        "view broken is circularly defined",
    ),
    "a module": (
        [
            "PRAGMA writable_schema = 1",
            """INSERT INTO sqlite_master
            VALUES ('table', 'broken', 'broken', 0, 'CREATE VIRTUAL TABLE broken USING m(a)')""",
        ],
        "no such module: m",
    ),
}


@pytest.mark.parametrize("of", UNREADABLE)
def test_a_sqlite_file_opens_without_what_cannot_be_read_and_says_which_and_why(of, tmp_path):
    made, reason = UNREADABLE[of]
    with contextlib.closing(sqlite3.connect(tmp_path / "bank.db")) as writer:
        writer.execute(
            "CREATE TABLE kept (id INTEGER PRIMARY KEY, told TEXT, x INTEGER AS (json_extract(told, '$.x')))"
        )
        writer.execute("CREATE INDEX by_x ON kept (json_extract(told, '$.x'))")
        writer.execute("""INSERT INTO kept (id, told) VALUES (1, '{"x": 7}')""")
        for statement in made:
            writer.execute(statement)
        writer.commit()
    with open_database(str(tmp_path / "bank.db")) as database:
        table = database.catalogue.table("kept")
        assert table is not None
        assert (table.column_names, [one.columns for one in table.indexes]) == (("id", "told", "x"), [("",)])
        assert database.catalogue.table("broken") is None
        assert dict(database.catalogue.left_out)["broken"] == reason
        assert run(database, "SELECT x FROM kept").rows == ((7,),)
        hidden = Policy(hidden_tables=frozenset({"broken", "other"}))
        told = [told_left_out(database.catalogue, policy) for policy in (Policy(), hidden)]
    assert f"broken cannot be read and is left out: {reason}" in told[0]
    assert told[1] == ()


@pytest.mark.parametrize(
    "reaching",
    [
        "SELECT load_extension('/tmp/x') AS x",
        "SELECT fts3_tokenizer('simple') AS x",
        "SELECT name AS x FROM pragma_database_list",
        "SELECT name AS x FROM pragma_table_list",
        "SELECT sql AS x FROM sqlite_master",
        "SELECT name AS x FROM dbstat",
        "SELECT data AS x FROM sqlite_dbpage",
    ],
)
def test_a_view_of_a_sqlite_file_reaches_nothing_that_a_statement_may_not(reaching, tmp_path):
    with contextlib.closing(sqlite3.connect(tmp_path / "bank.db")) as writer:
        writer.execute("CREATE TABLE kept (id INTEGER PRIMARY KEY)")
        writer.execute(f"CREATE VIEW told AS {reaching}")
    with open_database(str(tmp_path / "bank.db")) as database:
        with pytest.raises(QueryFailed):
            run(database, "SELECT x FROM told")
        own = "SELECT COUNT(*) FROM kept"
        assert run(database, own).rows == ((0,),)


def test_the_stranger_values_of_duckdb_travel(duckdb_file):
    with open_database(str(duckdb_file)) as database:
        result = run(
            database,
            "SELECT 170141183460469231731687303715884105727::HUGEINT AS huge, 'nan'::DOUBLE AS no_number, "
            "'inf'::DOUBLE AS infinite, '\\xAA\\xBB'::BLOB AS bytes, [1, 2] AS list, "
            "TIMESTAMPTZ '2024-01-31 10:00:00+00' AS zoned, DATE '290000-01-01' AS far, 0.1::DECIMAL(38, 20) AS fine",
        )
        huge, no_number, infinite, preview, items, zoned, far, fine = result.rows[0]
        assert result.types == ("integer", "float", "float", "other", "other", "timestamp", "text", "decimal")
        assert (huge, infinite, preview, items) == (2**127 - 1, float("inf"), "0xaabb", "[1, 2]")
        assert no_number != no_number
        assert zoned.utcoffset() is not None
        assert far == "290000-01-01"
        assert str(fine) == "0.10000000000000000000"


def test_a_result_of_too_many_bytes_is_refused(bank_file):
    limits = DatabaseLimits(max_result_mb=1)
    wide = {"duckdb": "SELECT repeat('x', 50000) FROM range(1000)"}.get(
        "duckdb" if bank_file.suffix == ".duckdb" else "",
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 1000) "
        "SELECT printf('%.50000c', 'x') FROM r",
    )
    with open_database(str(bank_file), limits) as database:
        with pytest.raises(ResultTooLarge):
            run(database, wide, max_rows=1_000)
        assert run(database, "SELECT 1").rows == ((1,),)


def test_a_statement_that_wants_too_much_memory_fails_alone(bank_file):
    greedy = {
        ".duckdb": "SELECT length(string_agg(repeat('x', 1000000), '')) FROM range(4000)",
        ".sqlite": "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 400) "
        "SELECT length(group_concat(hex(zeroblob(7000000)))) FROM r",
    }[bank_file.suffix]
    with open_database(str(bank_file), DatabaseLimits(memory_mb=200)) as database:
        with pytest.raises(QueryFailed):
            run(database, greedy)
        assert run(database, "SELECT 1").rows == ((1,),)


def test_the_limits_name_every_bound_with_its_unit_or_count():
    counted = {"workers", "connections", "threads", "queue_size", "queue_per_person", "queries_per_person"}
    names = {field.name for field in dataclasses.fields(DatabaseLimits)}
    assert all(name in counted or name.endswith(("_mb", "_kb", "_s")) for name in names)


def test_every_bound_has_its_setting():
    usual = Settings()
    numbers = {name: value for name, value in usual.model_dump().items() if type(value) in (int, float)}
    changed = {name: value / 2 if 0 < value < 1 else value + 1 for name, value in numbers.items()}
    other = database_limits(read_settings(**changed, database_queries_per_person=1))
    assert database_limits(usual) == DatabaseLimits()
    unchanged = [one.name for one in dataclasses.fields(other) if getattr(other, one.name) == one.default]
    assert unchanged == []


def test_duckdb_keeps_its_spilled_rows_out_of_the_banks_folder(duckdb_file):
    limits = DatabaseLimits(memory_mb=200)
    rows = "SELECT hash(i) AS n, repeat('x', 60) AS t FROM range(3000000) r(i)"
    big = f"SELECT t, n FROM ({rows}) ORDER BY t, n LIMIT 1 OFFSET 2900000"
    with open_database(str(duckdb_file), limits) as database:
        seen = set()
        watching = threading.Event()

        def watch():
            while not watching.wait(0.01):
                seen.update(names_beside(duckdb_file))

        watcher = threading.Thread(target=watch)
        watcher.start()
        with contextlib.suppress(QueryFailed):  # with little memory it may as well be refused
            run(database, big, timeout_s=60)
        watching.set()
        watcher.join()
        assert seen == {duckdb_file.name}


def test_a_reader_does_not_need_the_duckdb_of_its_owner(duckdb_file):
    """The app's own process keeps no connection, so another program may open the file for writing when idle."""
    with open_database(str(duckdb_file), DatabaseLimits(idle_close_s=0.2)) as database:
        run(database, "SELECT 1")
        time.sleep(0.5)
        with duckdb.connect(duckdb_file) as writer:
            writer.execute("INSERT INTO branches VALUES (3, 'Delhi')")
        assert run(database, "SELECT count(*) FROM branches").rows == ((3,),)


def test_what_is_no_number_in_a_column_of_decimals_is_given_as_it_stands(tmp_path):
    path = tmp_path / "odd.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as writer:
        writer.execute("CREATE TABLE odd (a DECIMAL(12,2), b NUMERIC, c MONEY)")
        odd = [(1.5, 2), ("NaN", "1_000"), (9e999, 1e300), ("snan", "٣"), ("Infinity", b"\xff"), (1e-300, None)]
        writer.executemany("INSERT INTO odd VALUES (?, ?, 1.50)", odd)
        writer.commit()
    with open_database(str(path)) as database:
        asked = database.runner.run("SELECT a, b, c FROM odd", max_rows=10, timeout_s=20.0, stop=threading.Event())
    columns = [[str(cell) for cell in column] for column in zip(*asked.rows, strict=True)]
    assert columns[0] == ["1.5", "NaN", "Inf", "snan", "Infinity", "1.0E-300"]
    assert columns[1] == ["2", "1_000", "1.0E+300", "٣", "\ufffd", "None"]
    assert columns[2] == ["1.5"] * 6
