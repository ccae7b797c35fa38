"""A SQLite file whose writer has crashed is read as a copy: the right one, and one that nobody finds afterwards."""

from __future__ import annotations

import os
import signal
import sqlite3
import struct
import subprocess
import sys
import threading
import time
import tracemalloc
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_engine.errors import DatabaseUnavailable
from backend.databases import DatabaseLimits, open_database
from backend.databases.sqlite_opening import connect_sqlite
from tests.backend.databases.statements import ENDLESS
from tests.patience import allowed_s

PROJECT_ROOT = Path(__file__).resolve().parents[3]
MARKER = b"row of a bank"
CHANGES = st.lists(
    st.tuples(st.sampled_from(("insert", "update", "delete", "vacuum", "checkpoint", "index")), st.integers(1, 400)),
    max_size=12,
)


def crash(folder: Path, changes, page_bytes: int, *, cut_bytes: int = 0) -> Path:
    """Leave a file and its log as a writer that was killed leaves them, the log perhaps cut off."""
    live = folder / "live.sqlite"
    with closing(sqlite3.connect(live, isolation_level=None)) as writer:
        writer.execute(f"PRAGMA page_size = {page_bytes}")
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("PRAGMA wal_autocheckpoint = 0")
        writer.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, note TEXT)")
        for change, size in changes:
            writer.execute({
                "insert": f"WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < {size})"
                          f" INSERT INTO t (note) SELECT '{MARKER.decode()} ' || n || hex(zeroblob(n)) FROM r",
                "update": f"UPDATE t SET note = note || 'x' WHERE id % 7 = {size % 7}",
                "delete": f"DELETE FROM t WHERE id % 3 = {size % 3}",
                "vacuum": "VACUUM",
                "checkpoint": f"PRAGMA wal_checkpoint({'RESTART' if size % 2 else 'PASSIVE'})",
                "index": f"CREATE INDEX IF NOT EXISTS i{size % 3} ON t (note, id)",
            }[change])  # fmt: skip
        crashed = folder / "crashed.sqlite"
        crashed.write_bytes(live.read_bytes())
        log = folder.joinpath("live.sqlite-wal").read_bytes()
    folder.joinpath("crashed.sqlite-wal").write_bytes(log[: max(0, len(log) - cut_bytes)])
    return crashed


@settings(max_examples=60, deadline=None)
@given(
    changes=CHANGES, page_bytes=st.sampled_from((512, 4096, 65536)), cut_bytes=st.sampled_from((0, 0, 1, 5_000, 40_000))
)
def test_the_copy_holds_what_sqlite_itself_would_recover(tmp_path_factory, changes, page_bytes, cut_bytes):
    crashed = crash(tmp_path_factory.mktemp("crash"), changes, page_bytes, cut_bytes=cut_bytes)
    with closing(connect_sqlite(crashed, "copy", copy_timeout_s=60)) as copy:
        ours = list(copy.iterdump())
        assert copy.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    with closing(sqlite3.connect(crashed)) as recovered:
        assert ours == list(recovered.iterdump())


def test_a_log_that_is_no_log_changes_nothing(tmp_path):
    crashed = crash(tmp_path, [("insert", 50), ("checkpoint", 1)], 4096)
    for content in (b"", b"short", os.urandom(9_000)):
        tmp_path.joinpath("crashed.sqlite-wal").write_bytes(content)
        with closing(connect_sqlite(crashed, "copy", copy_timeout_s=60)) as copy:
            assert copy.execute("SELECT count(*) FROM t").fetchone() == (50,)


def crash_within_a_transaction(folder: Path, megabytes: int) -> Path:
    """Leave a file and a log in which, behind one row that was committed, a transaction never ended."""
    live = folder / "live.sqlite"
    with closing(sqlite3.connect(live, isolation_level=None)) as writer:
        for statement in ("journal_mode = WAL", "wal_autocheckpoint = 0", "cache_size = 10"):
            writer.execute(f"PRAGMA {statement}")
        writer.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, note TEXT)")
        writer.execute("INSERT INTO t (note) VALUES ('committed')")
        writer.execute("BEGIN")
        for _ in range(megabytes):
            writer.execute("INSERT INTO t (note) VALUES (hex(randomblob(500000)))")
        crashed = folder / "crashed.sqlite"
        crashed.write_bytes(live.read_bytes())
        folder.joinpath("crashed.sqlite-wal").write_bytes(folder.joinpath("live.sqlite-wal").read_bytes())
    return crashed


def test_a_long_transaction_that_never_ended_costs_little_time_and_memory(tmp_path):
    crashed = crash_within_a_transaction(tmp_path, megabytes=40)
    assert tmp_path.joinpath("crashed.sqlite-wal").stat().st_size > 40_000_000
    began = time.monotonic()
    with closing(connect_sqlite(crashed, "copy", copy_timeout_s=60)) as copy:
        assert time.monotonic() - began < allowed_s(1.5)
        assert copy.execute("SELECT note FROM t").fetchall() == [("committed",)]
    tracemalloc.start()
    with closing(connect_sqlite(crashed, "copy", copy_timeout_s=60)):
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 10_000_000


