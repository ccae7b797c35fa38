"""PostgreSQL inside a worker: a read-only transaction and a server-side cursor per statement, always rolled back."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import psycopg
from psycopg import errors
from psycopg.abc import Buffer
from psycopg.adapt import Loader
from psycopg.types.datetime import (
    DateLoader,
    IntervalLoader,
    TimeLoader,
    TimestampLoader,
    TimestamptzLoader,
    TimetzLoader,
)
from psycopg.types.string import TextLoader

from ai_engine.types import ColumnType, ScanEstimate
from backend.databases.engine import EngineFault, EngineStart
from backend.databases.hidden_columns import ANY_COLUMN
from backend.databases.limits import MEGABYTE
from backend.databases.postgres_indexes import has_telling_index
from backend.databases.postgres_plan import (
    BY_ROWS,
    GATHERS,
    ONLY_WHOLE,
    SIZES,
    STORED_APART,
    Size,
    gathered_bytes,
    read_scans,
    scans_of,
)
from backend.databases.postgres_session import ENCODING, HELD, PLAIN_COSTS, own_names_first, without_indexes
from backend.databases.statement_faults import Trouble, out_of_memory, statement_fault

_AFTER_DEADLINE_MS = 500  # the owner ends the statement at the deadline; the server's own end comes behind it
_CANCEL_TIMEOUT_S = 0.7
_TYPES: dict[int, ColumnType] = {
    **dict.fromkeys((20, 21, 23, 26), "integer"),
    1700: "decimal",
    790: "text",  # money: spelled by the server's locale
    **dict.fromkeys((700, 701), "float"),
    **dict.fromkeys((18, 19, 25, 1042, 1043, 2950, 114, 3802), "text"),
    16: "boolean",
    1082: "date",
    **dict.fromkeys((1114, 1184), "timestamp"),
    **dict.fromkeys((1083, 1266), "time"),
}
_LOST = (errors.AdminShutdown, errors.CrashShutdown, errors.CannotConnectNow, errors.TooManyConnections)
_SET_OPERATION = re.compile(r"\b(?:INTERSECT|EXCEPT)\b", re.IGNORECASE)
"""Whose rows PostgreSQL keeps in memory without a bound where it expects few."""
_SPOKEN_NAMES = re.compile(r'"([^"]+)"|(?:column|function|table|relation|view) ([\w.]+)')
_BY_STATE: dict[str, Trouble] = {  # the whole state, else its class
    "42703": "unknown_column",
    "42P01": "unknown_table",
    "42883": "unknown_function",
    "42704": "unknown_name",
    "42702": "ambiguous_name",
    "42725": "ambiguous_name",
    "42P09": "ambiguous_name",
    "42803": "misused_aggregate",
    "42P20": "misused_aggregate",
    "42804": "wrong_type",
    "42846": "wrong_type",
    "42P18": "wrong_type",
    "42501": "permission",
    "42601": "syntax",
    "25006": "permission",
    "22012": "division_by_zero",
    "22003": "out_of_range",
    "22008": "out_of_range",
    "22015": "out_of_range",
    "2201B": "invalid_pattern",
    "22": "conversion",
    "21": "several_rows",
    "42": "syntax",
    "53100": "space",
    "53400": "space",
    "53": "memory",
    "55P03": "locked",
    "40": "locked",
}


class _NumberLoader(Loader):
    """Reads numeric exactly; its NaN and infinities become floats, as a Decimal NaN cannot even be compared."""

    def load(self, data: Buffer) -> Decimal | float:
        number = Decimal(bytes(data).decode())
        return number if number.is_finite() else float(number)


def _or_text(base: type[Loader]) -> type[Loader]:
    """Extend a loader: what has no Python value (infinity, BC, year 20000, 24:00) stays as the server spells it."""

    class ValueOrText(base):  # type: ignore[misc, valid-type]
        def load(self, data: Buffer) -> Any:
            try:
                return super().load(data)
            except (psycopg.DataError, NotImplementedError):  # the latter for a style of the role's own
                return bytes(data).decode()

    return ValueOrText


class _SpanLoader(_or_text(IntervalLoader)):  # type: ignore[misc]
    """Leaves spans with months or years in the server's words: how many days these are depends on where they begin."""

    def load(self, data: Buffer) -> Any:
        spelled = bytes(data).decode()
        return spelled if "mon" in spelled or "year" in spelled else super().load(data)


