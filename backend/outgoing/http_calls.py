"""Calls to HTTP services: only those that are listed, only to the address that was checked, never further.

A name is resolved once, every address it has is judged, and the connection goes to one of the judged addresses: a name
that means another machine a moment later is not asked again. Redirects are not followed, proxies not used.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import httpx

from ai_engine.agent import in_thread
from ai_engine.errors import ApiCallFailed, ApiCallRefused, BadConfiguration, QueryStopped
from ai_engine.specialists.api_docs.outside import HttpRequest, HttpResponse
from backend.outgoing.charsets import decoded

Resolver = Callable[[str, int], Sequence[str]]
"""Host and port to its addresses, as text; blocks, raises OSError."""
_PORTS = {"http": 80, "https": 443}
_POLL_S = 0.05
_REDIRECTS = range(300, 400)
_NOT_MODIFIED = 304
_GIVEN_OUT = ipaddress.ip_network("2000::/3")
"""What of IPv6 is given out for the internet; site-local addresses and those of translators lie outside of it."""
_PROTOCOLS = ipaddress.ip_network("192.0.0.0/24")
"""Addresses of protocols, some of which older versions of Python take for global."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Scheme, host and port: what a permission and a token belong to. The host is lower case, without a final dot."""

    scheme: str
    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """It names this machine outright, and not through a name that somebody else answers for."""
        return self.host == "localhost" or (literal_address(self.host) is not None and is_loopback_address(self.host))


def origin_of(url: str) -> Origin:
    """Read where a URL leads.

    Raises:
        ApiCallRefused: it is no plain http(s) address: another scheme, user information, a host that cannot be read.
    """
    try:
        parsed = httpx.URL(url)
        port = parsed.port
    except (httpx.InvalidURL, ValueError, TypeError) as error:
        raise ApiCallRefused(f"not an address: {error}") from error
    host = parsed.raw_host.decode("ascii").lower().rstrip(".").strip("[]")
    if parsed.scheme not in _PORTS or not host:
        raise ApiCallRefused(f"only http and https are called, not {parsed.scheme or 'nothing'}")
    if "?" in url or "#" in url:
        raise ApiCallRefused("an address stands without a query and without a fragment")
    if parsed.userinfo or "@" in url.partition("://")[2].split("/")[0] or "\\" in url or any(c.isspace() for c in url):
        raise ApiCallRefused("an address with user information, a backslash or a blank is not called")
    return Origin(parsed.scheme, host, port or _PORTS[parsed.scheme])


def origins_of(listed: Iterable[str]) -> frozenset[Origin]:
    """Read a list of permitted services; one without a scheme means https.

    Raises:
        BadConfiguration: an entry is no address.
    """
    try:
        return frozenset(origin_of(entry if "://" in entry else f"https://{entry}") for entry in listed)
    except ApiCallRefused as refusal:
        raise BadConfiguration(f"BANK_SERVICES_HOSTS: {refusal}") from refusal


