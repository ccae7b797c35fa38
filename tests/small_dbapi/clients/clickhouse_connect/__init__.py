"""`clickhouse_connect`, of which the database is a DuckDB file; rows come in blocks."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import duckdb
from clickhouse_connect.driver.exceptions import Error

from tests.small_dbapi import core

_BLOCK_ROWS = 1_000
_KILLED = re.compile(r"KILL QUERY WHERE query_id = '([^']+)'")


def _translated(error: duckdb.Error) -> Error:
    if isinstance(error, duckdb.InterruptException):
        return Error("Query was cancelled", 394)
    return Error("Unknown table expression identifier 'nothing'", 60)


class Blocks:
    """A stream that tells its columns with its first block."""

    def __init__(self, cursor: core.Cursor) -> None:
        self._cursor = cursor
        self._first = cursor.fetchmany(_BLOCK_ROWS)
        self.source = _described(cursor if self._first else None)
        self._is_open = False

    def __enter__(self) -> Blocks:
        self._is_open = True
        return self

    def __exit__(self, *_: object) -> None:
        self._cursor.close()

    def __iter__(self) -> Blocks:
        return self

    def __next__(self) -> list[Any]:
        assert self._is_open
        block, self._first = self._first or self._cursor.fetchmany(_BLOCK_ROWS), []
        if not block:
            raise StopIteration
        return block


def _described(cursor: core.Cursor | None) -> Any:
    described = (cursor.description if cursor else None) or []
    return SimpleNamespace(
        column_names=tuple(one[0] for one in described),
        column_types=tuple(SimpleNamespace(name={"INTEGER": "Int32"}.get(one[1], one[1])) for one in described),
    )


class Client(core.Connection):
    def _asked(self, sql: str, settings: dict[str, Any]) -> core.Cursor:
        self.journal.note("settings", settings)
        return self.cursor().execute(sql)

    def query_row_block_stream(self, query: str, *, settings: dict[str, Any]) -> Blocks:
        return Blocks(self._asked(query, settings))

    def query(self, query: str, *, settings: dict[str, Any]) -> Any:
        return _described(self._asked(query, settings))

    def command(self, cmd: str) -> None:
        assert _KILLED.match(cmd)
        self.journal.note("kill", cmd)
        self.database.interrupt()


def get_client(
    *,
    host: str,
    port: int,
    username: str,
    password: str,
    database: str,
    secure: bool,
    verify: bool,
    ca_cert: str | None,
    client_name: str,
    connect_timeout: int,
    query_retries: int,
    autogenerate_session_id: bool,
) -> Client:
    client = Client(database, "clickhouse", _translated)
    client.journal.note("connect", host, port, username, secure, verify, autogenerate_session_id)
    return client
