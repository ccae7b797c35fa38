"""Which threads work for a request, though nobody may wait for them any more: its place is theirs until they end."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import ContextVar
from typing import TypeVar

_Made = TypeVar("_Made")


class UnderWay:
    """Counts the threads that were begun for one request; safe to share between them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._then: Callable[[], None] | None = None

    def begin(self) -> None:
        """Count one more."""
        with self._lock:
            self._count += 1

    def end(self) -> None:
        """Count one less; the last has done what waits for it."""
        with self._lock:
            self._count -= 1
            then = None if self._count else self._then
        if then is not None:
            then()

    def afterwards(self, then: Callable[[], None]) -> None:
        """Have something done once no thread works, in that thread or at once; nothing is begun any more."""
        with self._lock:
            self._then = then
            waits = self._count > 0
        if not waits:
            then()


under_way: ContextVar[UnderWay | None] = ContextVar("under_way", default=None)
"""Of the request that is answered."""


def counted(work: Callable[[], _Made]) -> Callable[[], _Made]:
    """Count work for the request that is answered, if any is, from now until it has ended."""
    request = under_way.get()
    if request is None:
        return work
    request.begin()

    def work_and_end() -> _Made:
        try:
            return work()
        finally:
            request.end()

    return work_and_end
