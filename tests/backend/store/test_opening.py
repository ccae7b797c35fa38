from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
import threading
from contextlib import closing
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from sqlalchemy import Column, Integer, MetaData, String, Table, insert, inspect, select, update
from sqlalchemy.exc import IntegrityError

from ai_engine.errors import BadConfiguration, StoreUnavailable
from backend.settings import PROJECT_ROOT, Settings, read_settings
from backend.store import METADATA, SharedStore, Store, UtcTime, open_store

COUNTERS = Table("counters", MetaData(), Column("name", String(20), primary_key=True), Column("value", Integer))
ADDING = """
import sys
from sqlalchemy import text
from backend.settings import read_settings
from backend.store import open_store
store = open_store(read_settings())
for _ in range(50):
    with store.writing() as connection:
        lock = " FOR UPDATE" if store.engine.dialect.name == "postgresql" else ""
        (value,) = connection.execute(text("SELECT value FROM counters WHERE name = 'a'" + lock)).one()
        connection.execute(text("UPDATE counters SET value = :value WHERE name = 'a'"), {"value": value + 1})
store.close()
"""


def start_python(program: str, url: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "BANK_STORE_URL": url, "BANK_STORE_TIMEOUT_S": "30"}
    return subprocess.Popen([sys.executable, "-c", program], cwd=PROJECT_ROOT, env=environment, stderr=subprocess.PIPE)


def ended_well(process: subprocess.Popen[bytes]) -> None:
    _, told = process.communicate(timeout=90)
    assert process.returncode == 0, told.decode()


def make_counter(store: Store, value: int = 0) -> None:
    with store.writing() as connection:
        COUNTERS.create(connection)
        connection.execute(insert(COUNTERS).values(name="a", value=value))


def counter(store: Store) -> int:
    with store.reading() as connection:
        return connection.execute(select(COUNTERS.c.value)).scalar_one()


def test_a_store_is_made_when_it_is_first_opened_and_kept_when_it_is_opened_again(store_settings: Settings):
    first = open_store(store_settings)
    make_counter(first, 7)
    first.close()
    second = open_store(store_settings)
    assert counter(second) == 7
    assert {table.name for table in METADATA.sorted_tables} <= set(inspect(second.engine).get_table_names())
    second.close()


def test_a_new_file_that_another_process_writes_already_is_waited_for(sqlite_store_url: str, tmp_path: Path):
    (tmp_path / "kept").mkdir()
    writer = sqlite3.connect(tmp_path / "kept" / "store.sqlite", isolation_level=None, check_same_thread=False)
    writer.execute("BEGIN IMMEDIATE")
    ending = threading.Timer(0.3, writer.rollback)
    ending.start()
    open_store(read_settings(store_url=sqlite_store_url)).close()
    ending.join()
    writer.execute("BEGIN IMMEDIATE")
    writer.close()


