"""Tools of servers that do as told: small, real, and asked nothing that is not scripted."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeAlias

from ai_engine.tools import (
    ElicitationRequest,
    ServerHealth,
    ToolCallbacks,
    ToolContent,
    ToolNotFound,
    ToolRequest,
    ToolResult,
    ToolResultStatus,
    Tools,
    ToolSchema,
    ToolSummary,
)

Work: TypeAlias = Callable[[Mapping[str, Any], ToolCallbacks], Awaitable[ToolResult]]


def gives(structured: dict[str, Any] | None = None, text: str = "") -> Work:
    """Succeed with this."""

    async def work(arguments: Mapping[str, Any], callbacks: ToolCallbacks) -> ToolResult:
        contents = [ToolContent.text(text)] if text else []
        return ToolResult(tool_name="", status=ToolResultStatus.SUCCESS, contents=contents, structured=structured)

    return work


def fails(error: str, status: ToolResultStatus = ToolResultStatus.ERROR) -> Work:
    """Fail like this."""

    async def work(arguments: Mapping[str, Any], callbacks: ToolCallbacks) -> ToolResult:
        return ToolResult(tool_name="", status=status, error=error)

    return work


def in_turn(*works: Work) -> Work:
    """Do one after the other, call by call."""
    left = list(works)

    async def work(arguments: Mapping[str, Any], callbacks: ToolCallbacks) -> ToolResult:
        return await left.pop(0)(arguments, callbacks)

    return work


async def asks(arguments: Mapping[str, Any], callbacks: ToolCallbacks) -> ToolResult:
    """Tell half of it, show a note, ask the person, and give back what was said."""
    assert callbacks.on_progress
    assert callbacks.on_content
    await callbacks.on_progress("server", "tool", 0.5, "half of it")
    note = ToolContent.text("a note")
    await callbacks.on_content("server", "tool", note)
    said = "nobody is there"
    if callbacks.on_elicitation:
        said = (await callbacks.on_elicitation("server", "tool", ElicitationRequest("Which year?"))).action
    items = [{"title": "said", "url": "https://example.org", "snippet": said}]
    return ToolResult(tool_name="", status=ToolResultStatus.SUCCESS, contents=[note], structured={"results": items})


async def hangs(arguments: Mapping[str, Any], callbacks: ToolCallbacks) -> ToolResult:
    """Never answer."""
    await asyncio.sleep(60)
    raise AssertionError


class ScriptedTools(Tools):
    """Tools by name, `server.tool` where two servers have it; `schemas` has what they take."""

    def __init__(self, works: Mapping[str, Work], schemas: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        self.works = works
        self._schemas = schemas or {}
        self.called: list[tuple[str, dict[str, Any]]] = []

    async def summaries(self) -> Sequence[ToolSummary]:
        return [
            ToolSummary(name=name, description=name, server_id=name.rpartition(".")[0] or "server", read_only=True)
            for name in self.works
        ]

    async def schema(self, tool_name: str) -> ToolSchema:
        if tool_name not in self.works:
            raise ToolNotFound(tool_name)
        taken = {"type": "object", "properties": dict(self._schemas.get(tool_name, {}))}
        return ToolSchema(name=tool_name, description=tool_name, server_id="server", input_schema=taken)

    async def call(
        self,
        tool_name: str,
        arguments: Mapping[str, Any],
        callbacks: ToolCallbacks | None = None,
        *,
        stop: threading.Event | None = None,
    ) -> ToolResult:
        self.called.append((tool_name, dict(arguments)))
        made = await self.works[tool_name](arguments, callbacks or ToolCallbacks())
        return made.model_copy(update={"tool_name": tool_name})

    async def call_parallel(
        self,
        calls: Sequence[ToolRequest],
        callbacks: ToolCallbacks | None = None,
        *,
        stop: threading.Event | None = None,
    ) -> list[ToolResult]:
        made = (self.call(one.tool_name, one.arguments, callbacks, stop=stop) for one in calls)
        return list(await asyncio.gather(*made))

    def health(self) -> Sequence[ServerHealth]:
        return []
