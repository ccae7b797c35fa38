"""One question in a thread of its own, so that whoever listens is never blocked and can always stop it."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator

from ai_engine.types import Answer, Event, StillWorking

_HEARTBEAT_S = 0.2
_JOIN_S = 5.0


def in_own_thread(events_of: Callable[[threading.Event], Iterator[Event]]) -> Iterator[Event]:
    """Yield the events of a run as they happen, the Answer last, and StillWorking a few times a second.

    Closing the iterator stops the run and its statement.

    Args:
        events_of: begins the run, which ends soon after the given event is set.
    """
    stop = threading.Event()
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()

    def run() -> None:
        for event in events_of(stop):
            events.put(event)

    thread = threading.Thread(target=run, name="question", daemon=True)
    started = time.perf_counter()
    thread.start()
    try:
        while True:
            try:
                event = events.get(timeout=_HEARTBEAT_S)
            except queue.Empty:
                event = StillWorking((time.perf_counter() - started) * 1_000)
            yield event
            if isinstance(event, Answer):
                return
    finally:
        stop.set()
        thread.join(_JOIN_S)
