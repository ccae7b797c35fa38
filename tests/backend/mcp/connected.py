"""The official client, connected to a server of ours for as long as a test needs it, for plain functions to call."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent

from backend.main import create_app
from backend.opening import open_assistant
from backend.orchestration import Orchestrator, SharedOutside
from backend.settings import read_settings
from tests.conftest import PROJECT_ROOT
from tests.loopback_server import serving

_Made = TypeVar("_Made")
MODES = ("legacy", "auto")


@dataclass
class Connected:
    """A session; `told` are the lines of progress of all calls so far."""

    portal: BlockingPortal
    client: Client
    told: list[str] = field(default_factory=list)

    def do(self, work: Callable[[Client], Awaitable[_Made]]) -> _Made:
        """Run something asynchronous with the client."""

        async def run() -> _Made:
            return await work(self.client)

        return self.portal.call(run)

    def call(self, tool: str, **arguments: Any) -> CallToolResult:
        """Call a tool and wait for it."""

        async def run(client: Client) -> CallToolResult:
            return await client.call_tool(tool, arguments, progress_callback=self._hear)

        return self.do(run)

    async def _hear(self, _: float, __: float | None, message: str | None) -> None:
        self.told.append(message or "")

    def cancel_after(self, delay_s: float, tool: str, **arguments: Any) -> None:
        """Call a tool and give it up after a while."""

        async def run(client: Client) -> None:
            call = asyncio.ensure_future(client.call_tool(tool, arguments, progress_callback=self._hear))
            await asyncio.sleep(delay_s)
            assert not call.done(), "it was to take longer"
            call.cancel()
            await asyncio.wait({call})

        self.do(run)


def structured(result: CallToolResult) -> dict[str, Any]:
    """What a successful call gave."""
    assert not result.is_error, said(result)
    assert isinstance(result.structured_content, dict)
    return result.structured_content


def said(result: CallToolResult) -> str:
    """The text of a result."""
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


@contextmanager
def on_stdio(
    mode: str, *, module: str = "backend.mcp", environment: Mapping[str, str] | None = None
) -> Iterator[Connected]:
    """Start a server as a subprocess, and end it afterwards."""
    with from_command(sys.executable, ["-m", module], PROJECT_ROOT, environment or {}, mode) as connected:
        yield connected


@contextmanager
def from_command(
    command: str, arguments: list[str], folder: Path, environment: Mapping[str, str], mode: str = "legacy"
) -> Iterator[Connected]:
    """Start a server as a client would that was given a command; it gets our own settings and those named here."""
    known = {name: value for name, value in os.environ.items() if name.startswith("BANK_")}
    started = StdioServerParameters(command=command, args=arguments, cwd=folder, env={**known, **environment})
    with _connected(lambda: Client(stdio_client(started), mode=mode)) as connected:
        yield connected


@contextmanager
def over_http(mode: str, address: str) -> Iterator[Connected]:
    """Speak to a server that listens."""
    with _connected(lambda: Client(streamable_http_client(address), mode=mode)) as connected:
        yield connected


@contextmanager
def served_bank(bank: Path, **settings: Any) -> Iterator[str]:
    """Serve the HTTP API over a bank, with one worker, and give the address of its MCP endpoint."""
    given = read_settings(database_url=str(bank), database_workers=1, **settings)
    with closing(open_assistant(given)) as assistant:
        outside = SharedOutside(lambda: given)
        app = create_app(lambda: assistant, lambda: Orchestrator(assistant, outside.get()), settings=given)
        try:
            with serving(app, lifespan="on") as address:
                yield f"{address}/mcp"
        finally:
            outside.close()


@contextmanager
def _connected(make: Callable[[], Client]) -> Iterator[Connected]:
    with start_blocking_portal() as portal:
        client = portal.call(_made, make)
        with portal.wrap_async_context_manager(client):
            yield Connected(portal, client)


async def _made(make: Callable[[], Client]) -> Client:
    return make()