@pytest.mark.parametrize("page_bytes", [512, 65536])
def test_a_log_from_a_machine_with_the_other_order_of_bytes_is_read_as_sqlite_does(page_bytes, tmp_path):
    crashed = crash(tmp_path, [("insert", 90), ("update", 3)], page_bytes)
    log = tmp_path / "crashed.sqlite-wal"
    log.write_bytes(signed_in_the_other_order(log.read_bytes(), page_bytes))
    with closing(connect_sqlite(crashed, "copy", copy_timeout_s=60)) as copy:
        ours = list(copy.iterdump())
    with closing(sqlite3.connect(crashed)) as recovered:
        assert recovered.execute("SELECT count(*) FROM t").fetchone() == (90,)
        assert ours == list(recovered.iterdump())


def signed_in_the_other_order(log: bytes, page_bytes: int) -> bytes:
    """Write the checksums of a log as the other kind of machine would: from its words the other way round."""
    magic = struct.unpack_from(">I", log)[0] ^ 1
    order = ">" if magic & 1 else "<"
    sums = 0, 0

    def signed(content: bytes) -> bytes:
        nonlocal sums
        for one, other in struct.iter_unpack(f"{order}II", content):
            first = (sums[0] + one + sums[1]) & 0xFFFFFFFF
            sums = first, (sums[1] + other + first) & 0xFFFFFFFF
        return struct.pack(">II", *sums)

    header = struct.pack(">I", magic) + log[4:24]
    written = [header, signed(header)]
    for start in range(32, len(log), 24 + page_bytes):
        frame, page = log[start : start + 16], log[start + 24 : start + 24 + page_bytes]
        signed(frame[:8])
        written += [frame, signed(page), page]
    return b"".join(written)


def test_a_copy_that_takes_too_long_is_given_up_wherever_it_is_made(tmp_path):
    crashed = crash(tmp_path, [("insert", 400)], 4096)
    with pytest.raises(TimeoutError, match="not made in time"):
        connect_sqlite(crashed, "copy", copy_timeout_s=0)
    with pytest.raises(DatabaseUnavailable, match=r"cannot read .* not made in time"):
        open_database(str(crashed), DatabaseLimits(connect_timeout_s=0))


ASK_UNTIL_KILLED = """
import sys, threading, time
from backend.databases import open_database
print("started", flush=True)
database = open_database(sys.argv[1])
run = lambda sql: database.runner.run(sql, max_rows=1, timeout_s=60, stop=threading.Event())
run("SELECT 1")
print("answered", flush=True)
run(sys.argv[2])
"""


@pytest.mark.parametrize("killed_by", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("moment", ["started", "answered"])
def test_an_app_that_is_killed_leaves_no_copy(killed_by, moment, tmp_path):
    crashed = crash(tmp_path, [("insert", 400)] * 40, 4096)
    folder = tmp_path / "temporary"
    folder.mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", ASK_UNTIL_KILLED, str(crashed), ENDLESS["sqlite"]],
        cwd=PROJECT_ROOT,
        env={**os.environ, "TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as app:
        while app.stdout.readline().strip() != moment.encode():
            pass
        holding = set()
        until = time.monotonic() + 0.5
        while time.monotonic() < until:
            holding |= {file for file in folder.rglob("*") if file.is_file() and MARKER in read(file)}
        app.send_signal(killed_by)
    assert holding == set()
    assert no_rows_in(folder)


def read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return b""


def no_rows_in(folder: Path) -> bool:
    deadline = time.monotonic() + 10
    while any(file.is_file() and read(file) for file in folder.rglob("*")) and time.monotonic() < deadline:
        time.sleep(0.1)
    return not any(read(file) for file in folder.rglob("*") if file.is_file())


SPILLING = """
SELECT count(*) FROM (SELECT i, repeat('row of a bank', 20) || i AS t FROM range(60000000) r(i) ORDER BY t) AS s
"""


def test_an_app_that_is_killed_leaves_nothing_that_duckdb_spilled(duckdb_file, tmp_path):
    folder = tmp_path / "temporary"
    folder.mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", ASK_UNTIL_KILLED, str(duckdb_file), SPILLING],
        cwd=PROJECT_ROOT,
        env={**os.environ, "TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
    ) as app:
        deadline = time.monotonic() + 60
        while not any(file.is_file() and file.stat().st_size for file in folder.rglob("*")):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        app.kill()
    assert no_rows_in(folder)


def test_the_copy_is_read_like_any_file(tmp_path):
    crashed = crash(tmp_path, [("insert", 400)], 4096)
    with open_database(str(crashed)) as database:
        result = database.runner.run("SELECT count(*) FROM t", max_rows=1, timeout_s=20, stop=threading.Event())
        assert result.rows == ((400,),)
        assert [table.name for table in database.catalogue.tables] == ["t"]


def test_what_an_app_and_its_worker_spilled_that_were_killed_together_goes_with_the_next_start(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    ended = subprocess.Popen(["true"])
    ended.wait()
    left, recent, used = (
        tmp_path / f"banking-assistant-{owner}-{name}"
        for owner, name in ((ended.pid, "0a"), (ended.pid, "0b"), (os.getpid(), "0c"))
    )
    for folder in (left, recent, used):
        folder.mkdir()
        folder.joinpath("duckdb_temp_storage").write_bytes(MARKER)
    for folder in (left, used):
        os.utime(folder, (0, 0))
    with closing(sqlite3.connect(tmp_path / "bank.sqlite")) as bank:
        bank.execute("CREATE TABLE t (id INTEGER)")
    with open_database(str(tmp_path / "bank.sqlite")) as database:
        database.runner.run("SELECT id FROM t", max_rows=1, timeout_s=20, stop=threading.Event())
    assert not left.exists()
    assert recent.exists()
    assert used.exists()
