"""This app as an MCP server on standard input and output."""

from __future__ import annotations

from backend.documents import open_document_services
from backend.mcp.server import bank_server
from backend.mcp.stdio import serve_on_stdio
from backend.opening import default_assistant, shared_sources
from backend.orchestration import default_orchestrator, shared_outside


def serve_bank() -> int:
    """Serve until the client goes, and end the workers; give the exit status."""
    try:
        return serve_on_stdio(
            lambda settings, desk: bank_server(desk, default_orchestrator, lambda: open_document_services(settings)),
            default_assistant,
        )
    finally:
        shared_outside.close()
        shared_sources.close()