class PostgresEngine:
    """One connection, opened again when the server cut it; each statement finds a session as new."""

    def __init__(self, start: EngineStart) -> None:
        self._start = start
        self._connection = self._connect()
        self._cursor: psycopg.ServerCursor[tuple[Any, ...]] | None = None

    def _connect(self) -> psycopg.Connection[tuple[Any, ...]]:
        try:
            connection = psycopg.connect(
                **self._start.location | ENCODING,  # type: ignore[arg-type]
                autocommit=True,
                connect_timeout=max(2, int(self._start.connect_timeout_s)),
                prepare_threshold=None,
            )
            for name, loader in (
                ("numeric", _NumberLoader),
                ("date", _or_text(DateLoader)),
                ("timestamp", _or_text(TimestampLoader)),
                ("timestamptz", _or_text(TimestamptzLoader)),
                ("time", _or_text(TimeLoader)),
                ("timetz", _or_text(TimetzLoader)),
                ("interval", _SpanLoader),
                ("json", TextLoader),
                ("jsonb", TextLoader),
            ):
                connection.adapters.register_loader(name, loader)
            self._held = HELD | own_names_first(connection)
            tells = ANY_COLUMN.issubset(self._start.hidden) or has_telling_index(connection, self._start.hidden)
            self._follows_indexes = not tells
            if not self._follows_indexes:
                self._held |= without_indexes(connection)
        except psycopg.Error as error:
            raise EngineFault("unavailable", f"cannot connect: {_first_line(error)}") from error
        return connection

    def execute(self, sql: str, timeout_s: float) -> tuple[Sequence[str], Sequence[ColumnType | None]]:
        """Declare a cursor for the statement, which only a query can have, in a transaction that cannot write."""
        self._begin_anew(timeout_s)
        if _SET_OPERATION.search(sql):
            self._connection.execute(b"SET LOCAL enable_hashagg = off")  # it sorts, and spills
        if GATHERS.search(sql) and self._gathered_bytes(sql) > self._start.memory_mb * MEGABYTE:
            raise out_of_memory()  # for which PostgreSQL has no bound of its own
        self._cursor = self._connection.cursor(name="answer")
        self._cursor.execute(sql.encode())  # without parameters, so that no % and no : in it means anything
        described = self._cursor.description or []
        return [column.name for column in described], [_TYPES.get(column.type_code, "other") for column in described]

    def cost(self, sql: str, timeout_s: float) -> ScanEstimate:
        """Read the plan, and how large its tables are; its work is the planner's total cost, in its own unit."""
        self._begin_anew(timeout_s)
        hidden = self._start.hidden
        if not self._follows_indexes:
            self._connection.execute(PLAIN_COSTS)
        if hidden:
            self._connection.execute(BY_ROWS)
        plan = self._plan(sql)
        scans = scans_of(plan)
        relations = [scan.relation for scan in scans]
        asked = [[pair[part] for pair in pairs] for pairs in (hidden, relations) for part in (0, 1)]
        sizes = {
            (schema, name): Size.of(*told)
            for schema, name, *told in (self._connection.execute(SIZES, asked).fetchall() if scans else ())
        }
        if any(size.sways for size in sizes.values()):
            self._connection.execute(ONLY_WHOLE)
            scans = scans_of(self._plan(sql))
        return read_scans(scans, sizes, float(plan["Total Cost"]))

    def _gathered_bytes(self, sql: str) -> float:
        plan = self._plan(sql)
        asked = [list(names) for names in zip(*{scan.relation for scan in scans_of(plan)}, strict=True)]
        found = self._connection.execute(STORED_APART, asked).fetchall() if asked else []
        apart = {
            (schema, name): float(row_bytes)
            for schema, name, row_bytes, columns in found
            if any(column in sql for column in columns)
        }
        return gathered_bytes(sql, plan, apart)

    def _plan(self, sql: str) -> dict[str, Any]:
        # asked in binary, by the protocol that takes one statement only
        found = self._connection.execute(b"EXPLAIN (FORMAT JSON, VERBOSE) " + sql.encode(), binary=True).fetchone()
        plan: dict[str, Any] = found[0][0]["Plan"] if found else {"Node Type": "", "Total Cost": 0}
        return plan

    def _begin_anew(self, timeout_s: float) -> None:
        try:
            self._begin(timeout_s)
        except (psycopg.OperationalError, psycopg.InterfaceError):
            self._connection.close()
            self._connection = self._connect()  # it had been cut while idle
            self._begin(timeout_s)

    def _begin(self, timeout_s: float) -> None:
        timeout_ms = int(timeout_s * 1_000) + _AFTER_DEADLINE_MS
        settings: dict[str, int | str] = {
            "statement_timeout": timeout_ms,
            "idle_in_transaction_session_timeout": timeout_ms,
            "lock_timeout": max(1, round(self._start.lock_wait_s * 1_000)),
            **self._held,
        }
        if self._connection.info.server_version >= 110_000:
            settings["jit"] = "off"  # a large expression is compiled for seconds, and no cancel is heard meanwhile
        if self._connection.info.server_version >= 140_000:
            settings["client_connection_check_interval"] = 1_000  # ends the work of a worker that was killed
        parts = ["BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"]
        parts += [f"SET LOCAL {name} = {value}" for name, value in settings.items()]
        self._connection.execute("; ".join(parts).encode())

    def fetch(self, max_rows: int) -> list[tuple[Any, ...]]:
        """Return the next rows; the rest stays on the server."""
        return self._cursor.fetchmany(max_rows) if self._cursor else []

    def interrupt(self) -> None:
        """Cancel by protocol, over a connection of its own."""
        with contextlib.suppress(psycopg.Error):
            self._connection.cancel_safe(timeout=_CANCEL_TIMEOUT_S)

    def finish(self) -> None:
        """Roll back, and discard whatever the session has learned."""
        self._cursor = None
        try:
            self._connection.execute("ROLLBACK")
            self._connection.execute("DISCARD ALL")
        except psycopg.Error:
            self._connection.close()

    def fault(self, error: Exception) -> EngineFault | None:
        """Tell a timeout, a cancellation and a lost connection from a wrong statement."""
        if not isinstance(error, psycopg.Error):
            return None
        if isinstance(error, errors.QueryCanceled):
            timed_out = "timeout" in str(error)  # one state for both
            return EngineFault("timed_out" if timed_out else "interrupted", "the statement was interrupted")
        if isinstance(error, _LOST) or self._connection.closed:
            return EngineFault("unavailable", "the connection was lost")
        state = error.sqlstate or ""
        trouble = _BY_STATE.get(state) or _BY_STATE.get(state[:2], "other")
        return statement_fault(trouble, error.diag.message_primary or "", _SPOKEN_NAMES)


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
