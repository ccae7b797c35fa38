"""A request that is left in the middle, requests beside each other, and memory that stays flat."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver

from ai_engine.context.results import ResultStore
from ai_engine.events import EventType
from ai_engine.supervisor.service import astream
from tests.ai_engine.supervisor.chats import (
    SATISFIED,
    Balances,
    ScriptedModel,
    ask,
    call,
    done_of,
    events_of,
    of_type,
    setting_of,
    text_of,
)
from tests.patience import allowed_s


class KeptInMemory:
    """Checkpoints that end with the test."""

    def __init__(self) -> None:
        self._saver = InMemorySaver()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[InMemorySaver]:
        yield self._saver

    async def interrupted(self, prefix: str) -> tuple[str, ...]:
        return tuple(run_id for run_id in self._saver.storage if run_id.startswith(prefix))

    async def forget(self, run_id: str) -> None:
        self._saver.delete_thread(run_id)


PLAN = {
    "action": "CREATE_WORKFLOW",
    "reasoning": "Two steps.",
    "goal": "Both",
    "steps": [
        {"id": "one", "name": "Balance", "operator": "balances"},
        {"id": "two", "name": "Sand", "operator": "endless", "depends_on": ["one"]},
    ],
}


async def leave_at(setting: Any, kind: EventType, step: str) -> None:
    stream = astream("Do both", "c", setting)
    async for event in stream:
        if event.type is kind and event.data.get("id") == step:
            break
    await asyncio.sleep(0.05)
    await stream.aclose()


def test_an_interrupted_workflow_goes_on_from_what_is_done_when_the_person_says_so():
    setting = setting_of(ScriptedModel(PLAN, SATISFIED), checkpoints=KeptInMemory())

    async def leave_and_go_on() -> list[Any]:
        await leave_at(setting, EventType.WORKFLOW_STEP_START, "two")
        Balances.asked.clear()
        stream = astream("Continue, please", "c", setting)
        events = []
        async for event in stream:
            events.append(event)
            if event.type is EventType.WORKFLOW_STEP_START:
                break
        await stream.aclose()
        return events

    events = asyncio.run(leave_and_go_on())
    settled = of_type(events, EventType.WORKFLOW_STEP_COMPLETE)
    assert [(one["step"], one["id"], one["status"]) for one in settled] == [(1, "one", "succeeded")]
    assert events[-1].data["id"] == "two"
    assert Balances.asked == []


def test_another_conversation_does_not_go_on_with_it():
    setting = setting_of(ScriptedModel(PLAN, call("balances"), SATISFIED), checkpoints=KeptInMemory())

    async def leave_and_ask_elsewhere() -> list[Any]:
        await leave_at(setting, EventType.WORKFLOW_STEP_START, "two")
        return [event async for event in astream("Continue", "c2", setting)]

    assert done_of(asyncio.run(leave_and_ask_elsewhere()))["tools"] == ["balances"]


def test_nothing_of_a_chat_that_has_ended_stays():
    setting = setting_of()

    async def chats(number: int) -> None:
        for at in range(number):
            events = [event async for event in astream("Look up the balance of Pune", f"c{at % 7}", setting)]
            assert events[-1].type is EventType.RESPONSE_DONE
            setting.history._messages.clear()  # type: ignore[attr-defined] - what is kept is meant to be kept
            Balances.asked.clear()

    asyncio.run(chats(15))
    gc.collect()
    stores = _alive(ResultStore)
    asyncio.run(chats(60))
    gc.collect()

    assert _alive(ResultStore) <= stores + 1


def _alive(kind: type) -> int:
    return sum(isinstance(one, kind) for one in gc.get_objects())


def test_two_conversations_at_once_do_not_mix():
    setting = setting_of()

    async def both() -> list[list[Any]]:
        return list(await asyncio.gather(*(events_of(setting, "Look up the balance of Pune") for _ in range(5))))

    for events in asyncio.run(both()):
        assert text_of(events) == "Pune has 4,200."
        assert len({event.request_id for event in events}) == 1


def test_a_rule_made_chat_is_repeatable():
    first, second = (ask(setting_of(), "Look up the balance of Pune") for _ in range(2))
    assert [event.type for event in first] == [event.type for event in second]


def test_a_stop_ends_the_work_within_a_second_and_is_told():
    setting, stop = setting_of(ScriptedModel(call("endless"))), threading.Event()

    async def stopped() -> tuple[list[Any], float]:
        events, began = [], 0.0
        async for event in astream("Count", "c", setting, stop):
            events.append(event)
            if event.type is EventType.TOOL_START:
                began = time.monotonic()
                stop.set()
        return events, time.monotonic() - began

    events, took_s = asyncio.run(stopped())
    assert done_of(events)["status"] == "stopped"
    assert took_s < allowed_s(1)
