"""Trino inside a worker: a session and a read-only transaction per statement, its result fetched page by page."""

from __future__ import annotations

import contextlib
import json
import logging
import math
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import requests
from trino import exceptions
from trino.client import ClientSession, TrinoQuery, TrinoRequest
from trino.constants import HEADER_STARTED_TRANSACTION
from trino.transaction import NO_TRANSACTION

from ai_engine.column_types import column_type
from ai_engine.types import ColumnType, ScanEstimate
from backend.databases.engine import EngineFault, EngineStart
from backend.databases.limits import MEGABYTE
from backend.databases.statement_faults import Trouble, statement_fault
from backend.databases.trino_http import BoundedAdapter, open_session, server_address
from backend.databases.trino_values import Read, WrongShape, read_rows, reader

_AFTER_DEADLINE_MS = 500  # the owner ends the statement at the deadline; the server's own end comes behind it
_CANCEL_TIMEOUT_S = 0.7
_ATTEMPTS = 3
_FAREWELL_S = 2.0
_WRONG_SHAPE = "the Trino server's reply has another shape than its protocol"
_STATUS = re.compile(r"error (\d{3})")
_SPOKEN_NAMES = re.compile(r"'([^']+)'|(?:Function|function) (\S+) not")
_INTERRUPTED = frozenset({"USER_CANCELED", "ADMINISTRATIVELY_KILLED", "ABANDONED_QUERY"})
_TIMED_OUT = frozenset({"EXCEEDED_TIME_LIMIT"})
_LOST = frozenset(
    {"SERVER_SHUTTING_DOWN", "SERVER_STARTING_UP", "NO_NODES_AVAILABLE", "REMOTE_HOST_GONE", "QUERY_QUEUE_FULL",
     "PAGE_TRANSPORT_ERROR", "PAGE_TRANSPORT_TIMEOUT", "TOO_MANY_REQUESTS_FAILED", "CATALOG_NOT_FOUND",
     "CATALOG_UNAVAILABLE"}
)  # fmt: skip
_BY_NAME: dict[str, Trouble] = {
    "COLUMN_NOT_FOUND": "unknown_column",
    **dict.fromkeys(("TABLE_NOT_FOUND", "SCHEMA_NOT_FOUND", "MISSING_TABLE"), "unknown_table"),
    **dict.fromkeys(("FUNCTION_NOT_FOUND", "OPERATOR_NOT_FOUND"), "unknown_function"),
    **dict.fromkeys(("NOT_FOUND", "TYPE_NOT_FOUND", "INVALID_COLUMN_REFERENCE"), "unknown_name"),
    **dict.fromkeys(("AMBIGUOUS_NAME", "AMBIGUOUS_FUNCTION_CALL"), "ambiguous_name"),
    **dict.fromkeys(
        ("MISSING_GROUP_BY", "MISSING_OVER", "NESTED_AGGREGATION", "NESTED_WINDOW", "EXPRESSION_NOT_AGGREGATE",
         "EXPRESSION_NOT_SCALAR", "EXPRESSION_NOT_IN_DISTINCT", "FUNCTION_NOT_AGGREGATE", "FUNCTION_NOT_WINDOW",
         "INVALID_WINDOW_FRAME"),
        "misused_aggregate",
    ),
    **dict.fromkeys(("TYPE_MISMATCH", "COLUMN_TYPE_UNKNOWN"), "wrong_type"),
    **dict.fromkeys(("INVALID_CAST_ARGUMENT", "INVALID_LITERAL"), "conversion"),
    "DIVISION_BY_ZERO": "division_by_zero",
    "NUMERIC_VALUE_OUT_OF_RANGE": "out_of_range",
    "SUBQUERY_MULTIPLE_ROWS": "several_rows",
    **dict.fromkeys(
        ("SYNTAX_ERROR", "NOT_SUPPORTED", "UNSUPPORTED_SUBQUERY", "INVALID_ARGUMENTS", "TOO_MANY_ARGUMENTS"), "syntax"
    ),
    **dict.fromkeys(("PERMISSION_DENIED", "READ_ONLY_VIOLATION"), "permission"),
    **dict.fromkeys(("TRANSACTION_CONFLICT", "MULTI_CATALOG_WRITE_CONFLICT"), "locked"),
    **dict.fromkeys(
        ("EXCEEDED_LOCAL_MEMORY_LIMIT", "EXCEEDED_GLOBAL_MEMORY_LIMIT", "CLUSTER_OUT_OF_MEMORY",
         "EXCEEDED_FUNCTION_MEMORY_LIMIT", "GENERIC_INSUFFICIENT_RESOURCES"),
        "memory",
    ),
    **dict.fromkeys(("EXCEEDED_SPILL_LIMIT", "OUT_OF_SPILL_SPACE"), "space"),
}  # fmt: skip


