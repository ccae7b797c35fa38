"""The audit trail: one chain whoever writes, and every change to it is found."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text

from backend.settings import PROJECT_ROOT
from backend.store import Store
from backend.store.audit_chain import checked_chain
from backend.store.audit_trail import REMOVED, Entry, Wanted, append, entries, fitting, hash_of, remove_before

AT = datetime(2026, 11, 23, 10, 15, 30, 123456, UTC)


def entry(question: str = "How many customers?", **more) -> Entry:
    return Entry(**{"at": AT, "person": "asha", "door": "page", "database": "duckdb:///bank", "question": question,
                    "status": "answered", "timings_ms": '{"total": 12.5}', "elapsed_ms": 12, **more})  # fmt: skip


def filled(store: Store, count: int) -> None:
    with store.writing() as on:
        append(on, [entry(f"Question {number}") for number in range(1, count + 1)])


def kept(store: Store, wanted: Wanted = Wanted(), most: int = 100, **more) -> list[int]:  # noqa: B008
    with store.reading() as on:
        return [one.number for one in entries(on, wanted, most, **more)]


def test_what_is_read_is_what_was_written(store: Store):
    written = entry("Näme\0 \ud800", row_count=3, missed=2, result_hash="ab")
    with store.writing() as on:
        append(on, [written])
    with store.reading() as on:
        (found,) = entries(on, Wanted(), 10)
    assert found.entry == fitting(written)
    assert checked_chain(store).entries == 1


def test_an_entry_of_an_earlier_version_bears_the_hash_that_it_was_given():
    assert hash_of(7, entry(), "ab") == "57fbac1d46e3f46d4d688e6b1a257df9d3ca664c2f723e4814da0f14b150455f"
    assert hash_of(7, entry(closed="0"), "ab") != hash_of(7, entry(), "ab")


def test_an_empty_trail_is_whole(store: Store):
    assert checked_chain(store).broken_at is None


@pytest.mark.parametrize(
    ("change", "broken_at", "why"),
    [
        ("UPDATE audit_entries SET person = 'vikram' WHERE number = 5", 5, "not as it was written"),
        ("UPDATE audit_entries SET row_count = 1 WHERE number = 1", 1, "not as it was written"),
        ("DELETE FROM audit_entries WHERE number = 5", 6, "those between are gone"),
        ("DELETE FROM audit_entries WHERE number < 4", 4, "no entry says so"),
        ("UPDATE audit_entries SET previous_hash = hash WHERE number = 7", 7, "not as it was written"),
    ],
)
def test_a_change_is_found_where_it_was_made(store: Store, change: str, broken_at: int, why: str):
    filled(store, 9)
    assert checked_chain(store).broken_at is None
    with store.writing() as on:
        on.execute(text(change))
    found = checked_chain(store)
    assert found.broken_at == broken_at
    assert why in found.why


def test_an_entry_that_was_written_anew_with_its_own_hash_breaks_the_next(store: Store):
    filled(store, 4)
    with store.writing() as on:
        (forged,) = [one for one in entries(on, Wanted(), 10) if one.number == 2]
        renamed = entry("Another question")
        on.execute(
            text("UPDATE audit_entries SET question = :q, hash = :h WHERE number = 2"),
            {"q": renamed.question, "h": hash_of(2, renamed, forged.previous_hash)},
        )
    found = checked_chain(store)
    assert (found.broken_at, found.why) == (3, "it does not follow the entry before it")


def test_old_entries_go_and_the_chain_holds(store: Store):
    with store.writing() as on:
        append(on, [entry(f"Old {place}", at=AT - timedelta(days=400)) for place in range(5)])
        append(on, [entry("New")])
    with store.writing() as on:
        assert remove_before(on, AT - timedelta(days=365), "Too old.") == 5
        assert remove_before(on, AT - timedelta(days=365), "Too old.") == 0
    assert kept(store) == [6]
    found = checked_chain(store)
    assert (found.broken_at, found.entries) == (None, 2)
    with store.writing() as on:
        on.execute(text("DELETE FROM audit_entries WHERE number = 6"))
    assert checked_chain(store).broken_at == 7


def test_pages_of_entries_go_both_ways(store: Store):
    filled(store, 9)
    assert kept(store, most=3) == [9, 8, 7]
    assert kept(store, most=3, before=7) == [6, 5, 4]
    assert kept(store, most=3, after=4) == [7, 6, 5]


@pytest.mark.parametrize(
    ("wanted", "numbers"),
    [
        (Wanted(person="vikram"), [3]),
        (Wanted(status="refused"), [2]),
        (Wanted(words="LOANS"), [3]),
        (Wanted(words="100%"), [2]),
        (Wanted(words="100_"), []),
        (Wanted(door="API"), [1]),
        (Wanted(since=AT + timedelta(days=1)), [3]),
        (Wanted(until=AT), []),
        (Wanted(person="asha", status="answered"), [1]),
    ],
)
def test_entries_are_found_by_what_is_asked(store: Store, wanted: Wanted, numbers: list[int]):
    with store.writing() as on:
        append(on, [
            entry(door="API"), entry("100% of what?", status="refused"),
            entry(person="vikram", sql="SELECT * FROM Loans", at=AT + timedelta(days=2)),
        ])  # fmt: skip
    assert kept(store, wanted) == numbers


WRITER = """
import sys
from backend.settings import read_settings
from backend.store import open_store
from backend.store.audit_trail import append
from tests.backend.store.test_audit_trail import entry
store = open_store(read_settings(store_url=sys.argv[1], store_timeout_s=60))
for number in range(15):
    with store.writing() as on:
        append(on, [entry(f"{sys.argv[2]} {number}")])
store.close()
"""


def test_writers_of_several_processes_and_threads_keep_one_chain(store: Store, store_url: str):
    commands = [[sys.executable, "-c", WRITER, store_url, name] for name in ("one", "two")]
    running = [subprocess.Popen(command, cwd=PROJECT_ROOT) for command in commands]
    threads = [threading.Thread(target=_write_some, args=(store, name)) for name in ("three", "four")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [process.wait(90) for process in running] == [0, 0]
    found = checked_chain(store)
    assert (found.broken_at, found.entries, found.last) == (None, 70, 70)


def _write_some(store: Store, name: str) -> None:
    for number in range(20):
        with store.writing() as on:
            append(on, [entry(f"{name} {number}")])


@given(st.lists(st.text(max_size=8), min_size=4, max_size=4), st.integers(0, 3), st.text(min_size=1, max_size=8))
def test_no_two_entries_share_a_hash(texts: Sequence[str], place: int, other: str):
    one = entry(texts[0], restatement=texts[1], sql=texts[2], reason=texts[3])
    name = ("question", "restatement", "sql", "reason")[place]
    changed = entry(**{"question": texts[0], "restatement": texts[1], "sql": texts[2], "reason": texts[3], name: other})
    assert (hash_of(1, one, "") == hash_of(1, changed, "")) is (one == changed)


def test_a_removal_is_no_entry_of_the_history(store: Store):
    with store.writing() as on:
        append(on, [entry(at=AT - timedelta(days=400))])
        remove_before(on, AT, "Too old.")
    assert kept(store) == []
    assert kept(store, Wanted(status=REMOVED)) == []
