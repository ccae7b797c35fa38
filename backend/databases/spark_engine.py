"""Spark SQL inside a worker: one session of its Thrift server, a statement ended with all its jobs by its handle.

Spark knows no session that only reads. What may run is decided by the guard, and Spark's own parser is asked behind it:
`DESCRIBE QUERY` takes queries and nothing else, and tells the types that the protocol itself mixes up.
"""

from __future__ import annotations

import contextlib
import math
import re
import threading
import time
from collections.abc import Callable, Collection, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from TCLIService import ttypes

from ai_engine.column_types import column_type
from ai_engine.types import ColumnType, ScanEstimate
from backend.databases.engine import EngineFault, EngineStart
from backend.databases.spark_faults import Refused, fault_of
from backend.databases.spark_plans import scan_estimate
from backend.databases.spark_session import (
    LOST,
    cancel_operation,
    checked,
    close_operation,
    fetched,
    leave,
    open_session,
)

_AFTER_DEADLINE_S = 0.5  # the owner ends the statement at the deadline; the server's own end comes behind it
_CLOSE_TIMEOUT_S = 0.7
_LATE_JOBS_S = 1.3  # the server cancels the jobs that run; one that it was preparing just then begins so late
_PAUSES_S = (0.005, 0.05)
_DESCRIBED_ROWS = 10_000
_STATE = ttypes.TOperationState
_RUNNING = frozenset({_STATE.INITIALIZED_STATE, _STATE.PENDING_STATE, _STATE.RUNNING_STATE})
_SPELLED_OUT: frozenset[ColumnType] = frozenset({"decimal", "date", "timestamp"})
_IS_BOUNDED = re.compile(r"\bLIMIT\s+\d+\s*$", re.IGNORECASE)
_NESTED = ("array<", "map<", "struct<")
_NO_SESSION = "Invalid SessionHandle"


