"""Who may use a database now: people take turns, each by a bounded number of statements."""

from __future__ import annotations

import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ai_engine.errors import DatabaseBusy, QueryStopped
from ai_engine.model_use import LOCAL

_LOOK_UP_S = 0.05  # how often a waiting statement looks whether it was stopped
_YOURS = "So many of your own queries run or wait already that this one was turned away. Wait for some, or stop them."


@dataclass(frozen=True, slots=True)
class PersonBounds:
    """How much of a database one person may take; where nobody says who asks, all are one and have all of it.

    Attributes:
        waiting: statements of one person that wait; None for as many as wait at all.
        running: statements of one person at once; None for all places.
    """

    waiting: int | None = None
    running: int | None = None


class Turns:
    """Whose turn it is at `count` places; at most `queue_size` wait for one. For one thread at a time.

    A free place goes to the person who was given one longest ago, and of theirs to the turn that came first: who waits
    with k turns of their own before this one sees at most k + 1 of every other person begin.
    """

    def __init__(self, count: int, queue_size: int, each: PersonBounds | None = None) -> None:
        self._free = count
        self._queue_size = queue_size
        self._each = each or PersonBounds()
        self._waiting: OrderedDict[str, deque[threading.Event]] = OrderedDict()  # whose turn is next stands first
        self._running: Counter[str] = Counter()

    @property
    def waiting(self) -> int:
        """How many wait."""
        return sum(map(len, self._waiting.values()))

    def join(self, person: str) -> threading.Event:
        """Wait for a place; what is returned is set once there is one.

        Raises:
            DatabaseBusy: the queue is full, or this person's part of it.
        """
        if self._free == 0 or not self._may_run(person):
            mine = len(self._waiting.get(person, ()))
            if person != LOCAL and self._each.waiting is not None and mine >= self._each.waiting:
                raise DatabaseBusy(f"{mine} statements of one person are waiting already", _YOURS)
            if self.waiting >= self._queue_size:
                raise DatabaseBusy(f"{self.waiting} statements are waiting already")
        turn = threading.Event()
        self._waiting.setdefault(person, deque()).append(turn)
        self._pass_on()
        return turn

    def leave(self, person: str, turn: threading.Event) -> None:
        """Give up waiting, or the place where the turn has come."""
        if turn.is_set():
            self._free += 1
            self._running[person] -= 1
            self._pass_on()
        else:
            self._waiting[person].remove(turn)
            self._forget_idle(person)

    def _pass_on(self) -> None:
        """Give free places to whose turn it is; who has as many as one person may have is passed over."""
        while self._free > 0 and (person := next(filter(self._may_run, self._waiting), None)) is not None:
            self._free -= 1
            self._running[person] += 1
            self._waiting[person].popleft().set()
            self._waiting.move_to_end(person)
            self._forget_idle(person)

    def _forget_idle(self, person: str) -> None:
        if not self._waiting[person]:
            del self._waiting[person]

    def _may_run(self, person: str) -> bool:
        most = self._each.running
        return person == LOCAL or most is None or self._running[person] < most


class Slots:
    """Hands out the places of `Turns` to threads."""

    def __init__(self, count: int, queue_size: int, each: PersonBounds | None = None) -> None:
        self._turns = Turns(count, queue_size, each)
        self._lock = threading.Lock()

    @property
    def waiting(self) -> int:
        """How many statements wait for a place."""
        with self._lock:
            return self._turns.waiting

    @contextmanager
    def place(self, deadline: float, stop: threading.Event, person: str = LOCAL) -> Iterator[None]:
        """Hold a place for the length of the block.

        Args:
            deadline: on the clock of `time.monotonic`, seconds.
            stop: gives the wait up when set.
            person: who asks.

        Raises:
            DatabaseBusy: the queue is full, or this person's part of it, or the deadline passed in it.
            QueryStopped: `stop` was set while waiting.
        """
        if stop.is_set():
            raise QueryStopped
        with self._lock:
            turn = self._turns.join(person)
        try:
            while not turn.wait(max(0.0, min(_LOOK_UP_S, deadline - time.monotonic()))):
                if stop.is_set():
                    raise QueryStopped
                if time.monotonic() >= deadline:
                    raise DatabaseBusy("waited until the deadline without getting a turn")
            yield
        finally:
            with self._lock:
                self._turns.leave(person, turn)
