"""The assistants of a process, one per source: opened on first use, shared by all callers, closed when not used."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from backend.service import Assistant


@dataclass
class _Place:
    """One source's; `lock` is held while it is opened, so that one that is slow or broken keeps no other waiting."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    assistant: Assistant | None = None
    used_at: float = 0.0


class OpenSources:
    """Gives the same assistant to all who ask the same source, from any thread.

    An assistant that is closed while a question is on its way still answers it: its workers end with their statements.

    Args:
        most: open at once; the one that was unused for longest makes room.
        idle_close_s: one that nobody asked for so long is closed when another is asked for.
        clock: seconds, never going back.
        renewed: returns an assistant as it is now, the same where nothing that it stands on has changed.
    """

    def __init__(
        self,
        most: int,
        idle_close_s: float,
        clock: Callable[[], float] = time.monotonic,
        renewed: Callable[[Assistant], Assistant] = lambda earlier: earlier,
    ) -> None:
        self._most = most
        self._idle_close_s = idle_close_s
        self._clock = clock
        self._renewed = renewed
        self._places: dict[Hashable, _Place] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable, open_one: Callable[[], Assistant]) -> Assistant:
        """Return the assistant of a source, opened anew once its database has been exchanged.

        Args:
            key: what the source is known by here; another address or other settings are another key.
            open_one: opens it; what it raises reaches the caller, and the next one tries again.
        """
        with self._lock:
            place = self._places.setdefault(key, _Place())
            place.used_at = self._clock()
        with place.lock:
            earlier = place.assistant
            if earlier is not None and not earlier.database.outdated:
                place.assistant = current = self._renewed(earlier)
                return current
            opened = open_one()
            place.assistant = opened
        if earlier is not None:
            earlier.close()
        self._make_room(key)
        return opened

    def has(self, key: Hashable) -> bool:
        """Tell whether it is open."""
        place = self._places.get(key)
        return place is not None and place.assistant is not None

    @property
    def count(self) -> int:
        """How many are open."""
        return sum(place.assistant is not None for place in self._places.values())

    def close(self, *keys: Hashable) -> None:
        """Close these, or all; who asks for one next gets a new one."""
        with self._lock:
            leaving = [self._places.pop(key) for key in keys or tuple(self._places) if key in self._places]
        _close(leaving)

    def _make_room(self, opened: Hashable) -> None:
        """Close what nobody has asked for long, and what is too many; never the one that was just opened."""
        now = self._clock()
        with self._lock:
            others = sorted((key for key in self._places if key != opened), key=lambda key: self._places[key].used_at)
            too_many = max(0, len(self._places) - self._most)
            leaving = [
                key for rank, key in enumerate(others)
                if rank < too_many or now - self._places[key].used_at > self._idle_close_s
            ]  # fmt: skip
            gone = [self._places.pop(key) for key in leaving if not self._places[key].lock.locked()]
        _close(gone)


def _close(places: list[_Place]) -> None:
    for place in places:
        with place.lock:
            if place.assistant is not None:
                place.assistant.close()
                place.assistant = None
