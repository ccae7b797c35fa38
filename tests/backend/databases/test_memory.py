"""Statements that ask for more memory than there is, and innocent ones between them, on the same few workers."""

from __future__ import annotations

import dataclasses
import os
import resource
import signal
import threading

import duckdb
import pytest

from ai_engine.errors import QueryFailed
from backend.databases import DatabaseLimits, open_database
from backend.databases.limits import address_space_bytes
from tests.backend.databases.resources import child_processes

pytestmark = pytest.mark.usefixtures("nothing_leaks")
LIMITS = DatabaseLimits(workers=1, memory_mb=320)
HUNGRY = (
    "SELECT length(string_agg(repeat('x', 1000000), '')) FROM range(4000)",
    "SELECT len(list(i)) FROM range(80000000) r(i)",
)
LARGE = "SELECT length(string_agg(repeat('x', 1000), '')) FROM range(20000)"  # leaves more than 100 MB behind
INNOCENT = {
    "SELECT count(*) FROM range(3000000)": ((3_000_000,),),
    "SELECT count(*) FROM (SELECT i, count(*) FROM range(300000) r(i) GROUP BY i)": ((300_000,),),
    LARGE: ((20_000_000,),),
}


def run(database, sql):
    return database.runner.run(sql, max_rows=10, timeout_s=60.0, stop=threading.Event()).rows


def test_who_asks_for_little_is_answered_whatever_others_asked_for(duckdb_file):
    with open_database(str(duckdb_file), LIMITS) as database:
        for _ in range(3):
            for greedy in HUNGRY:
                with pytest.raises(QueryFailed) as caught:
                    run(database, greedy)
                assert "memory" in caught.value.user_message
                for sql, rows in INNOCENT.items():
                    assert run(database, sql) == rows


def test_a_worker_that_failed_for_memory_is_replaced(others, duckdb_file):
    with open_database(str(duckdb_file), LIMITS) as database:
        run(database, "SELECT 1")
        before = child_processes() - others
        with pytest.raises(QueryFailed):
            run(database, HUNGRY[0])
        run(database, "SELECT 1")
        assert not before & child_processes()


def test_a_worker_that_stands_above_half_its_limit_is_replaced(others, duckdb_file):
    with open_database(str(duckdb_file), dataclasses.replace(LIMITS, memory_mb=200)) as database:
        run(database, "SELECT 1")
        before = child_processes() - others
        assert run(database, "SELECT count(*) FROM accounts") == ((3,),)
        assert child_processes() - others == before
        assert run(database, LARGE) == INNOCENT[LARGE]
        run(database, "SELECT 1")
        assert not before & child_processes()


def test_a_worker_that_holds_pages_of_a_large_file_is_kept(others, tmp_path):
    file = tmp_path / "large.duckdb"
    with duckdb.connect(file) as writer:
        writer.execute("CREATE TABLE numbers AS SELECT hash(i) AS number FROM range(56000000) r(i)")
    with open_database(str(file), dataclasses.replace(LIMITS, memory_mb=800)) as database:
        run(database, "SELECT 1")
        before = child_processes() - others
        (worker,) = before
        at_first = address_space_bytes(worker)
        for _ in range(2):
            run(database, "SELECT sum(number % 7) FROM numbers")
            assert address_space_bytes(worker) - at_first > 400 * 2**20  # half of what it may take
        assert child_processes() - others == before


def test_a_statement_that_failed_on_a_used_worker_is_tried_on_a_fresh_one(others, duckdb_file):
    with open_database(str(duckdb_file), LIMITS) as database:
        run(database, "SELECT 1")
        (worker,) = child_processes() - others
        resource.prlimit(worker, resource.RLIMIT_AS, (address_space_bytes(worker) + 20_000_000,) * 2)
        assert run(database, LARGE) == INNOCENT[LARGE]
        assert worker not in child_processes()


def test_idle_workers_that_were_just_killed_fail_no_statement(others, bank_file):
    with open_database(str(bank_file), DatabaseLimits(workers=4)) as database:
        for _ in range(5):
            threads = [threading.Thread(target=run, args=(database, "SELECT count(*) FROM accounts")) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            for worker in child_processes() - others:
                os.kill(worker, signal.SIGKILL)
            assert run(database, "SELECT count(*) FROM accounts") == ((3,),)
