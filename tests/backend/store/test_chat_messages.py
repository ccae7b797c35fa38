"""One contract for every history of chats: in memory, SQLite and PostgreSQL; and leases on conversations."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

import pytest

from ai_engine.chat_history import ChatHistory, ChatMessage, EventsOfAnswer, MemoryChatHistory, RunningSummary
from ai_engine.errors import BadQuestion
from ai_engine.events import Event, EventType
from backend.settings import read_settings
from backend.store import ConversationLeases, SqlChatHistory, Store, open_store

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def opened(store: Store) -> Iterator[Callable[[], SqlChatHistory]]:
    """Opens histories of one store."""
    made: list[SqlChatHistory] = []

    def one() -> SqlChatHistory:
        made.append(SqlChatHistory(store))
        return made[-1]

    yield one
    for history in made:
        history.close()


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgresql", marks=pytest.mark.server)])
def history(request: pytest.FixtureRequest) -> Iterator[ChatHistory]:
    if request.param == "memory":
        yield MemoryChatHistory()
        return
    store = open_store(read_settings(store_url=request.getfixturevalue(f"{request.param}_store_url")))
    kept = SqlChatHistory(store)
    yield kept
    kept.close()
    store.close()


def said(text: str) -> ChatMessage:
    return ChatMessage(role="user", content=text, request_id="r")


ANSWER = ChatMessage(
    role="assistant",
    content="**Rs.5** [1]",
    request_id="r",
    status="partial",
    action="workflow",
    tools=("sql", "rag_search"),
    citations=({"document": "npa.md", "paragraph": 2, "title": "NPA policy"},),
    contents=({"tool": "chart", "content_type": "image/png", "data": "aGk=", "encoding": "base64", "metadata": {}},),
    missing=("The fees of 2019 are not there.",),
    decisions=({"action": "workflow", "message": "I make a plan.", "reasoning": "It asks several things."},),
    workflow={
        "id": "r",
        "goal": "Fees",
        "plan": [{"id": "a"}],
        "batches": [["a"]],
        "states": {"a": {"status": "failed"}},
    },
)


async def test_messages_come_back_as_they_were_said_the_oldest_first(history):
    await history.add("c", [said("How much?"), ANSWER])
    await history.add("c", [said("And Pune?")])
    await history.add("d", [said("Hello")])
    found = await history.messages("c")
    assert [one.content for one in found] == ["How much?", "**Rs.5** [1]", "And Pune?"]
    assert found[1] == ANSWER
    assert [one.content for one in await history.messages("c", 2)] == ["**Rs.5** [1]", "And Pune?"]
    assert await history.messages("c", 0) == []
    assert await history.messages("nobody") == []


async def test_a_summary_is_replaced_by_one_of_more_messages_only(history):
    assert await history.summary("c") == RunningSummary()
    await history.keep_summary("c", RunningSummary(text="Deposits of Pune.", messages=4, closed="mark"))
    await history.keep_summary("c", RunningSummary(text="An older one.", messages=2))
    assert await history.summary("c") == RunningSummary(text="Deposits of Pune.", messages=4, closed="mark")
    assert await history.messages("c") == []


async def test_another_process_reads_what_was_kept_and_odd_texts_do_not_break_it(opened):
    odd = 'c\0\ud800"\\'
    await opened().add(odd, [said("a\0b\ud800 \U0001f600")])
    assert [one.content for one in await opened().messages(odd)] == ["a?b? \U0001f600"]
    with pytest.raises(BadQuestion):
        await opened().add("x" * 201, [said("hi")])


async def test_many_messages_at_once_are_all_kept_and_none_is_torn(opened):
    first, second = opened(), opened()
    pairs = [[said(f"{number}"), said(f"{number}")] for number in range(20)]
    await asyncio.gather(*((first, second)[place % 2].add("c", pair) for place, pair in enumerate(pairs)))
    found = [one.content for one in await first.messages("c")]
    assert sorted(found) == sorted(2 * [f"{number}" for number in range(20)])
    assert all(found[place] == found[place + 1] for place in range(0, 40, 2))


def test_a_conversation_is_held_by_one_until_it_is_given_back_or_runs_out(store):
    now = [1_000_000]
    leases = ConversationLeases(lambda: store, lease_s=10, clock_ms=lambda: now[0])
    assert leases.take("c", "one")
    assert not leases.take("c", "two")
    assert leases.take("d", "two")
    leases.give_back("c", "two")
    assert not leases.take("c", "two")
    leases.give_back("c", "one")
    assert leases.take("c", "two")
    now[0] += 9_000
    assert leases.renew("c", "two")
    now[0] += 9_000
    assert not leases.take("c", "one")
    now[0] += 2_000
    assert leases.take("c", "one")
    assert not leases.renew("c", "two")


def test_events_are_folded_into_the_message_that_is_kept():
    fold = EventsOfAnswer(max_content_kb=1)
    for kind, data in [
        (EventType.SUPERVISOR_DECIDED, {"action": "call_tool", "message": "Look."}),
        (EventType.TOOL_START, {"tool": "sql", "call_id": "1"}),
        (EventType.TOOL_CONTENT, {"tool": "sql", "call_id": "1", "content_type": "text/plain", "data": "small"}),
        (EventType.TOOL_CONTENT, {"tool": "sql", "call_id": "1", "content_type": "image/png", "data": "x" * 2_000}),
        (EventType.RESPONSE_CHUNK, {"content": "Rs."}),
        (EventType.RESPONSE_CHUNK, {"content": "5"}),
        (EventType.RESPONSE_DONE, {"status": "answered", "action": "answer", "citations": [], "missing": []}),
    ]:
        fold.take(Event(type=kind, request_id="r", data=data))
    kept = fold.message("r")
    assert (kept.content, kept.status, kept.action, kept.tools) == ("Rs.5", "answered", "answer", ("sql",))
    assert kept.contents[0]["data"] == "small"
    assert kept.contents[1]["data"] is None
    assert kept.contents[1]["metadata"] == {"not_kept_kb": 3}


@pytest.mark.parametrize("is_small", [True, False])
def test_a_workflow_is_kept_with_how_its_steps_ended_unless_it_is_too_large(is_small: bool):
    created = {"id": "w", "goal": "Fees", "plan": [{"id": "a", "name": "Look"}], "batches": [["a"]]}
    fold = EventsOfAnswer(max_content_kb=1 if is_small else 0)
    ended = {"id": "a", "name": "Look", "status": "failed", "message": "Away.", "elapsed_ms": 3}
    fold.take(Event(type=EventType.WORKFLOW_CREATED, request_id="r", data=created))
    fold.take(Event(type=EventType.WORKFLOW_STEP_COMPLETE, request_id="r", data=ended))
    kept = {**created, "states": {"a": {"status": "failed", "message": "Away."}}}
    assert fold.message("r").workflow == (kept if is_small else None)


def test_an_answer_that_was_cut_off_is_kept_as_stopped():
    fold = EventsOfAnswer(max_content_kb=1)
    fold.take(Event(type=EventType.RESPONSE_CHUNK, request_id="r", data={"content": "Rs."}))
    assert (fold.message("r").content, fold.message("r").status) == ("Rs.", "stopped")
