"""The one assistant of a process: opened on first use, and anew once its database file has been exchanged."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from backend.service import Assistant


class SharedAssistant:
    """Gives the same assistant to all callers, from any thread.

    Args:
        open_one: opens an assistant; what it raises reaches the caller, and the next one tries again.
    """

    def __init__(self, open_one: Callable[[], Assistant]) -> None:
        self._open_one = open_one
        self._lock = threading.Lock()
        self._current: Assistant | None = None

    def get(self) -> Assistant:
        """Return the assistant; questions that are still on their way keep the one they began with."""
        with self._lock:
            earlier = self._current
            if earlier is not None and not earlier.database.outdated:
                return earlier
            self._current = self._open_one()
            if earlier is not None:
                earlier.close()
            return self._current

    def close(self) -> None:
        """End the assistant, if there is one; the next caller gets a new one."""
        with self._lock:
            if self._current is not None:
                self._current.close()
                self._current = None
