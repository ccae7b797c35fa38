"""Following the events of one request: from any place on, live, and bounded."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass

from ai_engine.errors import EventsGone, ReaderTooSlow
from ai_engine.events import Event, EventBus, EventType
from backend.events.log import EventLog, LoggedEvent, logged
from backend.settings import Settings

_NOTE_READER_S = 0.5
_MISSED = "Some events in between are no longer kept."


@dataclass(frozen=True, slots=True)
class ChatBounds:
    """How long is waited for what; the settings of the same names say it in words."""

    wait_s: float
    lease_s: float
    grace_s: float
    question_grace_s: float
    heartbeat_s: float
    reader_events: int

    @classmethod
    def of(cls, settings: Settings) -> ChatBounds:
        """Read them from the settings."""
        return cls(
            settings.chat_wait_s,
            settings.chat_lease_s,
            settings.chat_grace_s,
            settings.chat_question_grace_s,
            settings.chat_heartbeat_s,
            settings.chat_reader_events,
        )


async def follow(
    log: EventLog, bus: EventBus, request_id: str, after: int, bounds: ChatBounds, *, is_here: bool
) -> AsyncGenerator[LoggedEvent | None, None]:
    """Yield what happens from a place on, None where nothing does for a while; ends behind the last event.

    Args:
        log: where the events are.
        bus: tells that there are new ones.
        request_id: whose.
        after: the place of the last event that the reader has; 0 for none.
        bounds: `heartbeat_s` and `reader_events`.
        is_here: whether the request is worked on in this process, which then needs no word from its readers.

    Raises:
        EventsGone: nothing is known of this request, or it has not come as far as that place.
        ReaderTooSlow: more than `reader_events` happened while the reader took one batch.
    """
    loop, news = asyncio.get_running_loop(), asyncio.Event()
    longest_wait_s = bounds.heartbeat_s if is_here else _NOTE_READER_S
    subscription = bus.subscribe("*", _waking(loop, news), request_id=request_id)
    try:
        if await _has_all(log, request_id, after):
            return
        silent_since = loop.time()
        first = True
        while True:
            news.clear()
            if not is_here:
                await log.note_reader(request_id)
            events = await log.after(request_id, after)
            if not first and len(events) > bounds.reader_events:
                raise ReaderTooSlow(f"a reader was {len(events)} events behind")
            first = first and not events
            if events and events[0].place > after + 1:
                yield _missed(request_id, events[0].place - 1)
            for one in events:
                yield one
                after = one.place
                if one.is_last:
                    return
            if events:
                silent_since = loop.time()
                continue
            quiet_s = silent_since + bounds.heartbeat_s - loop.time()
            if quiet_s <= 0:
                silent_since = loop.time()
                yield None
                continue
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(min(quiet_s, longest_wait_s)):
                    await news.wait()
    finally:
        bus.unsubscribe(subscription)


async def _has_all(log: EventLog, request_id: str, after: int) -> bool:
    """Say whether a request has ended at a place; raises EventsGone for a place that it has not reached."""
    known = await log.after(request_id, 0)
    if after > (known[-1].place if known else 0):
        raise EventsGone(f"request {request_id} has no event {after}")
    return bool(known) and known[-1].is_last and known[-1].place == after


def _missed(request_id: str, place: int) -> LoggedEvent:
    data = {"message": _MISSED, "error_type": EventsGone.__name__}
    return logged(Event(type=EventType.ERROR, request_id=request_id, data=data), place)


def _waking(loop: asyncio.AbstractEventLoop, news: asyncio.Event) -> Callable[[Event], None]:
    def wake(_: Event) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended, and with it the reader
            loop.call_soon_threadsafe(news.set)

    return wake
