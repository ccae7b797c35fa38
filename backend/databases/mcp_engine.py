"""A database behind an MCP server, inside a worker: one session per statement, ended with it.

Whatever the server does, no more can happen than to any other worker: it has bounds on memory and result, and is ended
at its deadline.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent, Tool
from pydantic import ValidationError

from ai_engine.types import ColumnType, ScanEstimate
from backend.databases.engine import EngineFault, EngineStart, ResultCut
from backend.databases.limits import MEGABYTE
from backend.databases.mcp_http import BoundedTransport
from backend.databases.mcp_shapes import WRONG_SHAPE, read_result, read_schema

SCHEMA_TOOL = "mcp_db_schema"
QUERY_TOOL = "mcp_db_query"
_ARGUMENTS = {SCHEMA_TOOL: frozenset[str](), QUERY_TOOL: frozenset({"query"})}
_MAX_PAGES = 20
_FAREWELL_S = 0.3


class McpEngine:
    """Speaks to one server over streamable HTTP.

    A worker whose location says so tells the tables instead of running statements: rows of dialect and JSON text.
    """

    def __init__(self, start: EngineStart) -> None:
        logging.disable(logging.CRITICAL)  # the SDK logs what a server sends, its HTTP client whole addresses
        self._url = start.location["url"]
        self._tool = start.location["tool"]
        self._max_bytes = start.max_result_mb * MEGABYTE
        self._transport = BoundedTransport(self._max_bytes)
        token = start.location["token"]
        self._http = httpx2.AsyncClient(
            transport=self._transport,
            headers={"Accept-Encoding": "identity"} | ({"Authorization": f"Bearer {token}"} if token else {}),
            timeout=httpx2.Timeout(start.connect_timeout_s, read=None),  # a statement's deadline is its owner's
            trust_env=False,
        )
        self._runner = asyncio.Runner()
        self._loop = self._runner.get_loop()
        self._task: asyncio.Task[Any] | None = None
        self._rows: Iterator[tuple[Any, ...]] = iter(())
        self._cut = False
        self._do(None)

    def execute(self, sql: str, timeout_s: float) -> tuple[Sequence[str], Sequence[ColumnType | None]]:  # noqa: ARG002
        """Have the server run a statement and wait for all of its result; the owner's deadline ends it."""
        content = self._do({} if self._tool == SCHEMA_TOOL else {"query": sql})
        self._cut = False
        if self._tool == SCHEMA_TOOL:
            dialect, tables = read_schema(content)
            self._rows = iter([(dialect, json.dumps(table)) for table in tables])
            return ("dialect", "table"), ("text", "text")
        result = read_result(content)
        self._rows, self._cut = iter(result.rows), result.truncated
        return result.columns, result.types

    def cost(self, sql: str, timeout_s: float) -> ScanEstimate:  # noqa: ARG002
        """The server has no tool that tells."""
        return ScanEstimate()

    def fetch(self, max_rows: int) -> list[tuple[Any, ...]]:
        """Return the next rows; ResultCut when the server has more than it handed out."""
        rows = list(islice(self._rows, max_rows))
        if not rows and self._cut:
            raise ResultCut
        return rows

    def interrupt(self) -> None:
        """Cancel the call, of which the server is told."""
        task = self._task
        if task is not None:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(task.cancel)

    def finish(self) -> None:
        """Let go of the rows."""
        self._rows, self._cut = iter(()), False

    def fault(self, error: Exception) -> EngineFault | None:  # noqa: ARG002 - they are translated where they arise
        """No error of the client's comes this far."""
        return None

    def _do(self, arguments: dict[str, Any] | None) -> object:
        self._transport.forget()
        try:
            return self._runner.run(self._call(arguments))
        except asyncio.CancelledError:
            raise EngineFault("interrupted", "the statement was interrupted") from None
        except (Exception, BaseExceptionGroup) as error:  # noqa: BLE001 - it may quote anything; none of it leaves here
            fault = _fault_in(error)
        finally:
            self._task = None
        if isinstance(fault, MemoryError):
            raise MemoryError
        if self._transport.refusal is not None:
            raise self._transport.refusal
        if isinstance(fault, EngineFault):
            raise fault
        raise EngineFault("unavailable", _words(fault, self._transport.status))

    async def _call(self, arguments: dict[str, Any] | None) -> object:
        """Open a session, see that the tool is there and, with arguments, call it; only the call is cancelled alone."""
        self._task = asyncio.current_task()
        wire = streamable_http_client(self._url, http_client=self._http, max_sse_event_size=self._max_bytes)
        async with Client(wire, cache=None) as client:
            await self._find_tool(client)
            if arguments is None:
                return None
            self._task = asyncio.create_task(client.call_tool(self._tool, arguments))
            try:
                return _content(await self._task)
            except asyncio.CancelledError:
                await _see_off(client)
                raise

    async def _find_tool(self, client: Client) -> None:
        cursor = None
        for _ in range(_MAX_PAGES):
            listed = await client.list_tools(cursor=cursor)
            for tool in listed.tools:
                if tool.name == self._tool:
                    _check_arguments(tool)
                    return
            cursor = listed.next_cursor
            if not cursor:
                break
        raise EngineFault("unavailable", f"the MCP server does not offer the tool {self._tool}")


async def _see_off(client: Client) -> None:
    """Leave only when the server has been told of the cancellation.

    Older servers are told by a message, behind which a ping waits for its turn; newer ones by the end of the call.
    """
    if client.session.initialize_result is not None:
        with suppress(TimeoutError, MCPError):
            async with asyncio.timeout(_FAREWELL_S):
                await client.session.send_ping()


def _check_arguments(tool: Tool) -> None:
    known = _ARGUMENTS[tool.name]
    offered, required = tool.input_schema.get("properties", {}), tool.input_schema.get("required", [])
    if not known <= set(offered) or not set(required) <= known:
        raise EngineFault(
            "unavailable", f"the MCP server's tool {tool.name} takes other arguments than {sorted(known)}"
        )


def _content(result: CallToolResult) -> object:
    """Return the object that a tool gave, as structure or as JSON text; of an error only that it was one."""
    if isinstance(result.structured_content, dict) and "success" in result.structured_content:
        return result.structured_content
    texts = [part.text for part in result.content if isinstance(part, TextContent)]
    if result.is_error:
        return {"success": False, "error": "\n".join(texts)}
    try:
        return json.loads(texts[0])
    except (LookupError, ValueError, RecursionError):
        raise EngineFault("unavailable", WRONG_SHAPE) from None


def _fault_in(error: BaseException) -> BaseException:
    """Find the one that says most in a group of them."""
    if not isinstance(error, BaseExceptionGroup):
        return error
    found = [_fault_in(part) for part in error.exceptions]
    return next((part for part in found if isinstance(part, (EngineFault, MemoryError))), found[0])


def _words(fault: BaseException, status: int) -> str:
    if status:
        return f"the MCP server answers with HTTP {status}"
    if isinstance(fault, httpx2.ConnectError):
        return "the MCP server cannot be reached"
    if isinstance(fault, MCPError):
        return f"the MCP server's session failed with code {fault.code}"
    if isinstance(fault, (httpx2.TransportError, OSError)):
        return "the connection to the MCP server was lost"
    if isinstance(fault, (ValidationError, ValueError, RuntimeError)):
        return WRONG_SHAPE
    return f"the MCP client failed: {type(fault).__name__}"
