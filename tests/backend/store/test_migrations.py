from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Engine, create_engine, event, inspect, make_url, text

from ai_engine.errors import BadConfiguration, StoreUnavailable
from ai_engine.types import Answer
from backend.settings import PROJECT_ROOT, Settings
from backend.store import METADATA, KeptConversations, Store, open_store
from backend.store.migrations import VERSION_TABLE
from tests.backend.store.test_opening import ended_well, start_python

BEFORE = PROJECT_ROOT / "tests" / "fixtures" / "store" / "before_revisions.sql"
KEPT_BEFORE = {
    "chat_conversations", "chat_messages", "chat_leases", "desk_conversations", "desk_messages", "model_spending",
    "reader_agreement", "workflow_templates", "verified_answers",
}  # fmt: skip


def write_before(url: str, *more: str) -> None:
    """Make a store as the version before revisions left it."""
    script = BEFORE.read_text(encoding="utf-8")
    address = make_url(url)
    if address.get_backend_name() == "sqlite":
        script = re.sub(r"(?<!tokens )BIG(SERIAL|INT)\b", "INTEGER", script)
        script = script.replace("TIMESTAMP WITH TIME ZONE", "DATETIME")
        Path(str(address.database)).parent.mkdir(exist_ok=True)
        with closing(sqlite3.connect(str(address.database))) as connection:
            connection.executescript(script + ";".join(more))
        return
    engine = create_engine(address)
    with engine.begin() as connection:
        connection.exec_driver_sql(script + ";".join(more))
    engine.dispose()


def differences(store: Store) -> list[object]:
    """What today's tables have and the store has not, or the other way round."""
    options = {
        "version_table": VERSION_TABLE,
        "compare_type": True,
        "include_name": lambda name, kind, _: kind != "table" or name != "store_changes",
    }
    with store.reading() as connection:
        return list(compare_metadata(MigrationContext.configure(connection, opts=options), METADATA))


@pytest.fixture
def opened(store_settings: Settings) -> Iterator[list[Store]]:
    stores: list[Store] = []
    yield stores
    for store in stores:
        store.close()


def test_the_revisions_make_the_tables_of_today_out_of_nothing(store: Store):
    assert differences(store) == []


def test_a_store_of_the_version_before_keeps_every_row_and_gets_the_tables_of_today(store_url, store_settings):
    write_before(store_url)
    store = open_store(store_settings)
    assert differences(store) == []
    with store.reading() as connection:
        for table in KEPT_BEFORE:
            assert connection.scalar(text(f"SELECT COUNT(*) FROM {table}")) == 1, table
        row = connection.execute(text("SELECT id, content, decisions, workflow FROM chat_messages")).one()
    assert row == (70, "Deposits by branch", "[]", "null")
    store.close()


def test_a_store_from_before_chat_messages_kept_decisions_keeps_its_messages(store_url, store_settings):
    write_before(
        store_url,
        "ALTER TABLE chat_messages DROP COLUMN decisions",
        "ALTER TABLE chat_messages DROP COLUMN workflow",
        "DELETE FROM store_changes",
        "DROP TABLE workflow_templates",
    )
    store = open_store(store_settings)
    with store.reading() as connection:
        row = connection.execute(text("SELECT id, content, decisions, workflow FROM chat_messages")).one()
    assert row == (70, "Deposits by branch", "[]", "null")
    assert inspect(store.engine).has_table("workflow_templates")
    store.close()


def test_turns_from_before_their_statements_were_kept_get_them_from_their_answers(store: Store, store_settings):
    kept = KeptConversations(lambda: store, 64)
    for turn, sql in (("t1", "SELECT 'é', 1"), ("t2", None), ("t3", "SELECT 3")):
        kept.keep("c1", turn, "asha", Answer(turn, "answered", "rules", sql=sql, summary="Seven."))
    with store.writing() as connection:
        connection.execute(text("UPDATE conversation_turns SET answer = '[' WHERE id = 't3'"))
        connection.execute(text("ALTER TABLE conversation_turns DROP COLUMN sql"))
        connection.execute(text("DROP TABLE audit_runs"))
        connection.execute(text("ALTER TABLE audit_entries DROP COLUMN closed"))
        connection.execute(text("ALTER TABLE chat_conversations DROP COLUMN summary_closed"))
        connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '0009'"))
    open_store(store_settings).close()
    turns = kept.turns("c1", "asha", 0)[1]
    assert [(turn.sql, turn.words) for turn in turns] == [("SELECT 'é', 1", "Seven."), (None, "Seven."), (None, "")]


def test_an_app_from_before_revisions_finds_a_change_it_does_not_know_and_leaves_the_store_alone(
    store_url, store_settings
):
    write_before(store_url)
    store = open_store(store_settings)
    with store.reading() as connection:
        known = connection.scalars(text("SELECT name FROM store_changes")).all()
    assert len(known) == 2
    store.close()


def test_a_store_that_a_newer_app_has_changed_is_left_alone(store: Store, store_settings: Settings):
    with store.writing() as connection:
        connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '9999'"))
    with pytest.raises(BadConfiguration, match=r"newer version of the app \(9999\): update this one"):
        open_store(store_settings)
    with store.reading() as connection:
        assert connection.scalar(text(f"SELECT version_num FROM {VERSION_TABLE}")) == "9999"


def test_a_revision_that_fails_leaves_the_store_as_it_was(store_url, store_settings):
    write_before(
        store_url,
        "ALTER TABLE chat_messages DROP COLUMN workflow",
        "DROP TABLE store_changes",
        "CREATE TABLE store_changes (other INTEGER)",
    )
    with pytest.raises(StoreUnavailable):
        open_store(store_settings)
    engine = create_engine(make_url(store_url))
    columns = {column["name"] for column in inspect(engine).get_columns("chat_messages")}
    assert "workflow" not in columns
    engine.dispose()


def test_two_processes_that_bring_an_earlier_store_up_to_date_at_once_lose_nothing(store_url, store_settings):
    write_before(store_url)
    opening = [start_python("from backend.store import shared_store\nshared_store.get()", store_url) for _ in range(2)]
    for process in opening:
        ended_well(process)
    store = open_store(store_settings)
    assert differences(store) == []
    store.close()


def test_a_store_that_is_up_to_date_is_asked_one_question_and_opened_while_another_writes(store, store_settings):
    asked: list[str] = []

    def note(_connection, _cursor, statement, *_rest):
        asked.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        with store.writing():
            waiting = threading.Thread(target=lambda: open_store(store_settings).close())
            waiting.start()
            waiting.join(10)
            assert not waiting.is_alive()
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    looked = [statement for statement in asked if "pg_catalog" not in statement and not statement.startswith("BEGIN")]
    assert looked == [f"SELECT version_num FROM {VERSION_TABLE}"]
