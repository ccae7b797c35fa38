"""How a server ends: it takes nothing new, says so, lets what is under way end, and then stops the rest."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import threading
import time
from collections.abc import Generator, Iterator
from types import FrameType
from typing import Protocol, TypeVar, cast

import uvicorn

from ai_engine.errors import ServerStopping

_log = logging.getLogger(__name__)
_POLL_S = 0.05
_SHARE_FOR_WORK = 0.8
"""Of the time that a server has to end; the rest is for stopping what has not ended, and for the process itself."""
_LATEST_S = 3.0
"""An answer is drawn, and what the browser lacks to show it fetched, within so long after the last that was heard."""
_Event = TypeVar("_Event")


class Drained(Protocol):
    """Work that goes on beside the requests that began it."""

    @property
    def running(self) -> int:
        """How much of it there is."""
        ...

    async def tell_stopping(self) -> None:
        """Begin nothing new, and tell whoever waits."""
        ...

    async def close(self) -> None:
        """End all of it within a second or two."""
        ...


class PageWork:
    """Questions that the page follows, each in the thread that draws it; any thread begins one.

    A question counts while something is heard of it and for a moment after, in which its answer reaches the browser;
    one that nobody follows any more does not.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._heard_at: dict[object, float] = {}
        self._is_stopping = False
        self._is_over = False

    @property
    def running(self) -> int:
        """How many questions are followed."""
        latest = time.monotonic() - _LATEST_S
        with self._lock:
            self._heard_at = {one: heard_at for one, heard_at in self._heard_at.items() if heard_at > latest}
            return len(self._heard_at)

    def during(self, events: Iterator[_Event]) -> Generator[_Event]:
        """Yield what is heard of a question; when the time is over it ends, and the question with it.

        Args:
            events: a generator, which is closed with what is returned.

        Raises:
            ServerStopping: nothing new is begun.
        """
        if self._is_stopping:
            raise ServerStopping("a question came while the server was ending")
        return self._followed(cast("Generator[_Event]", events))

    async def tell_stopping(self) -> None:
        """Begin nothing new."""
        self._is_stopping = True

    async def close(self) -> None:
        """End all of them at the next thing that is heard, several times a second, and let that be drawn."""
        self._is_over = True
        while self.running:
            await asyncio.sleep(_POLL_S)

    def _followed(self, events: Generator[_Event]) -> Generator[_Event]:
        question = object()
        with contextlib.closing(events):
            self._hear(question)
            for event in events:
                if self._is_over:
                    return
                self._hear(question)
                yield event
            self._hear(question)

    def _hear(self, question: object) -> None:
        with self._lock:
            self._heard_at[question] = time.monotonic()


shared_page_work = PageWork()
"""The page's."""


class LifeCycle:
    """Whether a server is ending, and what is still under way; in the loop of the server."""

    def __init__(self) -> None:
        self.is_stopping = False
        self.requests = 0
        self._drained: list[Drained] = []

    def drain(self, work: Drained) -> None:
        """Have work told, waited for and ended before the server ends."""
        self._drained.append(work)

    async def end(self, timeout_s: float) -> None:
        """Wait until all that is under way has ended, and stop what has not within most of the time."""
        self.is_stopping = True
        for work in self._drained:
            await work.tell_stopping()
        most_s = _SHARE_FOR_WORK * timeout_s
        until = time.monotonic() + most_s
        while self._under_way and time.monotonic() < until:
            await asyncio.sleep(_POLL_S)
        if self._under_way:
            _log.warning("%d requests are stopped, as they took longer than %g s", self._under_way, most_s)
        for work in reversed(self._drained):
            await work.close()

    @property
    def _under_way(self) -> int:
        return max(self.requests, sum(work.running for work in self._drained))


class EndingServer(uvicorn.Server):
    """A server that goes on answering, with refusals, while it ends; a second signal ends it at once."""

    def __init__(self, config: uvicorn.Config, life: LifeCycle, timeout_s: float) -> None:
        super().__init__(config)
        self._life = life
        self._timeout_s = timeout_s

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002 - the base class's
        """Begin to end; uvicorn would raise the signal again at the end, and so end with a status other than 0."""
        if self.should_exit:
            signal.signal(sig, signal.SIG_DFL)
            os.kill(os.getpid(), sig)
        self.should_exit = True

    async def shutdown(self, sockets: object = None) -> None:
        """Wait with the port open, then close it."""
        await self._life.end(self._timeout_s)
        await super().shutdown(sockets)  # type: ignore[arg-type]
