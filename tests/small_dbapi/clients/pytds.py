"""`pytds`, of which the database is a DuckDB file; it speaks over the socket that it is given, and ends with it."""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import Any

import duckdb

from tests.small_dbapi import core


class Error(Exception):
    """What this client raises."""


class ClosedConnectionError(Error):
    """The server is gone."""


class DatabaseError(Error):
    """The server said no."""

    def __init__(self, number: int, text: str) -> None:
        super().__init__(text)
        self.number, self.text = number, text


def _translated(error: duckdb.Error) -> Error:
    said = str(error)
    if isinstance(error, duckdb.InterruptException):
        return ClosedConnectionError("Server closed connection")
    if "does not exist" in said:
        return DatabaseError(208, "Invalid object name 'nothing'.")
    return DatabaseError(50_000, said)


class Connection(core.Connection):
    is_cut = False

    def end_with(self, sock: socket.socket) -> None:
        threading.Thread(target=self._watch, args=(sock,), daemon=True).start()

    def _watch(self, sock: socket.socket) -> None:
        with contextlib.suppress(OSError):
            sock.recv(1)
        self.is_cut = True
        with contextlib.suppress(duckdb.Error):
            self.database.interrupt()

    def cursor(self) -> core.Cursor:
        if self.is_cut:
            raise ClosedConnectionError("Server closed connection")
        return super().cursor()


def connect(
    *,
    dsn: str,
    port: int,
    database: str,
    user: str,
    password: str,
    login_timeout: float,
    timeout: float | None,
    appname: str,
    cafile: str,
    validate_host: bool,
    readonly: bool,
    autocommit: bool,
    disable_connect_retry: bool,
    sock: socket.socket,
) -> Any:
    connection = Connection(database, "tsql", _translated)
    connection.journal.note("connect", dsn, port, user, bool(cafile), validate_host, readonly, autocommit)
    connection.end_with(sock)
    return connection
