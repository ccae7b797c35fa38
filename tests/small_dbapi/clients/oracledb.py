"""`oracledb`, of which the service is a DuckDB file."""

from __future__ import annotations

import re
import ssl
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import duckdb

from tests.small_dbapi import core

defaults = SimpleNamespace(fetch_decimals=False, fetch_lobs=True)
_NUMBER = re.compile(r"DECIMAL\((\d+),(\d+)\)")
_WHOLE = frozenset({"INTEGER", "BIGINT", "SMALLINT"})
_NAMES = {"DATE": "DATE", "TIMESTAMP": "TIMESTAMP", "VARCHAR": "VARCHAR", "DOUBLE": "BINARY_DOUBLE"}
_CODES = (
    (r"Table with name (\w+) does not exist", "ORA-00942", 'table or view "{}" does not exist'),
    (r'column "?(\w+)"? not found', "ORA-00904", '"{}": invalid identifier'),
    (r"Could not convert string '([^']*)'", "ORA-01722", 'unable to convert string value "{}" to a number'),
    (r"(INTERRUPT)", "ORA-01013", "user requested cancel of current operation"),
    (r"(Parser Error)", "ORA-00923", "FROM keyword not found where expected"),
)


class Error(Exception):
    """What this client raises."""


@dataclass
class _Told:
    full_code: str
    message: str

    def __str__(self) -> str:
        return self.message


def _translated(error: duckdb.Error) -> Error:
    for pattern, code, words in _CODES:
        if found := re.search(pattern, str(error), re.IGNORECASE):
            return _error(code, words.format(found[1]))
    return _error("ORA-00600", str(error))


def _error(code: str, words: str) -> Error:
    return Error(_Told(code, f"{code}: {words}"))


class Connection(core.Connection):
    call_timeout = 0
    module = ""
    cuts = 0

    def cursor(self) -> core.Cursor:
        if len(self.journal.told("cut")) > self.cuts:
            raise _error("DPY-4011", "the database or network closed the connection")
        return Cursor(self)


class Cursor(core.Cursor):
    def execute(self, sql: str) -> Any:
        super().execute(sql)
        self.connection.journal.note("call_timeout", getattr(self.connection, "call_timeout", 0))
        self.description = [(name, *_described(kind)) for name, kind, *_ in self.description or []]
        return self


def _described(kind: str) -> tuple[Any, ...]:
    number = _NUMBER.fullmatch(kind)
    if number:
        return SimpleNamespace(name="DB_TYPE_NUMBER"), None, None, int(number[1]), int(number[2]), True
    if kind in _WHOLE:
        return SimpleNamespace(name="DB_TYPE_NUMBER"), None, None, 0, -127, True
    return SimpleNamespace(name=f"DB_TYPE_{_NAMES.get(kind, kind)}"), None, None, None, None, True


def connect(
    *,
    user: str,
    password: str,
    host: str,
    port: int,
    service_name: str,
    protocol: str,
    tcp_connect_timeout: float,
    ssl_context: ssl.SSLContext | None = None,
) -> Connection:
    if password == "hush-hush":
        raise _error("ORA-01017", f"invalid credential for {user}/{password}")
    connection = Connection(service_name, "oracle", _translated)
    connection.cuts = len(connection.journal.told("cut"))
    checked = ssl_context is not None and ssl_context.verify_mode == ssl.CERT_REQUIRED
    connection.journal.note("connect", user, host, port, protocol, checked)
    return connection
