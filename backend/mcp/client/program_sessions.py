"""Sessions with programs of this machine: each process serves one call at a time and is kept for the next."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from mcp import Client, MCPError
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost

from backend.mcp.client.elicitation import Asking
from backend.mcp.client.faults import CallFault, fault_of
from backend.mcp.client.limits import ClientLimits
from backend.mcp.client.listed import StdioServer
from backend.mcp.client.parts import bounded
from backend.mcp.client.sessions import Listener, Session
from backend.mcp.client.stdio_wire import StdioWire


class ProgramLink:
    """A server that is started here, see `ServerLink`."""

    def __init__(self, entry: StdioServer, limits: ClientLimits) -> None:
        self._entry = entry
        self._limits = limits
        self._places = asyncio.Semaphore(min(limits.processes, limits.sessions))
        self._free: list[_Program] = []
        self._all: set[_Program] = set()
        self._changes = 0

    @property
    def server_id(self) -> str:
        """The entry's."""
        return self._entry.id

    @property
    def changes(self) -> int:
        """See `ServerLink`."""
        return self._changes

    @asynccontextmanager
    async def session(self, asking: Asking | None = None) -> AsyncIterator[Session]:
        """See `ServerLink`."""
        async with self._places:
            program = await self._taken()
            session = Session(self.server_id, program.client, program.wire, self._limits)
            program.listener.asking = asking
            keep = False
            try:
                yield session
                keep = not session.is_worn
            except CallFault as fault:
                keep = not fault.server and not session.is_worn
                raise
            except Exception as fault:
                translated = fault_of(fault, program.wire, sent=session.sent)
                keep = not translated.server and translated.kind == "execution"
                raise translated from fault
            finally:
                program.listener.asking = None
                await self._put_back(program, keep)

    async def close(self) -> None:
        """See `ServerLink`."""
        await asyncio.gather(*(program.end() for program in list(self._all)))

    async def _taken(self) -> _Program:
        while self._free:
            program = self._free.pop()
            if program.wire.is_alive:
                program.stay()
                return program
            await self._end(program)
        program = _Program(self._entry, self._limits, self._note_change)
        self._all.add(program)
        try:
            await program.begin()
        except BaseException:
            await self._end(program)
            raise
        return program

    async def _put_back(self, program: _Program, keep: bool) -> None:
        if keep and program.wire.is_alive:
            self._free.append(program)
            program.leave(self._limits.idle_close_s, lambda: self._forget(program))
        else:
            await self._end(program)

    async def _end(self, program: _Program) -> None:
        """End it, though who waits may be cancelled; known until it is gone, so that closing waits for it."""
        await asyncio.shield(self._ending(program))

    def _ending(self, program: _Program) -> asyncio.Task[None]:
        task = asyncio.create_task(program.end())
        task.add_done_callback(lambda _: self._all.discard(program))
        return task

    def _forget(self, program: _Program) -> None:
        if program in self._free:
            self._free.remove(program)
            self._ending(program)

    def _note_change(self) -> None:
        self._changes += 1


class _Program:
    """A process and the task that owns its session, as a session begins and ends in one task."""

    def __init__(self, entry: StdioServer, limits: ClientLimits, on_changed: Callable[[], None]) -> None:
        self.wire = StdioWire(entry, limits.max_reply_kb * 1024)
        self.listener = Listener(on_changed)
        self.client = Client(
            bounded(self.wire.transport()),
            cache=None,
            elicitation_callback=self.listener.elicited,
            message_handler=self.listener.heard,
        )
        self._limits = limits
        self._ending = asyncio.Event()
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._owner: asyncio.Task[None] | None = None
        self._idle: asyncio.TimerHandle | None = None

    async def begin(self) -> None:
        """Start it.

        Raises:
            CallFault: it cannot be started, or does not speak the protocol in time.
        """
        self._owner = asyncio.create_task(self._live())
        try:
            async with asyncio.timeout(self._limits.connect_timeout_s):
                await asyncio.shield(self._ready)
        except BaseException as fault:
            await self.end()
            if isinstance(fault, Exception):
                raise fault_of(fault, self.wire, sent=False) from fault
            raise

    async def end(self) -> None:
        """End it; waits until it is gone."""
        self.stay()
        self._ending.set()
        if self._owner is None:
            return
        if not self._ready.done():
            self._owner.cancel()
        await asyncio.wait({self._owner})

    def leave(self, idle_s: float, on_end: Callable[[], None]) -> None:
        """Have it ended unless it is taken within a time."""
        self._idle = asyncio.get_running_loop().call_later(idle_s, on_end)

    def stay(self) -> None:
        """It is taken."""
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None

    async def _listen(self) -> None:
        """Hear when its tools change; older programs say it unasked, see `Listener.heard`."""
        with suppress(ListenNotSupportedError, SubscriptionLost, MCPError, RuntimeError):
            async with self.client.listen(tools_list_changed=True) as changes:
                async for _ in changes:
                    self.listener.on_changed()

    async def _live(self) -> None:
        try:
            async with self.client:
                self._ready.set_result(None)
                listening = asyncio.create_task(self._listen())
                await self._ending.wait()
                listening.cancel()
                await asyncio.wait({listening})
        except Exception as fault:  # noqa: BLE001 - whoever waits for the start is told, and later nobody waits
            if not self._ready.done():
                self._ready.set_exception(fault)
        finally:
            if not self._ready.done():
                self._ready.cancel()
