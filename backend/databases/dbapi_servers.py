"""Clients of the warehouses that a bank runs itself: Oracle, SQL Server, ClickHouse.

None of them can be run here: parameters are those of the clients' own documentation.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
from importlib import import_module
from typing import Any
from uuid import uuid4

from ai_engine.column_types import column_type
from ai_engine.types import ColumnType
from backend.databases.dbapi_clients import AFTER_DEADLINE_S, APP, Client
from backend.databases.dbapi_faults import CLICKHOUSE, ORACLE, SQL_SERVER
from backend.databases.engine import EngineFault
from backend.databases.limits import MEGABYTE

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class OracleClient(Client):
    """`oracledb` in its thin mode; a statement stands in a transaction that cannot write."""

    codes = ORACLE

    def connect(self) -> None:
        """Connect by TLS, and set how texts, numbers and moments are spelled and compared."""
        oracledb = import_module("oracledb")
        self.errors = (oracledb.Error, OSError)
        oracledb.defaults.fetch_decimals = True
        oracledb.defaults.fetch_lobs = False
        over_tls = {"protocol": "tcps", "ssl_context": ssl.create_default_context(cafile=self.location.get("tls_ca"))}
        self.connection = oracledb.connect(
            user=self.location["user"],
            password=self.location["password"],
            host=self.location["host"],
            port=int(self.location["port"]),
            service_name=self.location["database"],
            tcp_connect_timeout=self.start.connect_timeout_s,
            **(over_tls if self.tls else {"protocol": "tcp"}),
        )
        self.connection.module = APP
        schema = self.location.get("schema", "").replace('"', '""')
        self.run(
            "ALTER SESSION SET NLS_LANGUAGE = 'AMERICAN' NLS_TERRITORY = 'AMERICA' NLS_NUMERIC_CHARACTERS = '.,' "
            "NLS_SORT = 'BINARY' NLS_COMP = 'BINARY' NLS_DATE_FORMAT = 'YYYY-MM-DD HH24:MI:SS' "
            "NLS_TIMESTAMP_FORMAT = 'YYYY-MM-DD HH24:MI:SS.FF' "
            "NLS_TIMESTAMP_TZ_FORMAT = 'YYYY-MM-DD HH24:MI:SS.FF TZH:TZM'",
            f"ALTER SESSION SET TIME_ZONE = '{self.timezone}'",
            *([f'ALTER SESSION SET CURRENT_SCHEMA = "{schema}"'] if schema else ()),
        )

    def begin(self, timeout_s: float) -> None:
        """Begin a transaction that cannot write; a round trip beyond the limit is broken off."""
        self.connection.call_timeout = round((timeout_s + AFTER_DEADLINE_S) * 1_000)
        self.run("SET TRANSACTION READ ONLY")

    def cancel(self) -> None:
        """Send a break, which the client allows from any thread."""
        self.connection.cancel()

    def kind(self, column: Any) -> ColumnType | None:
        """Read `DB_TYPE_NUMBER` and its kin; a number without a precision is told by its values."""
        name = str(getattr(column[1], "name", column[1])).removeprefix("DB_TYPE_")
        if name == "NUMBER":
            precision, scale = column[4], column[5]
            return ("integer" if scale == 0 else "decimal") if precision else None
        return "timestamp" if name == "DATE" else column_type(name)  # its DATE has a time of day

    def told(self, error: Exception) -> tuple[str, str]:
        """Return ORA-00942 or DPY-4011, and the message."""
        first = error.args[0] if error.args else ""
        return str(getattr(first, "full_code", "")), str(getattr(first, "message", first))


class SqlServerClient(Client):
    """`pytds`; a statement stands in a transaction that is rolled back, and ends with its connection."""

    codes = SQL_SERVER
    _SESSION = (
        "SET ANSI_NULLS, ANSI_PADDING, ANSI_WARNINGS, ARITHABORT, CONCAT_NULL_YIELDS_NULL, QUOTED_IDENTIFIER ON",
        "SET NUMERIC_ROUNDABORT OFF; SET LANGUAGE us_english; SET DATEFORMAT ymd; SET DATEFIRST 1; SET ROWCOUNT 0",
        "SET TRANSACTION ISOLATION LEVEL READ COMMITTED",
    )

    def connect(self) -> None:
        """Connect by TLS over a socket that can be cut, and set what the ANSI standard asks for."""
        pytds = import_module("pytds")
        self.errors = (pytds.Error, OSError)
        authorities = self.location.get("tls_ca") or ssl.get_default_verify_paths().cafile
        if not authorities:
            raise EngineFault("unavailable", "this machine keeps no authorities for TLS: add ?tls_ca=FILE")
        host, port = self.location["host"], int(self.location["port"])
        self._socket = socket.create_connection((host, port), timeout=self.start.connect_timeout_s)
        try:
            self.connection = pytds.connect(
                dsn=host,
                port=port,
                database=self.location["database"],
                user=self.location["user"],
                password=self.location["password"],
                login_timeout=self.start.connect_timeout_s,
                timeout=None,  # who waits ends it by its socket
                appname=APP,
                cafile=authorities,
                validate_host=True,
                readonly=True,  # asks for a replica that only reads, where there is one
                autocommit=False,
                disable_connect_retry=True,
                sock=self._socket,
            )
        except ValueError:  # its own words for a missing package
            raise EngineFault(
                "unavailable", "the package pyOpenSSL is not installed, without which python-tds has no TLS"
            ) from None
        self._socket.settimeout(None)
        self.run(*self._SESSION)
        self._require_schema()

    def _require_schema(self) -> None:
        """Sessions have no schema of their own: it is the user's, and the address may only say which that is."""
        wanted = self.location.get("schema")
        if wanted is None:
            return
        with contextlib.closing(self.connection.cursor()) as cursor:
            cursor.execute("SELECT SCHEMA_NAME()")
            [found] = cursor.fetchone()
        if str(found).lower() != wanted.lower():
            raise EngineFault(
                "unavailable", f"the user's default schema is {found}: change it by ALTER USER … WITH DEFAULT_SCHEMA"
            )

    def begin(self, timeout_s: float) -> None:
        """Say how long to wait for a lock, which also tells whether the server is still there."""
        self.run(f"SET LOCK_TIMEOUT {round(min(timeout_s, self.start.lock_wait_s) * 1_000)}")

    def cancel(self) -> None:
        """Cut the connection, upon which the server ends its statement."""
        self._socket.shutdown(socket.SHUT_RDWR)  # the client reads in another thread: nothing else may be sent

    def close(self) -> None:
        """Leave the server, and the socket that was given to the client."""
        super().close()
        self._socket.close()

    def drop(self) -> None:
        """Have the server stop sending."""
        self.cursor.cancel()

    def kind(self, _column: Any) -> ColumnType | None:
        """Leave the type to the values, which are exact: the client's codes are those of the wire."""
        return None

    def told(self, error: Exception) -> tuple[str, str]:
        """Return the number of the message, and its text."""
        number = getattr(error, "number", 0) or getattr(error, "msg_no", 0)
        is_cut = type(error).__name__ in ("ClosedConnectionError", "InterfaceError")
        return "lost" if is_cut and not number else str(number), str(getattr(error, "text", error))


