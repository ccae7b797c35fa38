"""`snowflake.connector`, of which the database is a DuckDB file; a statement runs on its own until somebody asks."""

from __future__ import annotations

import threading
from typing import Any

import duckdb

from tests.small_dbapi import core


class Error(Exception):
    """What this client raises."""

    def __init__(self, errno: int, msg: str) -> None:
        super().__init__(msg)
        self.errno, self.msg = errno, msg


def _translated(error: duckdb.Error) -> Error:
    if isinstance(error, duckdb.InterruptException):
        return Error(604, "SQL execution canceled")
    return Error(2003 if "does not exist" in str(error) else 1, "Object 'NOTHING' does not exist or not authorized.")


class Connection(core.Connection):
    def __init__(self, file: str) -> None:
        super().__init__(file, "snowflake", _translated)
        self.queries: dict[str, Query] = {}

    def cursor(self) -> Cursor:
        return Cursor(self)

    def get_query_status_throw_if_error(self, number: str) -> bool:
        query = self.queries[number]
        if query.error is not None:
            raise query.error
        return query.thread.is_alive()

    def is_still_running(self, status: bool) -> bool:
        return status


class Query:
    """One that was handed in."""

    def __init__(self, connection: Connection, sql: str) -> None:
        self.inner, self.sql = core.Cursor(connection), sql
        self.error: Exception | None = None
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        try:
            self.inner.execute(self.sql)
        except Error as error:
            self.error = error


class Cursor(core.Cursor):
    sfqid = ""
    _found: Query | None = None

    def execute_async(self, sql: str) -> None:
        owner: Any = self.connection
        self.sfqid = f"query-{len(owner.queries)}"
        owner.queries[self.sfqid] = Query(owner, sql)

    def get_results_from_sfqid(self, number: str) -> None:
        owner: Any = self.connection
        self._found = owner.queries[number]

    def fetchmany(self, size: int) -> list[tuple[Any, ...]]:
        assert self._found is not None
        rows = self._found.inner.fetchmany(size)
        kinds = {"INTEGER": (0, 0), "VARCHAR": (2, None)}  # known from here on
        described = self._found.inner.description or []
        self.description = [
            (name, *((0, None, None, 38, 2) if kind not in kinds else (kinds[kind][0], None, None, 38, kinds[kind][1])))
            for name, kind, *_ in described
        ]
        return rows

    def abort_query(self, number: str) -> bool:
        self.connection.journal.note("abort", number)
        self.connection.database.interrupt()
        return True


def connect(
    *,
    account: str,
    user: str,
    password: str,
    database: str,
    schema: str,
    login_timeout: int,
    application: str,
    autocommit: bool,
    session_parameters: dict[str, Any],
    warehouse: str = "",
    role: str = "",
) -> Connection:
    connection = Connection(database)
    connection.journal.note("connect", account, user, schema, warehouse, role, autocommit, session_parameters)
    return connection
