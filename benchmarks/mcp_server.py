"""What a call over MCP costs beside the same question over POST /ask, and whether memory grows with the calls.

`python -m benchmarks.mcp_server` prints the tables that are kept in `benchmarks/mcp_server.md`. Server and client are
processes of their own on one machine; the sample bank must be built.
"""

from __future__ import annotations

import asyncio
import os
import platform
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles

import httpx
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from backend.settings import PROJECT_ROOT

QUESTION = "How many customers are there?"
STATEMENT = "SELECT COUNT(*) AS n FROM branches"
TIMED = 200
CALLS = 1_000
_START_S = 60


@contextmanager
def api() -> Iterator[tuple[str, int]]:
    """Serve the sample bank on a free port; gives address and process id."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "server.py", "api", "--port", str(port)]
    process = subprocess.Popen(command, cwd=PROJECT_ROOT, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        _await(f"{address}/health")
        yield address, process.pid
    finally:
        process.terminate()
        process.wait(60)


def _await(url: str) -> None:
    end = time.monotonic() + _START_S
    while time.monotonic() < end:
        try:
            if httpx.get(url, timeout=10).status_code == 200:
                return
        except httpx.HTTPError:
            pass
        time.sleep(0.2)
    raise SystemExit(f"{url} does not answer")


async def timed(call: Callable[[], Awaitable[object]], count: int = TIMED) -> list[float]:
    """Milliseconds of each of some calls, one after the other, after a few that are not counted."""
    taken = []
    for number in range(count + 5):
        started = time.perf_counter()
        await call()
        if number >= 5:
            taken.append((time.perf_counter() - started) * 1_000)
    return taken


def memory_mb(pid: int) -> float:
    """Resident memory of one process."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


class Letters:
    """A session of the older protocol without the SDK's client, which checks each result against the tool's schema."""

    def __init__(self, http: httpx.AsyncClient, address: str) -> None:
        self._http = http
        self._address = address
        self._headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
        self._number = 0

    async def open(self) -> None:
        """Shake hands."""
        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        opened = await self._post("initialize", client)
        self._headers["Mcp-Session-Id"] = opened.headers["mcp-session-id"]
        told = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        await self._http.post(self._address, json=told, headers=self._headers)

    async def call(self, tool: str, **arguments: str) -> None:
        """Call a tool; what is no success ends the benchmark."""
        reply = await self._post("tools/call", {"name": tool, "arguments": arguments})
        assert '"isError":false' in reply.text, reply.text

    async def close(self) -> None:
        """Say farewell."""
        await self._http.delete(self._address, headers=self._headers)

    async def _post(self, method: str, params: Mapping[str, object]) -> httpx.Response:
        self._number += 1
        body = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        return await self._http.post(self._address, json=body, headers=self._headers)


async def tell_times(address: str) -> None:
    """Time the ways to ask in turn."""
    rows: dict[str, list[float]] = {}
    async with httpx.AsyncClient() as http:
        letters = Letters(http, f"{address}/mcp")
        await letters.open()
        rows["`POST /ask`"] = await timed(lambda: http.post(f"{address}/ask", json={"query": QUESTION}))
        rows["`ask` at `/mcp`"] = await timed(lambda: letters.call("ask", question=QUESTION))
        rows["`mcp_db_query` at `/mcp`"] = await timed(lambda: letters.call("mcp_db_query", query=STATEMENT))
        await letters.close()
    async with Client(streamable_http_client(f"{address}/mcp")) as client:
        rows["`ask` at `/mcp`, with the SDK's client"] = await timed(
            lambda: client.call_tool("ask", {"question": QUESTION})
        )
    async with Client(stdio_client(_on_stdio())) as client:
        rows["`ask` on standard input, with the SDK's client"] = await timed(
            lambda: client.call_tool("ask", {"question": QUESTION})
        )
    print("| way | p50 ms | p95 ms |\n|---|---|---|")
    for name, taken in rows.items():
        print(f"| {name} | {median(taken):.1f} | {quantiles(taken, n=20)[-1]:.1f} |")


async def tell_memory(address: str, pid: int) -> None:
    """Make many calls, each in a session of its own, and look at the server's memory on the way."""
    print("\n| calls, each in a session of its own | memory of the server, MB |\n|---|---|")
    async with httpx.AsyncClient() as http:
        for made in range(CALLS + 1):
            if made % (CALLS // 5) == 0:
                print(f"| {made:,} | {memory_mb(pid):.1f} |")
            letters = Letters(http, f"{address}/mcp")
            await letters.open()
            await letters.call("ask", question=QUESTION)
            await letters.close()


def _on_stdio() -> StdioServerParameters:
    return StdioServerParameters(command=sys.executable, args=["-m", "backend.mcp"], cwd=PROJECT_ROOT)


def main() -> None:
    """Print the tables."""
    print(
        f"# The MCP server\n\n`python -m benchmarks.mcp_server`, Python {platform.python_version()}, {os.cpu_count()} "
        f"cores, on the sample bank, {TIMED} calls each; the load was {os.getloadavg()[0]:.1f} at the start.\n\n"
        "The SDK's client checks each result against the tool's schema, which is its own time.\n"
    )
    with api() as (address, pid):
        asyncio.run(tell_times(address))
        asyncio.run(tell_memory(address, pid))


if __name__ == "__main__":
    main()