def resolve(host: str, port: int) -> Sequence[str]:
    """Ask the system for a host's addresses."""
    return [str(found[4][0]) for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


class HttpxCalls:
    """Makes calls with httpx, see `HttpCalls`; no connection outlives its call."""

    def __init__(
        self, permitted: frozenset[Origin], *, timeout_s: float, max_response_kb: int, resolver: Resolver = resolve
    ) -> None:
        """Set the bounds.

        Args:
            permitted: services that may be called. Private addresses are refused, but for a loopback one listed here.
            timeout_s: of one call, from resolving the name to the last byte.
            max_response_kb: largest body, decoded.
            resolver: for tests.
        """
        self._permitted = permitted
        self._timeout_s = timeout_s
        self._max_bytes = max_response_kb * 1024
        self._resolver = resolver

    def permits(self, url: str) -> bool:
        """Tell whether a URL leads to a listed service."""
        try:
            return origin_of(url) in self._permitted
        except ApiCallRefused:
            return False

    async def send(self, request: HttpRequest, *, stop: threading.Event, deadline: float) -> HttpResponse:
        """See `HttpCalls.send`."""
        origin = origin_of(request.url)
        if origin not in self._permitted:
            raise ApiCallRefused(f"{origin.scheme}://{origin.host}:{origin.port} is not listed")
        left_s = min(self._timeout_s, deadline - time.monotonic())
        task = asyncio.ensure_future(self._sent(request, origin))
        try:
            end = time.monotonic() + left_s
            while not task.done():
                if stop.is_set():
                    raise QueryStopped
                if time.monotonic() >= end:
                    raise ApiCallFailed(f"no answer within {max(left_s, 0):.0f} s")
                await asyncio.wait({task}, timeout=max(0.0, min(_POLL_S, end - time.monotonic())))
            return task.result()
        except httpx.HTTPError as error:
            raise ApiCallFailed(f"{type(error).__name__}: {error}") from error
        except (httpx.InvalidURL, UnicodeError, ValueError) as error:
            raise ApiCallRefused(f"the call cannot be written: {type(error).__name__}") from error
        finally:
            if not task.done():
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError, Exception):
                    await asyncio.wait({task}, timeout=_POLL_S)

    async def _sent(self, request: HttpRequest, origin: Origin) -> HttpResponse:
        started = time.perf_counter()
        address = await self._checked_address(origin)
        url = httpx.URL(request.url)
        shown = f"{request.url}{'?' if request.query else ''}{urlencode(request.query)}"
        pinned = url.copy_with(host=address, params=list(request.query) or None)
        headers = {**request.headers, "Host": url.netloc.decode("ascii"), "Accept-Encoding": "identity"}
        extensions: dict[str, Any] = {"sni_hostname": origin.host} if origin.scheme == "https" else {}
        async with (
            httpx.AsyncClient(trust_env=False, follow_redirects=False, timeout=self._timeout_s) as client,
            client.stream(
                request.method, pinned, headers=headers, json=request.json_body, extensions=extensions
            ) as response,
        ):
            if response.status_code in _REDIRECTS and response.status_code != _NOT_MODIFIED:
                raise ApiCallRefused("the service sends the call on to another address, which is not followed")
            body = await self._body(response)
        content_type = response.headers.get("content-type", "")
        return HttpResponse(
            status=response.status_code,
            url=shown,
            content_type=content_type,
            body=decoded(body, content_type),
            elapsed_ms=(time.perf_counter() - started) * 1_000,
        )

    async def _body(self, response: httpx.Response) -> bytes:
        announced = response.headers.get("content-length", "")
        if announced.isdecimal() and int(announced) > self._max_bytes:
            raise ApiCallFailed(f"the reply has {announced} bytes, more than {self._max_bytes}", _TOO_LARGE)
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > self._max_bytes:
                raise ApiCallFailed(f"the reply has more than {self._max_bytes} bytes", _TOO_LARGE)
        return bytes(body)

    async def _checked_address(self, origin: Origin) -> str:
        """Resolve a host and return an address that may be connected to; one forbidden address forbids the name.

        Raises:
            ApiCallRefused, ApiCallFailed.
        """
        try:
            found = (
                [origin.host]
                if literal_address(origin.host)
                else await in_thread(self._resolver, origin.host, origin.port)
            )
        except (OSError, UnicodeError) as error:
            raise ApiCallFailed(f"{origin.host} cannot be resolved: {error}") from error
        allowed = is_loopback_address if origin.is_loopback else is_public_address
        if not found or not all(allowed(address) for address in found):
            raise ApiCallRefused(f"{origin.host} leads to an address inside a private network")
        return found[0]


_TOO_LARGE = "The service's reply is too large. Ask for less at once."


def literal_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Read an address written out, as the IPv4 one that it may carry; None for a name."""
    try:
        found = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
    return _unwrapped(found)


def _unwrapped(
    found: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """Take an IPv4 address out of the IPv6 one that carries it: mapped, 6to4, Teredo, NAT64, compatible."""
    if isinstance(found, ipaddress.IPv4Address):
        return found
    inner = found.ipv4_mapped or found.sixtofour or (found.teredo[1] if found.teredo else None)
    carried = (ipaddress.ip_network("64:ff9b::/96"), ipaddress.ip_network("::/96"))
    if inner is None and found not in {ipaddress.ip_address("::1"), ipaddress.ip_address("::")}:
        inner = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF) if any(found in net for net in carried) else None
    return inner or found


def is_loopback_address(address: str) -> bool:
    """Tell whether an address is this machine itself."""
    found = literal_address(address)
    return found is not None and found.is_loopback


def is_public_address(address: str) -> bool:
    """Only what the whole internet may reach, which private, link-local, shared and reserved addresses are not."""
    found = literal_address(address)
    if found is None or not found.is_global or found.is_multicast:
        return False
    return found in _GIVEN_OUT if isinstance(found, ipaddress.IPv6Address) else found not in _PROTOCOLS
