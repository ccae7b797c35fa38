"""Any of six warehouses inside a worker, through its own DB-API 2 client: pages, exact values, faults in our words.

What differs between them stands in `dbapi_clients`: how each connects, begins, is cancelled, and spells its types.
"""

from __future__ import annotations

import contextlib
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from ai_engine.catalogue import Dialect
from ai_engine.types import ColumnType, ScanEstimate
from backend.databases.dbapi_clients import Client
from backend.databases.dbapi_clouds import BigQueryClient, DatabricksClient, SnowflakeClient
from backend.databases.dbapi_servers import ClickHouseClient, OracleClient, SqlServerClient
from backend.databases.engine import EngineFault, EngineStart

_CLIENTS: dict[Dialect, type[Client]] = {
    "tsql": SqlServerClient,
    "oracle": OracleClient,
    "snowflake": SnowflakeClient,
    "bigquery": BigQueryClient,
    "databricks": DatabricksClient,
    "clickhouse": ClickHouseClient,
}


class DbapiEngine:
    """One connection, opened again when it was cut while idle or to stop a statement."""

    def __init__(self, start: EngineStart) -> None:
        logging.disable(logging.CRITICAL)  # clients log statements and what a server says against them
        self._start = start
        self._client = _open(start)
        self._cursor: Any = None
        self._all_fetched = True
        self._stopped = False
        self._is_cut = False
        self._readers: list[Callable[[Any], Any]] = []

    def execute(self, sql: str, timeout_s: float) -> tuple[Sequence[str], Sequence[ColumnType | None]]:
        """Start a statement within what the engine has of read-only transactions and deadlines of its own."""
        self._stopped = False
        self._begin(timeout_s)
        self._all_fetched = False
        self._cursor = self._client.ask(sql)
        described: Sequence[Any] = self._cursor.description or ()
        kinds = [self._client.kind(column) for column in described]
        self._readers = [_whole if kind in ("integer", None) else _plain for kind in kinds]
        return [str(column[0]) for column in described], kinds

    def _begin(self, timeout_s: float) -> None:
        try:
            if not self._is_cut:
                self._client.begin(timeout_s)
                return
        except self._client.errors as error:
            if self._client.fault(error).kind != "unavailable":
                raise
        self._client.close()
        self._client = _open(self._start)
        self._is_cut = False
        self._client.begin(timeout_s)

    def cost(self, sql: str, timeout_s: float) -> ScanEstimate:
        """Return what the engine tells without running the statement; most of the six tell nothing."""
        self._stopped = False
        self._begin(timeout_s)
        return self._client.cost(sql)

    def fetch(self, max_rows: int) -> list[tuple[Any, ...]]:
        """Return the next rows; what was not asked for stays with the server or in the client's page."""
        rows = self._cursor.fetchmany(max_rows)
        self._all_fetched = not rows
        return [
            tuple(None if cell is None else read(cell) for read, cell in zip(self._readers, row, strict=True))
            for row in rows
        ]

    def interrupt(self) -> None:
        """Have the client cancel the statement; whatever it says against that, its owner ends this process soon."""
        self._stopped = True
        with contextlib.suppress(Exception):  # no client's fault may end the thread that hears the owner
            self._client.cancel()

    def finish(self) -> None:
        """End the transaction, if there is one, and rows that nobody wanted."""
        cursor, self._cursor, self._readers = self._cursor, None, []
        with contextlib.suppress(*self._client.errors, EngineFault):
            if cursor is not None:
                if not self._all_fetched and not self._stopped:
                    self._client.drop()
                cursor.close()
        self._all_fetched = True
        with contextlib.suppress(*self._client.errors, EngineFault):
            self._client.end()

    def fault(self, error: Exception) -> EngineFault | None:
        """Tell a cancellation and a lost connection from a wrong statement."""
        if not isinstance(error, self._client.errors):
            return None
        if self._stopped:
            return EngineFault("interrupted", "the statement was interrupted")
        fault = self._client.fault(error)
        self._is_cut = fault.kind == "unavailable"
        return fault


def _open(start: EngineStart) -> Client:
    return _CLIENTS[start.dialect](start)


def _plain(cell: Any) -> Any:
    """Return what a client nests as JSON text; numbers stay exact, in quotes, as JSON has no such type."""
    if isinstance(cell, (list, tuple, Mapping)):
        return json.dumps(cell, ensure_ascii=False, default=str)
    return cell


def _whole(cell: Any) -> Any:
    return int(cell) if isinstance(cell, Decimal) and cell == cell.to_integral_value() else _plain(cell)