def test_a_file_that_stays_locked_is_said_to_be_so(sqlite_store_url: str, tmp_path: Path):
    (tmp_path / "kept").mkdir()
    with closing(sqlite3.connect(tmp_path / "kept" / "store.sqlite", isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable, match="could not be read or written: OperationalError"):
            open_store(read_settings(store_url=sqlite_store_url, store_timeout_s=0.5))


def test_processes_that_open_a_new_store_at_once_and_write_into_it_lose_nothing(store_url: str, store_settings):
    opening = [start_python("from backend.store import shared_store\nshared_store.get()", store_url) for _ in range(2)]
    for process in opening:
        ended_well(process)
    store = open_store(store_settings)
    make_counter(store)
    adding = [start_python(ADDING, store_url) for _ in range(2)]
    for process in adding:
        ended_well(process)
    assert counter(store) == 100
    store.close()


def test_what_one_process_writes_another_reads_at_once_and_not_before_it_is_whole(store_settings: Settings):
    ours, theirs = open_store(store_settings), open_store(store_settings)
    make_counter(ours)
    with ours.writing() as connection:
        connection.execute(update(COUNTERS).values(value=1))
        assert counter(theirs) == 0
    assert counter(theirs) == 1
    ours.close()
    theirs.close()


def test_an_error_drops_what_was_written(store: Store):
    make_counter(store)
    with pytest.raises(ZeroDivisionError), store.writing() as connection:
        connection.execute(update(COUNTERS).values(value=1))
        raise ZeroDivisionError
    assert counter(store) == 0


def test_a_reader_sees_one_state_while_others_write(store: Store):
    make_counter(store)
    with store.reading() as connection:
        before = connection.execute(select(COUNTERS.c.value)).scalar_one()
        with store.writing() as other:
            other.execute(update(COUNTERS).values(value=1))
        assert connection.execute(select(COUNTERS.c.value)).scalar_one() == before


def test_a_row_that_is_there_already_is_the_callers_affair(store: Store):
    make_counter(store)
    with pytest.raises(IntegrityError), store.writing() as connection:
        connection.execute(insert(COUNTERS).values(name="a", value=1))


def test_moments_come_back_in_utc_and_one_without_a_zone_is_refused(store: Store):
    times = Table("times", MetaData(), Column("at", UtcTime()))
    evening = datetime(2026, 11, 1, 1, 30, 5, 123456, timezone(timedelta(hours=5, minutes=30)))
    with store.writing() as connection:
        times.create(connection)
        connection.execute(insert(times).values(at=evening))
    with store.reading() as connection:
        found = connection.execute(select(times.c.at)).scalar_one()
    assert (found, found.tzinfo) == (evening, UTC)
    with pytest.raises(StoreUnavailable), store.writing() as connection:
        connection.execute(insert(times).values(at=datetime(2026, 11, 1)))  # noqa: DTZ001


def test_a_store_that_is_locked_for_too_long_is_told_as_such(store: Store, store_url: str):
    impatient = open_store(read_settings(store_url=store_url, store_timeout_s=0.3))
    make_counter(store)
    with store.writing() as connection:
        connection.execute(update(COUNTERS).values(value=1))
        with pytest.raises(StoreUnavailable) as told, impatient.writing() as other:
            other.execute(update(COUNTERS).values(value=2))
    assert "counters" not in str(told.value)
    impatient.close()


def test_more_threads_than_connections_wait_for_each_other(store_url: str):
    store = open_store(read_settings(store_url=store_url, store_connections=1))
    make_counter(store, 5)
    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(counter(store))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [5] * 8
    store.close()


def test_the_file_is_its_owners_alone(tmp_path: Path):
    file = tmp_path / "kept" / "store.sqlite"
    open_store(read_settings(store_url=f"sqlite:///{file}")).close()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("nonsense", "cannot be read"),
        ("sqlite://", "names no file"),
        ("sqlite:///:memory:", "names no file"),
        ("mysql://root@127.0.0.1/store", "unknown kind"),
        ("postgresql://someone:hunter2@127.0.0.1", "names no database"),
        ("postgresql://someone:hunter2@127.0.0.1:port/store", "cannot be read"),
        ("sqlite:////proc/nowhere/store.sqlite", "cannot be made"),
    ],
)
def test_a_wrong_address_is_told_without_its_password(url: str, told: str):
    with pytest.raises(BadConfiguration, match=told) as fault:
        open_store(read_settings(store_url=url))
    assert "hunter2" not in str(fault.value)


def test_a_server_that_is_not_there_is_told_without_its_password():
    with pytest.raises(StoreUnavailable) as fault:
        open_store(read_settings(store_url="postgresql://someone:hunter2@127.0.0.1:9/store"))
    assert "hunter2" not in f"{fault.value} {fault.value.__cause__} {fault.value.user_message}"


def test_a_damaged_file_is_told(tmp_path: Path):
    file = tmp_path / "store.sqlite"
    file.write_bytes(b"this is no database, and long enough to be seen as none " * 40)
    with pytest.raises(StoreUnavailable):
        open_store(read_settings(store_url=f"sqlite:///{file}"))


def test_a_shared_store_is_opened_once_and_again_after_a_failure(tmp_path: Path):
    settings = read_settings(store_url=f"sqlite:///{tmp_path / 'store.sqlite'}")
    outcomes: list[object] = [StoreUnavailable("away"), settings]

    def open_one() -> Store:
        outcome = outcomes.pop(0)
        if isinstance(outcome, Settings):
            return open_store(outcome)
        raise outcome  # type: ignore[misc]

    shared = SharedStore(open_one)
    with pytest.raises(StoreUnavailable):
        shared.get()
    assert shared.get() is shared.get()
    shared.close()
