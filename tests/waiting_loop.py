"""How long a loop keeps everybody else waiting while something is awaited in it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from typing import TypeVar

_Made = TypeVar("_Made")
_TICK_S = 0.005


async def with_longest_wait_s(work: Awaitable[_Made]) -> tuple[_Made, float]:
    """Return what is awaited, and the longest time in which the loop did nothing else."""
    waits: list[float] = []

    async def tick() -> None:
        while True:
            began = time.monotonic()
            await asyncio.sleep(_TICK_S)
            waits.append(time.monotonic() - began)

    ticking = asyncio.create_task(tick())
    await asyncio.sleep(2 * _TICK_S)
    try:
        made = await work
        await asyncio.sleep(2 * _TICK_S)
        return made, max(waits)
    finally:
        ticking.cancel()
