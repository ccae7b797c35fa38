"""`chat`: a conversation in the terminal, or a file of messages."""

from __future__ import annotations

import argparse
import asyncio
import sys
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any

from ai_engine.chat_history import EventsOfAnswer, MemoryChatHistory
from ai_engine.errors import AssistantError
from ai_engine.events import Event, EventType
from ai_engine.json_values import JsonValue, any_to_json
from ai_engine.tools import ElicitationResponse
from backend.chat.door import Chat, ChatRequest
from backend.chat.elicitation import asker_of
from backend.chat.opening import open_chat
from backend.chat.thread import ChatThread
from backend.command_line.json_lines import InputLine, read_lines, write_lines
from backend.command_line.opening import opened_assistant, settings_of
from backend.command_line.plain_text import cleaned
from backend.command_line.statuses import ANSWERED, NOT_ANSWERED
from backend.mcp.client import open_tools
from backend.orchestration import Orchestrator, SharedOutside
from backend.store import SqlChatHistory, open_store

_PROMPT = "> "
_SUCCEEDED = {"answered", "partial", "clarify"}


def run(arguments: argparse.Namespace) -> int:
    """Answer one message, whatever is typed, or the batch."""
    with found_by(arguments) as found, closing(open_tools(found.assistant.settings)) as servers:
        if arguments.batch is not None:
            chat = open_chat(found, MemoryChatHistory(), tools=servers.enabled())
            lines = read_lines(arguments.batch)
            write_lines(arguments.out, asyncio.run(_run_batch(chat, lines, arguments.jobs)))
            return ANSWERED
        with closing(open_store(found.assistant.settings)) as store, closing(SqlChatHistory(store)) as history:
            chat = open_chat(found, history, tools=servers.enabled(), store=lambda: store)
            thread = ChatThread(found.assistant.settings, lambda: chat, lambda: store)
            try:
                conversation = arguments.conversation or uuid.uuid4().hex
                typed = iter([arguments.text]) if arguments.text is not None else _typed()
                statuses = [Talk(thread, conversation).say(message) for message in typed]
            finally:
                asyncio.run(thread.close())
    return ANSWERED if all(status in _SUCCEEDED for status in statuses) else NOT_ANSWERED


@contextmanager
def found_by(arguments: argparse.Namespace) -> Iterator[Orchestrator]:
    """Open what the flags describe, for the chat."""
    settings = settings_of(arguments)
    with opened_assistant(arguments) as assistant, closing(SharedOutside(lambda: settings)) as outside:
        yield Orchestrator(assistant, outside.get())


def _typed() -> Iterator[str]:
    """Yield what a person types until the end of the input; empty lines are passed over."""
    while True:
        sys.stdout.write(_PROMPT if sys.stdin.isatty() else "")
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            return
        if line.strip():
            yield line.strip()


class Talk:
    """One conversation, written as it happens: steps on standard error, answers on standard output."""

    def __init__(self, thread: ChatThread, conversation_id: str) -> None:
        self._thread = thread
        self._conversation_id = conversation_id

    def say(self, message: str) -> str:
        """Have one message answered, and return how that ended."""
        try:
            request = ChatRequest(conversation_id=self._conversation_id, message=message)
            request_id = self._thread.start(request)
            status = "stopped"
            for event in self._thread.follow(request_id):
                if event is not None:
                    self._show(event)
                    status = str(event.get("status")) if event["type"] == "response.done" else status
        except AssistantError as fault:
            sys.stderr.write(f"error: {cleaned(fault.user_message)}\n")
            return "failed"
        return status

    def _show(self, event: Mapping[str, Any]) -> None:
        kind = str(event["type"])
        if kind == "response.chunk":
            sys.stdout.write(cleaned(str(event["content"]), keep_lines=True))
            sys.stdout.flush()
        elif kind == "response.done":
            sys.stdout.write("\n" + "".join(f"! {cleaned(str(one))}\n" for one in event.get("missing") or ()))
            sys.stdout.flush()
        elif kind == "clarify.request" and event.get("id"):
            self._ask(event)
        elif line := step_line(event):
            sys.stderr.write(f"  {cleaned(line)}\n")
            sys.stderr.flush()

    def _ask(self, event: Mapping[str, Any]) -> None:
        """Ask the person for each field; the end of the input declines."""
        names = list((event.get("schema") or {}).get("properties") or {"answer": {}})
        sys.stdout.write(f"{cleaned(asker_of(event))}\n{cleaned(str(event.get('question', '')))}\n".lstrip("\n"))
        content: dict[str, str] = {}
        for name in names:
            sys.stdout.write(f"{cleaned(name)}: ")
            sys.stdout.flush()
            line = sys.stdin.readline()
            if not line:
                break
            content[name] = line.strip()
        whole = len(content) == len(names)
        response = ElicitationResponse("accept", content) if whole else ElicitationResponse("decline")
        self._thread.respond(self._conversation_id, str(event["id"]), response)


