"""What runs in the thread of the connections: the loop, the servers, and the calls that are under way."""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import threading
import time
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from ai_engine.tools import ServerHealth
from backend.mcp.client.discovery import DISCOVERY_ID, Discovery
from backend.mcp.client.faults import CallFault
from backend.mcp.client.http_sessions import HttpLink
from backend.mcp.client.limits import ClientLimits
from backend.mcp.client.listed import HttpServer, ServerEntry
from backend.mcp.client.program_sessions import ProgramLink
from backend.mcp.client.registry import Registry
from backend.mcp.client.sessions import ServerLink

_T = TypeVar("_T")
_CLOSE_S = 10.0
_THREAD = "mcp-connections"
_TALKATIVE = (
    "client", "mcp.client.client", "mcp.client.stdio", "mcp.client.streamable_http", "mcp.shared.dispatcher",
    "mcp.shared.jsonrpc_dispatcher", "mcp.shared.tool_name_validation", "httpx2",
)  # fmt: skip


class Connections:
    """A running thread with its loop and the servers; made, used and closed from any other thread."""

    def __init__(
        self, entries: Sequence[ServerEntry], limits: ClientLimits, discovery: Discovery | None = None
    ) -> None:
        """Begin; no server is asked anything yet."""
        for name in _TALKATIVE:
            logging.getLogger(name).addFilter(_not_from_here)
        self.limits = limits
        self.registry = Registry(limits)
        self._under_way: set[concurrent.futures.Future[Any]] = set()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._lock = threading.Lock()
        self._is_closing = False
        self._listed = frozenset(entry.id for entry in entries)
        self._discovery = discovery
        self._discovered: dict[str, HttpServer] = {}
        self._discovered_at: float | None = None
        self._discovery_fault: str | None = None
        self._discovering = asyncio.Lock()
        self._loop = asyncio.new_event_loop()
        for entry in entries:
            self.registry.add(_link(entry, limits))
        self._thread = threading.Thread(target=self._run, name=_THREAD, daemon=True)
        self._thread.start()
        self._recovery = asyncio.run_coroutine_threadsafe(self._kept(self.registry.recover()), self._loop)

    async def run(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Have work done there and wait for it in the caller's loop; cancelling the wait cancels the work.

        Raises:
            Closing: nothing new is begun.
        """
        with self._lock:
            if self._is_closing:
                work.close()
                raise Closing
            future = asyncio.run_coroutine_threadsafe(self._kept(work), self._loop)
            self._under_way.add(future)
        future.add_done_callback(self._ended)
        return await asyncio.wrap_future(future)

    async def _kept(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Do work, known as under way until all of it has ended."""
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return await work

    async def refresh(self) -> None:
        """In their loop: ask which servers there are and what tools they have, where that is too long ago."""
        if self._discovery is not None:
            async with self._discovering:
                if self._discovered_at is None or time.monotonic() - self._discovered_at > self.limits.cache_s:
                    await self._discover(self._discovery)
        await self.registry.refresh()

    def health(self) -> list[ServerHealth]:
        """Tell how the servers were last seen, and the list of further ones where it could not be had."""
        missing = self._discovery_fault
        failed = [] if missing is None else [ServerHealth(server_id=DISCOVERY_ID, healthy=False, error=missing)]
        return [*self.registry.health(), *failed]

    async def _discover(self, discovery: Discovery) -> None:
        """Take in what is new and let go of what is gone; a list that cannot be had changes nothing."""
        try:
            told = await discovery.servers()
        except CallFault as fault:
            self._discovery_fault = str(fault)
            self._discovered_at = time.monotonic() - self.limits.cache_s + self.limits.recovery_s
            return
        self._discovery_fault, self._discovered_at = None, time.monotonic()
        found = {server.id: server for server in told if server.id not in self._listed}
        for server_id, server in self._discovered.items():
            if found.get(server_id) != server:
                await self.registry.remove(server_id).close()
        for server_id, server in found.items():
            if self._discovered.get(server_id) != server:
                self.registry.add(HttpLink(server, self.limits))
        self._discovered = found

    def close(self, grace_s: float = 0.0) -> None:
        """Begin nothing new, wait for what runs, cancel the rest, end sessions and programs, then the loop."""
        with self._lock:
            if self._is_closing:
                return
            self._is_closing = True
            left = set(self._under_way)
        _, late = concurrent.futures.wait(left, timeout=grace_s)
        for future in [*late, self._recovery]:
            future.cancel()
        ended = asyncio.run_coroutine_threadsafe(self._end(), self._loop)
        concurrent.futures.wait([ended], timeout=_CLOSE_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_CLOSE_S)

    async def _end(self) -> None:
        left = self._tasks - {asyncio.current_task()} | self.registry.stop_listing()
        if left:  # cancelled ones that still tell their servers
            await asyncio.wait(left, timeout=_CLOSE_S / 2)
        links = [self.registry.remove(server_id) for server_id in self.registry.server_ids]
        await asyncio.gather(*(link.close() for link in links), return_exceptions=True)
        if self._discovery is not None:
            await self._discovery.close()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()

    def _ended(self, future: concurrent.futures.Future[Any]) -> None:
        with self._lock:
            self._under_way.discard(future)


class Closing(Exception):
    """The connections are being closed."""


def _link(entry: ServerEntry, limits: ClientLimits) -> ServerLink:
    if isinstance(entry, HttpServer):
        return HttpLink(entry, limits)
    return ProgramLink(entry, limits)


def _not_from_here(record: logging.LogRecord) -> bool:
    """Whether a line may be written: what the SDK tells of a session quotes what the server sends."""
    return record.threadName != _THREAD
