"""The HTTP under an MCP session: one host, no redirect, no more bytes and parts than a result may have."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import cast

import httpx2

from backend.databases.engine import EngineFault, FaultKind

MOST_MARKS = 500_000
"""Brackets, commas and lines of one reply that stand in no text: of JSON with more, everybody waits for its reading."""


class Marks:
    """Counts how many parts JSON has while it arrives, be it as it is or in a stream of events."""

    def __init__(self) -> None:
        self.count = 0
        self._is_in_text = False
        self._held = b""

    def take(self, piece: bytes) -> bool:
        """Take what arrived; False once there are too many."""
        piece = (self._held + piece).replace(b"\r", b"\n")
        is_cut = (len(piece) - len(piece.rstrip(b"\\"))) % 2  # a text's end may be escaped by what came before
        self._held = piece[len(piece) - is_cut :]
        piece = piece[: len(piece) - is_cut].replace(b"\\\\", b"").replace(b'\\"', b"")
        self.count += piece.count(b"\n")
        if self.count > MOST_MARKS:
            return False
        for at, line in enumerate(piece.split(b"\n")):
            self._is_in_text = self._is_in_text and not at  # no text goes on behind the end of a line
            parts = line.split(b'"')
            outside = b"".join(parts[self._is_in_text :: 2])
            self.count += sum(map(outside.count, (b"{", b"[", b",")))
            self._is_in_text ^= len(parts) % 2 == 0
        return self.count <= MOST_MARKS


class BoundedTransport(httpx2.AsyncBaseTransport):
    """Passes requests on, and ends a reply that is not to be read.

    The session above turns some faults of a reply into silence, so the first one is kept here.

    Attributes:
        refusal: why a reply was not read, since `forget`.
        status: of the latest reply that says "no", 0 for none.
    """

    def __init__(self, max_bytes: int, inner: httpx2.AsyncBaseTransport | None = None) -> None:
        self._inner = inner or httpx2.AsyncHTTPTransport(trust_env=False)
        self._max_bytes = max_bytes
        self.forget()

    def forget(self) -> None:
        """Begin anew, for the next statement."""
        self.refusal: EngineFault | None = None
        self.status = 0

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Ask; a reply that leads elsewhere, or is packed, is an error."""
        response = await self._inner.handle_async_request(request)
        self.status = response.status_code if response.status_code >= 400 else 0
        if 300 <= response.status_code < 400:
            await response.aclose()
            raise self._refused(
                "unavailable", "the MCP server leads to another address, which is not followed", request
            )
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            raise self._refused("unavailable", "the MCP server packs its reply, which was not asked for", request)
        response.stream = _BoundedStream(cast(httpx2.AsyncByteStream, response.stream), self, request)
        return response

    def check(self, count: int, is_short: bool, request: httpx2.Request) -> None:
        """Raise when a reply has come to more bytes or parts than it may."""
        if not is_short:
            raise self._refused("too_large", f"the MCP server sends more than {MOST_MARKS:,} parts", request)
        if count > self._max_bytes:
            megabytes = self._max_bytes / 2**20
            raise self._refused("too_large", f"the MCP server sends more than {megabytes:.0f} MB", request)

    def _refused(self, kind: FaultKind, detail: str, request: httpx2.Request) -> httpx2.ReadError:
        self.refusal = self.refusal or EngineFault(kind, detail)
        return httpx2.ReadError(detail, request=request)

    async def aclose(self) -> None:
        """Close every connection."""
        await self._inner.aclose()


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, transport: BoundedTransport, request: httpx2.Request) -> None:
        self._inner = inner
        self._transport = transport
        self._request = request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        count, marks = 0, Marks()
        async for piece in self._inner:
            count += len(piece)
            self._transport.check(count, marks.take(piece), self._request)
            yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()
