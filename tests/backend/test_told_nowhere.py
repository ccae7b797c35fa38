"""A value that was kept wherever the API keeps something is in no reply of it once its column is closed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from http import HTTPStatus
from pathlib import Path

import duckdb
import pytest
from fastapi.testclient import TestClient

from ai_engine.semantics.osi import dump_vocabulary
from ai_engine.semantics.vocabulary_edits import Edit
from backend.chat.opening import Chat, open_chat
from backend.front_desk import FrontDesk, open_front_desk, opened_chats
from backend.main import create_app
from backend.opening import open_assistant
from backend.orchestration import Orchestrator
from backend.renewal import in_force
from backend.settings import SAMPLE_DOCUMENTS, Settings
from backend.sources.sources import Sources
from backend.store import SharedStore, SqlChatHistory, open_store

MARKER = "Zorkville"
MADE = (
    "CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, segment VARCHAR, city VARCHAR)",
    "CREATE TABLE accounts (account_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(customer_id), "
    "account_type VARCHAR, balance DECIMAL(12, 2))",
    f"INSERT INTO customers SELECT i, ['Retail', 'SME'][i % 2 + 1], ['{MARKER}', 'Pune', 'Goa'][i % 3 + 1] "
    "FROM range(30) AS t(i)",
    "INSERT INTO accounts SELECT i, i % 30, ['savings', 'current'][i % 2 + 1], i * 10.5 FROM range(90) AS t(i)",
)
ASKED = (
    f"How many customers are there in {MARKER}?",
    "How many customers are there by city?",
    "Which city has the most customers?",
    f"Average balance in {MARKER} by account type",
    f"How many customers in {MARKER} are green?",
    f"{MARKER}?",
    "What does city mean?",
    f"How many customers are there in {MARKER}, and what is our policy on dormant accounts?",
    f"Compare total balance for {MARKER} with Pune",
    "How many customers are there?",
)
KEEPS = {
    "/verified",
    "/templates",
    "/chat/{conversation_id}/events",
    "/chat/{conversation_id}/history",
    "/chat/{conversation_id}/workflows/{workflow_id}/template",
}
"""The endpoints that tell it again while it is open; of what else is kept the API tells nothing."""
CLOSES = Edit("column", "customers.city", "sensitive", False, True)


@contextmanager
def api(settings: Settings) -> Iterator[tuple[TestClient, Sources]]:
    """The app as it is served, over a source and a store of its own."""
    store = SharedStore(lambda: open_store(settings))
    sources = Sources(lambda: settings, open_assistant, in_force)

    def found() -> Orchestrator:
        return Orchestrator(sources.assistant().at("API"), {})

    def chat() -> Chat:
        return open_chat(found(), SqlChatHistory(store.get()), store=store.get)

    def desks() -> FrontDesk:
        return open_front_desk(found(), opened_chats(settings, store.get()))

    app = create_app(
        sources.assistant, found, desks,
        chat_factory=chat, store_factory=store.get, sources=sources, settings=settings,
    )  # fmt: skip
    with closing(store), closing(sources), TestClient(app) as client:
        yield client, sources


def keep_everywhere(client: TestClient) -> list[dict[str, str]]:
    """Store the marker in all that the API keeps; returns the ids that were made, those of one message together."""
    made: list[dict[str, str]] = []
    for number, message in enumerate(ASKED):
        answer = client.post("/ask", json={"query": message}).json()
        if answer["validated_sql"]:
            checked = {"query": message, "restatement": message, "sql": answer["validated_sql"]}
            assert client.post("/verified", json=checked).status_code == 200
        client.post("/orchestrate", json={"question": message})
        for conversation in ("all", f"only-{number}"):
            client.post("/route", json={"user_input": message, "user_id": "una", "session_id": conversation})
            told = client.post("/chat", json={"conversation_id": conversation, "message": message}).text
            first = re.findall("^id: (.*)", told, re.MULTILINE)[0].strip()
            made.append({"conversation_id": conversation, "workflow_id": "none", "first": first})
            for workflow in re.findall('"type": "workflow.created", "id": "([^"]*)"', told):
                made.append({**made[-1], "workflow_id": workflow})
                template = f"/chat/{conversation}/workflows/{workflow}/template"
                inputs = [one for one in client.get(template).json()["inputs"] if one["text"] == MARKER]
                for title, chosen in ((f"As said {number}", []), (f"Of a place {number}", inputs)):
                    assert client.post(template, json={"title": title, "inputs": chosen}).status_code == 201
    return made


def told(client: TestClient, made: list[dict[str, str]]) -> dict[tuple[str, str], str]:
    """Ask every GET endpoint with all ids that were made; returns what each says, headers too, by endpoint and ids."""
    found = {("/metrics", ""): client.get("/metrics").text}
    for path, ways in client.app.openapi()["paths"].items():  # type: ignore[attr-defined]
        for ids in made if "get" in ways else ():
            for headers in ({}, {"Last-Event-ID": ids["first"]}) if path.endswith("/events") else ({},):
                reply = client.get(path.format(**ids), headers=headers)
                assert reply.status_code < HTTPStatus.INTERNAL_SERVER_ERROR
                found[path, f"{ids} {headers}"] = f"{dict(reply.headers)} {reply.text}"
    return found


def asked_on(client: TestClient) -> dict[tuple[str, str], str]:
    """Ask on, in words that name no value."""
    found = {}
    for conversation in ("all", "only-0", "only-7"):
        for message in ("and by segment?", "As said 7"):
            chat = {"conversation_id": conversation, "message": message}
            desk = {"user_input": message, "user_id": "una", "session_id": conversation}
            for path, body in (("/chat", chat), ("/route", desk)):
                found[path, f"{conversation}: {message}"] = client.post(path, json=body).text
    return found


def by_vocabulary(_: Settings, sources: Sources) -> None:
    """Publish it, which holds from the next question on."""
    changes = sources.assistant().changes
    changes.publish(changes.propose([CLOSES], "", "una").id, "una")


def by_policy(settings: Settings, sources: Sources) -> Settings:
    """Have the next start restrict it, by a file that somebody else wrote."""
    file = settings.cache_dir.parent / "vocabulary.yaml"
    file.write_text(dump_vocabulary(sources.assistant().changes.model_with([CLOSES])), encoding="utf-8")
    return settings.model_copy(update={"vocabulary_file": file})


def naming_it(found: dict[tuple[str, str], str]) -> list[tuple[str, str]]:
    return [place for place, said in found.items() if MARKER in said]


@pytest.mark.parametrize("closes", [by_vocabulary, by_policy])
def test_a_value_that_was_kept_everywhere_is_in_no_reply_once_its_column_is_closed(
    tmp_path: Path, closes: Callable[[Settings, Sources], Settings | None]
):
    with duckdb.connect(tmp_path / "bank.duckdb") as bank:
        for statement in MADE:
            bank.execute(statement)
    settings = Settings(
        database_url=str(tmp_path / "bank.duckdb"), cache_dir=tmp_path / "cache", database_workers=1, editors="*",
        verifiers="*", store_url=f"sqlite:///{tmp_path}/store.sqlite", vocabulary_check_s=0,
        documents_dir=SAMPLE_DOCUMENTS,
    )  # fmt: skip
    with ExitStack() as ends:
        client, sources = ends.enter_context(api(settings))
        made = keep_everywhere(client)
        assert {path for path, _ in naming_it(told(client, made))} == KEEPS
        anew = closes(settings, sources)
        if anew is not None:
            ends.close()
            client, _ = ends.enter_context(api(anew))
        assert naming_it(told(client, made)) == []
        assert naming_it(asked_on(client)) == []
        assert naming_it(told(client, made)) == []