class TrinoEngine:
    """Speaks to one coordinator; a statement that was cut is begun by nobody again."""

    def __init__(self, start: EngineStart) -> None:
        logging.disable(logging.CRITICAL)  # the client logs statements and what the server says against them
        self._start = start
        self._address = server_address(start.location)
        self._adapter = BoundedAdapter(self._address, start.max_result_mb * MEGABYTE)
        self._http = open_session(start.location, self._adapter)
        self._session: ClientSession | None = None
        self._query: TrinoQuery | None = None
        self._readers: list[Read] = []
        self._rows: Iterator[Any] = iter(())

    def execute(self, sql: str, timeout_s: float) -> tuple[Sequence[str], Sequence[ColumnType | None]]:
        """Start a statement in a transaction that cannot write, with the server's own deadline."""
        columns = self._ask(sql, timeout_s)
        return [str(column["name"]) for column in columns], [column_type(str(column["type"])) for column in columns]

    def cost(self, sql: str, timeout_s: float) -> ScanEstimate:
        """Add up what the plan expects of each table that is read; one without statistics makes it unknown."""
        self._ask(f"EXPLAIN (TYPE IO, FORMAT JSON) {sql}", timeout_s)
        (plan,) = self.fetch(1)[0]
        return estimate(json.loads(plan))

    def fetch(self, max_rows: int) -> list[tuple[Any, ...]]:
        """Return the next rows; two pages of them are held at most."""
        return read_rows(list(islice(self._rows, max_rows)), self._readers)

    def interrupt(self) -> None:
        """Have the server cancel the statement, over a connection of its own."""
        self._adapter.given_up.set()
        self._cancel(self._adapter.asked)

    def _cancel(self, place: str) -> None:
        if not place:
            return
        with contextlib.suppress(requests.RequestException, EngineFault):
            adapter = BoundedAdapter(self._address, MEGABYTE)
            with open_session(self._start.location, adapter) as session:
                session.delete(place, timeout=_CANCEL_TIMEOUT_S)

    def finish(self) -> None:
        """End the transaction; what nobody waits for any more is cancelled at the server instead of being read."""
        session, query, place = self._session, self._query, self._adapter.asked
        self._session, self._query, self._rows, self._readers = None, None, iter(()), []
        self._adapter.given_up.clear()
        if query is None or not query.finished:
            self._cancel(place)
        self._adapter.asked = ""
        with contextlib.suppress(*_CLIENT_FAULTS):
            if session is not None and session.transaction_id != NO_TRANSACTION:
                TrinoQuery(self._new_request(session, _FAREWELL_S, attempts=1), "ROLLBACK").execute()

    def fault(self, error: Exception) -> EngineFault | None:
        """Tell a timeout, a cancellation and a lost connection from a wrong statement."""
        if self._adapter.given_up.is_set():
            return EngineFault("interrupted", "the statement was interrupted")
        if isinstance(error, exceptions.TrinoQueryError):
            return _statement_fault(str(error.error_name), error.message)
        if isinstance(error, exceptions.HttpError):
            return _status_fault(str(error))
        if isinstance(error, requests.exceptions.SSLError) or "SSLError" in str(error):
            return EngineFault("unavailable", "the TLS certificate of the Trino server is not accepted")
        if isinstance(error, (exceptions.Error, requests.RequestException)):
            return EngineFault("unavailable", "the connection to the Trino server was lost")
        if isinstance(error, _UNREADABLE):
            return EngineFault("unavailable", _WRONG_SHAPE)
        return None

    def _begin(self, timeout_s: float) -> _CheckedRequest:
        """Begin a session that knows nothing of earlier ones, in a transaction of its own."""
        location = self._start.location
        limit_ms = round(timeout_s * 1_000) + _AFTER_DEADLINE_MS
        session = ClientSession(
            user=location["user"],
            catalog=location["database"],
            schema=location["schema"],
            source="banking-assistant",
            properties={"query_max_run_time": f"{limit_ms}ms"},
            transaction_id=NO_TRANSACTION,
            client_tags=[tag for tag in location.get("client_tags", "").split(",") if tag],
            roles=location.get("role"),
            timezone=location.get("timezone", "UTC"),
        )
        request = self._new_request(session, timeout_s + self._start.connect_timeout_s)
        self._session = session
        response = request.post("START TRANSACTION READ ONLY")
        status = request.process(response)
        started = response.headers.get(HEADER_STARTED_TRANSACTION)
        while status.next_uri:
            response = request.get(status.next_uri)
            status = request.process(response)
            started = response.headers.get(HEADER_STARTED_TRANSACTION, started)
        if not started:
            raise EngineFault("unavailable", "the Trino server began no read-only transaction")
        session.transaction_id = started
        return request

    def _new_request(self, session: ClientSession, timeout_s: float, *, attempts: int = _ATTEMPTS) -> _CheckedRequest:
        request = _CheckedRequest(
            host=self._address.partition("://")[2].rpartition(":")[0],
            port=int(self._start.location["port"]),
            client_session=session,
            http_session=self._http,
            http_scheme=self._address.partition(":")[0],
            max_attempts=attempts,
            request_timeout=(min(timeout_s, self._start.connect_timeout_s), timeout_s),
        )
        request.adapter = self._adapter
        return request

    def _ask(self, sql: str, timeout_s: float) -> list[dict[str, Any]]:
        """Send a statement and wait for its columns, which come with its first rows.

        Raises:
            WrongShape: it ended without any.
        """
        request = self._begin(timeout_s)
        request.columns = None  # a transaction's beginning may have had some
        self._query = TrinoQuery(request, sql, legacy_primitive_types=True)  # values as the server spells them
        self._rows = self._query.execute()
        columns: list[dict[str, Any]] = self._query.columns or []
        if not columns:
            raise WrongShape
        self._readers = [reader(column["typeSignature"]) for column in columns]
        return columns


