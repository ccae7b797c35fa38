"""What happens while a chat request is answered, under the names that clients see, and how it is passed on."""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Any, Protocol, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

_log = logging.getLogger(__name__)


class EventType(StrEnum):
    """Names of events on the wire; those of `MCP_` stay inside and reach a client as the `TOOL_` one beside them."""

    SUPERVISOR_THINKING = "supervisor.thinking"
    SUPERVISOR_DECIDED = "supervisor.decided"
    TOOL_START = "tool.start"
    TOOL_PROGRESS = "tool.progress"
    TOOL_CONTENT = "tool.content"
    TOOL_COMPLETE = "tool.complete"
    TOOL_ERROR = "tool.error"
    MCP_PROGRESS = "mcp.progress"
    MCP_CONTENT = "mcp.content"
    MCP_ELICITATION = "mcp.elicitation"
    MCP_ERROR = "mcp.error"
    WORKFLOW_CREATED = "workflow.created"
    WORKFLOW_STEP_START = "workflow.step.start"
    WORKFLOW_STEP_COMPLETE = "workflow.step.complete"
    WORKFLOW_COMPLETE = "workflow.complete"
    RESPONSE_CHUNK = "response.chunk"
    RESPONSE_DONE = "response.done"
    CLARIFY_REQUEST = "clarify.request"
    ERROR = "error"


class Event(BaseModel):
    """One thing that happened in one request.

    Attributes:
        type: what kind of thing.
        request_id: the request in which it happened.
        data: the fields of its kind, JSON values only: `tool`, `message`, `progress`, `content` ...
        made_at: when.
    """

    model_config = ConfigDict(frozen=True)

    type: EventType
    request_id: str
    data: dict[str, Any] = Field(default_factory=dict)
    made_at: datetime = Field(default_factory=lambda: datetime.now(UTC))

    def on_the_wire(self) -> dict[str, Any]:
        """Return what a client is sent: the type beside the fields."""
        return {"type": self.type.value, **self.data}


EventHandler: TypeAlias = Callable[[Event], None]
"""Takes an event in the thread that publishes it; quick, and never raises."""


class EventBus(Protocol):
    """Passes events to whoever subscribed; safe to use from any thread."""

    def publish(self, event: Event) -> None:
        """Tell all subscribers of this type, in the order in which events are published."""
        ...

    def subscribe(self, pattern: str, handler: EventHandler, *, request_id: str | None = None) -> str:
        """Have `handler` told of types that match ("tool.*"), of one request or of all; returns the subscription."""
        ...

    def unsubscribe(self, subscription: str) -> bool:
        """End a subscription; False when there was none."""
        ...


class MemoryEventBus:
    """The bus of one process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._handlers: dict[str, tuple[str, str | None, EventHandler]] = {}

    def publish(self, event: Event) -> None:
        """Tell all subscribers; one that raises is logged and keeps nobody else from being told."""
        with self._lock:
            wanted = [
                handler
                for pattern, request_id, handler in self._handlers.values()
                if request_id in {None, event.request_id} and fnmatchcase(event.type.value, pattern)
            ]
        for handler in wanted:
            try:
                handler(event)
            except Exception:  # noqa: BLE001 - a subscriber's fault is not the publisher's
                _log.exception("a subscriber of %s failed", event.type.value)

    def subscribe(self, pattern: str, handler: EventHandler, *, request_id: str | None = None) -> str:
        """Have `handler` told from now on."""
        subscription = uuid.uuid4().hex
        with self._lock:
            self._handlers[subscription] = (pattern, request_id, handler)
        return subscription

    def unsubscribe(self, subscription: str) -> bool:
        """End a subscription; False when there was none."""
        with self._lock:
            return self._handlers.pop(subscription, None) is not None
