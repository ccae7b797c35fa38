"""Whatever a language model is asked for, through whichever door, is counted to the person who asks, and bounded."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from ai_engine.agent import AgentRequest
from ai_engine.chat_history import MemoryChatHistory
from ai_engine.errors import ModelBudgetSpent, QueryStopped
from ai_engine.llm.client import ChatClient
from ai_engine.llm.config import LlmConfig
from ai_engine.model_use import begin_asking
from ai_engine.prompts.loader import Messages
from ai_engine.routing import ConversationMessage, InMemoryChatStorage
from backend.chat.door import ChatRequest
from backend.chat.opening import open_chat
from backend.front_desk import RouteRequest, open_front_desk
from backend.opening import open_assistant
from backend.orchestration import Orchestrator, SharedOutside
from backend.service import Assistant
from backend.settings import read_settings
from backend.store.model_spending import SPENDING, DailyAllowance
from tests.ai_engine.llm.server import Answer, ChatServer, says, serving, streams
from tests.ai_engine.llm.test_client import Colour
from tests.backend.chat.talking import text_of

MOST = 1_000
QUESTION = "How many customers do we have?"
NEVER = threading.Event()


class Mumbling(ChatServer):
    """Says what nobody can use, and takes two tokens for it."""

    def __init__(self) -> None:
        super().__init__(())

    def next_answer(self, request: dict[str, Any], key: str | None) -> Answer:
        self.requests.append(request)
        return says("?")


@contextmanager
def opened(bank: Path, tmp_path: Path) -> Iterator[tuple[Orchestrator, Mumbling]]:
    server = Mumbling()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    settings = read_settings(
        database_url=f"duckdb:///{bank}", cache_dir=tmp_path, openai_base_url=server.base_url,
        store_url=f"sqlite:///{tmp_path / 'store.sqlite'}", model_max_tokens_per_day=MOST,
    )  # fmt: skip
    outside = SharedOutside(lambda: settings)
    assistant = open_assistant(settings)
    try:
        yield Orchestrator(assistant, outside.get()), server
    finally:
        outside.close()
        assistant.close()
        server.shutdown()
        server.server_close()
        thread.join()


def by_question(found: Orchestrator, who: str) -> str:
    answer = found.assistant.ask(QUESTION, who=who)
    return f"{answer.summary} {' '.join(answer.assumptions)}"


def by_several(found: Orchestrator, who: str) -> str:
    response = found.answer(AgentRequest(question=QUESTION), who=who)
    return f"{response.answer} {' '.join(response.metadata['assumptions'])}"


def by_desk(found: Orchestrator, who: str, **chosen: str) -> str:
    desk = open_front_desk(found, InMemoryChatStorage())
    request = RouteRequest(user_input=QUESTION, user_id="u", session_id="s", additional_params=chosen)
    response = asyncio.run(desk.route(request, who))
    assert isinstance(response.output, ConversationMessage)
    return "".join(str(block.get("text") or block) for block in response.output.content)


def by_team(found: Orchestrator, who: str) -> str:
    return by_desk(found, who, assistant="report-team")


def by_chat(found: Orchestrator, who: str) -> str:
    async def all_events():
        request = ChatRequest(conversation_id="c", message=QUESTION, person=who)
        return [event async for event in open_chat(found, MemoryChatHistory()).events(request)]

    return text_of(asyncio.run(all_events()))


DOORS: dict[str, Callable[[Orchestrator, str], str]] = {
    "ask": by_question, "orchestrate": by_several, "route": by_desk, "team": by_team, "chat": by_chat,
}  # fmt: skip


def spent(assistant: Assistant) -> dict[str, int]:
    with assistant.store.get().reading() as on:
        return {row.person: row.tokens for row in on.execute(select(SPENDING))}


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS.keys())
def test_every_call_is_counted_to_who_asks(door, small_bank: Path, tmp_path: Path):
    with opened(small_bank, tmp_path) as (found, server):
        door(found, "asha")
        assert len(server.requests) > 0
        tokens = spent(found.assistant)
        assert list(tokens) == ["asha"]
        assert tokens["asha"] >= 2 * len(server.requests)


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS.keys())
def test_over_the_budget_the_model_is_not_asked_and_rules_go_on_and_say_so(door, small_bank: Path, tmp_path: Path):
    with opened(small_bank, tmp_path) as (found, server):
        DailyAllowance(found.assistant.store.get, MOST).spend("asha", MOST)
        said = door(found, "asha")
        assert server.requests == []
    assert "600" in said
    assert said.count("Your budget for the language model is used up for today") == 1


class Purse:
    """Has room for so many tokens, and notes what each person took."""

    def __init__(self, tokens: int = 1_000_000) -> None:
        self.left = tokens
        self.taken: list[tuple[str, int]] = []

    def check(self, person: str) -> None:
        if self.left <= 0:
            raise ModelBudgetSpent(0)

    def spend(self, person: str, tokens: int) -> None:
        self.left -= tokens
        self.taken.append((person, tokens))


def test_a_call_that_is_left_halfway_is_counted_as_what_it_asked():
    purse, stop = Purse(), threading.Event()
    begin_asking("vikram")
    with serving(streams({"name": "red"}, pause_s=0.3)) as server:
        client = ChatClient(LlmConfig(api_key="", base_url=server.base_url, model="m"), allowance=purse)
        threading.Timer(0.5, stop.set).start()
        with pytest.raises(QueryStopped):
            client.ask(Messages("s", "u" * 300), Colour, lambda reply: reply, stop=stop, heard=lambda _: None)
    ((person, tokens),) = purse.taken
    assert person == "vikram"
    assert tokens >= 100


def test_a_service_that_counts_nothing_is_estimated_and_one_that_refuses_costs_nothing():
    purse = Purse()
    with serving(Answer(says({"name": "red"}).body.replace('"usage"', '"other"')), Answer("{}", status=401)) as server:
        client = ChatClient(LlmConfig(api_key="", base_url=server.base_url, model="m"), allowance=purse)
        assert client.ask(Messages("s", "u" * 300), Colour, lambda reply: reply.name, stop=NEVER) == "red"
        with pytest.raises(Exception, match="refused"):
            client.ask(Messages("s", "u"), Colour, lambda reply: reply, stop=NEVER)
    assert [tokens >= 100 for _, tokens in purse.taken] == [True]


@pytest.mark.parametrize(("asked", "replied"), [(-(10**12), 10**30), (0, -5), (7, 0), (-(10**30), -(10**30))])
def test_no_count_of_a_service_gives_tokens_back_or_cannot_be_kept(asked: int, replied: int):
    purse = Purse()
    body = says({"name": "red"}).body.replace('"prompt_tokens": 1', f'"prompt_tokens": {asked}')
    with serving(Answer(body.replace('"completion_tokens": 1', f'"completion_tokens": {replied}'))) as server:
        client = ChatClient(LlmConfig(api_key="", base_url=server.base_url, model="m"), allowance=purse)
        client.ask(Messages("s", "u" * 300), Colour, lambda reply: reply, stop=NEVER)
    ((_, tokens),) = purse.taken
    assert (5 if asked > 0 else 100) <= tokens < 2**31


def test_a_conversation_is_bounded_too():
    with serving() as server, pytest.raises(ModelBudgetSpent):
        client = ChatClient(LlmConfig(api_key="", base_url=server.base_url, model="m"), allowance=Purse(0))
        client.converse("s", [], stop=NEVER)
