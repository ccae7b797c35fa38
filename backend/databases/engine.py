"""What a worker needs from a database client, and the faults it reports.

Every engine module is imported inside worker processes only, and each loads just its own client: a worker starts in
the time its client takes to load.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from ai_engine.catalogue import Dialect
from ai_engine.types import ColumnType, ScanEstimate
from backend.databases.file_state import SqliteAccess
from backend.databases.limits import DatabaseLimits

EngineName: TypeAlias = Literal["duckdb", "sqlite", "postgres", "mysql", "mcp", "trino", "spark", "dbapi"]
FaultKind: TypeAlias = Literal["failed", "memory", "unavailable", "interrupted", "timed_out", "too_large"]

COST_ALONE = -1
"""In place of a number of rows: the statement is not run, what it would cost is told."""
_OWN_LIMIT = re.compile(r"\bLIMIT (\d+)(?: OFFSET (\d+))?\s*$", re.IGNORECASE)
_FILE_PATIENCE_S = 0.5
_SERVER_PATIENCE_S = 0.8  # a cancellation travels over a connection of its own


class EngineFault(Exception):
    """A client's error in our words; `names` are those that the database spoke of, whatever they are."""

    def __init__(self, kind: FaultKind, detail: str, names: tuple[str, ...] = ()) -> None:
        super().__init__(detail)
        self.kind: FaultKind = kind
        self.detail = detail
        self.names = names


class ResultCut(Exception):
    """There were more rows, and whoever ran the statement keeps them to himself."""


@dataclass(frozen=True, slots=True)
class EngineStart:
    """What a worker is started with; plain values, so that it travels in a frame.

    Attributes:
        engine: which client to load.
        dialect: what its statements are written in.
        location: the file, or the server's connection parameters.
        memory_mb, temp_mb, threads, max_cell_kb, max_result_mb, connect_timeout_s, lock_wait_s, idle_close_s: see
            DatabaseLimits.
        temp_folder: where an engine may spill; does not exist yet.
        patience_s: how long an interrupted statement may take to end before its process is killed.
        access: how a SQLite file is opened, see `file_state.sqlite_access`.
        hidden: tables and columns that SQLite and DuckDB are to refuse, and of which PostgreSQL's order of rows is to
            tell nothing, see `hidden_columns`.
    """

    engine: EngineName
    dialect: Dialect
    location: dict[str, str]
    memory_mb: int = 1_024
    temp_mb: int = 2_048
    threads: int = 2
    max_cell_kb: int = 1_024
    max_result_mb: int = 64
    connect_timeout_s: float = 10.0
    lock_wait_s: float = 5.0
    idle_close_s: float = 300.0
    temp_folder: str = ""
    patience_s: float = 0.5
    access: SqliteAccess = "locked"
    hidden: tuple[tuple[str, str], ...] = ()


def start_of(
    engine: EngineName,
    location: dict[str, str],
    limits: DatabaseLimits,
    *,
    dialect: Dialect,
    access: SqliteAccess = "locked",
    hidden: Iterable[tuple[str, str]] = (),
) -> EngineStart:
    """Say how a worker of this engine is to be started within these limits."""
    return EngineStart(
        engine=engine,
        dialect=dialect,
        location=location,
        memory_mb=limits.memory_mb,
        temp_mb=limits.temp_mb,
        threads=limits.threads,
        max_cell_kb=limits.max_cell_kb,
        max_result_mb=limits.max_result_mb,
        connect_timeout_s=limits.connect_timeout_s,
        lock_wait_s=limits.lock_wait_s,
        idle_close_s=limits.idle_close_s,
        access=access,
        hidden=tuple(sorted(hidden)),
        patience_s=_FILE_PATIENCE_S if engine in ("duckdb", "sqlite") else _SERVER_PATIENCE_S,
    )


def own_limit(sql: str) -> int | None:
    """Return how many rows a statement takes before it ends by a limit of its own, for plans that do not tell it."""
    found = _OWN_LIMIT.search(sql)
    return int(found[1]) + int(found[2] or 0) if found else None


class Engine(Protocol):
    """One open connection; all calls come from one thread, except `interrupt`."""

    def execute(self, sql: str, timeout_s: float) -> tuple[Sequence[str], Sequence[ColumnType | None]]:
        """Start a statement; return the result's column names, and the types as far as the client knows them."""
        ...

    def fetch(self, max_rows: int) -> list[tuple[Any, ...]]:
        """Return the next rows, an empty list at the end; raises ResultCut there when there are more elsewhere."""
        ...

    def cost(self, sql: str, timeout_s: float) -> ScanEstimate:
        """Return what the plan of a statement says that it would cost; an empty one where the engine does not tell."""
        ...

    def interrupt(self) -> None:
        """End the running statement; harmless when there is none."""
        ...

    def finish(self) -> None:
        """Forget the statement and everything it left in the session; called after each one, its reply already sent."""
        ...

    def fault(self, error: Exception) -> EngineFault | None:
        """Translate the client's own errors; None for an error that is not the client's."""
        ...


@runtime_checkable
class KeepsPages(Protocol):
    """An engine that keeps pages of the data's file in memory, and gives them up where a statement needs the room."""

    def kept_bytes(self) -> int:
        """Return how much they take now; called once the rows of a statement are fetched."""
        ...


@runtime_checkable
class HasThreads(Protocol):
    """An engine that may read with several threads, in no order."""

    def share_work(self, in_any_order: bool) -> None:
        """Let the next statement have all threads, or only one, which reads the rows in their order."""
        ...
