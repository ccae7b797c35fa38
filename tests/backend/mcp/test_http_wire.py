"""Where calls of MCP servers may lead."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import httpx2
import pytest

from backend.mcp.client.faults import CallFault
from backend.mcp.client.http_wire import OneOrigin
from backend.mcp.client.listed import HttpServer
from tests.loopback_server import serving


async def hello(scope, receive, send):  # type: ignore[no-untyped-def]
    await send({"type": "http.response.start", "status": 200, "headers": []})
    host = dict(scope["headers"])[b"host"]
    await send({"type": "http.response.body", "body": host})


def got(entry: HttpServer, url: str, addresses: Sequence[str] = ()) -> bytes:
    asked: list[str] = []

    def resolver(host: str, port: int) -> Sequence[str]:
        asked.append(host)
        return addresses

    async def get() -> bytes:
        wire = OneOrigin(entry, 1, resolver)
        try:
            async with httpx2.AsyncClient(transport=wire, trust_env=False) as client:
                return (await client.get(url)).content
        finally:
            await wire.close()

    return asyncio.run(get())


def listed(url: str, **fields: bool) -> HttpServer:
    return HttpServer(id="a", transport="http", url=url, **fields)


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.7", "169.254.169.254", "::1", "::ffff:10.0.0.7", "0.0.0.0"])
def test_a_name_that_leads_into_a_private_network_is_not_called(address: str):
    url = "http://tools.example.com/mcp"
    with pytest.raises(CallFault, match="leads into a private network"):
        got(listed(url), url, [address])
    with pytest.raises(CallFault, match="leads into a private network"):
        got(listed(url), url, ["93.184.216.34", address])


@pytest.mark.parametrize("other", ["http://127.0.0.1:9/mcp", "https://tools.example.com/mcp", "http://example.com/mcp"])
def test_only_the_listed_origin_is_called(other: str):
    with pytest.raises(CallFault, match="another host"):
        got(listed("http://tools.example.com/mcp"), other)


def test_an_address_written_out_by_the_person_is_called():
    with serving(hello) as address:
        assert got(listed(f"{address}/mcp"), f"{address}/mcp") == address.removeprefix("http://").encode()


def test_the_address_that_was_judged_is_called_and_the_name_stays_in_the_host_header():
    with serving(hello) as address:
        port = address.rpartition(":")[2]
        url = f"http://localhost:{port}/mcp"
        assert got(listed(url), url, ["127.0.0.1"]) == f"localhost:{port}".encode()