class _CheckedRequest(TrinoRequest):
    """Passes on replies whose columns are told before their rows, and stay the same; the client drops other rows."""

    columns: Any = None
    adapter: BoundedAdapter

    def process(self, response: requests.Response) -> Any:
        """Read a reply.

        Raises:
            WrongShape: rows of columns that nobody told, or other columns than before.
        """
        status = super().process(response)
        if response.request.method == "POST" and status.next_uri:
            self.adapter.asked = str(status.next_uri)  # a statement left before its first page is cancelled by this
        told = status.columns or None
        if told is not None and self.columns not in (None, told):
            raise WrongShape
        self.columns = told or self.columns
        if status.rows and self.columns is None:
            raise WrongShape
        return status


_UNREADABLE = (WrongShape, ValueError, TypeError, LookupError, AttributeError, AssertionError, RecursionError)
"""What the client makes of a reply that is not of the protocol."""
_CLIENT_FAULTS = (exceptions.Error, exceptions.HttpError, requests.RequestException, EngineFault, *_UNREADABLE)


def estimate(plan: Any) -> ScanEstimate:
    """Read `EXPLAIN (TYPE IO)`, whose numbers are the text NaN where a table has no statistics."""
    tables = [table.get("estimate", {}) for table in plan["inputTableColumnInfos"]]
    rows, size = (_sum([table.get(name) for table in tables]) for name in ("outputRowCount", "outputSizeInBytes"))
    return ScanEstimate(
        rows=None if rows is None else round(rows),
        bytes=None if size is None else round(size),
        work=_sum([plan.get("estimate", {}).get("cpuCost")]),
    )


def _sum(told: Sequence[Any]) -> float | None:
    numbers = [float(one) if isinstance(one, (int, float, str)) else math.nan for one in told]
    total = sum(numbers)
    return total if numbers and math.isfinite(total) else None


def _statement_fault(name: str, said: str) -> EngineFault:
    if name in _TIMED_OUT:
        return EngineFault("timed_out", "the statement was interrupted")
    if name in _INTERRUPTED:
        return EngineFault("interrupted", "the statement was interrupted")
    if name in _LOST:
        return EngineFault("unavailable", f"the Trino server cannot run it now ({name})")
    return statement_fault(_BY_NAME.get(name, "other"), said, _SPOKEN_NAMES)


def _status_fault(said: str) -> EngineFault:
    found = _STATUS.match(said)
    status = found.group(1) if found else "no status"
    if status in ("401", "403"):
        return EngineFault("unavailable", f"access denied for user and password (HTTP {status})")
    return EngineFault("unavailable", f"the Trino server answers with HTTP {status}")
