"""Tools as an operator calls them: what happens in a call is told as events of the operator's own."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from ai_engine.agent import in_thread
from ai_engine.events import EventType
from ai_engine.operators.call_events import CallEvents, content_fields
from ai_engine.operators.outgoing import Door, MayNotLeave, refusal, texts_of
from ai_engine.operators.tool_results import structured_of
from ai_engine.tools import (
    ElicitationRequest,
    ElicitationResponse,
    ErrorKind,
    ServerHealth,
    ToolCallbacks,
    ToolContent,
    ToolRequest,
    ToolResult,
    Tools,
    ToolSchema,
    ToolSummary,
)

Elicit: TypeAlias = Callable[[str, str, ElicitationRequest], Awaitable[ElicitationResponse]]
"""Puts a question of a server's tool to the person and waits for the response."""


class ToldTools(Tools):
    """The tools of a request during one try of one operator; ends with the try, whatever `stop` a call is given.

    Where there is a door, whatever is sent passes it. What a server said itself in this try may be said to it again:
    nobody who decides knew of it when the try began.
    """

    def __init__(
        self, tools: Tools, events: CallEvents, stop: threading.Event, elicit: Elicit | None, door: Door | None = None
    ) -> None:
        self._tools = tools
        self._events = events
        self._stop = stop
        self._elicit = elicit
        self._door = door
        self._said: defaultdict[str, set[str]] = defaultdict(set)

    async def summaries(self) -> Sequence[ToolSummary]:
        """List all tools."""
        return await self._tools.summaries()

    async def schema(self, tool_name: str) -> ToolSchema:
        """Return a tool's schemas."""
        return await self._tools.schema(tool_name)

    async def call(
        self,
        tool_name: str,
        arguments: Mapping[str, Any],
        callbacks: ToolCallbacks | None = None,
        *,
        stop: threading.Event | None = None,
    ) -> ToolResult:
        """Call one tool; its progress and its content are told, and its questions reach the person.

        Raises:
            OperatorFailed: the arguments may not leave.
        """
        await self._check([ToolRequest(tool_name, arguments)])
        made = await self._tools.call(tool_name, arguments, self._telling(callbacks), stop=stop or self._stop)
        await self._remember([tool_name], [made])
        return made

    async def call_parallel(
        self,
        calls: Sequence[ToolRequest],
        callbacks: ToolCallbacks | None = None,
        *,
        stop: threading.Event | None = None,
    ) -> list[ToolResult]:
        """Call several beside each other; where one may not leave, none is made.

        Raises:
            OperatorFailed: as `call`.
        """
        await self._check(calls)
        made = await self._tools.call_parallel(calls, self._telling(callbacks), stop=stop or self._stop)
        await self._remember([one.tool_name for one in calls], made)
        return made

    def health(self) -> Sequence[ServerHealth]:
        """Tell how the servers were last seen."""
        return self._tools.health()

    async def _check(self, calls: Iterable[ToolRequest]) -> None:
        if self._door is None:
            return
        servers = await self._servers()
        for one in calls:
            server = servers.get(one.tool_name, "")
            try:
                await in_thread(self._door.check, one.arguments, self._said[server])
            except MayNotLeave:
                raise refusal(server) from None

    async def _remember(self, names: Sequence[str], made: Sequence[ToolResult]) -> None:
        if self._door is None:
            return
        servers = await self._servers()
        for name, result in zip(names, made, strict=True):
            self._said[servers.get(name, "")].update(texts_of(structured_of(result)))

    async def _servers(self) -> Mapping[str, str]:
        return {one.name: one.server_id for one in await self._tools.summaries()}

    def _telling(self, own: ToolCallbacks | None) -> ToolCallbacks:
        """Callbacks that tell events; an operator that listens itself does so instead."""
        own = own or ToolCallbacks()
        return replace(
            own,
            on_progress=own.on_progress or self._on_progress,
            on_content=own.on_content or self._on_content,
            on_elicitation=own.on_elicitation or self._asking(),
            on_error=own.on_error or self._on_error,
        )

    def _asking(self) -> Elicit | None:
        elicit = self._elicit
        if elicit is None:
            return None

        async def ask(server_id: str, tool: str, request: ElicitationRequest) -> ElicitationResponse:
            self._events.tell(EventType.MCP_ELICITATION, server=server_id)
            return await elicit(server_id, tool, request)

        return ask

    async def _on_progress(self, server_id: str, tool: str, progress: float | None, message: str) -> None:  # noqa: ARG002
        self._events.tell(EventType.MCP_PROGRESS, progress=progress, message=message, server=server_id)

    async def _on_content(self, server_id: str, tool: str, content: ToolContent) -> None:  # noqa: ARG002
        self._events.tell(EventType.MCP_CONTENT, **content_fields(content), server=server_id)

    async def _on_error(self, server_id: str, tool: str, error: str, kind: ErrorKind) -> None:  # noqa: ARG002
        self._events.tell(EventType.MCP_ERROR, error=error, error_type=kind, server=server_id)
