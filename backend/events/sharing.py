"""Where the events of chats are kept and told, as the settings say: in this process, or in a Redis for several."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ai_engine.events import EventBus, MemoryEventBus
from backend.events.log import EventLog, LogBounds, MemoryEventLog
from backend.settings import Settings


@asynccontextmanager
async def shared_events(settings: Settings) -> AsyncIterator[tuple[EventLog, EventBus]]:
    """Open log and bus, and let go of them at the end; a Redis that is away is tried again by itself.

    Raises:
        BadConfiguration: the address of the Redis is none.
    """
    bounds = LogBounds(
        settings.chat_log_events, settings.chat_log_kb, settings.chat_log_messages, settings.chat_log_keep_s
    )
    if settings.redis_url is None:
        yield MemoryEventLog(bounds), MemoryEventBus()
        return
    from backend.events.bus import RedisEventBus  # few installations have one
    from backend.events.redis_log import RedisEventLog

    log, bus = RedisEventLog(settings.redis_url, bounds), RedisEventBus(settings.redis_url)
    try:
        yield log, bus
    finally:
        bus.close()
        await log.close()
