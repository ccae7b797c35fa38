"""A list of servers that somebody else keeps."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from ai_engine.errors import BadConfiguration
from backend.mcp.client import SharedTools, open_tools
from backend.settings import Settings
from tests.backend.mcp.tool_servers import QUICK, bank_server
from tests.loopback_server import serving


@dataclass
class Keeper:
    """Keeps the list; a test may change it."""

    told: Any = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    async def answer(self, request: Request) -> Response:
        self.keys.append(request.headers.get("authorization", ""))
        return RedirectResponse("http://127.0.0.2:9/") if self.told == "elsewhere" else JSONResponse(self.told)


@contextmanager
def discovering(keeper: Keeper, **settings: Any) -> Iterator[SharedTools]:
    with serving(Starlette(routes=[Route("/servers", keeper.answer)])) as address:
        tools = open_tools(Settings(mcp_discovery_url=f"{address}/servers", **(QUICK | settings)))
        try:
            yield tools
        finally:
            tools.close()


def origin(entry: dict[str, Any]) -> str:
    return str(entry["url"]).removesuffix("/mcp")


@pytest.fixture(scope="module")
def north() -> Iterator[dict[str, Any]]:
    with bank_server("north") as entry:
        yield entry


def names(tools: SharedTools) -> set[str]:
    return {summary.name for summary in asyncio.run(tools.view().summaries())}


def test_a_server_of_the_list_is_called_when_its_host_is_enabled(north: dict[str, Any]):
    keeper = Keeper({"servers": [north]})
    with discovering(keeper, mcp_discovery_hosts=origin(north), mcp_discovery_token="key") as tools:
        assert asyncio.run(tools.view().call("balance", {"branch": "Pune"})).structured is not None
        assert names(tools) > {"balance"}
    assert keeper.keys == ["Bearer key"], "asked once, as the list is kept"


def test_a_server_of_the_list_whose_host_is_not_enabled_is_not_called(north: dict[str, Any]):
    with discovering(Keeper([north])) as tools:
        assert names(tools) == set()
        assert tools.view().health() == []


def test_entries_can_start_no_program_and_set_no_header(north: dict[str, Any]):
    told = [
        {"id": "shell", "transport": "stdio", "command": "/bin/sh"},
        {"id": "a.b", "url": north["url"]},
        {"id": "file", "url": "file:///etc/passwd"},
        "nonsense",
        north | {"headers": {"Authorization": "OPENAI_API_KEY"}, "command": "/bin/sh", "private": True},
    ]
    with discovering(Keeper(told), mcp_discovery_hosts=origin(north)) as tools:
        assert "balance" in names(tools)
        assert [seen.server_id for seen in tools.view().health()] == ["north"]


def test_a_server_that_left_the_list_is_not_called_any_more(north: dict[str, Any]):
    keeper = Keeper([north])
    with discovering(keeper, mcp_discovery_hosts=origin(north), mcp_cache_s=0.2) as tools:
        view = tools.view()
        assert "balance" in {summary.name for summary in asyncio.run(view.summaries())}
        keeper.told = []
        time.sleep(0.3)
        assert asyncio.run(view.call("balance", {"branch": "Pune"})).error == "the server is not enabled any more"
        assert names(tools) == set()


@pytest.mark.parametrize("told", ["elsewhere", {"servers": 5}, 7])
def test_a_list_that_is_none_is_told_by_the_health(told: Any):
    with discovering(Keeper(told)) as tools:
        assert names(tools) == set()
        (seen,) = tools.view().health()
        assert (seen.server_id, seen.healthy) == ("discovery", False)
        assert seen.error


def test_a_list_that_cannot_be_had_leaves_what_was_known(north: dict[str, Any]):
    keeper = Keeper([north])
    with discovering(keeper, mcp_discovery_hosts=origin(north), mcp_cache_s=0.2) as tools:
        assert "balance" in names(tools)
        keeper.told = "elsewhere"
        time.sleep(0.3)
        assert "balance" in names(tools)
        assert {seen.server_id: seen.healthy for seen in tools.view().health()} == {"north": True, "discovery": False}


def test_an_address_of_the_list_that_is_none_is_a_wrong_setting():
    with pytest.raises(BadConfiguration, match="BANK_MCP_DISCOVERY_URL"):
        open_tools(Settings(mcp_discovery_url="ftp://host/servers")).view()