class ClickHouseClient(Client):
    """`clickhouse_connect`; rows are taken as they arrive, as its DB-API cursor would hold all of them."""

    codes = CLICKHOUSE

    def connect(self) -> None:
        """Connect over HTTPS; the settings go with each statement."""
        module = import_module("clickhouse_connect")
        exceptions = import_module("clickhouse_connect.driver.exceptions")
        self.errors = (exceptions.Error, OSError)
        if self.location["password"] and not self.tls and self.location["host"] not in _LOOPBACK:
            raise EngineFault("unavailable", "a password is sent over TLS only: leave tls=false out of the address")
        self._arguments = {
            "host": self.location["host"],
            "port": int(self.location["port"]),
            "username": self.location["user"] or "default",
            "password": self.location["password"],
            "database": self.location["database"],
            "secure": self.tls,
            "verify": True,
            "ca_cert": self.location.get("tls_ca"),
            "client_name": APP,
            "connect_timeout": max(1, int(self.start.connect_timeout_s)),
            "query_retries": 0,
            "autogenerate_session_id": False,  # a session runs one statement at a time, and its end is another
        }
        self._settings: dict[str, Any] = {
            "readonly": 2,  # 1 would refuse the settings that follow
            "join_use_nulls": 1,
            "transform_null_in": 0,
            "aggregate_functions_null_for_empty": 1,
            "decimal_check_overflow": 1,
            "cast_keep_nullable": 1,
            "session_timezone": self.timezone,
            "cancel_http_readonly_queries_on_client_close": 1,
            "date_time_overflow_behavior": "throw",
            "max_result_bytes": self.start.max_result_mb * MEGABYTE,
            "result_overflow_mode": "throw",
        }
        self._query = ""
        self.connection = module.get_client(**self._arguments)

    def begin(self, timeout_s: float) -> None:
        """Set the server's own deadline."""
        self._settings["max_execution_time"] = round(timeout_s + AFTER_DEADLINE_S, 3)

    def ask(self, sql: str) -> Any:
        """Run a statement under an id by which it can be ended."""
        self._query = str(uuid4())
        settings = {**self._settings, "query_id": self._query}
        self.cursor = ClickHouseRows(self.connection, sql, settings)
        return self.cursor

    def cancel(self) -> None:
        """Kill the query, which a user may do with queries of their own."""
        if self._query:
            self.connection.command(f"KILL QUERY WHERE query_id = '{self._query}' ASYNC")

    def end(self) -> None:
        """Forget the statement; there are no transactions."""
        self._query = ""

    def told(self, error: Exception) -> tuple[str, str]:
        """Return the number of the server's error; one without is of the connection."""
        code = getattr(error, "code", None)
        return "lost" if code is None else str(code), str(error)


class ClickHouseRows:
    """A cursor over blocks of rows."""

    def __init__(self, client: Any, sql: str, settings: dict[str, Any]) -> None:
        self._stream = client.query_row_block_stream(sql, settings=settings)
        self._blocks = self._stream.__enter__()
        self._rows: list[Any] = []
        described = self._stream.source
        if not described.column_names:  # without a row no block tells what its columns would be
            described = client.query(f"SELECT * FROM ({sql}) LIMIT 0", settings={**settings, "query_id": str(uuid4())})
        kinds = [kind.name for kind in described.column_types]
        self.description = [(name, kind) for name, kind in zip(described.column_names, kinds, strict=True)]

    def fetchmany(self, max_rows: int) -> list[Any]:
        """Return the next rows, none at the end."""
        while len(self._rows) < max_rows and (block := next(self._blocks, None)) is not None:
            self._rows += block
        taken, self._rows = self._rows[:max_rows], self._rows[max_rows:]
        return taken

    def close(self) -> None:
        """Leave what was not fetched."""
        self._stream.__exit__(None, None, None)
