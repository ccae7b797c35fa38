"""One address before several processes: takes connections, and passes each on to the process that is to answer it.

Of what is sent only the first head is read: a process closes every connection after its reply (`behind.py`), so that a
connection is one request, or one web socket, and each request is placed anew. Streamlit keeps a session, its uploads
and its files in the memory of one process; a browser is sent to the same one by a mark, for as long as that one lives.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import re
import resource
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

from backend.http.behind import COOKIE, MARKED_HEADER, MET_HEADER
from backend.http.security_headers import ALWAYS, API_CONTENT_POLICY

_log = logging.getLogger(__name__)
_MAX_HEAD_BYTES = 16 * 1024
_PIECE_BYTES = 64 * 1024
_BACKLOG = 100
_POLL_S = 0.05
_HANDLES_EACH = 3  # of a connection: the client's, the process's, and one to spare
_REPEATABLE = (b"GET ", b"HEAD ")
"""Nothing comes after the head of these, and nothing is changed by them: another process may answer."""
_END_OF_HEAD = re.compile(rb"\n\r?\n")
_FOLDED_FIRST = re.compile(rb"[^\n]*\n[ \t]")
_MARKED = rb"cookie:(?:[^\n]*[;\s])?" + COOKIE.encode() + rb"=|" + MARKED_HEADER + rb":[ \t]*"
_MARK = re.compile(rb"^(?:" + _MARKED + rb")([0-9a-f]+)\.([0-9a-zA-Z-]*)", re.MULTILINE | re.IGNORECASE)


@dataclass(eq=False)
class Target:
    """A process that can be given requests.

    Attributes:
        number: counted from 1.
        mark: of this start of it, never used again.
        socket: where it listens.
        open: connections that it has now.
        given_at: when it was given the last one.
    """

    number: int
    mark: str
    socket: Path
    open: int = 0
    given_at: float = 0.0


@dataclass(frozen=True, slots=True)
class FrontBounds:
    """What one client may take; the processes have bounds of their own behind it.

    Attributes:
        connections: at a time, or what the process's file handles allow where that is fewer.
        receive_timeout_s: within which the head of a request must have arrived, and a process be found for it.
        send_timeout_s: a client that takes nothing of what waits for it for so long is left.
    """

    connections: int
    receive_timeout_s: float
    send_timeout_s: float


class Front:
    """Listens for the processes behind it.

    Args:
        bounds: of connections.
        targets: the processes that can be given requests; the list itself, which changes.
        lost: type and text of the reply where the process that worked on a request has ended before its reply began.
        absent: the same where there is no process to be given it.
    """

    def __init__(
        self, bounds: FrontBounds, targets: Sequence[Target], *, lost: tuple[str, bytes], absent: tuple[str, bytes]
    ) -> None:
        self._bounds = bounds
        self._targets = targets
        self._lost = _reply(*lost)
        self._absent = _reply(*absent)
        handles, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        self._most = min(bounds.connections, handles // _HANDLES_EACH)
        self._open = 0
        self._waiting: dict[asyncio.StreamWriter, None] = {}

    async def listen(self, host: str, port: int) -> asyncio.Server:
        """Begin to take connections."""
        return await asyncio.start_server(self._serve, host, port, limit=_PIECE_BYTES, backlog=_BACKLOG)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open += 1
        self._waiting[writer] = None
        if self._open > self._most:  # whoever has sent no head for longest goes, as in a single process
            next(iter(self._waiting)).transport.abort()
        try:
            with contextlib.suppress(OSError, TimeoutError):
                await self._answer(reader, writer)
        finally:
            self._open -= 1
            self._waiting.pop(writer, None)
            writer.transport.abort()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(self._bounds.receive_timeout_s):
            head = await _read_head(reader)
        self._waiting.pop(writer, None)
        if not head or _FOLDED_FIRST.match(head):  # such a line would go on from ours, which comes before it
            return
        ended: Target | None = None
        for last in (not head.startswith(_REPEATABLE), True):
            found = await self._reach(head, ended)
            if found is None:
                await self._end(writer, self._absent)
                return
            if not await self._ask(found, head, reader, writer):
                return
            if last:
                await self._end(writer, self._lost)
                return
            ended = found[0]

    async def _ask(
        self,
        found: tuple[Target, socket.socket],
        head: bytes,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> bool:
        """Have one process answer; tell whether it ended without a word, which is for another then."""
        target, process = found
        target.open += 1
        try:
            with contextlib.suppress(ConnectionError):
                await asyncio.get_running_loop().sock_sendall(process, _told(head, writer))
            return await self._both_ways(reader, writer, process)
        finally:
            target.open -= 1
            process.close()

    async def _reach(self, head: bytes, ended: Target | None) -> tuple[Target, socket.socket] | None:
        """Connect to the process that is to answer; one that does not listen any more is passed over."""
        deadline = time.monotonic() + self._bounds.receive_timeout_s
        mark = _MARK.search(head)
        while time.monotonic() < deadline:
            left = [one for one in self._targets if one is not ended]
            target = chosen(left, mark[1].decode() if mark else "", (mark[2] if mark else b"").decode())
            if target is not None:
                target.given_at = time.monotonic()
                process = socket.socket(socket.AF_UNIX)
                process.setblocking(False)
                try:
                    await asyncio.get_running_loop().sock_connect(process, str(target.socket))
                except OSError:
                    process.close()
                else:
                    return target, process
            await asyncio.sleep(_POLL_S)
        return None

    async def _both_ways(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, process: socket.socket
    ) -> bool:
        """Pass on until one side ends; tell whether that was the process, without a word."""
        asking = asyncio.create_task(_pass_question(reader, process))
        answering = asyncio.create_task(self._pass_answer(process, writer))
        try:
            await asyncio.wait({asking, answering}, return_when=asyncio.FIRST_COMPLETED)
            if not answering.done() and asking.result():
                return False  # nobody listens any more
            if not await answering:
                return True
            await self._end(writer, b"")
            return False
        finally:
            for one in (asking, answering):
                one.cancel()
            await asyncio.gather(asking, answering, return_exceptions=True)

    async def _pass_answer(self, process: socket.socket, writer: asyncio.StreamWriter) -> int:
        """Return how much was passed on when the process has said all, or has ended."""
        passed = 0
        loop = asyncio.get_running_loop()
        while True:
            try:
                piece = await loop.sock_recv(process, _PIECE_BYTES)
            except ConnectionError:
                piece = b""
            if not piece:
                return passed
            passed += len(piece)
            writer.write(piece)
            await self._taken(writer)

    async def _end(self, writer: asyncio.StreamWriter, last: bytes) -> None:
        writer.transport.set_write_buffer_limits(0)
        writer.write(last)
        await self._taken(writer)
        writer.close()
        await writer.wait_closed()

    async def _taken(self, writer: asyncio.StreamWriter) -> None:
        """Wait until there is room for more; raises TimeoutError where nothing at all is taken for too long."""
        while True:
            left = writer.transport.get_write_buffer_size()
            try:
                async with asyncio.timeout(self._bounds.send_timeout_s):
                    return await writer.drain()
            except TimeoutError:
                if writer.transport.get_write_buffer_size() >= left:
                    raise


def chosen(targets: Sequence[Target], mark: str, visitor: str) -> Target | None:
    """Return who is to answer: the process of the mark, else, without one, that with the fewest connections.

    Visitors of a process that has ended are spread over those that are left, each visitor's requests to the same one.
    """
    if not targets:
        return None
    if not mark:
        return min(targets, key=lambda one: (one.open, one.given_at))
    marked = next((one for one in targets if one.mark == mark), None)
    return marked or max(targets, key=lambda one: hashlib.sha256(f"{one.mark} {mark} {visitor}".encode()).digest())


async def _pass_question(reader: asyncio.StreamReader, process: socket.socket) -> bool:
    """Pass on what the client sends; tell whether it hung up, else the process takes no more of it."""
    loop = asyncio.get_running_loop()
    while True:
        try:
            piece = await reader.read(_PIECE_BYTES)
        except ConnectionError:
            piece = b""
        if not piece:
            return True
        try:
            await loop.sock_sendall(process, piece)
        except OSError:
            return False  # its reply may be there still


async def _read_head(reader: asyncio.StreamReader) -> bytes:
    """Return what was sent up to the end of the head at least, or as much as a process would read of it."""
    head = b""
    while len(head) < _MAX_HEAD_BYTES and not _END_OF_HEAD.search(head):
        piece = await reader.read(_MAX_HEAD_BYTES)
        if not piece:
            return b""
        head += piece
    return head


def _told(head: bytes, writer: asyncio.StreamWriter) -> bytes:
    """Say behind the first line who is connected, and to what: whatever a client says of it comes after that."""
    client, here = writer.get_extra_info("peername"), writer.get_extra_info("sockname")
    line, end, rest = head.partition(b"\n")
    met = f"{client[0]} {client[1]} {here[0]} {here[1]}".encode()
    return line + end + MET_HEADER + b": " + met + b"\r\n" + rest


def _reply(content_type: str, body: bytes) -> bytes:
    status = HTTPStatus.SERVICE_UNAVAILABLE
    headers = {
        "Content-Type": content_type,
        "Content-Length": len(body),
        "Retry-After": 1,
        "Connection": "close",
        "Cache-Control": "no-store",
        "Content-Security-Policy": API_CONTENT_POLICY,
        **ALWAYS,
    }
    lines = [f"HTTP/1.1 {status.value} {status.phrase}", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode() + body
