"""Lets no service fill the memory: what it replies is counted while it arrives."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2
import openai

_KILOBYTE = 1024


class ReplyTooLarge(openai.OpenAIError):
    """A body was left because it is longer than a reply may be, or packed so that its length cannot be told."""


class _CountedStream(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, max_kb: int) -> None:
        self._stream = stream
        self._max_kb = max_kb

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._max_kb * _KILOBYTE
        async for chunk in self._stream:
            left -= len(chunk)
            if left < 0:
                raise ReplyTooLarge(f"the reply is longer than {self._max_kb} KB")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


def bounded_http_client(max_kb: int) -> openai.DefaultAsyncHttpxClient:
    """Return a client whose bodies, those of errors too, raise ReplyTooLarge beyond `max_kb`; it follows no redirect.

    It asks for bodies that are not compressed and takes no others: a few bytes could unfold to any length.
    """

    async def bound(response: httpx2.Response) -> None:
        if response.headers.get("content-encoding", "identity").strip().lower() not in {"", "identity"}:
            raise ReplyTooLarge("the reply is compressed, which was not asked for")
        assert isinstance(response.stream, httpx2.AsyncByteStream), "an asynchronous client has no other"  # noqa: S101
        response.stream = _CountedStream(response.stream, max_kb)

    return openai.DefaultAsyncHttpxClient(
        headers={"Accept-Encoding": "identity"}, event_hooks={"response": [bound]}, follow_redirects=False
    )
