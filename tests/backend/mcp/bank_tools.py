"""A well-behaved MCP server over HTTP or standard input and output: `python bank_tools.py NAME [PORT]`."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context, Elicit, ElicitationResult, Resolve
from mcp_types import ToolAnnotations
from pydantic import BaseModel


class Balance(BaseModel):
    branch: str
    total: float


class Confirmation(BaseModel):
    approve: bool


def bank_tools(name: str) -> MCPServer:
    server = MCPServer(name)

    @server.tool(annotations=ToolAnnotations(read_only_hint=True, idempotent_hint=True))
    async def balance(branch: str) -> Balance:
        """Total of all accounts of a branch."""
        return Balance(branch=f"{branch} by {name}", total=12.5)

    @server.tool(name=f"only_{name}")
    async def only(text: str) -> str:
        """Say it again."""
        return text

    @server.tool()
    async def slow(seconds: float, log: str, ctx: Context) -> str:
        """Take a while, and note when it is cancelled."""
        try:
            for step in range(10):
                await ctx.report_progress(step + 1, 10, f"step {step + 1}")
                await asyncio.sleep(seconds / 10)
        except BaseException:
            Path(log).write_text("cancelled")
            raise
        return "done"

    async def confirmation() -> Elicit[Confirmation]:
        return Elicit("Approve the transfer?", Confirmation)

    @server.tool()
    async def approve(answer: Annotated[ElicitationResult[Confirmation], Resolve(confirmation)]) -> dict[str, Any]:
        """Ask whether to go on."""
        return {"action": answer.action, "data": answer.data.model_dump() if answer.action == "accept" else None}

    @server.tool()
    async def surroundings() -> dict[str, Any]:
        """Tell what this process was given, and leave a child behind that ignores a polite end."""
        patient = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
        child = subprocess.Popen([sys.executable, "-c", patient], stdin=subprocess.DEVNULL)
        sys.stderr.write("a secret complaint\n" * 10_000)
        return {
            "names": sorted(os.environ),
            "told": os.environ.get("BANK_TOLD"),
            "pid": os.getpid(),
            "child": child.pid,
        }

    @server.tool()
    async def grow(ctx: Context) -> str:
        """Offer one tool more, and say so."""

        async def grown() -> str:
            return "grown"

        server.add_tool(grown, name="grown")
        await ctx.notify_tools_changed()
        return "said"

    @server.tool()
    async def leave() -> str:
        """End in the middle of a call."""
        os._exit(3)

    return server


if __name__ == "__main__":
    made = bank_tools(sys.argv[1])
    if len(sys.argv) > 2:
        made.run("streamable-http", host="127.0.0.1", port=int(sys.argv[2]))
    else:
        made.run("stdio")
