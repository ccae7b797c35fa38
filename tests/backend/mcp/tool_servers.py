"""MCP servers in processes of their own, and tools opened on them, for as long as a test needs them."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from backend.mcp.client import SharedTools, open_tools
from backend.settings import Settings
from tests.conftest import PROJECT_ROOT

BANK_TOOLS = "tests.backend.mcp.bank_tools"
HOSTILE_TOOLS = "tests.backend.mcp.hostile_tools"
QUICK: Mapping[str, Any] = {"mcp_retry_delay_s": 0.05, "mcp_recovery_s": 0.3, "mcp_connect_timeout_s": 10}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def serving_on(port: int, module: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a module as a server, and end it."""
    command = [sys.executable, "-m", module, *arguments, str(port)]
    process = subprocess.Popen(command, cwd=PROJECT_ROOT, stderr=subprocess.DEVNULL, env=dict(os.environ))
    try:
        until = time.monotonic() + 30
        while not _answers(port):
            assert process.poll() is None and time.monotonic() < until, "the server did not start"
            time.sleep(0.05)
        yield process
    finally:
        process.kill()
        process.wait(10)


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(0.5)
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def bank_server(name: str = "bank") -> Iterator[dict[str, Any]]:
    """Serve well-behaved tools over HTTP and give the entry of the file of servers."""
    port = free_port()
    with serving_on(port, BANK_TOOLS, name):
        yield http_entry(name, port)


def http_entry(name: str, port: int, path: str = "/mcp") -> dict[str, Any]:
    return {"id": name, "transport": "http", "url": f"http://127.0.0.1:{port}{path}"}


def stdio_entry(name: str, module: str = BANK_TOOLS, *arguments: str) -> dict[str, Any]:
    return {
        "id": name, "transport": "stdio", "command": sys.executable, "args": ["-m", module, *(arguments or (name,))],
        "cwd": str(PROJECT_ROOT),
    }  # fmt: skip


@contextmanager
def opened(folder: Path, entries: Sequence[Mapping[str, Any]], **settings: Any) -> Iterator[SharedTools]:
    """Write the file of servers and open the tools that it names."""
    file = folder / "servers.json"
    file.write_text(json.dumps({"servers": list(entries)}))
    tools = open_tools(Settings(mcp_servers=file, **(QUICK | settings)))
    try:
        yield tools
    finally:
        tools.close()


def is_running(pid: int) -> bool:
    """Not even as a process that nobody waited for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
