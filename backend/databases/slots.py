"""Who may use a database now: first come, first served, and a bounded number in the queue."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from ai_engine.errors import DatabaseBusy, QueryStopped

_LOOK_UP_S = 0.05  # how often a waiting statement looks whether it was stopped


class Slots:
    """Hands out `count` places; at most `queue_size` statements wait for one."""

    def __init__(self, count: int, queue_size: int) -> None:
        self._free = count
        self._queue_size = queue_size
        self._waiting: deque[threading.Event] = deque()
        self._lock = threading.Lock()

    @property
    def waiting(self) -> int:
        """How many statements wait for a place."""
        return len(self._waiting)

    @contextmanager
    def place(self, deadline: float, stop: threading.Event) -> Iterator[None]:
        """Hold a place for the length of the block.

        Args:
            deadline: on the clock of `time.monotonic`, seconds.
            stop: gives the wait up when set.

        Raises:
            DatabaseBusy: the queue is full, or the deadline passed in it.
            QueryStopped: `stop` was set while waiting.
        """
        self._take(deadline, stop)
        try:
            yield
        finally:
            self._give()

    def _take(self, deadline: float, stop: threading.Event) -> None:
        if stop.is_set():
            raise QueryStopped
        with self._lock:
            if self._free > 0:
                self._free -= 1
                return
            if len(self._waiting) >= self._queue_size:
                raise DatabaseBusy(f"{len(self._waiting)} statements are waiting already")
            turn = threading.Event()
            self._waiting.append(turn)
        while not turn.wait(max(0.0, min(_LOOK_UP_S, deadline - time.monotonic()))):
            if stop.is_set():
                self._leave(turn)
                raise QueryStopped
            if time.monotonic() >= deadline:
                self._leave(turn)
                raise DatabaseBusy("waited until the deadline without getting a turn")

    def _leave(self, turn: threading.Event) -> None:
        with self._lock:
            if not turn.is_set():
                self._waiting.remove(turn)
                return
        self._give()  # the turn came in this very moment: pass it on

    def _give(self) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._free += 1
