"""A server behind one address of the HTTP API, over streamable HTTP; hosts, origins and bodies are judged before it."""

from __future__ import annotations

from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from backend.settings import Settings

_KILOBYTE = 1024
_METHODS = ("POST", "DELETE")
_ONLY_POST = "This is the address of an MCP server: clients send POST, and DELETE at the end of a session."


class McpEndpoint:
    """ASGI app for as many starts as its host has; each has sessions of its own.

    Newer clients send every request alone, and end a call by hanging up. Older ones have a session, and end a call by a
    message in it.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._sessions: StreamableHTTPSessionManager | None = None

    def opened(self, server: Server[Any]) -> StreamableHTTPSessionManager:
        """Answer for a server from now on; the sessions live while what is returned runs."""
        self._sessions = StreamableHTTPSessionManager(
            server,
            session_idle_timeout=self._settings.mcp_session_idle_s,
            max_sessions=self._settings.mcp_sessions,
            max_request_body_size=self._settings.http_max_body_kb * _KILOBYTE,
        )
        return self._sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request of a client.

        We say nothing unasked, so there is no stream to listen on, which would keep a connection for nothing.
        """
        assert self._sessions is not None, "the host opens it at its start"  # noqa: S101
        if scope["method"] not in _METHODS:
            await PlainTextResponse(_ONLY_POST, 405, {"Allow": ", ".join(_METHODS)})(scope, receive, send)
            return
        await self._sessions.handle_request(scope, receive, send)
