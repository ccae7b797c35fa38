"""A program of this machine as a server: in a session of its own, with a bounded line, ended with its children."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
from collections.abc import AsyncIterator
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from backend.databases.mcp_http import MOST_MARKS, Marks
from backend.mcp.client.listed import StdioServer

_log = logging.getLogger(__name__)
_MAX_STRAY_LINES = 100
_EXIT_S = 0.3
_PIECE = 65_536


class StdioWire:
    """One process.

    Attributes:
        refused: why nothing more of it is read.
        status: none, as it speaks no HTTP.
    """

    status = 0

    def __init__(self, entry: StdioServer, max_bytes: int) -> None:
        self._entry = entry
        self._max_bytes = max_bytes
        self._process: asyncio.subprocess.Process | None = None
        self._stray_lines = 0
        self.refused: str | None = None

    @property
    def is_alive(self) -> bool:
        """Whether it runs and may be listened to."""
        return self._process is not None and self._process.returncode is None and self.refused is None

    @contextlib.asynccontextmanager
    async def transport(self) -> AsyncIterator[tuple[Any, Any]]:
        """Start it and give the streams of a session; it is ended with the context, whatever happens.

        Raises:
            OSError: it cannot be started.
        """
        process = self._process = await asyncio.create_subprocess_exec(
            self._entry.command,
            *self._entry.args,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=self._entry.given(),
            cwd=self._entry.cwd,
            limit=self._max_bytes,
            start_new_session=True,
        )
        to_session, read_stream = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        write_stream, from_session = anyio.create_memory_object_stream[SessionMessage](0)
        tasks = [
            asyncio.create_task(self._read(process, to_session)),
            asyncio.create_task(self._write(process, from_session, to_session)),
            asyncio.create_task(self._drain_errors(process)),
        ]
        try:
            yield read_stream, write_stream
        finally:
            for stream in (read_stream, write_stream):
                stream.close()
            await _ended(process)
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            for stream in (to_session, from_session):
                stream.close()

    async def _read(
        self, process: asyncio.subprocess.Process, to_session: MemoryObjectSendStream[SessionMessage | Exception]
    ) -> None:
        """Hand on one message per line; lines that are none are passed over, up to a number."""
        stdout = process.stdout
        with contextlib.suppress(anyio.ClosedResourceError, anyio.BrokenResourceError, ConnectionError):
            async with to_session:
                while stdout is not None and self.refused is None:
                    try:
                        line = await stdout.readline()
                    except ValueError:
                        self.refused = f"the server sends more than {self._max_bytes / 2**20:.0f} MB"
                        return
                    if not line:
                        return
                    if not Marks().take(line):
                        self.refused = f"the server sends more than {MOST_MARKS:,} parts"
                        return
                    await self._hand_on(line, to_session)

    async def _hand_on(self, line: bytes, to_session: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        try:
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValueError:
            self._stray_lines += 1
            if self._stray_lines > _MAX_STRAY_LINES:
                self.refused = "the server writes what is no message of the protocol"
            return
        await to_session.send(SessionMessage(message))

    async def _write(
        self,
        process: asyncio.subprocess.Process,
        from_session: MemoryObjectReceiveStream[SessionMessage],
        to_session: MemoryObjectSendStream[SessionMessage | Exception],
    ) -> None:
        stdin = process.stdin
        try:
            async with from_session:
                async for message in from_session:
                    if stdin is not None:
                        text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                        stdin.write(text.encode() + b"\n")
                        await stdin.drain()
        except OSError:
            to_session.close()  # so that whoever waits for an answer learns that none comes

    async def _drain_errors(self, process: asyncio.subprocess.Process) -> None:
        """Read what it complains of, so that it does not wait; only how much that was is told."""
        count = 0
        try:
            while process.stderr is not None and (piece := await process.stderr.read(_PIECE)):
                count += len(piece)
        finally:
            if count:
                _log.info("the MCP server %s wrote %d bytes to its standard error", self._entry.id, count)


async def _ended(process: asyncio.subprocess.Process) -> None:
    """Close its input, ask it to end, end it; its children in any case."""
    if process.stdin is not None:
        process.stdin.close()
    for kind in (None, signal.SIGTERM):
        if kind is not None:
            _signal(process, kind)
        if await _has_exited(process):
            break
    _signal(process, signal.SIGKILL)  # the whole group: what it left behind goes with it
    await _has_exited(process)
    transport = getattr(process, "_transport", None)
    if transport is not None:
        transport.close()  # a grandchild with a session of its own may hold the pipes open


async def _has_exited(process: asyncio.subprocess.Process) -> bool:
    """Wait a little; not by `wait`, which also waits for whoever inherited the pipes."""
    loop = asyncio.get_running_loop()
    until = loop.time() + _EXIT_S
    while process.returncode is None and loop.time() < until:
        await asyncio.sleep(0.01)
    return process.returncode is not None


def _signal(process: asyncio.subprocess.Process, kind: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, kind)
