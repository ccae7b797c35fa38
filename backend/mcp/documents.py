"""`python -m backend.mcp.documents`: the search of the bank's documents as an MCP server of its own."""

from __future__ import annotations

import sys

from backend.documents import open_document_services
from backend.mcp.server import document_server
from backend.mcp.stdio import serve_on_stdio


def main() -> int:
    """Serve; no database is opened."""
    return serve_on_stdio(lambda settings, desk: document_server(desk, lambda: open_document_services(settings)))


if __name__ == "__main__":
    sys.exit(main())
