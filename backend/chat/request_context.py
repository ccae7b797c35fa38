"""What belongs to one chat request, and is put back when it ends, however it ends."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable
from types import TracebackType

_log = logging.getLogger(__name__)

Cleanup = Callable[[], Awaitable[None]]


class RequestContext:
    """One request with its clean-up; used with `async with`.

    Attributes:
        conversation_id: the conversation as the store knows it.
        request_id: the request, on its events and on its lines of the log.
        stop: set when its work is to end.
    """

    __slots__ = ("_cleanups", "_closed", "conversation_id", "request_id", "stop")

    def __init__(self, conversation_id: str, request_id: str) -> None:
        self.conversation_id = conversation_id
        self.request_id = request_id
        self.stop = threading.Event()
        self._cleanups: list[Cleanup] = []
        self._closed = False

    def register_cleanup(self, cleanup: Cleanup) -> None:
        """Have something awaited at the end, before what was registered earlier.

        Raises:
            RuntimeError: the end has come, so that it would never be awaited.
        """
        if self._closed:
            raise RuntimeError("the request is over")
        self._cleanups.append(cleanup)

    async def cleanup(self) -> None:
        """Await everything that was registered, the last first; one that fails or is cancelled keeps none from it."""
        if self._closed:
            return
        self._closed = True
        self.stop.set()
        cancelled: asyncio.CancelledError | None = None
        while self._cleanups:
            try:
                await self._cleanups.pop()()
            except asyncio.CancelledError as fault:
                cancelled = fault
            except Exception:  # noqa: BLE001 - the others are still to be done
                _log.exception("a clean-up failed")
        if cancelled is not None:
            raise cancelled

    async def __aenter__(self) -> RequestContext:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.cleanup()
