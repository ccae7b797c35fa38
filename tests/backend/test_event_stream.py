"""A stream of events and a reader that stops taking: it is left in time wherever it stops, and holds nothing then."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import ExitStack
from typing import Any

import pytest

from backend.events.stream import EventStream
from tests.patience import allowed_s

SENT = ["http.response.start", "http.response.body", "http.response.body", "http.response.body"]


class Reader:
    """Takes so many messages, then none."""

    def __init__(self, takes: int) -> None:
        self.takes = takes
        self.taken: list[str] = []

    async def send(self, message: Any) -> None:
        if len(self.taken) == self.takes:
            await asyncio.sleep(60)
        self.taken.append(message["type"])

    async def receive(self) -> Any:
        await asyncio.sleep(60)


async def pieces(given_back: list[str]) -> AsyncGenerator[str, None]:
    try:
        yield "one"
        yield "two"
    finally:
        given_back.append("pieces")


@pytest.mark.parametrize("takes", range(len(SENT) + 1))
def test_a_reader_that_takes_no_more_holds_nothing_after_the_time_limit(takes: int):
    given_back: list[str] = []
    held, reader = ExitStack(), Reader(takes)
    held.callback(given_back.append, "place")
    stream = EventStream(pieces(given_back), send_timeout_s=0.2, held=held)
    began = time.monotonic()
    asyncio.run(stream({"type": "http"}, reader.receive, reader.send))
    assert time.monotonic() - began < allowed_s(2)
    assert reader.taken == SENT[:takes]
    assert given_back[-1] == "place"
    assert ("pieces" in given_back) == (takes > 0), "what never began has nothing to give back"
