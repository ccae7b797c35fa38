"""Stands in for whoever answers chats: plays a script of events and waits, and records how each request ended."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from ai_engine.chat_history import ChatMessage, EventsOfAnswer, MemoryChatHistory
from ai_engine.events import Event, EventType
from ai_engine.tools import ElicitationResponse
from ai_engine.workflows.template import WorkflowTemplate
from backend.chat.door import ChatRequest, ToolListing
from backend.chat.templates import ChatTemplates
from tests.ai_engine.workflows.test_templates import Bank

Step = tuple[EventType, dict[str, Any]] | float | Exception | str
"""An event, a wait in seconds, a fault, or the id of a question to wait for."""

DONE: Step = (
    EventType.RESPONSE_DONE,
    {"status": "answered", "action": "answer", "tools": [], "citations": [], "missing": [], "elapsed_ms": 1.0},
)


def chunk(text: str) -> Step:
    return EventType.RESPONSE_CHUNK, {"content": text}


HELLO: tuple[Step, ...] = (
    (EventType.SUPERVISOR_THINKING, {"message": "Reading the question.", "iteration": 1}),
    (
        EventType.SUPERVISOR_DECIDED,
        {"action": "answer", "message": "Greet.", "reasoning": "Hi.", "iteration": 1},
    ),
    chunk("Good "),
    chunk("morning."),
    DONE,
)
LONG: tuple[Step, ...] = (chunk("a"), 20.0, chunk("b"), DONE)


class OnesOwn:
    """Keeps templates while the test runs."""

    def __init__(self) -> None:
        self._templates: dict[tuple[str, str], WorkflowTemplate] = {}

    async def of(self, person: str) -> tuple[WorkflowTemplate, ...]:
        return tuple(one for (owner, _), one in self._templates.items() if owner == person)

    async def keep(self, person: str, template: WorkflowTemplate, statements: Sequence[str]) -> None:
        self._templates[person, template.name] = template

    async def drop(self, person: str, name: str) -> bool:
        return self._templates.pop((person, name), None) is not None


class ScriptedChat:
    """Plays the script of a message; a message without one fails the test."""

    def __init__(self, scripts: dict[str, Sequence[Step]]) -> None:
        self._scripts = scripts
        self._waiting: dict[str, asyncio.Future[ElicitationResponse]] = {}
        self._history = MemoryChatHistory()
        self._kept = OnesOwn()
        self.asked: list[ChatRequest] = []
        self.working: set[str] = set()
        self.most_working = 0
        self.closed: list[str] = []
        self.stopped = threading.Event()

    async def events(self, request: ChatRequest, stop: threading.Event | None = None) -> AsyncGenerator[Event, None]:
        conversation = request.conversation_id or "none"
        self.asked.append(request)
        self.working.add(conversation)
        self.most_working = max(self.most_working, len(self.working))
        kept = EventsOfAnswer(max_content_kb=64)
        try:
            for step in self._scripts[request.message]:
                event = await self._played(step)
                if event is not None:
                    kept.take(event)
                    yield event
        except GeneratorExit:
            self.stopped.set()
            raise
        except asyncio.CancelledError:
            self.stopped.set()
            raise
        finally:
            self.working.discard(conversation)
            self.closed.append(request.message)
            said = ChatMessage(role="user", content=request.message)
            await self._history.add(conversation, [said, kept.message("own")])

    async def _played(self, step: Step) -> Event | None:
        if isinstance(step, float):
            await asyncio.sleep(step)
            return None
        if isinstance(step, Exception):
            raise step
        if isinstance(step, str):
            self._waiting[step] = asyncio.get_running_loop().create_future()
            response = await self._waiting[step]
            return Event(type=EventType.RESPONSE_CHUNK, request_id="own", data={"content": f"{response.content}"})
        return Event(type=step[0], request_id="own", data=step[1])

    async def respond(self, request_id_of_clarify: str, response: ElicitationResponse) -> bool:
        waiting = self._waiting.pop(request_id_of_clarify, None)
        if waiting is None:
            return False
        waiting.set_result(response)
        return True

    async def history(self, conversation_id: str) -> list[ChatMessage]:
        return await self._history.messages(conversation_id)

    async def whys_withheld(self, conversation_id: str, told: Sequence[Sequence[Mapping[str, Any]]]) -> list[str]:
        return [""] * len(told)

    @property
    def templates(self) -> ChatTemplates:
        return ChatTemplates((), self._history, Bank, self._kept)

    async def tools(self) -> list[ToolListing]:
        return [
            ToolListing(name="sql", description="Looks at the figures."),
            ToolListing(name="rag_search", description="Searches notes.", server_id="documents", healthy=False),
        ]
