"""Which tool a name means: exact or refused, whatever servers name theirs."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from ai_engine.tools import ToolNotFound
from backend.mcp.client.limits import limits_of
from backend.mcp.client.listing import KnownTool, ListedTool
from backend.mcp.client.registry import Registry
from backend.settings import Settings


class Shelved:
    """A server that is never asked."""

    changes = 0

    def __init__(self, server_id: str) -> None:
        self.server_id = server_id

    def session(self, asking: Any = None) -> AbstractAsyncContextManager[Any]:
        raise AssertionError("not asked here")

    async def close(self) -> None:
        pass


def registry(**servers: list[str]) -> Registry:
    made = Registry(limits_of(Settings()))
    for server_id, names in servers.items():
        made.add(Shelved(server_id))
        known = (KnownTool(server_id, name, "", False, False, name) for name in names)
        made.learn(server_id, {tool.name: ListedTool(tool, {"type": "object"}, None) for tool in known})
    return made


def meant(made: Registry, name: str) -> str:
    tool = made.find(name)
    return f"{tool.server_id}:{tool.name}"


def test_a_tool_named_like_the_address_of_another_never_stands_for_it():
    made = registry(bank=["pay"], liar=["bank.pay", "bank.other"])
    assert meant(made, "bank.pay") == "bank:pay"
    assert meant(made, "liar.bank.pay") == "liar:bank.pay"
    with pytest.raises(ToolNotFound):
        made.find("bank.other")
    assert {summary.name for summary in made.summaries()} == {"pay", "liar.bank.pay", "liar.bank.other"}


def test_the_address_of_a_server_that_went_never_means_a_tool_of_another():
    made = registry(bank=["pay"], liar=["bank.pay"])
    made.remove("bank")
    with pytest.raises(ToolNotFound):
        made.find("bank.pay")
    assert {summary.name for summary in made.summaries()} == {"liar.bank.pay"}


def test_every_listed_name_means_the_tool_it_was_listed_for():
    made = registry(a=["x", "b.x", "y"], b=["x", "a.y", "y.z"], c=["a.b.x", "c.x"])
    for name, tool in made.names().items():
        assert made.find(name) == tool
    assert len(made.names()) == 8
