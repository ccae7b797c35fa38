"""One call from beginning to end: looked up, checked, tried again where that is safe, and told as a result."""

from __future__ import annotations

import asyncio
import json
import random
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mcp_types import CallToolResult

from ai_engine.tools import ContentType, ToolContent, ToolResult, ToolResultStatus
from backend.mcp.client.checks import CheckFailed, check_value
from backend.mcp.client.cleaning import clean_line
from backend.mcp.client.contents import contents_of, left_out, structured_of
from backend.mcp.client.elicitation import Asking
from backend.mcp.client.faults import CallFault
from backend.mcp.client.limits import ClientLimits
from backend.mcp.client.listing import KnownTool, ListedTool
from backend.mcp.client.registry import Registry
from backend.mcp.client.sessions import Session
from backend.mcp.client.telling import Caller

_POLL_S = 0.05
_MAX_DELAY_S = 10.0
_FAREWELL_S = 5.0
_MAX_MESSAGE_CHARS = 300


@dataclass
class Call:
    """One call of one tool.

    Attributes:
        shown_name: as it was called.
        tool: which one that is, as it was when the caller looked at it.
        stop: the caller's.
        is_stale: the tool turned out to be another than that.
    """

    shown_name: str
    tool: KnownTool
    arguments: Mapping[str, Any]
    caller: Caller
    asking: Asking
    stop: threading.Event | None = None
    session: Session | None = None
    is_stale: bool = False

    @property
    def is_stopped(self) -> bool:
        """Whether nobody waits for it any more."""
        return self.stop is not None and self.stop.is_set()


async def perform(call: Call, registry: Registry, limits: ClientLimits) -> ToolResult:
    """Make the call within its time; every failure is a result that says so."""
    started = time.monotonic()
    work = asyncio.create_task(_attempts(call, registry, limits))
    status = ToolResultStatus.ERROR
    contents: list[ToolContent] = []
    structured = error = None
    try:
        await _watched(work, call, started, limits)
        reply, output_schema = work.result()
        status, contents, structured, error = await _read(reply, output_schema, call, limits)
    except CallFault as fault:
        status = ToolResultStatus.TIMEOUT if fault.kind == "timeout" else ToolResultStatus.ERROR
        error = str(fault)
        if call.is_stopped:
            status, error = ToolResultStatus.CANCELLED, "stopped on request"
        else:
            await call.caller.error(error, fault.kind)
    return ToolResult(
        tool_name=call.shown_name,
        status=status,
        contents=contents,
        structured=structured,
        error=error,
        duration_ms=(time.monotonic() - started) * 1_000,
        metadata={"server": call.tool.server_id},
    )


async def _watched(work: asyncio.Task[Any], call: Call, started: float, limits: ClientLimits) -> None:
    """Wait for the work; end it when it is stopped, late, or its reply is not read any further.

    Raises:
        CallFault: why it was ended.
    """
    ending: CallFault | None = None
    try:
        while not work.done():
            await asyncio.wait({work}, timeout=_POLL_S)
            late = time.monotonic() - started - call.asking.waited_s > limits.call_timeout_s
            if work.done():
                break
            if call.is_stopped:
                ending = CallFault("execution", "stopped on request")
            elif late:
                ending = CallFault("timeout", f"the tool gave no result within {limits.call_timeout_s:g} s")
            elif call.session is not None and call.session.wire.refused is not None:
                ending = CallFault("connection", call.session.wire.refused, server=True)
            if ending is not None:
                raise ending
    finally:
        if not work.done():
            work.cancel()
            await asyncio.wait({work}, timeout=_FAREWELL_S)


async def _attempts(
    call: Call, registry: Registry, limits: ClientLimits
) -> tuple[CallToolResult, dict[str, Any] | None]:
    """Try, and again after a passing fault where the server cannot have begun or says that twice is like once."""
    for attempt in range(1, limits.attempts + 1):
        try:
            return await _attempt(call, registry)
        except CallFault as fault:
            if fault.server:
                registry.note(call.tool.server_id, str(fault))
            safe = fault.unsent or call.tool.idempotent
            if attempt == limits.attempts or not fault.transient or not safe:
                raise
            delay_s = min(_MAX_DELAY_S, limits.retry_delay_s * 2 ** (attempt - 1))
            await asyncio.sleep(delay_s * random.uniform(0.5, 1.0))  # noqa: S311 - so that callers spread
    raise AssertionError("the last attempt returns or raises")


async def _attempt(call: Call, registry: Registry) -> tuple[CallToolResult, dict[str, Any] | None]:
    server_id, name = call.tool.server_id, call.tool.name

    async def progressed(done: float, total: float | None, message: str | None) -> None:
        await call.caller.progress(done, total, clean_line(message or "", _MAX_MESSAGE_CHARS))

    try:
        async with registry.link(server_id).session(call.asking) as session:
            call.session = session
            listed = await _still_the_same(call, session, registry)
            await _check_arguments(call.arguments, listed)
            reply = await session.call(name, dict(call.arguments), progressed)
            return reply, listed.output_schema
    finally:
        call.session = None


async def _still_the_same(call: Call, session: Session, registry: Registry) -> ListedTool:
    """Ask for the tool again: what it was chosen and filled in by must be what it is now."""
    tools = await session.tools()
    registry.learn(call.tool.server_id, tools)
    listed = tools.get(call.tool.name)
    call.is_stale = listed is None or listed.known.digest != call.tool.digest
    if listed is None:
        raise CallFault("validation", "the server does not offer this tool any more", unsent=True)
    if call.is_stale:
        raise CallFault("validation", "the tool is another than when it was chosen; look at it again", unsent=True)
    return listed


async def _check_arguments(arguments: Mapping[str, Any], listed: ListedTool) -> None:
    try:
        json.dumps(dict(arguments), allow_nan=False)
        await asyncio.to_thread(check_value, dict(arguments), listed.input_schema)
    except (TypeError, RecursionError):
        raise CallFault("validation", "the arguments are not JSON", unsent=True) from None
    except CheckFailed as fault:
        raise CallFault("validation", f"the arguments do not fit the tool: {fault}", unsent=True) from None


async def _read(
    reply: CallToolResult, output_schema: dict[str, Any] | None, call: Call, limits: ClientLimits
) -> tuple[ToolResultStatus, list[ToolContent], dict[str, Any] | None, str | None]:
    """Turn a reply into contents, told one by one, and its checked structure."""
    if not reply.is_error:
        await _check_structure(reply, output_schema)
    contents = []
    for item in await asyncio.to_thread(lambda: list(contents_of(reply.content, limits))):
        contents.append(item)
        await call.caller.content(item)
    structure = await asyncio.to_thread(structured_of, reply.structured_content, limits)
    if structure is None and reply.structured_content is not None:
        contents.append(left_out("the structured result was left out, as it is too large", {}))
    if structure is not None and not isinstance(structure, dict):
        contents.append(ToolContent(content_type=ContentType.JSON, data=structure))
        structure = None
    if not reply.is_error:
        return ToolResultStatus.SUCCESS, contents, structure, None
    error = "the tool reports a failure"
    await call.caller.error(error, "execution")
    return ToolResultStatus.ERROR, contents, structure, error


async def _check_structure(reply: CallToolResult, output_schema: dict[str, Any] | None) -> None:
    if output_schema is None:
        return
    if reply.structured_content is None:
        raise CallFault("validation", "the tool promises a structured result and gave none")
    try:
        await asyncio.to_thread(check_value, reply.structured_content, output_schema)
    except CheckFailed as fault:
        raise CallFault("validation", f"the result is not what the tool promises: {fault}") from None
