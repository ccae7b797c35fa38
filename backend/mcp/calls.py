"""One call of a tool: its place, its thread, its deadline, and its end when nobody waits for it any more."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

import anyio
from mcp.server.context import ServerRequestContext
from starlette.requests import Request

from ai_engine.errors import QueryTimedOut, ServerStopping
from ai_engine.model_use import LOCAL, begin_asking
from backend.api.verified import who_asks
from backend.desk import Desk

_Made = TypeVar("_Made")
CallContext: TypeAlias = ServerRequestContext[Any, Any]

_POLL_S = 0.25
_HEARTBEAT_S = 1.0
_SLOW_LISTENER_S = 1.0


@dataclass(frozen=True)
class Call:
    """What the work of one call is given.

    Attributes:
        stop: set when the caller has cancelled, hung up or waited long enough.
        tell: passes a line on to the caller, from any thread.
    """

    stop: threading.Event
    tell: Callable[[str], None]


async def in_thread(desk: Desk, context: CallContext, work: Callable[[Call], _Made]) -> _Made:
    """Do blocking work in one of the desk's threads.

    The place is given back when the work has ended, not when the caller has gone: who cancels in a loop gets no more of
    the machine than who waits.

    Raises:
        DatabaseBusy: no place is free, or this person has as many as one may have.
        QueryTimedOut: it took longer than a question may.
    """
    loop = asyncio.get_running_loop()
    told: asyncio.Queue[str | None] = asyncio.Queue()
    stop = threading.Event()

    def tell(line: str) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended, and with it whoever listened
            loop.call_soon_threadsafe(told.put_nowait, line)

    who, places, here = _asker(context), contextlib.ExitStack(), contextvars.copy_context()
    places.enter_context(desk.place(who))
    here.run(begin_asking, who)
    try:
        running = desk.threads.submit(here.run, work, Call(stop, tell))
    except BaseException:
        places.close()
        raise

    def ended(_: Future[_Made]) -> None:
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(places.close)

    running.add_done_callback(ended)
    pending = asyncio.wrap_future(running)
    try:
        return await _waited_for(pending, told, stop, context, desk)
    finally:
        stop.set()
        pending.cancel()


async def _waited_for(
    pending: asyncio.Future[_Made],
    told: asyncio.Queue[str | None],
    stop: threading.Event,
    context: CallContext,
    desk: Desk,
) -> _Made:
    started = last_told = time.monotonic()
    count = 0
    pending.add_done_callback(lambda _: told.put_nowait(None))  # after all that the work has told
    while True:
        try:
            line: str | None = await asyncio.wait_for(told.get(), _POLL_S)
        except TimeoutError:
            line = ""
        now = time.monotonic()
        if line is None:
            break
        if desk.over.is_set() or now - started > desk.timeout_s or await _hung_up(context):
            stop.set()
        if line or now - last_told >= _HEARTBEAT_S:
            count, last_told = count + 1, now
            with anyio.move_on_after(_SLOW_LISTENER_S):
                await context.session.report_progress(count, message=line or f"working for {now - started:.0f} s")
    if desk.over.is_set():
        raise ServerStopping("a call was cut short, as the server ends")
    if stop.is_set() and now - started > desk.timeout_s:
        raise QueryTimedOut(desk.timeout_s)
    return pending.result()


def _asker(context: CallContext) -> str:
    """Name who calls, as a proxy before the API says; everybody is one on standard input and output."""
    request = context.request
    if not isinstance(request, Request):
        return LOCAL
    return who_asks(request.headers, request.app.state.chat_settings)


async def _hung_up(context: CallContext) -> bool:
    return isinstance(context.request, Request) and await context.request.is_disconnected()
