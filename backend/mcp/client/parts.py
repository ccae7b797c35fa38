"""Bounds of how many parts a server's messages have: the SDK judges each of them, while all other sessions wait."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from mcp.shared.message import SessionMessage
from mcp_types import ErrorData, JSONRPCError, JSONRPCResponse

from ai_engine.json_parts import TooManyParts, check_parts
from backend.mcp.client.faults import TOO_MANY_PARTS

_MOST_ITEMS = 2_000
_MOST_PARTS = 50_000
_STRUCTURE = "structuredContent"
"""Any JSON, which is judged by us, within a time."""


@asynccontextmanager
async def bounded(transport: AbstractAsyncContextManager[Any]) -> AsyncIterator[tuple[Any, Any]]:
    """Give the streams of a session; a reply of too many parts is an error in its place, all else of that kind lost."""
    async with transport as (read, write):
        yield _BoundedReads(read), write


class _BoundedReads:
    """The messages of a stream, as far as the SDK reads one."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def __aenter__(self) -> _BoundedReads:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *fault: Any) -> Any:
        return await self._inner.__aexit__(*fault)

    def __aiter__(self) -> _BoundedReads:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        while True:
            item = await self._inner.__anext__()
            if not isinstance(item, SessionMessage) or _is_judged_soon(item.message):
                return item  # type: ignore[no-any-return]
            if isinstance(item.message, JSONRPCResponse):
                told = ErrorData(code=TOO_MANY_PARTS, message="the reply has too many parts")
                return SessionMessage(JSONRPCError(jsonrpc="2.0", id=item.message.id, error=told))


def _is_judged_soon(message: Any) -> bool:
    said = getattr(message, "result", None) or getattr(message, "params", None) or getattr(message, "error", None)
    if isinstance(said, ErrorData):
        said = said.data
    if not isinstance(said, dict):
        said = {"": said}
    judged = {name: part for name, part in said.items() if name != _STRUCTURE}
    try:
        check_parts(judged, _MOST_PARTS)
    except TooManyParts:
        return False
    return not any(isinstance(part, list) and len(part) > _MOST_ITEMS for part in judged.values())
