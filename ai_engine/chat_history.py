"""What was said in a conversation and what came of it: the messages, and a port to where they are kept."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from ai_engine.events import Event, EventType

_OF_DECISIONS = ("action", "message", "reasoning", "leans", "offers")


class ChatMessage(BaseModel):
    """One message; an answer bears what its events came to.

    Attributes:
        content: Markdown.
        request_id: the request that it began or ended.
        status: of `response.done`; empty on a person's message, as all below.
        action: what the supervisor did: "answer", "call_tool", "workflow" or "clarify".
        tools: which ran, in order, none twice.
        citations: documents with their paragraphs, as `response.done` has them.
        contents: the data of each `tool.content`; what was too large to keep says so in place of its data, and names
            its statement still.
        missing: what was asked and could not be done.
        decisions: of the supervisor, in order: `action`, `message`, `reasoning`, whether it `leans` on what an answer
            before found or `offers` values of the data, and a mark of what was `closed` then.
        workflow: the last that ran: the fields of `workflow.created`, and under `states` how each step ended
            (`status`, `message`) by its id; None where none ran.
        is_withheld: what it found is not shown any more, and `content` says why.
    """

    model_config = ConfigDict(frozen=True)

    role: Literal["user", "assistant"]
    content: str
    request_id: str = ""
    status: str = ""
    action: str = ""
    tools: tuple[str, ...] = ()
    citations: tuple[dict[str, Any], ...] = ()
    contents: tuple[dict[str, Any], ...] = ()
    missing: tuple[str, ...] = ()
    decisions: tuple[dict[str, Any], ...] = ()
    workflow: dict[str, Any] | None = None
    made_at: datetime = Field(default_factory=lambda: datetime.now(UTC))
    is_withheld: bool = Field(default=False, exclude=True)


def statement_of(content: Mapping[str, Any]) -> str | None:
    """Return the statement on the bank's own database that a `tool.content` comes from; None where there is none."""
    widget = content.get("data")
    table = widget.get("data") if isinstance(widget, dict) else None
    if not isinstance(table, dict) or not table.get("sql"):
        return (content.get("metadata") or {}).get("sql")
    return None if table.get("server") else str(table["sql"])


class RunningSummary(BaseModel):
    """What the first messages of a conversation came to, for as many as have left the window.

    Attributes:
        closed: a mark of what was closed when it was made; empty where nobody noted that.
    """

    model_config = ConfigDict(frozen=True)

    text: str = ""
    messages: int = 0
    closed: str = ""


class ChatHistory(Protocol):
    """Where conversations are kept; safe to use from any loop and thread."""

    async def add(self, conversation_id: str, messages: Sequence[ChatMessage]) -> None:
        """Keep messages behind those that are there, all of them or none.

        Raises:
            BadQuestion: the id is too long.
            StoreUnavailable: they could not be kept; so do all methods.
        """
        ...

    async def messages(self, conversation_id: str, last: int | None = None) -> list[ChatMessage]:
        """Return all messages, or the last so many, the oldest first."""
        ...

    async def summary(self, conversation_id: str) -> RunningSummary:
        """Return the running summary; an empty one where there is none."""
        ...

    async def keep_summary(self, conversation_id: str, summary: RunningSummary) -> None:
        """Put a newer summary in the place of the older; one that covers fewer messages is dropped."""
        ...


class MemoryChatHistory:
    """A history that ends with its process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._messages: dict[str, list[ChatMessage]] = {}
        self._summaries: dict[str, RunningSummary] = {}

    async def add(self, conversation_id: str, messages: Sequence[ChatMessage]) -> None:
        """See ChatHistory."""
        with self._lock:
            self._messages.setdefault(conversation_id, []).extend(messages)

    async def messages(self, conversation_id: str, last: int | None = None) -> list[ChatMessage]:
        """See ChatHistory."""
        with self._lock:
            found = list(self._messages.get(conversation_id, ()))
        return found if last is None else found[len(found) - min(last, len(found)) :]

    async def summary(self, conversation_id: str) -> RunningSummary:
        """See ChatHistory."""
        with self._lock:
            return self._summaries.get(conversation_id, RunningSummary())

    async def keep_summary(self, conversation_id: str, summary: RunningSummary) -> None:
        """See ChatHistory."""
        with self._lock:
            if summary.messages >= self._summaries.get(conversation_id, RunningSummary()).messages:
                self._summaries[conversation_id] = summary


class EventsOfAnswer:
    """Folds the events of one request into the message that is kept of it.

    Args:
        max_content_kb: of all contents and the workflow together; what is beyond is named without its data.
    """

    def __init__(self, max_content_kb: int) -> None:
        self._left_bytes = max_content_kb * 1024
        self._chunks: list[str] = []
        self._decisions: list[dict[str, Any]] = []
        self._workflow: dict[str, Any] | None = None
        self._tools: dict[str, None] = {}
        self._contents: list[dict[str, Any]] = []
        self._question = ""
        self._fault = ""
        self._done: Mapping[str, Any] = {}

    def take(self, event: Event) -> None:
        """Note one event."""
        data = event.data
        match event.type:
            case EventType.SUPERVISOR_DECIDED:
                self._decisions.append({name: data[name] for name in _OF_DECISIONS if name in data})
            case EventType.TOOL_START:
                self._tools[str(data.get("tool", ""))] = None
            case EventType.TOOL_CONTENT:
                self._contents.append(self._kept(data))
            case EventType.WORKFLOW_CREATED:
                self._workflow = {**data, "states": {}} if self._has_room(data) else None
            case EventType.WORKFLOW_STEP_COMPLETE if self._workflow is not None:
                told = {name: data[name] for name in ("status", "message") if name in data}
                self._workflow["states"][str(data.get("id", ""))] = told
            case EventType.RESPONSE_CHUNK:
                self._chunks.append(str(data.get("content", "")))
            case EventType.CLARIFY_REQUEST:
                self._question = str(data.get("question", ""))
            case EventType.ERROR:
                self._fault = str(data.get("message", ""))
            case EventType.RESPONSE_DONE:
                self._done = data
            case _:
                pass

    def message(self, request_id: str) -> ChatMessage:
        """Return the answer as far as it came; what `response.done` says goes before what was counted."""
        done = self._done
        return ChatMessage(
            role="assistant",
            content="".join(self._chunks) or self._question or self._fault,
            request_id=request_id,
            status=str(done.get("status") or "stopped"),
            action=str(done.get("action") or (self._decisions[-1].get("action", "") if self._decisions else "")),
            tools=tuple(done.get("tools") or self._tools),
            citations=tuple(done.get("citations") or ()),
            contents=tuple(self._contents),
            missing=tuple(done.get("missing") or ()),
            decisions=tuple(self._decisions),
            workflow=self._workflow,
        )

    def _kept(self, data: Mapping[str, Any]) -> dict[str, Any]:
        if self._has_room(data):
            return {key: value for key, value in data.items() if key != "call_id"}
        told = {key: data[key] for key in ("tool", "content_type") if key in data}
        sql = statement_of(data)
        known = {"not_kept_kb": len(json.dumps(data)) // 1024 + 1} | ({"sql": sql} if sql else {})
        return {**told, "data": None, "metadata": known}

    def _has_room(self, data: Mapping[str, Any]) -> bool:
        """Take the room for some data, where there is enough."""
        size_bytes = len(json.dumps(data))
        if size_bytes > self._left_bytes:
            return False
        self._left_bytes -= size_bytes
        return True
