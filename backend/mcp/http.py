"""A server behind one address of the HTTP API, over streamable HTTP; hosts, origins and bodies are judged before it."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any
from uuid import uuid4

from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send

from ai_engine.model_use import LOCAL
from backend.api.verified import who_asks
from backend.settings import Settings

_KILOBYTE = 1024
_SHARE = 4
"""One person may have one in so many of all sessions; where nobody says who asks, all are one and may have all."""
_SESSION, _VERSION = "mcp-session-id", "mcp-protocol-version"
_METHODS = ("POST", "DELETE")
_ONLY_POST = "This is the address of an MCP server: clients send POST, and DELETE at the end of a session."


@dataclass(frozen=True, slots=True)
class _Opened:
    """A session, or the place of one that is being opened: whose, and when it was used last."""

    person: str
    used_at: float


class McpEndpoint:
    """ASGI app for as many starts as its host has; each has sessions of its own, of which one person may have a part.

    Newer clients send every request alone, and end a call by hanging up. Older ones have a session, and end a call by a
    message in it.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._each = max(1, settings.mcp_sessions // _SHARE)
        self._opened: dict[str, _Opened] = {}
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
        headers = Headers(scope=scope)
        named, who = headers.get(_SESSION), who_asks(headers, self._settings)
        begins = named is None and headers.get(_VERSION, HANDSHAKE_PROTOCOL_VERSIONS[0]) in HANDSHAKE_PROTOCOL_VERSIONS
        if begins and who != LOCAL and self._open_of(who) >= self._each:
            told = f"You have {self._each} sessions open. End one of them, or wait until one that is not used ends."
            await PlainTextResponse(told, HTTPStatus.SERVICE_UNAVAILABLE)(scope, receive, send)
            return
        opening = uuid4().hex  # takes the place before anything is awaited
        if begins:
            self._opened[opening] = _Opened(who, math.inf)
        elif named in self._opened:
            self._opened[named] = replace(self._opened[named], used_at=time.monotonic())

        async def noting(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = Headers(raw=message["headers"]).get(_SESSION)
                if begins and given is not None and message["status"] == HTTPStatus.OK:
                    self._opened.pop(opening, None)
                    self._opened[given] = _Opened(who, time.monotonic())
                elif named is not None and (
                    message["status"] == HTTPStatus.NOT_FOUND
                    or (scope["method"] == "DELETE" and message["status"] == HTTPStatus.OK)
                ):
                    self._opened.pop(named, None)
            await send(message)

        try:
            await self._sessions.handle_request(scope, receive, noting)
        finally:
            self._opened.pop(opening, None)

    def _open_of(self, who: str) -> int:
        """Count a person's sessions, those left out that have ended as nothing came."""
        since = time.monotonic() - self._settings.mcp_session_idle_s
        self._opened = {name: one for name, one in self._opened.items() if one.used_at > since}
        return sum(one.person == who for one in self._opened.values())
