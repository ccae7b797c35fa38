"""Lets no service fill the memory, or fail in other ways than a model may: its reply is counted while it arrives."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import openai

from ai_engine.errors import ModelFailed

_KILOBYTE = 1024
_MOST_MARKS = 100_000
"""Commas and opening brackets of one body, or of one event of a stream, those in texts included."""
_MARKS = re.compile(rb"[,\[{]")
_EVENT_END = re.compile(rb"\n\r?\n")


class ReplyTooLarge(openai.OpenAIError):
    """A body was left because it is longer or has more parts than a reply may, or is packed so that nobody can tell."""


class _CountedStream(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, max_kb: int) -> None:
        self._stream = stream
        self._max_kb = max_kb

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._max_kb * _KILOBYTE
        marks = 0
        async for chunk in self._stream:
            left -= len(chunk)
            if left < 0:
                raise ReplyTooLarge(f"the reply is longer than {self._max_kb} KB")
            # an end that is cut in two is not seen, so that two events are bounded as one
            for place, event in enumerate(_EVENT_END.split(chunk)):
                marks = len(_MARKS.findall(event)) + (0 if place else marks)
                if marks > _MOST_MARKS:
                    raise ReplyTooLarge(f"the reply has more than {_MOST_MARKS:,} parts at once")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


def bounded_http_client(max_kb: int) -> openai.DefaultAsyncHttpxClient:
    """Return a client whose bodies, those of errors too, raise ReplyTooLarge beyond `max_kb` or with too many parts.

    It follows no redirect. It asks for bodies that are not compressed and takes no others: a few bytes could unfold to
    any length.
    """

    async def bound(response: httpx2.Response) -> None:
        if response.headers.get("content-encoding", "identity").strip().lower() not in {"", "identity"}:
            raise ReplyTooLarge("the reply is compressed, which was not asked for")
        assert isinstance(response.stream, httpx2.AsyncByteStream), "an asynchronous client has no other"  # noqa: S101
        response.stream = _CountedStream(response.stream, max_kb)
        response.encoding = "utf-8"  # as JSON is; decoders of charsets that a service may name take a minute, or raise

    return openai.DefaultAsyncHttpxClient(
        headers={"Accept-Encoding": "identity"}, event_hooks={"response": [bound]}, follow_redirects=False
    )


@contextmanager
def reply_faults() -> Iterator[None]:
    """Turn what a library raises over a reply that it cannot read into ModelFailed, whatever that is.

    Raises:
        ModelFailed: the reply cannot be read.
    """
    try:
        yield
    except (openai.OpenAIError, httpx2.HTTPError):
        raise
    except Exception as fault:  # noqa: BLE001 - a decoder of a charset that the service names may raise anything
        raise ModelFailed(f"the reply cannot be read: {type(fault).__name__}") from None


async def readable(chunks: AsyncIterator[Any]) -> AsyncIterator[Any]:
    """Yield the chunks of a reply, others' calls between them; ModelFailed where what comes is none."""
    with reply_faults():
        async for chunk in chunks:
            yield chunk
            await asyncio.sleep(0)  # those of one packet would come without a pause