def step_line(event: Mapping[str, Any]) -> str:
    """Say in a line what an event tells; empty for what is shown otherwise."""
    kind, said = str(event["type"]), str(event.get("message") or "")
    tool = str(event.get("tool") or "")
    lines = {
        "supervisor.thinking": said,
        "supervisor.decided": f"{event.get('action')}: {said} {event.get('reasoning') or ''}".strip(),
        "tool.start": f"{tool} ... {said}",
        "tool.progress": f"{tool} ... {_percent(event.get('progress'))} {said}",
        "tool.complete": f"{tool}: done",
        "tool.error": f"{tool}: {said}",
        "workflow.created": f"{event.get('steps')} steps: {event.get('goal')}",
        "workflow.step.start": f"step {event.get('id')}: {event.get('name')} ...",
        "workflow.step.complete": f"step {event.get('id')}: {event.get('status')}",
        "error": f"error: {said}",
    }
    return lines.get(kind, "")


async def _run_batch(chat: Chat, lines: Sequence[InputLine], jobs: int) -> list[dict[str, JsonValue]]:
    """Answer all lines, those of one conversation in order, `jobs` conversations at a time."""
    conversations: dict[str, list[int]] = {}
    for place, line in enumerate(lines):
        named = line.fields.get("conversation")
        conversations.setdefault(f"line {place}" if named is None else f"named {named}", []).append(place)
    free = asyncio.Semaphore(jobs)
    written: dict[int, dict[str, JsonValue]] = {}

    async def talk(conversation_id: str, places: Sequence[int]) -> None:
        async with free:
            for place in places:
                written[place] = await _line(chat, lines[place], conversation_id)

    await asyncio.gather(*(talk(name, places) for name, places in conversations.items()))
    return [written[place] for place in range(len(lines))]


async def _line(chat: Chat, line: InputLine, conversation_id: str) -> dict[str, JsonValue]:
    """Answer one line; whatever goes wrong stays with it."""
    events: list[Event] = []
    try:
        given = line.fields.get("context") or {}
        request = ChatRequest(conversation_id=conversation_id, message=line.text("message"), context=given)
        events = [event async for event in chat.events(request)]
    except AssistantError as fault:
        events = _failed(fault.user_message, fault)
    except Exception as fault:  # noqa: BLE001 - one line never ends the batch
        events = _failed(AssistantError.user_message, fault)
    fold = EventsOfAnswer(max_content_kb=0)
    for event in events:
        fold.take(event)
    answer = fold.message("")
    fields = {
        "id": line.fields.get("id"),
        "action": answer.action,
        "tools": list(answer.tools),
        "answer": answer.content,
        "citations": list(answer.citations),
        "status": answer.status,
        "events": [event.on_the_wire() for event in events if event.type is not EventType.RESPONSE_CHUNK],
    }
    made = any_to_json(fields)
    assert isinstance(made, dict), "it is an object"  # noqa: S101
    return made


def _failed(message: str, fault: Exception) -> list[Event]:
    told = {"message": message, "error_type": type(fault).__name__}
    done = {"status": "failed", "action": "", "tools": [], "citations": [], "missing": []}
    return [
        Event(type=EventType.ERROR, request_id="", data=told),
        Event(type=EventType.RESPONSE_DONE, request_id="", data=done),
    ]


def _percent(progress: object) -> str:
    return f"{progress:.0%}" if isinstance(progress, (int, float)) else ""
