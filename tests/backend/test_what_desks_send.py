"""What the desks' language model is sent of the bank's data: every byte that reaches a loopback server."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ai_engine.conversation import ToolCall
from ai_engine.prompts.loader import load_prompt
from ai_engine.routing.messages import INTERRUPTED, WITHHELD, ConversationMessage, ParticipantRole
from ai_engine.routing.storage import InMemoryChatStorage
from ai_engine.semantics.vocabulary_edits import Edit
from backend.front_desk import FrontDesk, RouteRequest, open_front_desk
from backend.opening import open_assistant
from backend.orchestration import Orchestrator
from backend.renewal import trying
from backend.service import Assistant
from backend.settings import read_settings
from tests.ai_engine.llm.server import Answer, ChatServer, chunks, says, streams

DESKS = ("figures", "report-team")
CLOSES_NAMES = Edit("column", "customers.customer_name", "sensitive", False, True)
CLOSES_INCOME = Edit("column", "customers.annual_income", "sensitive", False, True)
LIST = "SELECT customer_name, annual_income FROM customers ORDER BY customer_id"
ASKS = ToolCall("1", "send_messages", json.dumps({"messages": [{"recipient": "Figures", "content": "List them"}]}))


class ListingServer(ChatServer):
    """Chooses a desk, has it list customers, and as a lead asks for the list once."""

    def __init__(self, desk: str) -> None:
        super().__init__(())
        self._replies: dict[str, Any] = {
            "route": {"userinput": "x", "selected_agent": desk, "confidence": 1.0},
            "intent": {"outcome": "query", "restatement": "the customers"},
            "sql": {"sql": LIST},
            "insight": {"summary": "These are they.", "chart": "table"},
        }

    def next_answer(self, request: dict[str, Any], key: str | None) -> Answer:
        self.requests.append(request)
        system = request["messages"][0]["content"]
        for name, reply in self._replies.items():
            if system.startswith(load_prompt(name).system[:60]):
                return streams(reply) if request.get("stream") else says(reply)
        if any(turn["role"] == "tool" for turn in request["messages"]):
            return streams("Here they are.")
        called = {"name": ASKS.name, "arguments": ASKS.arguments}
        return chunks({"tool_calls": [{"index": 0, "id": ASKS.id, "type": "function", "function": called}]})


def answered(desk: FrontDesk, message: str) -> str:
    async def whole() -> str:
        asked = RouteRequest(user_input=message, user_id="u", session_id="s", stream_response=True)
        output = (await desk.route(asked)).output
        if isinstance(output, ConversationMessage):
            return str(output.content)
        pieces = [piece async for piece in output]
        return pieces[-1].final_message.text if pieces[-1].final_message else ""

    return asyncio.run(whole())


@contextmanager
def asked_of(desk: str, send_rows: str, bank: Path, store_in: Path) -> Iterator[tuple[ListingServer, Assistant]]:
    server = ListingServer(desk)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    settings = read_settings(
        database_url=str(bank), cache_dir=store_in, store_url=f"sqlite:///{store_in / 'store.sqlite'}",
        openai_base_url=server.base_url, send_rows=send_rows, database_workers=1, max_retries=0,
    )  # fmt: skip
    assistant = open_assistant(settings)
    try:
        yield server, assistant
    finally:
        assistant.close()
        server.shutdown()
        server.server_close()
        thread.join(5)


def customers_of(bank: Path) -> list[tuple[str, Any]]:
    with duckdb.connect(str(bank), read_only=True) as connection:
        return connection.execute(f"{LIST} LIMIT 1000").fetchall()


@pytest.mark.parametrize("send_rows", ["none", "aggregates"])
@pytest.mark.parametrize("desk", DESKS)
def test_neither_the_choice_of_a_desk_nor_a_lead_hears_of_single_rows(
    desk: str, send_rows: str, small_bank: Path, tmp_path: Path
):
    with asked_of(desk, send_rows, small_bank, tmp_path) as (server, assistant):
        found = open_front_desk(Orchestrator(assistant, {}), InMemoryChatStorage())
        shown = answered(found, "Who are the customers?")
        answered(found, "And once more?")
    rows = customers_of(small_bank)
    highest = max(rows, key=lambda row: row[1] or 0)[0]
    assert highest in shown
    sent = json.dumps(server.requests, ensure_ascii=False)
    assert [name for name, _ in rows if name in sent] == []


@pytest.mark.parametrize("closes", [CLOSES_NAMES, CLOSES_INCOME], ids=lambda edit: edit.name)
@pytest.mark.parametrize("desk", DESKS)
def test_nor_of_what_a_desk_remembers_of_a_column_that_was_closed_since(
    desk: str, closes: Edit, small_bank: Path, tmp_path: Path
):
    names = [name for name, _ in customers_of(small_bank)]
    with asked_of(desk, "sample", small_bank, tmp_path) as (server, assistant):
        memory = InMemoryChatStorage()
        answered(open_front_desk(Orchestrator(assistant, {}), memory), "List them")
        told = json.dumps(server.requests, ensure_ascii=False)
        assert any(name in told for name in names)
        server.requests.clear()
        closed = open_front_desk(Orchestrator(trying(assistant, [closes]), {}), memory)
        answered(closed, "What did you say?")
    sent = json.dumps(server.requests, ensure_ascii=False)
    assert WITHHELD in sent
    assert [name for name in names if name in sent] == []


def test_an_answer_that_a_lead_was_interrupted_in_is_judged_again_too(small_bank: Path, tmp_path: Path):
    with asked_of("report-team", "sample", small_bank, tmp_path) as (_, assistant):
        memory = InMemoryChatStorage()

        async def interrupted() -> None:
            asked = RouteRequest(user_input="List them", user_id="u", session_id="s", stream_response=True)
            output = (await open_front_desk(Orchestrator(assistant, {}), memory).route(asked)).output
            async with aclosing(output) as pieces:
                async for piece in pieces:
                    if piece.text:
                        break

        asyncio.run(interrupted())
        closed = open_front_desk(Orchestrator(trying(assistant, [CLOSES_NAMES]), {}), memory)
        [said] = [turn for turn in asyncio.run(memory.fetch_chat("u", "s", "report-team")) if turn.statements]
        assert INTERRUPTED in said.text
        told = asyncio.run(closed.squad.storage.fetch_chat("u", "s", "report-team"))
    assert [turn.told_text for turn in told] == ["List them", WITHHELD]


def test_what_an_earlier_version_kept_without_its_statement_is_told_to_no_model(small_bank: Path, tmp_path: Path):
    with asked_of("figures", "sample", small_bank, tmp_path) as (_, assistant):
        memory = InMemoryChatStorage()
        kept = [ConversationMessage.of(ParticipantRole(role), role) for role in ("user", "assistant")]
        asyncio.run(memory.save_chat_messages("u", "s", "figures", kept))
        desk = open_front_desk(Orchestrator(assistant, {}), memory)
        told = asyncio.run(desk.squad.storage.fetch_chat("u", "s", "figures"))
    assert [turn.told_text for turn in told] == ["user", WITHHELD]


def told_texts(desk: FrontDesk) -> list[str]:
    return [turn.told_text for turn in asyncio.run(desk.squad.storage.fetch_chat("u", "s", "figures"))]


def test_choices_that_a_desk_offered_are_told_until_a_column_is_closed(small_bank: Path, tmp_path: Path):
    with asked_of("figures", "sample", small_bank, tmp_path) as (_, assistant):
        memory = InMemoryChatStorage()
        desk = open_front_desk(Orchestrator(assistant, {}), memory)
        offered = [("user", "List Asha"), ("assistant", "Which one: Asha Rao or Asha Iyer?")]
        turns = [ConversationMessage.of(ParticipantRole(role), text) for role, text in offered]
        asyncio.run(desk.squad.storage.save_chat_messages("u", "s", "figures", turns))
        assert told_texts(open_front_desk(Orchestrator(assistant, {}), memory)) == [text for _, text in offered]
        closed = open_front_desk(Orchestrator(trying(assistant, [CLOSES_NAMES]), {}), memory)
        assert told_texts(closed) == ["List Asha", WITHHELD]


def test_what_was_said_of_another_source_is_told_to_no_model_that_is_asked_about_this_one(
    small_bank: Path, tmp_path: Path
):
    with asked_of("figures", "sample", small_bank, tmp_path) as (server, assistant):
        memory = InMemoryChatStorage()
        answered(open_front_desk(Orchestrator(assistant, {}), memory), "List them")
        server.requests.clear()
        other = open_front_desk(Orchestrator(replace(assistant, kept_as="another"), {}), memory)
        answered(other, "What did you say?")
    assert WITHHELD in str(server.requests[0]), "the first request chooses a desk"
    assert "List them" not in str(server.requests)
