"""Events of running and recently ended requests, so that a reader who comes back misses nothing."""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from ai_engine.errors import EventsGone
from ai_engine.events import Event, EventType
from ai_engine.json_values import any_to_json
from backend.answers.json_values import json_line


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """One event of a request.

    Attributes:
        place: counted from 1 within its request.
        line: what a client is sent, one line of JSON.
        is_last: nothing comes after it.
    """

    place: int
    line: str
    is_last: bool


@dataclass(frozen=True, slots=True)
class LogBounds:
    """How much is kept.

    Attributes:
        events, size_kb: of one request; the oldest go first, the newest always stays.
        requests: that have ended; the oldest go first.
        keep_s: how long a request is kept after its end.
    """

    events: int
    size_kb: int
    requests: int
    keep_s: float


class EventLog(Protocol):
    """Keeps events by request; for use in one loop.

    Every method raises StoreUnavailable where the events are kept outside and cannot be reached.
    """

    async def begin(self, request_id: str, conversation_id: str) -> None:
        """Make place for a request, which is the newest of its conversation from now on."""
        ...

    async def append(self, event: Event) -> None:
        """Add an event behind the others of its request."""
        ...

    async def after(self, request_id: str, place: int) -> list[LoggedEvent]:
        """Return what came after a place, as far as it is kept: the first may be further on than the next place.

        Raises:
            EventsGone: nothing is known of this request.
        """
        ...

    async def newest(self, conversation_id: str) -> str | None:
        """Return the newest request of a conversation that is still known."""
        ...

    async def conversation_of(self, request_id: str) -> str:
        """Return the conversation of a request; raises EventsGone as `after` does."""
        ...

    async def note_reader(self, request_id: str) -> None:
        """Let the instance that works on a request know that it is read here; good for two seconds."""
        ...

    async def is_read_elsewhere(self, request_id: str) -> bool:
        """Say whether another instance noted a reader within the last two seconds."""
        ...

    async def leave_response(self, request_id: str, response: str) -> None:
        """Leave a person's response for the instance that works on a request."""
        ...

    async def take_responses(self, request_id: str) -> list[str]:
        """Return the responses that were left, each once."""
        ...


@dataclass
class _Kept:
    conversation_id: str
    events: deque[LoggedEvent] = field(default_factory=deque)
    places: int = 0
    size_bytes: int = 0
    ended_at: float | None = None


class MemoryEventLog:
    """The log of one process: nobody reads or responds elsewhere."""

    def __init__(self, bounds: LogBounds, clock: Callable[[], float] = time.monotonic) -> None:
        self._bounds = bounds
        self._clock = clock
        self._requests: dict[str, _Kept] = {}
        self._newest: dict[str, str] = {}
        self._ended: OrderedDict[str, None] = OrderedDict()

    async def begin(self, request_id: str, conversation_id: str) -> None:
        """See EventLog."""
        self._forget()
        self._requests[request_id] = _Kept(conversation_id)
        self._newest[conversation_id] = request_id

    async def append(self, event: Event) -> None:
        """See EventLog."""
        kept = self._of(event.request_id)
        kept.places += 1
        one = logged(event, kept.places)
        kept.events.append(one)
        kept.size_bytes += len(one.line)
        while len(kept.events) > 1 and (
            len(kept.events) > self._bounds.events or kept.size_bytes > self._bounds.size_kb * 1024
        ):
            kept.size_bytes -= len(kept.events.popleft().line)
        if one.is_last:
            kept.ended_at = self._clock()
            self._ended[event.request_id] = None
            self._forget()

    async def after(self, request_id: str, place: int) -> list[LoggedEvent]:
        """See EventLog."""
        events = self._of(request_id).events
        first = events[0].place if events else 1
        return [events[index] for index in range(max(0, place + 1 - first), len(events))]

    def ends(self, request_id: str) -> tuple[LoggedEvent, LoggedEvent]:
        """Return the oldest and the newest event that are kept of a request that has one."""
        events = self._of(request_id).events
        return events[0], events[-1]

    async def newest(self, conversation_id: str) -> str | None:
        """See EventLog."""
        self._forget()
        return self._newest.get(conversation_id)

    async def conversation_of(self, request_id: str) -> str:
        """See EventLog."""
        return self._of(request_id).conversation_id

    async def note_reader(self, request_id: str) -> None:
        """See EventLog."""

    async def is_read_elsewhere(self, request_id: str) -> bool:  # noqa: ARG002 - there is nobody elsewhere
        """See EventLog."""
        return False

    async def leave_response(self, request_id: str, response: str) -> None:  # noqa: ARG002 - the same
        """See EventLog."""
        raise EventsGone(f"request {request_id} is not worked on here")

    async def take_responses(self, request_id: str) -> list[str]:  # noqa: ARG002 - the same
        """See EventLog."""
        return []

    def _of(self, request_id: str) -> _Kept:
        self._forget()
        try:
            return self._requests[request_id]
        except KeyError:
            raise EventsGone(f"nothing is known of request {request_id}") from None

    def _forget(self) -> None:
        """Drop requests that ended too long ago, and those beyond the bound."""
        too_old = self._clock() - self._bounds.keep_s
        while self._ended:
            oldest = next(iter(self._ended))
            kept = self._requests[oldest]
            if len(self._ended) <= self._bounds.requests and (kept.ended_at or 0.0) > too_old:
                return
            del self._ended[oldest], self._requests[oldest]
            if self._newest.get(kept.conversation_id) == oldest:
                del self._newest[kept.conversation_id]


def logged(event: Event, place: int) -> LoggedEvent:
    """Write an event as it is sent; the values of tools are data of any kind."""
    fields = any_to_json(event.on_the_wire())
    assert isinstance(fields, dict), "an event is an object"  # noqa: S101
    return LoggedEvent(place, json_line(fields), event.type is EventType.RESPONSE_DONE)
