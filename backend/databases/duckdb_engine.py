"""DuckDB inside a worker: read-only, no file but its own, no extension, no setting that a statement could change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import duckdb

from ai_engine.types import ColumnType
from backend.databases.column_types import column_type
from backend.databases.engine import EngineFault, EngineStart

_ENGINE_SHARE = 0.7  # of the worker's memory; the rest holds the rows on their way out


class DuckdbEngine:
    """One read-only connection; the client streams, so memory stays flat however long the result is."""

    def __init__(self, start: EngineStart) -> None:
        path = start.location["path"]
        try:
            self._connection = duckdb.connect(
                path,
                read_only=True,
                config={
                    "memory_limit": f"{int(start.memory_mb * _ENGINE_SHARE)}MB",
                    "threads": str(start.threads),
                    "temp_directory": start.temp_folder,
                    "max_temp_directory_size": f"{start.temp_mb}MB",
                    "autoload_known_extensions": "false",
                    "autoinstall_known_extensions": "false",
                    "allow_community_extensions": "false",
                    "python_enable_replacements": "false",  # a table name is no variable of this process
                },
            )
            # Only now: the temporary folder may not be named any more once other files are out of reach.
            self._connection.execute("SET enable_external_access = false")
            self._connection.execute("SET lock_configuration = true")
        except duckdb.Error as error:
            raise EngineFault("unavailable", f"cannot open {path}: {error}") from error

    def execute(self, sql: str, timeout_s: float) -> tuple[Sequence[str], Sequence[ColumnType | None]]:  # noqa: ARG002
        """Start a statement; the owner's deadline ends it, as DuckDB has none of its own."""
        self._connection.execute(sql)
        described = self._connection.description or []
        return [column[0] for column in described], [column_type(str(column[1])) for column in described]

    def fetch(self, max_rows: int) -> list[tuple[Any, ...]]:
        """Return the next rows; this is where a streamed result does most of its work."""
        return self._connection.fetchmany(max_rows)

    def interrupt(self) -> None:
        """Ask the running statement to end; some calls inside it do not listen, hence the owner's patience is short."""
        self._connection.interrupt()

    def finish(self) -> None:
        """Drop the rest of a result: an open one would keep its memory."""
        self._connection.execute("SELECT 1").fetchall()

    def fault(self, error: Exception) -> EngineFault | None:
        """Tell an interruption, a lack of memory and a lost file from a wrong statement."""
        if isinstance(error, duckdb.InterruptException):
            return EngineFault("interrupted", str(error))
        if isinstance(error, (duckdb.IOException, duckdb.FatalException)) and "temp" not in str(error):
            return EngineFault("unavailable", str(error))
        if isinstance(error, duckdb.OutOfMemoryException):
            return EngineFault("failed", "the query needs more memory than it may use: aggregate or filter first")
        return EngineFault("failed", str(error)) if isinstance(error, duckdb.Error) else None
