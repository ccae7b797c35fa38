"""The tasks of `tests/questions/chat.jsonl` on the small sample bank, without a language model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

import duckdb

from ai_engine.events import Event, EventType
from ai_engine.insight.retold import figures_of_text
from backend.chat.door import ChatRequest
from backend.chat.opening import Chat
from backend.settings import PROJECT_ROOT

TASKS = [
    json.loads(line)
    for line in (PROJECT_ROOT / "tests" / "questions" / "chat.jsonl").read_text(encoding="utf-8").splitlines()
]
LEAST_RIGHT = 0.85
_CENT = Decimal("0.01")


@dataclass
class Outcome:
    """What came of a task: its last answer, and what is wrong with it."""

    task: dict[str, Any]
    done: dict[str, Any]
    wrong: list[str] = field(default_factory=list)

    @property
    def is_wrong_with_confidence(self) -> bool:
        """An answer that is told as one, and is not the answer."""
        return bool(self.wrong) and self.done["status"] == "answered"


async def answered(chat: Chat, task: dict[str, Any]) -> list[Event]:
    """Send the messages of a task in one conversation; the events of the last."""
    events: list[Event] = []
    for message in task["messages"]:
        request = ChatRequest(conversation_id=task["id"], message=message)
        events = [event async for event in chat.events(request)]
    return events


def rounded(number: object) -> Decimal:
    return Decimal(str(number)).quantize(_CENT, ROUND_HALF_UP)


def cells_of(events: list[Event]) -> Iterator[Decimal]:
    """Every number in the tables that were shown."""
    for event in events:
        if event.type is EventType.TOOL_CONTENT and event.data["content_type"].endswith("widget+json"):
            for row in event.data["data"]["data"]["rows"]:
                for cell in row.values():
                    try:
                        yield rounded(cell)
                    except ArithmeticError:
                        continue


def outcome_of(task: dict[str, Any], events: list[Event], wanted: list[Decimal]) -> Outcome:
    done = events[-1].data
    text = "".join(event.data["content"] for event in events if event.type is EventType.RESPONSE_CHUNK)
    outcome = Outcome(task, done)
    for name in ("action", "status"):
        if done[name] != task[name]:
            outcome.wrong.append(f"{name} is {done[name]}")
    if not set(task["tools"]) <= set(done["tools"]):
        outcome.wrong.append(f"tools are {done['tools']}")
    outcome.wrong += [f"{one!r} is missing" for one in task.get("appear", ()) if one.lower() not in text.lower()]
    told = {rounded(figure) for figure in figures_of_text(text)} | set(cells_of(events))
    outcome.wrong += [f"the figure {one} is missing" for one in wanted if one not in told]
    return outcome


def test_most_tasks_are_done_and_none_is_wrong_with_confidence(chat: Chat, small_bank: Path):
    with duckdb.connect(str(small_bank), read_only=True) as bank:
        gold = {
            task["id"]: [rounded(bank.sql(sql).fetchone()[0]) for sql in task.get("gold_sql", ())] for task in TASKS
        }
    outcomes = [
        outcome_of(task, asyncio.run(answered(chat, task)), [*gold[task["id"]], *map(rounded, task.get("figures", ()))])
        for task in TASKS
    ]
    wrong = {one.task["id"]: one.wrong for one in outcomes if one.wrong}
    print(f"{len(outcomes) - len(wrong)} of {len(outcomes)} right", *wrong.items(), sep="\n")

    assert [one.task["id"] for one in outcomes if one.is_wrong_with_confidence] == []
    assert len(outcomes) - len(wrong) >= LEAST_RIGHT * len(outcomes)


def test_there_are_forty_tasks_of_every_action():
    assert len(TASKS) == 40
    assert {task["action"] for task in TASKS} == {"answer", "call_tool", "workflow", "clarify"}
