"""What the desks' language model is sent of the bank's data: every byte that reaches a loopback server."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ai_engine.conversation import ToolCall
from ai_engine.prompts.loader import load_prompt
from ai_engine.routing.messages import ConversationMessage
from ai_engine.routing.storage import InMemoryChatStorage
from backend.front_desk import FrontDesk, RouteRequest, open_front_desk
from backend.opening import open_assistant
from backend.orchestration import Orchestrator
from backend.settings import read_settings
from tests.ai_engine.llm.server import Answer, ChatServer, chunks, says, streams

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


@pytest.mark.parametrize("send_rows", ["none", "aggregates"])
@pytest.mark.parametrize("desk", ["figures", "report-team"])
def test_neither_the_choice_of_a_desk_nor_a_lead_hears_of_single_rows(
    desk: str, send_rows: str, small_bank: Path, tmp_path: Path
):
    server = ListingServer(desk)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    settings = read_settings(
        database_url=str(small_bank), cache_dir=tmp_path, store_url=f"sqlite:///{tmp_path / 'store.sqlite'}",
        openai_base_url=server.base_url, send_rows=send_rows, database_workers=1, max_retries=0,
    )  # fmt: skip
    assistant = open_assistant(settings)
    try:
        found = open_front_desk(Orchestrator(assistant, {}), InMemoryChatStorage())
        shown = answered(found, "Who are the customers?")
        answered(found, "And once more?")
    finally:
        assistant.close()
        server.shutdown()
        server.server_close()
        thread.join(5)
    with duckdb.connect(str(small_bank), read_only=True) as connection:
        rows = connection.execute(f"{LIST} LIMIT 1000").fetchall()
    highest = max(rows, key=lambda row: row[1] or 0)[0]
    assert highest in shown
    sent = json.dumps(server.requests, ensure_ascii=False)
    assert [name for name, _ in rows if name in sent] == []
