"""Server-sent events on the wire: their lines, and a response that neither waits for a dead reader nor outlives one."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Mapping

from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from ai_engine.errors import BadQuestion

_RECONNECT_MS = 100
FIRST_LINES = f"retry: {_RECONNECT_MS}\n\n"
COMMENT = ": nothing yet\n\n"


def event_lines(line: str, event_id: str | None) -> str:
    """Write one event; one that cannot be resumed from has no id."""
    told = "" if event_id is None else f"id: {event_id}\n"
    return f"{told}data: {line}\n\n"


def event_id_of(request_id: str, place: int) -> str:
    """Return the id of an event: its request, and its place there."""
    return f"{request_id}-{place}"


def read_event_id(text: str) -> tuple[str, int]:
    """Return request and place of an id.

    Raises:
        BadQuestion: it is none of ours.
    """
    request_id, dash, place = text.strip().rpartition("-")
    if not dash or not request_id.isalnum() or not place.isascii() or not place.isdecimal() or len(place) > 9:
        raise BadQuestion("Last-Event-ID is not the id of an event of this server.")
    return request_id, int(place)


class EventStream(Response):
    """Sends pieces until they end, the client hangs up, or it takes nothing for `send_timeout_s`, the headers included.

    The generator is closed and what is held for it given back in each case before the response is over.

    Args:
        over: when it is to end even so, and the last piece then.
    """

    media_type = "text/event-stream"

    def __init__(
        self,
        pieces: AsyncGenerator[str, None],
        *,
        send_timeout_s: float,
        held: contextlib.ExitStack | None = None,
        headers: Mapping[str, str] | None = None,
        over: tuple[asyncio.Event, str] | None = None,
    ) -> None:
        self.status_code = 200
        self.background = None
        self.init_headers({"Cache-Control": "no-store", "X-Accel-Buffering": "no", **(headers or {})})
        self._pieces = pieces
        self._send_timeout_s = send_timeout_s
        self._held = held or contextlib.ExitStack()
        self._over, self._last = over or (asyncio.Event(), "")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - the base class's
        """Send it; a reader that is gone is noticed while nothing is sent, too."""
        sending = asyncio.create_task(self._send(send))
        leaving = asyncio.create_task(_disconnected(receive))
        ending = asyncio.create_task(self._over.wait())
        try:
            await asyncio.wait({sending, leaving, ending}, return_when=asyncio.FIRST_COMPLETED)
            is_cut_short = not (sending.done() or leaving.done())
        finally:
            leaving.cancel()
            ending.cancel()
            sending.cancel()
            with self._held, contextlib.suppress(asyncio.CancelledError, TimeoutError, OSError):
                await sending
        if is_cut_short:
            with contextlib.suppress(TimeoutError, OSError):
                await self._take(send, {"type": "http.response.body", "body": self._last.encode()})

    async def _send(self, send: Send) -> None:
        async with contextlib.aclosing(self._pieces):
            start: Message = {
                "type": "http.response.start", "status": self.status_code, "headers": self.raw_headers
            }  # fmt: skip
            await self._take(send, start)
            async for piece in self._pieces:
                await self._take(send, {"type": "http.response.body", "body": piece.encode(), "more_body": True})
            await self._take(send, {"type": "http.response.body", "body": b"", "more_body": False})

    async def _take(self, send: Send, message: Message) -> None:
        async with asyncio.timeout(self._send_timeout_s):
            await send(message)


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
