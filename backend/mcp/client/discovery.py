"""A list of servers that somebody else keeps: it names candidates, the person's own list of hosts enables them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Annotated, Any

import httpx2
from pydantic import BaseModel, ConfigDict, SecretStr, StringConstraints, TypeAdapter, ValidationError

from ai_engine.errors import ApiCallRefused, BadConfiguration
from backend.mcp.client.faults import CallFault, fault_of
from backend.mcp.client.http_wire import HttpWire, OneOrigin
from backend.mcp.client.limits import ClientLimits
from backend.mcp.client.listed import HttpServer, ServerId
from backend.outgoing.http_calls import origin_of
from backend.settings import Settings

DISCOVERY_ID = "discovery"
_MAX_REPLY_BYTES = 256 * 1024
_MAX_SERVERS = 100


class _Told(BaseModel):
    """What is believed of an entry; commands, headers and all else that it may say are not looked at."""

    model_config = ConfigDict(extra="ignore")

    id: ServerId
    url: Annotated[str, StringConstraints(max_length=2_000)]


_TOLD: TypeAdapter[list[Any]] = TypeAdapter(list[Any])


class Discovery:
    """Asks for the list."""

    def __init__(self, url: str, hosts: Sequence[str], token: SecretStr | None, limits: ClientLimits) -> None:
        """Prepare it.

        Args:
            url: where the list is.
            hosts: origins whose servers may be called, besides the list's own.
            token: sent with the question for the list, and nowhere else.
            limits: of connections.

        Raises:
            BadConfiguration: an address is none.
        """
        try:
            self._entry = HttpServer(id=DISCOVERY_ID, transport="http", url=url)
            self._enabled = {origin_of(url)} | {origin_of(host) for host in hosts}
        except (ValidationError, ApiCallRefused) as fault:
            reason = fault.errors()[0]["msg"] if isinstance(fault, ValidationError) else str(fault)
            raise BadConfiguration(f"BANK_MCP_DISCOVERY_URL, BANK_MCP_DISCOVERY_HOSTS: {reason}") from None
        self._token = token
        self._limits = limits
        self._shared = OneOrigin(self._entry, 1)

    async def servers(self) -> tuple[HttpServer, ...]:
        """Ask which enabled servers there are.

        Raises:
            CallFault: the list cannot be had.
        """
        wire = HttpWire(self._entry, self._shared, _MAX_REPLY_BYTES, self._limits.connect_timeout_s)
        headers = {} if self._token is None else {"Authorization": f"Bearer {self._token.get_secret_value()}"}
        try:
            async with asyncio.timeout(self._limits.connect_timeout_s), wire.client as client:
                reply = await client.get(self._entry.url, headers={"Accept": "application/json", **headers})
                if reply.status_code != httpx2.codes.OK:
                    raise CallFault("connection", f"the list of servers is answered with HTTP {reply.status_code}")
                return self._read(reply.content)
        except Exception as fault:
            raise fault_of(fault, wire, sent=False) from fault

    async def close(self) -> None:
        """Close the connection."""
        await self._shared.close()

    def _read(self, content: bytes) -> tuple[HttpServer, ...]:
        try:
            said = json.loads(content)
            told = _TOLD.validate_python(said.get("servers") if isinstance(said, dict) else said)
        except (ValueError, RecursionError):
            raise CallFault("validation", "the list of servers has another shape than a list") from None
        found: dict[str, HttpServer] = {}
        for one in told[:_MAX_SERVERS]:
            server = self._server(one)
            if server is not None:
                found.setdefault(server.id, server)
        return tuple(found.values())

    def _server(self, one: Any) -> HttpServer | None:
        try:
            told = _Told.model_validate(one)
            server = HttpServer(id=told.id, transport="http", url=told.url)
        except ValidationError:
            return None
        return server if origin_of(server.url) in self._enabled else None


def discovery_of(settings: Settings, limits: ClientLimits) -> Discovery | None:
    """Make the one that settings describe; None without an address."""
    if settings.mcp_discovery_url is None:
        return None
    hosts = [host.strip() for host in (settings.mcp_discovery_hosts or "").split(",") if host.strip()]
    return Discovery(settings.mcp_discovery_url, hosts, settings.mcp_discovery_token, limits)
