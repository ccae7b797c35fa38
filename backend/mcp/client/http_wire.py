"""The HTTP under a session: only to the listed origin, only to an address that was judged."""

from __future__ import annotations

import asyncio

import httpx2

from backend.databases.mcp_http import BoundedTransport
from backend.mcp.client.faults import CallFault
from backend.mcp.client.listed import HttpServer
from backend.outgoing.http_calls import (
    Origin,
    Resolver,
    is_loopback_address,
    is_public_address,
    literal_address,
    origin_of,
    resolve,
)


class OneOrigin(httpx2.AsyncBaseTransport):
    """One server's connections, shared by its sessions: a name is resolved, judged, and the judged address called."""

    def __init__(self, entry: HttpServer, connections: int, resolver: Resolver = resolve) -> None:
        self._entry = entry
        self._origin = origin_of(entry.url)
        self._resolver = resolver
        limits = httpx2.Limits(max_connections=2 * connections, max_keepalive_connections=connections)
        self._inner = httpx2.AsyncHTTPTransport(trust_env=False, limits=limits)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Ask the judged address; the name stays in the Host header and in the certificate that is asked for."""
        if origin_of(str(request.url.copy_with(query=None, fragment=None))) != self._origin:
            raise CallFault("connection", "the call leads to another host than the server's", server=True)
        address = await self._address()
        pinned = request.url.copy_with(host=address)
        extensions = dict(request.extensions)
        if self._origin.scheme == "https":
            extensions["sni_hostname"] = self._origin.host
        moved = httpx2.Request(
            request.method, pinned, headers=request.headers, stream=request.stream, extensions=extensions
        )
        return await self._inner.handle_async_request(moved)

    async def close(self) -> None:
        """Close every connection."""
        await self._inner.aclose()

    async def aclose(self) -> None:
        """A session's end closes nothing, as others go on; see `close`."""

    async def _address(self) -> str:
        host = self._origin.host
        if literal_address(host) is not None or self._entry.private:
            found = [host]
        else:
            try:
                found = list(await asyncio.to_thread(self._resolver, host, self._origin.port))
            except (OSError, UnicodeError):
                words = "the server's name cannot be resolved"
                raise CallFault("connection", words, transient=True, unsent=True, server=True) from None
            if not found or not all(_may_be_called(address, self._origin) for address in found):
                words = "the server's name leads into a private network, which is not enabled for it"
                raise CallFault("connection", words, unsent=True, server=True)
        return found[0]


def _may_be_called(address: str, origin: Origin) -> bool:
    return is_loopback_address(address) if origin.is_loopback else is_public_address(address)


class HttpWire:
    """One session's replies, bounded.

    Attributes:
        client: speaks over it.
    """

    def __init__(self, entry: HttpServer, shared: OneOrigin, max_bytes: int, connect_timeout_s: float) -> None:
        self._bounded = BoundedTransport(max_bytes, shared)
        self.client = httpx2.AsyncClient(
            transport=self._bounded,
            headers={"Accept-Encoding": "identity"} | entry.given(),
            timeout=httpx2.Timeout(connect_timeout_s, read=None),  # how long a call may take is its owner's to say
            trust_env=False,
        )

    @property
    def refused(self) -> str | None:
        """Why a reply was not read."""
        refusal = self._bounded.refusal
        return None if refusal is None else str(refusal).replace("the MCP server", "the server")

    @property
    def status(self) -> int:
        """Of the latest reply, where it says "no"."""
        return self._bounded.status
