"""Sessions with one server: each serves one call at a time, so that whatever a server says in it has one addressee.

Over HTTP a session lives as long as its call, on connections that all share. A program's is kept for the next call.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass
from typing import Any, Protocol

from mcp import Client, MCPError
from mcp_types import CallToolResult, ElicitRequestParams, ElicitResult, ToolListChangedNotification

from backend.mcp.client.elicitation import Asking
from backend.mcp.client.faults import Wire
from backend.mcp.client.limits import ClientLimits
from backend.mcp.client.listing import ListedTool, list_tools

_FAREWELL_S = 0.3


@dataclass
class Listener:
    """Who hears what a server says in a session.

    Attributes:
        on_changed: called when it says that its tools are others now.
        asking: answers its questions; None where nobody can.
    """

    on_changed: Callable[[], None]
    asking: Asking | None = None

    async def elicited(self, context: Any, params: ElicitRequestParams) -> ElicitResult:  # noqa: ARG002 - the SDK names it
        """Pass a question on."""
        return ElicitResult(action="decline") if self.asking is None else await self.asking.answer(params)

    async def heard(self, message: Any) -> None:
        """Note that the tools changed; all else is not for us."""
        if isinstance(message, ToolListChangedNotification):
            self.on_changed()


@dataclass
class Session:
    """An open session.

    Attributes:
        sent: the call was handed over to the connection.
        is_worn: it must not be used again.
    """

    server_id: str
    client: Client
    wire: Wire
    limits: ClientLimits
    sent: bool = False
    is_worn: bool = False

    async def tools(self) -> dict[str, ListedTool]:
        """Ask which tools there are, now."""
        async with asyncio.timeout(self.limits.connect_timeout_s):
            return await list_tools(self.client, self.server_id, self.limits)

    async def call(self, tool_name: str, arguments: dict[str, Any], on_progress: Any) -> CallToolResult:
        """Call a tool; a call that is cancelled is cancelled at the server, too."""
        self.client.session.validate_tool_result = _checked_by_us  # type: ignore[method-assign]
        self.sent = True
        try:
            return await self.client.call_tool(tool_name, arguments, progress_callback=on_progress)
        except asyncio.CancelledError:
            self.is_worn = True
            await self._see_off()
            raise

    async def _see_off(self) -> None:
        """Leave when the server was told: older ones by a message, behind which a ping waits for its turn."""
        if self.client.session.initialize_result is not None:
            with suppress(TimeoutError, MCPError, RuntimeError):
                async with asyncio.timeout(_FAREWELL_S):
                    await self.client.session.send_ping()


async def _checked_by_us(name: str, result: CallToolResult) -> None:
    """The SDK's own check would run a stranger's patterns without a bound, in the thread of all connections."""


class ServerLink(Protocol):
    """One server: its sessions, as many as may be at a time, and how it was last seen."""

    @property
    def server_id(self) -> str: ...  # noqa: D102

    @property
    def changes(self) -> int:
        """How often it said that its tools are others now."""
        ...

    def session(self, asking: Asking | None = None) -> AbstractAsyncContextManager[Session]:
        """Open a session or take a free one, in turn.

        Args:
            asking: answers what the server asks meanwhile; without it every question is declined.

        Raises:
            CallFault: there is none to be had.
        """
        ...

    async def close(self) -> None:
        """End every session."""
        ...
