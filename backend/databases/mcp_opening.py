"""Opens a database behind an MCP server: its tables told by one tool, its statements run by another."""

from __future__ import annotations

import hashlib
import threading
from typing import cast

from ai_engine.catalogue import Catalogue, Dialect
from ai_engine.errors import DatabaseUnavailable, QueryFailed
from backend.databases.address import McpAddress
from backend.databases.database import Database
from backend.databases.engine import EngineStart, start_of
from backend.databases.hidden_columns import HiddenColumns
from backend.databases.limits import DatabaseLimits
from backend.databases.runner import WorkerRunner
from backend.databases.sqlite_dates import with_text_dates

_MAX_TABLES = 20_000


def open_mcp(address: McpAddress, limits: DatabaseLimits) -> Database:
    """See `open_database`.

    Raises:
        DatabaseUnavailable: the server does not answer, does not offer both tools, or says no usable schema.
    """
    told = _workers(address, limits, "mcp_db_schema", "sqlite", 1)
    try:
        catalogue = _catalogue(told, limits.catalogue_timeout_s)
    except DatabaseUnavailable as fault:
        detail = f"{address.shown}: {fault}"
        raise DatabaseUnavailable(detail, f"The database cannot be reached: {detail}.") from None
    finally:
        told.close()
    runner = _workers(address, limits, "mcp_db_query", catalogue.dialect, limits.connections)
    if catalogue.dialect == "sqlite":
        catalogue = with_text_dates(catalogue, runner)
    fingerprint = hashlib.sha256(f"{address.identity} {catalogue!r}".encode()).hexdigest()[:24]
    return Database(
        address.shown,
        address.identity,
        catalogue.dialect,
        catalogue,
        runner,
        lambda _hidden: runner,
        lambda: fingerprint,
        lambda: False,
        runner.close,
        lambda: runner.load,
        own_role=False,
    )


def _workers(address: McpAddress, limits: DatabaseLimits, tool: str, dialect: Dialect, count: int) -> WorkerRunner:
    location = {"url": address.url, "token": address.token, "tool": tool}

    def plan(_hidden: HiddenColumns) -> EngineStart:
        return start_of("mcp", location, limits, dialect=dialect)

    return WorkerRunner(plan, lambda: None, workers=count, queue_size=limits.queue_size, each=limits.each)


def _catalogue(told: WorkerRunner, timeout_s: float) -> Catalogue:
    from backend.databases.mcp_shapes import WRONG_SHAPE, table_of

    try:
        rows = told.run("", max_rows=_MAX_TABLES, timeout_s=timeout_s, stop=threading.Event())
    except DatabaseUnavailable:
        raise
    except QueryFailed as fault:
        raise DatabaseUnavailable(str(fault)) from None
    if rows.truncated or not rows.rows:
        raise DatabaseUnavailable(f"the MCP server tells of no table, or of more than {_MAX_TABLES:,}")
    dialect = cast(Dialect, rows.rows[0][0])
    try:
        tables = tuple(table_of(str(described)) for _, described in rows.rows)
    except ValueError:
        raise DatabaseUnavailable(WRONG_SHAPE) from None
    if len({(table.schema, table.name.lower()) for table in tables}) < len(tables):
        raise DatabaseUnavailable("the MCP server names a table twice")
    return Catalogue(dialect, tables)
