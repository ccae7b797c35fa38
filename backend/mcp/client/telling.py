"""The way back from the thread of the connections to whoever made a call: their callbacks, in their own loop."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import contextvars
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from ai_engine.tools import ElicitationRequest, ElicitationResponse, ErrorKind, ToolCallbacks, ToolContent

_log = logging.getLogger(__name__)
_TELL_S = 5.0
_PROGRESS_EVERY_S = 0.05
DECLINED = ElicitationResponse("decline")


@dataclass
class Caller:
    """Where one call came from.

    Attributes:
        loop: theirs; what they are told runs there, with the context of the call.
    """

    callbacks: ToolCallbacks
    loop: asyncio.AbstractEventLoop
    server_id: str = ""
    tool_name: str = ""
    context: contextvars.Context = field(default_factory=contextvars.copy_context)
    _told_progress_at: float = 0.0

    async def progress(self, done: float, total: float | None, message: str) -> None:
        """Tell it, though not more often than a person can follow."""
        now = time.monotonic()
        share = None if not total or total <= 0 else min(1.0, max(0.0, done / total))
        if self.callbacks.on_progress is None or (now - self._told_progress_at < _PROGRESS_EVERY_S and share != 1.0):
            return
        self._told_progress_at = now
        await self._tell(self.callbacks.on_progress, share, message)

    async def content(self, item: ToolContent) -> None:
        """Tell of one item."""
        await self._tell(self.callbacks.on_content, item)

    async def error(self, message: str, kind: ErrorKind) -> None:
        """Tell what went wrong."""
        await self._tell(self.callbacks.on_error, message, kind)

    async def asked(self, request: ElicitationRequest, timeout_s: float) -> ElicitationResponse:
        """Ask the person; whoever does not answer in time has declined."""
        answer = await self._tell(self.callbacks.on_elicitation, request, timeout_s=timeout_s)
        return answer if isinstance(answer, ElicitationResponse) else DECLINED

    async def _tell(
        self, callback: Callable[..., Awaitable[Any]] | None, *said: Any, timeout_s: float = _TELL_S
    ) -> Any:
        if callback is None:
            return None
        try:
            told = self._begun(callback, said)
            return await asyncio.wait_for(asyncio.wrap_future(told), timeout_s)
        except (TimeoutError, RuntimeError):  # they went away, or are busy
            return None
        except Exception as fault:  # noqa: BLE001 - theirs must not end the call
            _log.warning("a callback of an MCP call failed: %s", type(fault).__name__)
            return None

    def _begun(self, callback: Callable[..., Awaitable[Any]], said: tuple[Any, ...]) -> concurrent.futures.Future[Any]:
        told: concurrent.futures.Future[Any] = concurrent.futures.Future()

        async def run() -> Any:
            return await callback(self.server_id, self.tool_name, *said)

        def begin() -> None:
            if told.cancelled():
                return
            task = self.loop.create_task(run(), context=self.context)
            task.add_done_callback(lambda done: _hand_over(done, told))
            told.add_done_callback(lambda ended: self._give_up(ended, task))

        self.loop.call_soon_threadsafe(begin)
        return told

    def _give_up(self, ended: concurrent.futures.Future[Any], task: asyncio.Task[Any]) -> None:
        if ended.cancelled() and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(task.cancel)


def _hand_over(done: asyncio.Task[Any], told: concurrent.futures.Future[Any]) -> None:
    with contextlib.suppress(concurrent.futures.InvalidStateError):  # given up meanwhile, in the other thread
        if done.cancelled():
            told.set_exception(RuntimeError("the caller's loop ends"))
        elif (fault := done.exception()) is not None:
            told.set_exception(fault)
        else:
            told.set_result(done.result())
