"""What a coordinator knows: the statements that run, their pages and states, and the transactions that are open."""

from __future__ import annotations

import itertools
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

from tests.trino_server.statements import (
    CATALOG,
    SCHEMA,
    Refused,
    Told,
    described_tables,
    explained,
    shown_table,
    translated,
)
from tests.trino_server.types import row_cell, signature, trino_type

__all__ = ["CATALOG", "SCHEMA", "Behaviour", "Coordinator", "Statement"]

_NAMED = re.compile(
    r'olumn "?(?P<column>\w+)"? not found|column named "(?P<named>\w+)"|Table with name (?P<table>\w+) does not exist|'
    r'Function with name (?P<function>\w+) does not exist|column "?(?P<ungrouped>\w+)"? must appear in the GROUP BY|'
    r'Ambiguous reference to column name "?(?P<ambiguous>\w+)"?'
)
_SAID = {
    "column": ("COLUMN_NOT_FOUND", "line 1:1: Column '{}' cannot be resolved"),
    "named": ("COLUMN_NOT_FOUND", "line 1:1: Column '{}' cannot be resolved"),
    "table": ("TABLE_NOT_FOUND", f"line 1:1: Table '{CATALOG}.{SCHEMA}.{{}}' does not exist"),
    "function": ("FUNCTION_NOT_FOUND", "line 1:1: Function '{}' not registered"),
    "ungrouped": ("EXPRESSION_NOT_AGGREGATE", "line 1:1: '{}' must be an aggregate expression"),
    "ambiguous": ("AMBIGUOUS_NAME", "line 1:1: Column '{}' is ambiguous"),
}
_UNITS_S = {"ms": 0.001, "s": 1.0, "m": 60.0}


@dataclass(frozen=True)
class Behaviour:
    """How a server behaves.

    Attributes:
        page_rows: most rows of one page.
        latency_s: before each reply.
        poll_s: how long a request waits for the next page.
        unavailable_first: replies with 503 that stand before the first right one.
        cut_page: number of the page in whose middle the connection is cut.
        person: name and password that have to be shown; a token where the name is empty.
        lie: what is sent for a reply that holds rows: bytes as they are, anything else as JSON.
    """

    page_rows: int = 1_000
    latency_s: float = 0.0
    poll_s: float = 0.3
    unavailable_first: int = 0
    cut_page: int | None = None
    person: tuple[str, str] | None = None
    lie: Callable[[dict[str, Any]], Any] | None = None


@dataclass
class Statement:
    """One statement, its pages made as they are asked for."""

    number: str
    slug: str
    sql: str
    user: str
    session: dict[str, str]
    state: str = "QUEUED"
    columns: list[dict[str, Any]] | None = None
    error: Refused | None = None
    update_type: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    token: int = 0
    page: list[list[Any]] | None = None
    rows: Iterator[list[list[Any]]] = field(default_factory=lambda: iter(()))
    is_last: bool = False
    started: threading.Thread | None = None
    ready: threading.Event = field(default_factory=threading.Event)
    connection: duckdb.DuckDBPyConnection | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)


