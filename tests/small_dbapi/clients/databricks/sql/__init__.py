"""`databricks.sql`, of which the catalogue is a DuckDB file."""

from __future__ import annotations

from typing import Any

import duckdb
from databricks.sql.exc import ServerOperationError

from tests.small_dbapi import core


def _translated(error: duckdb.Error) -> ServerOperationError:
    if isinstance(error, duckdb.InterruptException):
        return ServerOperationError("[OPERATION_CANCELED] Operation was canceled. SQLSTATE: HY008")
    return ServerOperationError(
        "[TABLE_OR_VIEW_NOT_FOUND] The table or view `nothing` cannot be found. SQLSTATE: 42P01"
    )


class Connection(core.Connection):
    def rollback(self) -> None:
        raise AssertionError("it has no transactions")


def connect(
    *,
    server_hostname: str,
    http_path: str,
    access_token: str,
    catalog: str,
    schema: str,
    session_configuration: dict[str, str],
    user_agent_entry: str,
    use_cloud_fetch: bool,
    enable_telemetry: bool,
    _port: int,
    _tls_trusted_ca_file: str | None,
    _retry_stop_after_attempts_count: int,
    _retry_stop_after_attempts_duration: float,
    _use_arrow_native_complex_types: bool,
) -> Any:
    connection = Connection(catalog, "databricks", _translated)
    connection.journal.note("connect", server_hostname, http_path, schema, session_configuration, enable_telemetry)
    return connection
