"""Calls that can be left at once: they run on an event loop in a thread of its own, and are cancelled there."""

from __future__ import annotations

import asyncio
import threading
import time
import weakref
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future, wait
from typing import Any, TypeVar

from ai_engine.errors import QueryStopped

_LOOK_UP_S = 0.05  # how often a waiting caller looks whether it was stopped
_END_S = 1.0

_Answer = TypeVar("_Answer")


class CallLoop:
    """Lets any number of threads wait for asynchronous calls; a call that is left takes its connection with it.

    A thread cannot be told to leave a socket, a task can: hence the loop. It ends with its owner.

    Args:
        close: gives back what the calls share, once there will be no more of them.
    """

    def __init__(self, close: Callable[[], Coroutine[Any, Any, None]]) -> None:
        runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        self._loop = runner.get_loop()
        thread = threading.Thread(target=_serve, args=(runner, close), name="language-model", daemon=True)
        thread.start()
        weakref.finalize(self, _end, self._loop, thread)

    def run(
        self,
        call: Awaitable[_Answer],
        *,
        timeout_s: float,
        stop: threading.Event,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> _Answer:
        """Return what the call returns; `meanwhile` is done a few times a second, and what it raises ends the call.

        Raises:
            TimeoutError: it took longer than `timeout_s`, however many bytes arrived meanwhile.
            QueryStopped: `stop` was set.
        """
        deadline = time.monotonic() + timeout_s
        pending = asyncio.run_coroutine_threadsafe(asyncio.wait_for(call, timeout_s), self._loop)
        try:
            while not wait([pending], _LOOK_UP_S).done:
                if stop.is_set():
                    raise QueryStopped
                if time.monotonic() >= deadline:  # a loop that is kept busy cannot say so
                    raise TimeoutError
                meanwhile()
            return pending.result()
        finally:
            pending.cancel()


def unless_stopped(work: Callable[[], _Answer], stop: threading.Event) -> _Answer:
    """Return what the work gives; it is done in a thread that is left to itself where nobody waits any more.

    Raises:
        QueryStopped: `stop` was set.
    """
    done = Future[_Answer]()

    def do() -> None:
        try:
            done.set_result(work())
        except BaseException as fault:  # noqa: BLE001 - raised where it is waited for
            done.set_exception(fault)

    if not stop.is_set():
        threading.Thread(target=do, name="judging", daemon=True).start()
    while not stop.is_set():
        if wait([done], _LOOK_UP_S).done:
            return done.result()
    raise QueryStopped


def _serve(runner: asyncio.Runner, close: Callable[[], Coroutine[Any, Any, None]]) -> None:
    with runner:
        runner.get_loop().run_forever()
        runner.run(close())


def _end(loop: asyncio.AbstractEventLoop, thread: threading.Thread) -> None:
    loop.call_soon_threadsafe(loop.stop)
    if thread is not threading.current_thread():
        thread.join(_END_S)