class SparkEngine:
    """One session, opened again when the server cut it or was started anew."""

    def __init__(self, start: EngineStart) -> None:
        self._start = start
        self._zone = _zone(start.location.get("timezone", "UTC"))
        self._session: Any = open_session(start.location, start.connect_timeout_s)
        self._by_parts = False
        self._handle: Any = None
        self._stopped: Any = None
        self._readers: list[Callable[[str], Any] | None] = []

    def execute(self, sql: str, timeout_s: float) -> tuple[Sequence[str], Sequence[ColumnType | None]]:
        """Let Spark tell that the statement is a query and which types it gives, then run it.

        With a LIMIT of its own Spark looks at no more rows than it needs, ends the jobs when the connection is cut, and
        holds no more than that many rows for us. Without one it is to hand out one part after the other instead.
        """
        deadline = time.monotonic() + timeout_s
        described = list(zip(*self._answer(f"DESCRIBE QUERY {sql}", timeout_s), strict=True))
        names, natives = [str(row[0]) for row in described], [str(row[1]) for row in described]
        types: list[ColumnType] = [column_type(native) for native in natives]
        self._readers = [self._reader(kind, native) for kind, native in zip(types, natives, strict=True)]
        bound = _IS_BOUNDED.search(sql)
        self._collect(timeout_s, by_parts=bound is None)
        nested = [place for place, native in enumerate(natives) if native.startswith(_NESTED)]
        asked = _with_json(sql, len(names), nested, bound.group()) if nested and bound else sql
        self._run(asked, max(0.0, deadline - time.monotonic()))
        return names, types

    def _answer(self, sql: str, timeout_s: float) -> list[list[Any]]:
        """Run what has few rows in a session that answers, and return its columns."""
        try:
            self._run(sql, timeout_s)
        except (*LOST, Refused) as error:
            if isinstance(error, Refused) and _NO_SESSION not in error.said:
                raise
            self._handle = None
            leave(self._session)  # it had been cut while idle
            self._session = open_session(self._start.location, self._start.connect_timeout_s)
            self._by_parts = False
            self._run(sql, timeout_s)
        columns = fetched(self._session.client, self._handle, _DESCRIBED_ROWS)
        self._close()
        return columns

    def _collect(self, timeout_s: float, *, by_parts: bool) -> None:
        if by_parts != self._by_parts:
            self._answer(f"SET spark.sql.thriftServer.incrementalCollect={str(by_parts).lower()}", timeout_s)
            self._by_parts = by_parts

    def _run(self, sql: str, timeout_s: float) -> None:
        """Start a statement and wait until it has rows to hand out, or failed."""
        limit_s = math.ceil(timeout_s + _AFTER_DEADLINE_S)
        client, session = self._session.client, self._session.sessionHandle
        request = ttypes.TExecuteStatementReq(session, sql, runAsync=True, queryTimeout=limit_s)
        self._handle = checked(client.ExecuteStatement(request)).operationHandle
        pause_s, longest_s = _PAUSES_S
        while True:
            status = checked(client.GetOperationStatus(ttypes.TGetOperationStatusReq(self._handle)))
            if status.operationState not in _RUNNING:
                break
            time.sleep(pause_s)
            pause_s = min(2 * pause_s, longest_s)
        if status.operationState == _STATE.TIMEDOUT_STATE:
            raise EngineFault("timed_out", "the statement was interrupted")
        if status.operationState in (_STATE.CANCELED_STATE, _STATE.CLOSED_STATE):
            raise EngineFault("interrupted", "the statement was interrupted")
        if status.operationState != _STATE.FINISHED_STATE:
            raise Refused(status.errorMessage or "", status.sqlState or "")

    def _reader(self, kind: ColumnType, native: str) -> Callable[[str], Any] | None:
        """Return what reads the cells of a column that the protocol hands out as text."""
        if kind not in _SPELLED_OUT:
            return None
        zone = self._zone if native == "timestamp" else None
        if kind == "timestamp":
            return lambda text: _timestamp(text, zone)
        return Decimal if kind == "decimal" else _date

    def fetch(self, max_rows: int) -> list[tuple[Any, ...]]:
        """Return the next rows; the rest stays on the server."""
        columns = fetched(self._session.client, self._handle, max_rows)
        typed = (
            cells if read is None else [None if cell is None else read(cell) for cell in cells]
            for cells, read in zip(columns, self._readers, strict=True)
        )
        return list(zip(*typed, strict=True))

    def cost(self, sql: str, timeout_s: float) -> ScanEstimate:
        """Return what Spark expects to read of the tables that a statement names, behind its pruning of partitions."""
        plan = self._answer(f"EXPLAIN COST {sql}", timeout_s)
        return scan_estimate("\n".join(str(line) for line in plan[0]))

    def interrupt(self) -> None:
        """End the statement with its jobs, over a connection of its own."""
        handle = self._handle
        if handle is None or handle is self._stopped:
            return
        self._stopped = handle
        try:
            cancel_operation(self._start.location, handle, _CLOSE_TIMEOUT_S)
        except LOST:
            self._stopped = None  # who waits asks again
            return
        closing = threading.Timer(_LATE_JOBS_S, self._close_late, (handle,))
        closing.daemon = True  # with the process ends the session, and with that what is left of it
        closing.start()

    def _close_late(self, handle: Any) -> None:
        """Close what was cancelled, upon which its jobs are cancelled again, those that began meanwhile among them."""
        with contextlib.suppress(*LOST):
            close_operation(self._start.location, handle, _CLOSE_TIMEOUT_S)

    def finish(self) -> None:
        """Close the statement, and with it what it still computes; where that fails the next one opens a session."""
        with contextlib.suppress(*LOST):
            self._close()
        self._readers = []

    def _close(self) -> None:
        handle, self._handle = self._handle, None
        if handle is not None and handle is not self._stopped:
            self._session.client.CloseOperation(ttypes.TCloseOperationReq(handle))

    def fault(self, error: Exception) -> EngineFault | None:
        """Tell a cancellation and a lost connection from a wrong statement."""
        if isinstance(error, (*LOST, Refused)) and self._handle is not None and self._handle is self._stopped:
            return EngineFault("interrupted", "the statement was interrupted")
        if isinstance(error, Refused):
            return fault_of(error)
        if isinstance(error, LOST):
            return EngineFault("unavailable", "the connection was lost")
        return None


def _with_json(sql: str, width: int, nested: Collection[int], bound: str) -> str:
    """Let Spark write lists, maps and structs as JSON; by itself it leaves the quotes within their texts as they are.

    Rows stay in their order, as those below have a limit of their own.
    """
    names = [f"c_{place}" for place in range(width)]
    shown = [
        f"to_json({name}, map('ignoreNullFields', 'false')) AS {name}" if place in nested else name
        for place, name in enumerate(names)
    ]
    return f"SELECT {', '.join(shown)} FROM ({sql}) AS answer({', '.join(names)}) {bound}"


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise EngineFault("unavailable", f"there is no time zone {name!r}: write one as Asia/Kolkata") from None


def _date(text: str) -> date | str:
    try:
        return date.fromisoformat(text)
    except ValueError:  # BC, or a year behind 9999
        return text


def _timestamp(text: str, zone: ZoneInfo | None) -> datetime | str:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=zone)
    except ValueError:
        return text
