"""Sessions over streamable HTTP: one per call, on connections that all calls of a server share."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import DiscoverResult

from ai_engine.errors import BadConfiguration
from backend.mcp.client.elicitation import Asking
from backend.mcp.client.faults import CallFault, fault_of
from backend.mcp.client.http_wire import HttpWire, OneOrigin
from backend.mcp.client.limits import ClientLimits
from backend.mcp.client.listed import HttpServer
from backend.mcp.client.parts import bounded
from backend.mcp.client.sessions import Listener, Session


class HttpLink:
    """A server at an address, see `ServerLink`.

    What it said of the protocol the first time is kept, so that later sessions need not ask again.
    """

    def __init__(self, entry: HttpServer, limits: ClientLimits) -> None:
        self._entry = entry
        self._limits = limits
        self._places = asyncio.Semaphore(limits.sessions)
        self._shared = OneOrigin(entry, limits.sessions)
        self._mode = "auto"
        self._discovered: DiscoverResult | None = None
        self._changes = 0

    @property
    def server_id(self) -> str:
        """The entry's."""
        return self._entry.id

    @property
    def changes(self) -> int:
        """See `ServerLink`."""
        return self._changes

    @asynccontextmanager
    async def session(self, asking: Asking | None = None) -> AsyncIterator[Session]:
        """See `ServerLink`."""
        max_bytes = self._limits.max_reply_kb * 1024
        async with self._places:
            wire = self._wire(max_bytes)
            session: Session | None = None
            try:
                async with AsyncExitStack() as opened:
                    await opened.enter_async_context(wire.client)
                    client = self._client(wire, max_bytes, Listener(self._note_change, asking))
                    async with asyncio.timeout(self._limits.connect_timeout_s):
                        await opened.enter_async_context(client)
                    self._remember(client)
                    session = Session(self.server_id, client, wire, self._limits)
                    yield session
            except Exception as fault:
                translated = fault_of(fault, wire, sent=session is not None and session.sent)
                if translated.server:
                    self._mode, self._discovered = "auto", None
                raise translated from fault

    async def close(self) -> None:
        """See `ServerLink`."""
        await self._shared.close()

    def _wire(self, max_bytes: int) -> HttpWire:
        try:
            return HttpWire(self._entry, self._shared, max_bytes, self._limits.connect_timeout_s)
        except BadConfiguration:
            words = "an environment variable for its headers is not set any more"
            raise CallFault("connection", words, unsent=True, server=True) from None

    def _client(self, wire: HttpWire, max_bytes: int, listener: Listener) -> Client:
        transport = streamable_http_client(self._entry.url, http_client=wire.client, max_sse_event_size=max_bytes)
        return Client(
            bounded(transport),
            cache=None,
            mode=self._mode,
            prior_discover=self._discovered,
            elicitation_callback=listener.elicited,
            message_handler=listener.heard,
        )

    def _note_change(self) -> None:
        self._changes += 1

    def _remember(self, client: Client) -> None:
        self._discovered = client.session.discover_result
        self._mode = "legacy" if self._discovered is None else client.protocol_version
