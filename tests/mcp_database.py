"""A real MCP server over a database of ours: what a second instance of the app, or anybody's server, would be."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anyio
from mcp.server import MCPServer

from ai_engine.catalogue import Table
from ai_engine.errors import QueryFailed
from ai_engine.json_values import scalar_to_json
from ai_engine.types import Scalar
from backend.databases import Database
from tests.loopback_server import serving


@contextmanager
def serving_database(database: Database, *, max_rows: int = 100_000) -> Iterator[str]:
    """Serve a database and give the address of its MCP endpoint."""
    app = database_server(database, max_rows).streamable_http_app()
    with serving(app, lifespan="on") as address:
        yield f"{address}/mcp"


def database_server(database: Database, max_rows: int) -> MCPServer:
    """Offer the two tools; a call that is cancelled ends its statement."""
    server = MCPServer("bank")

    @server.tool()
    async def mcp_db_schema() -> dict[str, Any]:
        tables = [_described(table) for table in database.catalogue.tables]
        return {"success": True, "dialect": database.dialect, "tables": tables, "error": None}

    @server.tool()
    async def mcp_db_query(query: str) -> dict[str, Any]:
        stop = threading.Event()

        def run() -> dict[str, Any]:
            return _told(database, query, max_rows, stop)

        try:
            return await anyio.to_thread.run_sync(run, abandon_on_cancel=True)
        finally:
            stop.set()

    return server


def _told(database: Database, query: str, max_rows: int, stop: threading.Event) -> dict[str, Any]:
    try:
        result = database.runner.run(query, max_rows=max_rows, timeout_s=60, stop=stop)
    except QueryFailed as fault:
        return {"success": False, "columns": [], "data": [], "row_count": 0, "error": str(fault)}
    data = [[_exact(cell, kind) for cell, kind in zip(row, result.types, strict=True)] for row in result.rows]
    return {
        "success": True, "columns": list(result.columns), "types": list(result.types), "data": data,
        "row_count": len(data), "truncated": result.truncated, "error": None,
    }  # fmt: skip


def _exact(cell: Scalar, kind: str) -> object:
    return str(cell) if kind == "decimal" and cell is not None else scalar_to_json(cell)


def _described(table: Table) -> dict[str, Any]:
    return {
        "schema": table.schema,
        "name": table.name,
        "comment": table.comment,
        "is_view": table.is_view,
        "columns": [
            {"name": column.name, "type": column.native_type, "nullable": column.nullable, "comment": column.comment}
            for column in table.columns
        ],
        "primary_key": table.primary_key,
        "unique_keys": table.unique_keys,
        "foreign_keys": [
            {"columns": key.columns, "to_table": key.to_table, "to_columns": key.to_columns}
            for key in table.foreign_keys
        ],
    }
