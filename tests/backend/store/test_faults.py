"""A store that is full, locked or damaged: real files, and what a person is told."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import event

from ai_engine.errors import StoreUnavailable
from backend.settings import read_settings
from backend.store import KeptConversations, Store, open_store
from tests.backend.store.test_conversations import said


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "store.sqlite"


def opened(file: Path) -> Store:
    return open_store(read_settings(store_url=f"sqlite:///{file}", store_timeout_s=0.3))


def test_a_full_disk_is_told_and_what_was_kept_before_is_still_read(file: Path):
    store = opened(file)
    kept = KeptConversations(lambda: store, 1_024)
    kept.keep("c1", "t1", "asha", said("Deposits"))

    def bound(connection, _record):
        connection.execute("PRAGMA max_page_count = 1")  # becomes what there is

    event.listen(store.engine, "connect", bound)
    store.engine.dispose()
    with pytest.raises(StoreUnavailable) as told:
        kept.keep("c1", "t2", "asha", said("Loans", 20_000))
    assert "disk" in told.value.user_message
    assert [turn.question for turn in kept.turns("c1", "asha", 5)[1]] == ["Deposits"]
    store.close()


def test_a_file_locked_by_another_program_is_told_and_read_meanwhile(file: Path):
    store = opened(file)
    kept = KeptConversations(lambda: store, 64)
    kept.keep("c1", "t1", "asha", said("Deposits"))
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable) as told:
            kept.keep("c1", "t2", "asha", said("Loans"))
        assert "by another program" in told.value.user_message
        assert len(kept.turns("c1", "asha", 5)[1]) == 1
    kept.keep("c1", "t2", "asha", said("Loans"))
    assert len(kept.turns("c1", "asha", 5)[1]) == 2
    store.close()


def test_overwritten_pages_are_told(file: Path):
    store = opened(file)
    kept = KeptConversations(lambda: store, 64)
    for number in range(20):
        kept.keep("c1", f"t{number}", "asha", said("Deposits", 300))
    store.close()
    content = bytearray(file.read_bytes())
    content[4_096:] = b"\xa5" * (len(content) - 4_096)
    file.write_bytes(content)
    with pytest.raises(StoreUnavailable) as told:
        damaged = opened(file)
        KeptConversations(lambda: damaged, 64).turns("c1", "asha", 5)
    assert "damaged" in told.value.user_message
