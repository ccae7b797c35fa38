"""`python -m backend.mcp`: this app as an MCP server on standard input and output."""

from __future__ import annotations

import sys

from backend.mcp.bank import serve_bank

if __name__ == "__main__":
    sys.exit(serve_bank())
