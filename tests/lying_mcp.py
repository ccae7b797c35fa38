"""An MCP server on loopback that does to every call what its test says: wrong shapes, floods, silence, half replies."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.loopback_server import serving

Trick: TypeAlias = Callable[[dict[str, Any]], Awaitable[Response]]
SCHEMA = {
    "success": True,
    "dialect": "duckdb",
    "tables": [{"name": "accounts", "columns": [{"name": "account_id", "type": "INTEGER"}]}],
    "error": None,
}
TOOLS = ("mcp_db_schema", "mcp_db_query")
QUERY_INPUT = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}


@dataclass
class LyingServer:
    """What it says; a test may change it while it runs.

    Attributes:
        schema: the object that `mcp_db_schema` gives.
        result: the object that `mcp_db_query` gives.
        trick: answers the calls of `mcp_db_query` instead.
        query_input: the input schema of `mcp_db_query`.
        tools: names of those that are offered.
        calls: statements that arrived.
        notified: methods of the notifications that arrived.
        keys: Authorization headers that arrived.
    """

    schema: Any = field(default_factory=lambda: SCHEMA)
    result: Any = None
    trick: Trick | None = None
    query_input: dict[str, Any] = field(default_factory=lambda: QUERY_INPUT)
    tools: tuple[str, ...] = TOOLS
    calls: list[str] = field(default_factory=list)
    notified: list[str] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)

    async def answer(self, request: Request) -> Response:
        """Answer one message of the handshake era of the protocol."""
        if request.method != "POST":
            return Response(status_code=405)
        self.keys.add(request.headers.get("authorization", ""))
        message = await request.json()
        method = message["method"]
        if method == "initialize":
            return said(message, {
                "protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                "serverInfo": {"name": "liar", "version": "1"},
            })  # fmt: skip
        if method == "tools/list":
            inputs = {"mcp_db_query": self.query_input}
            return said(message, {
                "tools": [{"name": name, "inputSchema": inputs.get(name, {"type": "object"})} for name in self.tools]
            })  # fmt: skip
        if method == "tools/call":
            return await self._called(message)
        if "id" not in message:
            self.notified.append(method)
            return Response(status_code=202)
        return JSONResponse({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "unknown"}})

    async def _called(self, message: dict[str, Any]) -> Response:
        if message["params"]["name"] == "mcp_db_schema":
            return told(message, self.schema)
        self.calls.append(message["params"]["arguments"]["query"])
        return told(message, self.result) if self.trick is None else await self.trick(message)


def said(message: dict[str, Any], result: Any) -> Response:
    """Give a JSON-RPC result."""
    return JSONResponse({"jsonrpc": "2.0", "id": message["id"], "result": result})


def told(message: dict[str, Any], content: Any) -> Response:
    """Give what a tool returned, as the text that every client understands."""
    text = content if isinstance(content, str) else json.dumps(content)
    return said(message, {"content": [{"type": "text", "text": text}]})


def streamed(pieces: AsyncIterator[bytes], **headers: str) -> Response:
    """Give bytes as they come."""
    return StreamingResponse(pieces, headers={"content-type": "application/json"} | headers)


@contextmanager
def lying(server: LyingServer) -> Iterator[str]:
    """Serve it and give the address for `open_database`."""
    app = Starlette(routes=[Route("/mcp", server.answer, methods=["GET", "POST", "DELETE"])])
    with serving(app) as address:
        yield f"mcp+{address}/mcp"
