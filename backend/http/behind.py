"""What a process of several does to its requests and replies, so that the front can place them."""

from __future__ import annotations

import os
import secrets
import signal
import threading
from dataclasses import dataclass
from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "bank_process"
MET_HEADER = b"x-bank-front-met"
MARKED_HEADER = b"mcp-session-id"
"""Sessions of MCP clients live in one process, and are found by their id."""
_ID_BYTES = 8


@dataclass(frozen=True, slots=True)
class Behind:
    """This process's place behind a front.

    Attributes:
        number: counted from 1, as the log has it.
        mark: of this start of the process.
        socket: where it listens.
    """

    number: int
    mark: str
    socket: Path

    @staticmethod
    def of(socket: Path) -> Behind:
        """Read number and mark from the socket's name."""
        number, _, mark = socket.stem.partition("-")
        return Behind(int(number), mark, socket)


class OneOfSeveral:
    """ASGI middleware of a process behind a front.

    The connection that a request came in on is told as if there were no front; every reply is the last on its
    connection; a browser, and the session of an MCP client, is marked with this process.
    """

    def __init__(self, app: ASGIApp, mark: str) -> None:
        self._app = app
        self._mark = mark

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take the front's header and the marks off, and put them on the reply."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        cookie = "" if self._is_marked(scope) else f"{COOKIE}={self._mark}.{secrets.token_hex(_ID_BYTES)}"
        here = self._as_met(scope)

        async def send_marked(message: Message) -> None:
            if message["type"] in {"http.response.start", "websocket.accept"}:
                self._mark_reply(message, cookie)
            await send(message)

        await self._app(here, receive, send_marked)

    def _is_marked(self, scope: Scope) -> bool:
        return any(
            part.strip().startswith(f"{COOKIE}={self._mark}.")
            for told in Headers(scope=scope).getlist("cookie")
            for part in told.split(";")
        )

    def _as_met(self, scope: Scope) -> Scope:
        met, rest = None, []
        ours = self._mark.encode() + b"."
        for name, value in scope["headers"]:
            if name == MET_HEADER:
                met = met or value  # the front's own stands first
            elif name == MARKED_HEADER:
                rest.append((name, value.removeprefix(ours)))
            else:
                rest.append((name, value))
        here = {**scope, "headers": rest}
        if met is not None:
            client, client_port, server, server_port = met.decode("ascii").split(" ")
            here |= {"client": (client, int(client_port)), "server": (server, int(server_port))}
        return here

    def _mark_reply(self, message: Message, cookie: str) -> None:
        message.setdefault("headers", [])
        headers = MutableHeaders(raw=list(message["headers"]))
        if message["type"] == "http.response.start":
            headers["Connection"] = "close"
            session = headers.get(MARKED_HEADER.decode())
            if session:
                headers[MARKED_HEADER.decode()] = f"{self._mark}.{session}"
        if cookie:
            headers.append("Set-Cookie", f"{cookie}; Path=/; HttpOnly; SameSite=Lax")
        message["headers"] = headers.raw


def end_with_the_front() -> None:
    """Begin to end once the process that started this one is gone, however it went: its end of our input closes."""

    def wait() -> None:
        while os.read(0, 1):  # not sys.stdin, whose lock a thread would hold when Python ends
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, name="front", daemon=True).start()