class Coordinator:
    """Keeps every statement that it was sent, as the list under `/v1/query` does."""

    def __init__(self, file: Path, behaviour: Behaviour, partitions: dict[str, str]) -> None:
        self.behaviour = behaviour
        self.statements: dict[str, Statement] = {}
        self.transactions: dict[str, bool] = {}
        self.unavailable = behaviour.unavailable_first
        self._partitions = partitions
        self._numbers = itertools.count(1)
        self._database = duckdb.connect(":memory:", config={"threads": 1})
        self._database.execute(f"ATTACH '{file}' AS {CATALOG} (READ_ONLY)")
        described_tables(self._database, partitions)
        listed = self._database.execute("SELECT table_name FROM memory.main.information_schema_tables").fetchall()
        self._known = {str(name) for (name,) in listed}

    def close(self) -> None:
        for statement in self.running():
            self.cancel(statement)
        self._database.close()

    def running(self) -> list[Statement]:
        """What the server is still at, transactions and their ends left out."""
        return [one for one in self.statements.values() if one.state not in ("FINISHED", "FAILED")]

    def submit(self, sql: str, user: str, session: dict[str, str], transaction: str) -> Statement:
        number = f"{time.strftime('%Y%m%d_%H%M%S')}_{next(self._numbers):05}_loop1"
        statement = Statement(number, "x" + secrets.token_hex(16), sql, user, session)
        self.statements[number] = statement
        if transaction not in ("", "NONE") and transaction not in self.transactions:
            self._fail(statement, Refused("UNKNOWN_TRANSACTION", "Unknown transaction ID"))
            statement.ready.set()
        statement.headers["transaction"] = transaction
        return statement

    def begin(self, statement: Statement) -> None:
        """Start it at the first time it is asked about, as the dispatcher does."""
        with statement.lock:
            if statement.started is not None or statement.state == "FAILED":
                return
            statement.state = "PLANNING"
            statement.started = threading.Thread(target=self._run, args=(statement,), daemon=True)
            statement.started.start()
        limit = re.fullmatch(r"([\d.]+)(ms|s|m)", statement.session.get("query_max_run_time", ""))
        if limit:
            said = f"Query exceeded the maximum run time limit of {limit.group()}"
            refusal = Refused("EXCEEDED_TIME_LIMIT", said, "INSUFFICIENT_RESOURCES")
            timer = threading.Timer(float(limit.group(1)) * _UNITS_S[limit.group(2)], self._end, (statement, refusal))
            timer.daemon = True
            timer.start()

    def cancel(self, statement: Statement) -> None:
        self._end(statement, Refused("USER_CANCELED", "Query was canceled"))

    def _end(self, statement: Statement, refusal: Refused) -> None:
        if statement.state not in ("FINISHED", "FAILED"):
            self._fail(statement, refusal)
            if statement.connection is not None:
                statement.connection.interrupt()
            statement.ready.set()

    def _fail(self, statement: Statement, refusal: Refused) -> None:
        with statement.lock:
            if statement.state not in ("FINISHED", "FAILED"):
                statement.state, statement.error = "FAILED", refusal

    def _run(self, statement: Statement) -> None:
        try:
            self._answer(statement)
        except Refused as refusal:
            self._fail(statement, refusal)
        except duckdb.Error as error:
            self._fail(statement, _refusal(error))
        finally:
            statement.ready.set()

    def _answer(self, statement: Statement) -> None:
        words = statement.sql.split()
        if words[:2] == ["START", "TRANSACTION"]:
            number = secrets.token_hex(8)
            self.transactions[number] = words[2:4] == ["READ", "ONLY"]
            statement.headers["X-Trino-Started-Transaction-Id"] = number
            statement.update_type = "START TRANSACTION"
            return
        if words[0] in ("ROLLBACK", "COMMIT"):
            self.transactions.pop(statement.headers["transaction"], None)
            statement.headers["X-Trino-Clear-Transaction-Id"] = "true"
            statement.update_type = words[0]
            return
        statement.connection = connection = self._database.cursor()
        connection.execute(f"USE {CATALOG}.main")
        told = shown_table(statement.sql, self._partitions, self._known) or explained(connection, statement.sql)
        if told is not None:
            self._give(statement, told)
            return
        sql = translated(statement.sql)
        statement.state = "RUNNING"
        connection.execute(sql)
        described = [(str(name), str(kind)) for name, kind, *_ in connection.description or ()]
        kinds = [signature(kind) for _, kind in described]
        statement.columns = _columns(described)
        size = self.behaviour.page_rows

        def pages() -> Iterator[list[list[Any]]]:
            while rows := connection.fetchmany(size):
                yield [[row_cell(one, kind) for one, kind in zip(row, kinds, strict=True)] for row in rows]

        statement.rows = pages()

    def _give(self, statement: Statement, told: Told) -> None:
        statement.columns = _columns(told.columns) or None
        statement.rows = iter([[list(row) for row in told.rows]] if told.rows else [])

    def page(self, statement: Statement, token: int) -> list[list[Any]] | None:
        """Return the page of a token: the next one, or again the one before; None where there is no further one."""
        with statement.lock:
            if token == statement.token + 1:
                statement.token, statement.page = token, None
            elif token != statement.token:
                raise LookupError(token)
            if statement.page is None and not statement.is_last and statement.error is None:
                try:
                    statement.page = next(statement.rows, None)
                except duckdb.Error as error:
                    refusal = _refusal(error)
                    statement.state, statement.error = "FAILED", statement.error or refusal
                statement.is_last = statement.page is None
                if statement.is_last and statement.error is None:
                    statement.state = "FINISHED"
            return statement.page


def _columns(described: Any) -> list[dict[str, Any]]:
    return [{"name": name, "type": trino_type(kind), "typeSignature": signature(kind)} for name, kind in described]


def _refusal(error: duckdb.Error) -> Refused:
    """Say what is wrong under Trino's name for it; values of the data are quoted, as Trino quotes them."""
    said = str(error)
    if found := _NAMED.search(said):
        kind, spoken = next((kind, name) for kind, name in found.groupdict().items() if name)
        name, words = _SAID[kind]
        return Refused(name, words.format(spoken))
    if isinstance(error, duckdb.InterruptException):
        return Refused("USER_CANCELED", "Query was canceled")
    if isinstance(error, duckdb.ConversionException):
        return Refused("INVALID_CAST_ARGUMENT", f"Cannot cast value: {said}")
    if isinstance(error, duckdb.OutOfRangeException):
        return Refused("NUMERIC_VALUE_OUT_OF_RANGE", said)
    if isinstance(error, duckdb.ParserException):
        return Refused("SYNTAX_ERROR", "line 1:1: mismatched input")
    if isinstance(error, duckdb.OutOfMemoryException):
        return Refused("EXCEEDED_LOCAL_MEMORY_LIMIT", said, "INSUFFICIENT_RESOURCES")
    if isinstance(error, duckdb.BinderException):
        return Refused("TYPE_MISMATCH", said)
    return Refused("GENERIC_INTERNAL_ERROR", said, "INTERNAL_ERROR")
