"""What can go wrong with a file and its workers; after each fault the next question is answered and nothing is left."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import duckdb
import pytest

from ai_engine.errors import BadConfiguration, DatabaseBusy, DatabaseUnavailable, QueryFailed, ResultTooLarge
from backend.databases import DatabaseLimits, open_database
from tests.backend.databases.resources import child_processes
from tests.backend.databases.statements import ENDLESS
from tests.patience import allowed_s

pytestmark = pytest.mark.usefixtures("nothing_leaks")
PROJECT_ROOT = Path(__file__).resolve().parents[3]


def run(database, sql, *, max_rows=100, timeout_s=20.0, stop=None):
    return database.runner.run(sql, max_rows=max_rows, timeout_s=timeout_s, stop=stop or threading.Event())


def test_a_worker_killed_by_the_system_fails_its_statement_and_is_replaced(others, bank):
    run(bank, "SELECT 1")
    (worker,) = child_processes() - others
    killer = threading.Timer(0.2, os.kill, (worker, signal.SIGKILL))
    killer.start()
    with pytest.raises(QueryFailed, match="ended unexpectedly"):
        run(bank, ENDLESS[bank.dialect])
    killer.join()
    assert run(bank, "SELECT count(*) FROM accounts").rows == ((3,),)


def test_a_worker_killed_while_idle_is_replaced_unnoticed(others, bank):
    run(bank, "SELECT 1")
    (worker,) = child_processes() - others
    os.kill(worker, signal.SIGKILL)
    time.sleep(0.1)
    assert run(bank, "SELECT 1").rows == ((1,),)


def test_a_worker_that_stands_still_is_killed_at_the_deadline(others, bank):
    run(bank, "SELECT 1")
    (worker,) = child_processes() - others
    os.kill(worker, signal.SIGSTOP)
    with pytest.raises(QueryFailed):
        run(bank, "SELECT 1", timeout_s=0.3)
    assert run(bank, "SELECT 1").rows == ((1,),)


def test_ten_million_rows_arrive_as_the_few_that_were_asked_for(bank):
    many = {
        "duckdb": "SELECT i, repeat('x', 50) FROM range(10000000) r(i)",
        "sqlite": "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 10000000) SELECT n FROM r",
    }[bank.dialect]
    result = run(bank, many, max_rows=1_000)
    assert (result.row_count, result.truncated) == (1_000, True)


def test_a_cell_of_a_hundred_megabytes_is_refused(bank):
    huge = {
        "duckdb": "SELECT repeat('x', 100000000) AS cell",
        "sqlite": "SELECT hex(zeroblob(50000000)) AS cell",
    }[bank.dialect]
    with pytest.raises(ResultTooLarge):
        run(bank, huge)
    assert run(bank, "SELECT 1").rows == ((1,),)


def test_two_hundred_at_once_are_answered_or_told_that_it_is_busy(others, bank_file):
    limits = DatabaseLimits(queue_size=50)
    with open_database(str(bank_file), limits) as database:
        outcomes: Counter[str] = Counter()
        gate = threading.Barrier(200)

        def ask():
            gate.wait()
            try:
                rows = run(database, "SELECT count(*) FROM accounts", timeout_s=60).rows
                outcomes["answered" if rows == ((3,),) else "wrong"] += 1
            except DatabaseBusy:
                outcomes["busy"] += 1

        threads = [threading.Thread(target=ask) for _ in range(200)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert set(outcomes) <= {"answered", "busy"}
        assert outcomes["answered"] >= 52
        assert outcomes.total() == 200
        assert len(child_processes() - others) <= limits.workers


def test_a_replaced_file_is_read_from_the_next_question_on(bank, bank_file, tmp_path):
    assert run(bank, "SELECT count(*) FROM branches").rows == ((2,),)
    fingerprint = bank.fingerprint
    newer = tmp_path / "newer"
    newer.write_bytes(bank_file.read_bytes())
    module = duckdb if bank.dialect == "duckdb" else sqlite3
    writer = module.connect(str(newer))
    writer.execute("INSERT INTO branches VALUES (3, 'Delhi')")
    writer.commit()
    writer.close()
    newer.replace(bank_file)
    assert bank.fingerprint != fingerprint
    assert run(bank, "SELECT count(*) FROM branches").rows == ((3,),)


def test_a_file_that_is_gone_is_unavailable_until_it_is_back(bank, bank_file, tmp_path):
    away = tmp_path / "away"
    bank_file.rename(away)
    with pytest.raises(DatabaseUnavailable):
        run(bank, "SELECT 1 FROM accounts")
    away.rename(bank_file)
    assert run(bank, "SELECT count(*) FROM accounts").rows == ((3,),)


def test_a_damaged_file_is_a_failure_and_not_a_crash(bank, bank_file):
    size = bank_file.stat().st_size
    with bank_file.open("r+b") as opened:
        opened.seek(64 if bank.dialect == "duckdb" else 4_096)
        opened.write(os.urandom(size - opened.tell()))
    with pytest.raises(QueryFailed):
        run(bank, "SELECT * FROM accounts ORDER BY balance")


def test_a_sqlite_file_locked_by_a_writer_is_unavailable_until_it_has_finished(sqlite_file):
    with open_database(str(sqlite_file), DatabaseLimits(lock_wait_s=0.5)) as database:
        writer = sqlite3.connect(sqlite_file)
        writer.execute("BEGIN EXCLUSIVE")
        started = time.monotonic()
        with pytest.raises(DatabaseUnavailable, match="writing"):
            run(database, "SELECT count(*) FROM branches")
        assert 0.4 < time.monotonic() - started < allowed_s(4)
        writer.rollback()
        writer.close()
        assert run(database, "SELECT count(*) FROM branches").rows == ((2,),)


HOLD_DUCKDB = """
import sys, duckdb
connection = duckdb.connect(sys.argv[1])
print("held", flush=True)
sys.stdin.read()
"""


def test_a_duckdb_file_held_by_a_writer_is_unavailable_until_it_lets_go(duckdb_file):
    with open_database(str(duckdb_file), DatabaseLimits(idle_close_s=0.1)) as database:
        time.sleep(0.4)
        with subprocess.Popen(
            [sys.executable, "-c", HOLD_DUCKDB, str(duckdb_file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as writer:
            assert writer.stdout.readline() == b"held\n"
            with pytest.raises(DatabaseUnavailable, match="lock"):
                run(database, "SELECT count(*) FROM branches")
            with pytest.raises(DatabaseUnavailable, match="lock"):
                open_database(str(duckdb_file))
            writer.stdin.close()
            writer.wait(10)
        assert run(database, "SELECT count(*) FROM branches").rows == ((2,),)


def test_a_rollback_journal_left_by_a_crashed_writer_is_not_played_back(sqlite_file, tmp_path):
    writer = sqlite3.connect(sqlite_file, isolation_level=None)
    writer.execute("PRAGMA cache_size = 1")
    writer.execute("BEGIN")
    for number in range(3, 3_000):
        writer.execute("INSERT INTO branches VALUES (?, ?)", (number, "x" * 40))
    crashed = tmp_path / "crashed"
    crashed.mkdir()
    for name in (sqlite_file.name, f"{sqlite_file.name}-journal"):
        (crashed / name).write_bytes((tmp_path / name).read_bytes())
    writer.execute("ROLLBACK")
    writer.close()
    before = {entry.name: entry.read_bytes() for entry in crashed.iterdir()}
    assert len(before) == 2
    with pytest.raises(DatabaseUnavailable):
        open_database(str(crashed / sqlite_file.name))
    assert {entry.name: entry.read_bytes() for entry in crashed.iterdir()} == before


ASK_AND_DIE = """
import os, sys, threading
from backend.databases import open_database
database = open_database(sys.argv[1])
database.runner.run("SELECT 1", max_rows=1, timeout_s=10, stop=threading.Event())
endless = threading.Thread(
    target=lambda: database.runner.run(sys.argv[2], max_rows=1, timeout_s=60, stop=threading.Event()), daemon=True
)
endless.start()
endless.join(0.3)
from tests.backend.databases.resources import child_processes
print(*child_processes(), flush=True)
os.kill(os.getpid(), 9)
"""


def test_workers_end_with_an_owner_that_was_killed(bank_file):
    dialect = "duckdb" if bank_file.suffix == ".duckdb" else "sqlite"
    died = subprocess.run(
        [sys.executable, "-c", ASK_AND_DIE, str(bank_file), ENDLESS[dialect]],
        cwd=PROJECT_ROOT,
        capture_output=True,
        timeout=60,
        check=False,
    )
    workers = [int(number) for number in died.stdout.split()]
    assert workers
    deadline = time.monotonic() + 5
    while any(Path(f"/proc/{worker}").exists() and not is_zombie(worker) for worker in workers):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def is_zombie(process_id):
    try:
        return Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_a_closed_database_leaves_no_worker_even_when_one_was_busy(bank_file):
    database = open_database(str(bank_file))
    stop = threading.Event()

    def ask():
        with pytest.raises(QueryFailed):
            run(database, ENDLESS[database.dialect], stop=stop)

    thread = threading.Thread(target=ask)
    thread.start()
    time.sleep(0.3)
    database.close()
    stop.set()
    thread.join()


@pytest.mark.parametrize("name", ["duckdb", "sqlite"])
def test_a_database_that_nobody_closed_takes_its_workers_with_it(name, request):
    database = open_database(str(request.getfixturevalue(f"{name}_file")))
    run(database, "SELECT 1")
    del database


def test_no_socket_is_inherited_by_a_second_worker(others, bank_file):
    """A worker that held another one's socket would keep it alive after their owner's death."""
    with open_database(str(bank_file)) as database:
        threads = [threading.Thread(target=run, args=(database, "SELECT 1")) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        workers = child_processes() - others
        assert workers
        for worker in workers:
            links = [str(link.readlink()) for link in Path(f"/proc/{worker}/fd").iterdir()]
            assert sum(link.startswith("socket:") for link in links) == 1


def test_an_address_that_is_wrong_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "oracledb", None)
    text = tmp_path / "notes.db"
    text.write_text("these are notes, not a database")
    for url, words in {
        "db2://host/db": "not supported",
        "oracle://host/db": "the package oracledb is not installed",
        "nonsense": "one of",
        "": "one of",
        "sqlite:///:memory:": "memory",
        "duckdb:///": "memory",
        str(tmp_path / "none.duckdb"): "no database file",
        f"sqlite:///{text}": "neither",
        "duckdb:///x?access_mode=READ_WRITE": "without host and options",
        "postgresql://host": "names no database",
        "postgresql://u:p@host:port/db": "cannot be read",
        "mysql://host/db?ssl_nonsense=1": "ssl_nonsense",
        "postgresql://host/db?nonsense=1": "nonsense",
    }.items():
        with pytest.raises(BadConfiguration, match=words) as caught:
            open_database(url)
        assert str(caught.value) == caught.value.user_message


def test_a_file_of_the_other_engine_names_the_right_address(duckdb_file, sqlite_file):
    with pytest.raises(BadConfiguration, match="use duckdb:///"):
        open_database(f"sqlite:///{duckdb_file}")
    with pytest.raises(BadConfiguration, match="use sqlite:///"):
        open_database(f"duckdb:///{sqlite_file}")


@pytest.fixture
def black_hole():
    """A server that accepts connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0), backlog=16) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize("scheme", ["postgresql", "mysql"])
