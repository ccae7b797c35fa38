"""What one request sees of the servers: its own view on connections that all share, with its own callbacks."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from ai_engine.tools import (
    ServerHealth,
    ToolCallbacks,
    ToolNotFound,
    ToolRequest,
    ToolResult,
    ToolResultStatus,
    ToolSchema,
    ToolSummary,
)
from backend.mcp.client.calling import Call, perform
from backend.mcp.client.connections import Closing, Connections
from backend.mcp.client.elicitation import Asking
from backend.mcp.client.faults import CallFault
from backend.mcp.client.listing import KnownTool
from backend.mcp.client.telling import Caller

_NO_CALLBACKS = ToolCallbacks()


class RequestTools:
    """What one request sees, see `Tools`: a name means the same tool from when the request first read it."""

    def __init__(self, connections: Connections, callbacks: ToolCallbacks | None = None) -> None:
        """Bind to a request.

        Args:
            connections: shared by all.
            callbacks: for calls that bring none of their own.
        """
        self._connections = connections
        self._callbacks = callbacks or _NO_CALLBACKS
        self._seen: dict[str, KnownTool] = {}  # touched in the thread of the connections only

    async def summaries(self) -> Sequence[ToolSummary]:
        """See `Tools`."""
        try:
            return await self._connections.run(self._summaries())
        except Closing:
            return []

    async def schema(self, tool_name: str) -> ToolSchema:
        """See `Tools`."""
        try:
            return await self._connections.run(self._schema(tool_name))
        except Closing:
            raise ToolNotFound("the app is closing") from None

    async def call(
        self,
        tool_name: str,
        arguments: Mapping[str, Any],
        callbacks: ToolCallbacks | None = None,
        *,
        stop: threading.Event | None = None,
    ) -> ToolResult:
        """See `Tools`."""
        caller = Caller(callbacks or self._callbacks, asyncio.get_running_loop())
        try:
            return await self._connections.run(self._call(tool_name, arguments, caller, stop))
        except Closing:
            return ToolResult(tool_name=tool_name, status=ToolResultStatus.CANCELLED, error="the app is closing")

    async def call_parallel(
        self,
        calls: Sequence[ToolRequest],
        callbacks: ToolCallbacks | None = None,
        *,
        stop: threading.Event | None = None,
    ) -> list[ToolResult]:
        """See `Tools`."""
        making = (self.call(call.tool_name, call.arguments, callbacks, stop=stop) for call in calls)
        return list(await asyncio.gather(*making))

    def health(self) -> Sequence[ServerHealth]:
        """See `Tools`."""
        return self._connections.health()

    async def _summaries(self) -> list[ToolSummary]:
        registry = self._connections.registry
        await self._connections.refresh()
        summaries = registry.summaries()
        names = registry.names()
        self._seen |= {summary.name: names[summary.name] for summary in summaries}
        return summaries

    async def _schema(self, tool_name: str) -> ToolSchema:
        registry = self._connections.registry
        await self._connections.refresh()
        tool = self._find(tool_name, look_again=True)
        schema = registry.schema(tool)
        if schema is None:
            try:
                async with registry.link(tool.server_id).session() as session:
                    registry.learn(tool.server_id, await session.tools(), tool.name)
            except CallFault as fault:
                registry.note(tool.server_id, str(fault))
                raise ToolNotFound(f"the server {tool.server_id} does not tell of it: {fault}") from None
            tool = self._find(tool_name, look_again=True)
            schema = registry.schema(tool)
        if schema is None:
            raise ToolNotFound(f"the server {tool.server_id} does not offer it any more")
        return schema.model_copy(update={"name": tool_name})

    async def _call(
        self, tool_name: str, arguments: Mapping[str, Any], caller: Caller, stop: threading.Event | None
    ) -> ToolResult:
        connections = self._connections
        await connections.refresh()
        try:
            tool = self._find(tool_name)
        except ToolNotFound as fault:
            error = str(fault.args[0])
            caller.tool_name = tool_name
            await caller.error(error, "validation")
            return ToolResult(tool_name=tool_name, status=ToolResultStatus.ERROR, error=error)
        caller.server_id, caller.tool_name = tool.server_id, tool_name
        call = Call(tool_name, tool, arguments, caller, Asking(caller, connections.limits), stop)
        result = await perform(call, connections.registry, connections.limits)
        if call.is_stale:
            self._seen.pop(tool_name, None)
        return result

    def _find(self, tool_name: str, *, look_again: bool = False) -> KnownTool:
        """Return what the name means to this request; looking again takes the tool as it is now."""
        registry = self._connections.registry
        seen = self._seen.get(tool_name)
        if seen is None:
            found = registry.find(tool_name)
        elif look_again:
            found = registry.find(f"{seen.server_id}.{seen.name}")
        else:
            return seen
        self._seen[tool_name] = found
        return found
