"""How long a question put to a model may take, and what is noted of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ai_engine.errors import ModelUnavailable, QueryStopped
from ai_engine.model_use import model_use

SHORTEST_CALL_S = 0.05


@dataclass(frozen=True, slots=True)
class Patience:
    """Until when (`time.monotonic`, seconds), which is `limit_s` after the beginning, or until a stop."""

    deadline: float
    limit_s: float
    stop: threading.Event

    @property
    def left_s(self) -> float:
        """Seconds until the deadline, which may have passed."""
        return self.deadline - time.monotonic()

    def call_s(self) -> float:
        """Return how long one request may take.

        Raises:
            ModelUnavailable: no time is left for one.
            QueryStopped: the person wants no more.
        """
        self.check_stop()
        if self.left_s < SHORTEST_CALL_S:
            raise self.over()
        return self.left_s

    def over(self) -> ModelUnavailable:
        """Say that the time is over."""
        return ModelUnavailable(f"no answer within {self.limit_s:g} s")

    def check_stop(self) -> None:
        """Raise QueryStopped where the person wants no more."""
        if self.stop.is_set():
            raise QueryStopped

    def sleep(self, wait_s: float) -> None:
        """Wait before another attempt.

        Raises:
            QueryStopped: `stop` was set.
        """
        if self.stop.wait(wait_s):
            raise QueryStopped


@contextmanager
def patience_for(timeout_s: float, stop: threading.Event) -> Iterator[Patience]:
    """Give the time of one call, or what is left of its question's time for all calls where that is less."""
    use = model_use.get()
    if use is None:
        yield Patience(time.monotonic() + timeout_s, timeout_s, stop)
        return
    limit_s = timeout_s if use.left_s > timeout_s else use.timeout_s
    with use.waiting():
        yield Patience(time.monotonic() + min(timeout_s, use.left_s), limit_s, stop)