def test_a_server_that_accepts_and_says_nothing_is_unavailable(scheme, black_hole):
    with pytest.raises(DatabaseUnavailable, match="cannot connect") as caught:
        open_database(f"{scheme}://user:secret@127.0.0.1:{black_hole}/bank", DatabaseLimits(connect_timeout_s=2))
    assert "secret" not in str(caught.value) + caught.value.user_message


@pytest.mark.parametrize("scheme", ["postgresql", "mysql"])
def test_a_port_where_nobody_listens_is_unavailable(scheme):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(DatabaseUnavailable, match=f"127.0.0.1:{port}"):
        open_database(f"{scheme}://user@127.0.0.1:{port}/bank")


def change(bank_file, statement):
    """Change a copy and put it in the place of the file, as a nightly load does."""
    newer = bank_file.with_name("newer")
    newer.write_bytes(bank_file.read_bytes())
    writer = (duckdb if bank_file.suffix == ".duckdb" else sqlite3).connect(str(newer))
    writer.execute(statement)
    writer.commit()
    writer.close()
    newer.replace(bank_file)


def test_other_tables_in_a_replaced_file_are_told_and_not_asked(bank, bank_file):
    original = bank_file.read_bytes()
    change(bank_file, "ALTER TABLE branches ADD COLUMN region VARCHAR(20)")
    for _ in range(2):
        with pytest.raises(DatabaseUnavailable) as caught:
            run(bank, "SELECT count(*) FROM branches")
        assert "Ask again" in caught.value.user_message
        assert bank.outdated
    bank_file.write_bytes(original)
    assert run(bank, "SELECT count(*) FROM branches").rows == ((2,),)
