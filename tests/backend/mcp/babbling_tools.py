"""A program of the handshake era that writes more than messages on its output."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

NAMES = ["babble", "grow"]
LISTED: list[float] = []


def say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0"} | message) + "\n")
    sys.stdout.flush()


def answer(message: dict[str, Any]) -> dict[str, Any]:
    method = message["method"]
    if method == "initialize":
        return {"result": {
            "protocolVersion": "2025-06-18", "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": "babbler", "version": "1"},
        }}  # fmt: skip
    if method == "tools/list":
        LISTED.append(time.monotonic())
        if "slow" in sys.argv and len(LISTED) > 1:
            time.sleep(3)
        return {"result": {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in NAMES]}}
    if method != "tools/call":
        return {"error": {"code": -32601, "message": "unknown"}}
    arguments = message["params"].get("arguments", {})
    if message["params"]["name"] == "grow":
        NAMES.append("grown")
        say({"method": "notifications/tools/list_changed"})
    for _ in range(arguments.get("lines", 0)):
        sys.stdout.write("{" * arguments["length"] + "\n")
    return {"result": {"content": [{"type": "text", "text": "babbled"}]}}


for line in sys.stdin:
    heard = json.loads(line)
    if "id" in heard and "method" in heard:
        say({"id": heard["id"]} | answer(heard))
