"""Events of a request are sent again only as long as its answer is shown in the conversation too."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from starlette.testclient import TestClient

from ai_engine.chat_history import MemoryChatHistory
from ai_engine.semantics.vocabulary_edits import Edit
from backend.chat.opening import Chat, open_chat
from backend.main import create_app
from backend.orchestration import Orchestrator
from backend.renewal import trying
from backend.store import ConversationLeases, open_store

HIDES = Edit("column", "accounts.balance", "sensitive", False, True)
HIGHEST = "Show the account with the highest balance"
GONE = "This answer is not shown any more, as its query may not run today: column balance of accounts is restricted."


class Door:
    """The app with a chat in which balances can be closed."""

    def __init__(self, chat: Chat) -> None:
        self.chat = chat

    def close_balances(self, *, forgets: bool = False) -> None:
        found = replace(self.chat.found, assistant=trying(self.chat.found.assistant, [HIDES]))
        self.chat = open_chat(found, MemoryChatHistory() if forgets else self.chat.history_of)


@pytest.fixture
def door(found: Orchestrator) -> Door:
    return Door(open_chat(found, MemoryChatHistory()))


@pytest.fixture
def client(door: Door, found: Orchestrator) -> Iterator[TestClient]:
    settings = found.assistant.settings
    store = open_store(settings)
    app = create_app(
        lambda: door.chat.found.assistant, chat_factory=lambda: door.chat, store_factory=lambda: store,
        settings=settings, bound_host="testserver",
    )  # fmt: skip
    with TestClient(app, base_url="http://localhost") as opened:
        yield opened


def said(client: TestClient, message: str) -> str:
    sent = client.post("/chat", json={"conversation_id": "monday", "message": message})
    assert sent.status_code == 200
    return sent.text


def first_id(told: str) -> str:
    return next(line.removeprefix("id: ") for line in told.splitlines() if line.startswith("id: "))


@pytest.mark.parametrize("forgets", [False, True], ids=["kept", "not kept"])
def test_a_table_of_a_closed_column_is_not_sent_again_from_whatever_event(
    client: TestClient, door: Door, *, forgets: bool
):
    told = said(client, HIGHEST)
    assert client.get("/chat/monday/events").text.count("data:") == told.count("data:")
    door.close_balances(forgets=forgets)
    again = client.get("/chat/monday/events")
    behind = client.get("/chat/monday/events", headers={"Last-Event-ID": first_id(told)})
    asked = {"conversation_id": "monday", "message": "x"}
    posted = client.post("/chat", json=asked, headers={"Last-Event-ID": first_id(told)})
    for one in (again, behind, posted):
        assert (one.status_code, one.json()["error"]) == (410, GONE)


def test_nor_is_what_a_calculation_made_of_one(client: TestClient, door: Door):
    said(client, HIGHEST)
    assert "Part: Rs." in said(client, "what is 15 % of that?")
    door.close_balances()
    again = client.get("/chat/monday/events")
    assert (again.status_code, again.json()["error"]) == (410, GONE)


def test_what_reads_nothing_closed_is_sent_again(client: TestClient, door: Door):
    said(client, HIGHEST)
    told = said(client, "How many branches are there?")
    door.close_balances()
    again = client.get("/chat/monday/events")
    assert again.status_code == 200
    assert again.text.count("data:") == told.count("data:")


def test_nor_are_choices_that_were_offered_before_a_column_was_closed(client: TestClient, door: Door):
    assert "Which one do you mean?" in said(client, "how many are closed?")
    assert client.get("/chat/monday/events").status_code == 200
    door.close_balances()
    again = client.get("/chat/monday/events")
    assert (again.status_code, "closed since" in again.json()["error"]) == (410, True)
    assert "Which one do you mean?" in said(client, "how many are closed?")
    assert client.get("/chat/monday/events").status_code == 200, "these are of today"


def test_a_message_that_waits_for_the_one_before_is_answered_under_the_rules_of_when_it_begins(
    client: TestClient, door: Door, found: Orchestrator
):
    leases = ConversationLeases(lambda: open_store(found.assistant.settings), lease_s=60)
    assert leases.take("monday", "another instance")
    told: list[str] = []
    waiting = threading.Thread(target=lambda: told.append(said(client, HIGHEST)))
    waiting.start()
    time.sleep(1)
    door.close_balances()
    leases.give_back("monday", "another instance")
    waiting.join(60)
    (events,) = told
    assert "response.done" in events
    assert "widget" not in events
