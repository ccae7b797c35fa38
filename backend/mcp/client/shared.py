"""The tools of other programs for whoever asks: opened once for a process, seen by each request through its own view.

Pages run in threads and servers in loops of their own, while a connection belongs to one loop for life. So one
background thread (`Connections`) runs that loop; a call is handed over to it, and what the caller is told meanwhile
comes back to the caller's loop.

What speaks the protocol takes a second to import, so that is left until somebody has listed a server.
"""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from ai_engine.tools import ToolCallbacks
from backend.settings import Settings, read_settings

if TYPE_CHECKING:
    from backend.mcp.client.connections import Connections
    from backend.mcp.client.request_tools import RequestTools


class SharedTools:
    """The connections of a process: opened by the first request, closed with the process."""

    def __init__(self, settings: Callable[[], Settings]) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._connections: Connections | None = None

    def enabled(self) -> Callable[[], RequestTools] | None:
        """Return what gives each request its tools, or None where settings name no server."""
        settings = self._settings()
        return None if settings.mcp_servers is None and settings.mcp_discovery_url is None else self.view

    def view(self, callbacks: ToolCallbacks | None = None) -> RequestTools:
        """Return one request's tools; from any thread.

        Raises:
            BadConfiguration: a setting, the file of servers or a variable that it names is wrong.
        """
        from backend.mcp.client.request_tools import RequestTools

        with self._lock:
            if self._connections is None:
                self._connections = _connected(self._settings())
                atexit.register(self.close)
            return RequestTools(self._connections, callbacks)

    def close(self, grace_s: float = 0.0) -> None:
        """Wait so long for calls that run, then end all; the next request connects anew."""
        with self._lock:
            connections, self._connections = self._connections, None
            atexit.unregister(self.close)
        if connections is not None:
            connections.close(grace_s)


def open_tools(settings: Settings) -> SharedTools:
    """Make those that settings describe; nothing is connected before the first request."""
    return SharedTools(lambda: settings)


def _connected(settings: Settings) -> Connections:
    from backend.mcp.client.connections import Connections
    from backend.mcp.client.discovery import discovery_of
    from backend.mcp.client.limits import limits_of
    from backend.mcp.client.listed import read_servers

    entries = read_servers(settings.mcp_servers) if settings.mcp_servers is not None else ()
    limits = limits_of(settings)
    return Connections(entries, limits, discovery_of(settings, limits))


shared_tools = SharedTools(read_settings)
