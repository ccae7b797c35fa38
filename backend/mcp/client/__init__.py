"""The servers of other programs as tools of this app: one thread holds the connections, every request has its view."""

from backend.mcp.client.shared import SharedTools, open_tools, shared_tools

__all__ = ["SharedTools", "open_tools", "shared_tools"]
