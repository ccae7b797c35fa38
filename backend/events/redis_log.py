"""The log of several instances: each keeps the events of its own requests, and Redis a copy for the others."""

from __future__ import annotations

import logging
import math
from collections.abc import Awaitable
from typing import Any

import redis.asyncio
from pydantic import SecretStr
from redis import RedisError

from ai_engine.errors import BadConfiguration, EventsGone, StoreUnavailable
from ai_engine.events import Event, EventType
from backend.events.log import LogBounds, LoggedEvent, MemoryEventLog

_log = logging.getLogger(__name__)
_PREFIX = "banking-assistant:chat"
_RUNNING_KEEP_S = 3_600
_ALIVE_MS = 10_000
_READER_MS = 2_000


class RedisEventLog:
    """An EventLog for all instances that share a Redis.

    Where Redis is away, readers at the instance that works on a request notice nothing.
    """

    def __init__(self, url: SecretStr, bounds: LogBounds) -> None:
        self._bounds = bounds
        self._here = MemoryEventLog(bounds)
        try:
            self._redis = redis.asyncio.Redis.from_url(
                url.get_secret_value(), socket_timeout=5, socket_connect_timeout=2, decode_responses=True
            )
        except ValueError:
            raise BadConfiguration("BANK_REDIS_URL cannot be read; use redis://HOST:PORT/NUMBER") from None

    async def begin(self, request_id: str, conversation_id: str) -> None:
        """See EventLog."""
        await self._here.begin(request_id, conversation_id)
        copy = self._redis.pipeline()
        copy.set(_key(request_id, "conversation"), conversation_id, ex=_RUNNING_KEEP_S)
        copy.set(_key(request_id, "alive"), 1, px=_ALIVE_MS)
        copy.set(f"{_PREFIX}:newest:{conversation_id}", request_id, ex=_RUNNING_KEEP_S)
        await self._copied(copy.execute())

    async def append(self, event: Event) -> None:
        """See EventLog."""
        request_id = event.request_id
        await self._here.append(event)
        oldest, newest = self._here.ends(request_id)
        events = _key(request_id, "events")
        keep_s = math.ceil(self._bounds.keep_s) if event.type is EventType.RESPONSE_DONE else _RUNNING_KEEP_S
        copy = self._redis.pipeline()
        copy.xadd(
            events, {"line": newest.line, "last": int(newest.is_last)}, id=f"{newest.place}-0",
            minid=f"{oldest.place}-0", approximate=False,
        )  # fmt: skip
        copy.expire(events, keep_s)
        if newest.is_last:
            copy.expire(_key(request_id, "conversation"), keep_s)
        await self._copied(copy.execute())

    async def after(self, request_id: str, place: int) -> list[LoggedEvent]:
        """See EventLog."""
        try:
            return await self._here.after(request_id, place)
        except EventsGone:
            pass
        events, alive = await _asked(self._of_others(request_id, place))
        if alive is None and not events and not await self._has_ended(request_id):
            raise EventsGone(f"nobody works on request {request_id} any more")
        return [LoggedEvent(int(at.partition("-")[0]), one["line"], one["last"] == "1") for at, one in events]

    async def newest(self, conversation_id: str) -> str | None:
        """See EventLog."""
        here = await self._here.newest(conversation_id)
        try:
            found = await _asked(self._redis.get(f"{_PREFIX}:newest:{conversation_id}"))
        except StoreUnavailable:
            return here
        return here if found is None else str(found)

    async def conversation_of(self, request_id: str) -> str:
        """See EventLog."""
        try:
            return await self._here.conversation_of(request_id)
        except EventsGone:
            found = await _asked(self._redis.get(_key(request_id, "conversation")))
            if found is None:
                raise
            return str(found)

    async def note_reader(self, request_id: str) -> None:
        """See EventLog."""
        await _asked(self._redis.set(_key(request_id, "reader"), 1, px=_READER_MS))

    async def is_read_elsewhere(self, request_id: str) -> bool:
        """See EventLog."""
        return bool(await _asked(self._redis.exists(_key(request_id, "reader"))))

    async def leave_response(self, request_id: str, response: str) -> None:
        """See EventLog."""
        if not await _asked(self._redis.exists(_key(request_id, "alive"))):
            raise EventsGone(f"nobody works on request {request_id} any more")
        left = self._redis.pipeline()
        left.rpush(_key(request_id, "responses"), response)
        left.expire(_key(request_id, "responses"), _RUNNING_KEEP_S)
        await _asked(left.execute())

    async def take_responses(self, request_id: str) -> list[str]:
        """See EventLog; also says that the request is still worked on."""
        taken = self._redis.pipeline()
        taken.set(_key(request_id, "alive"), 1, px=_ALIVE_MS)
        taken.lrange(_key(request_id, "responses"), 0, -1)
        taken.delete(_key(request_id, "responses"))
        return list((await _asked(taken.execute()))[1])

    async def close(self) -> None:
        """Let go of Redis."""
        await self._redis.aclose()

    async def _of_others(self, request_id: str, place: int) -> tuple[list[Any], str | None]:
        both = self._redis.pipeline()
        both.xrange(_key(request_id, "events"), min=f"{place + 1}-0")
        both.get(_key(request_id, "alive"))
        events, alive = await both.execute()
        return events, alive

    async def _has_ended(self, request_id: str) -> bool:
        newest = await _asked(self._redis.xrevrange(_key(request_id, "events"), count=1))
        return bool(newest) and newest[0][1]["last"] == "1"

    async def _copied(self, work: Awaitable[Any]) -> None:
        try:
            await work
        except RedisError as fault:
            _log.warning("events could not be copied for other instances: %s", type(fault).__name__)


async def _asked(work: Awaitable[Any]) -> Any:
    try:
        return await work
    except RedisError as fault:
        raise StoreUnavailable(f"Redis could not be asked: {type(fault).__name__}") from None


def _key(request_id: str, what: str) -> str:
    return f"{_PREFIX}:{request_id}:{what}"
