"""SQLite inside a worker: opened read-only, and its own authorizer asked about every table a statement touches."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from ai_engine.types import ColumnType, ScanEstimate
from backend.databases.engine import EngineFault, EngineStart
from backend.databases.sqlite_authorizer import SqliteAuthorizer
from backend.databases.sqlite_opening import connect_sqlite, shadow_tables
from backend.databases.statement_faults import Trouble, statement_fault

_ENGINE_SHARE = 0.7  # of the worker's memory; the rest holds the rows on their way out
_LONGEST_VALUE_BYTES = 16 * 1024 * 1024  # one opcode over larger ones outlives any interruption
_LIMITS = (
    (sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE_BYTES),
    (sqlite3.SQLITE_LIMIT_SQL_LENGTH, 1_000_000),
    (sqlite3.SQLITE_LIMIT_COLUMN, 1_000),
    (sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 500),
    (sqlite3.SQLITE_LIMIT_COMPOUND_SELECT, 100),
    (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
    (sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000),
    (sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 0),
    (sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 1),
    (sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0),
)
_NUMBER = re.compile(rb"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_SPOKEN_NAMES = re.compile(r": ([\w.]+)|access to (\S+)")
_UNAVAILABLE = {
    sqlite3.SQLITE_BUSY: "another program is writing to the file: ask again when it has finished",
    sqlite3.SQLITE_IOERR: "the database file cannot be read",
    sqlite3.SQLITE_CANTOPEN: "the database file cannot be opened",
    sqlite3.SQLITE_CORRUPT: "the database file is damaged",
    sqlite3.SQLITE_NOTADB: "the database file is damaged",
}
_BY_CODE: dict[int, Trouble] = {
    sqlite3.SQLITE_AUTH: "permission",
    sqlite3.SQLITE_PERM: "permission",
    sqlite3.SQLITE_READONLY: "permission",
    sqlite3.SQLITE_NOMEM: "memory",
    sqlite3.SQLITE_FULL: "space",
    sqlite3.SQLITE_MISMATCH: "conversion",
}
_BY_WORDS: tuple[tuple[str, Trouble], ...] = (  # all the rest has one code
    ("prohibited", "permission"),
    ("not authorized", "permission"),
    ("no such column", "unknown_column"),
    ("no such table", "unknown_table"),
    ("no such function", "unknown_function"),
    ("wrong number of arguments", "unknown_function"),
    ("ambiguous", "ambiguous_name"),
    ("misuse of", "misused_aggregate"),
    ("overflow", "out_of_range"),
    ("syntax error", "syntax"),
    ("unable to use function", "unknown_function"),
    ("JSON", "conversion"),
    ("sub-select", "wrong_type"),
    ("row value", "wrong_type"),
)


def _decimal(text: bytes) -> Decimal | str:
    """Read a number as SQLite prints it, to 15 significant digits: the decimal that was stored, not its binary twin."""
    return Decimal(text.decode()) if _NUMBER.fullmatch(text) else _text(text)


def _boolean(text: bytes) -> bool | str:
    return {b"0": False, b"1": True}.get(text, text.decode("utf-8", "replace"))


def _text(text: bytes) -> str:
    return text.decode("utf-8", "replace")


_CONVERTERS: dict[str, Callable[[bytes], Decimal | bool | str | date | datetime]] = {
    "DECIMAL": _decimal, "NUMERIC": _decimal, "MONEY": _decimal, "BOOLEAN": _boolean, "BOOL": _boolean,
    "DATE": _text, "TIMESTAMP": _text,  # the standard library's own would fail on anything but one spelling
}  # fmt: skip


class SqliteEngine:
    """One read-only connection.

    SQLite keeps DECIMAL as binary floating point. A column that is declared DECIMAL and selected as it is comes back
    as the exact decimal of up to 15 digits, with one scale for the whole column; the result of arithmetic on such
    columns (a sum, a product) has no declared type and stays a float.
    """

    def __init__(self, start: EngineStart) -> None:
        self._start = start
        for name, convert in _CONVERTERS.items():
            sqlite3.register_converter(name, convert)
        path = Path(start.location["path"])
        try:
            self._connection: sqlite3.Connection | None = self._connect()
        except sqlite3.Error as error:
            raise EngineFault("unavailable", f"cannot open {path}: {error}") from error
        except OSError as error:
            raise EngineFault("unavailable", f"cannot copy {path}, whose writer has crashed: {error}") from error
        self._cursor: sqlite3.Cursor | None = None

    def _connect(self) -> sqlite3.Connection:
        connection = connect_sqlite(
            Path(self._start.location["path"]),
            self._start.access,
            copy_timeout_s=self._start.connect_timeout_s,
            isolation_level=None,
            timeout=self._start.lock_wait_s,
            check_same_thread=False,
            detect_types=sqlite3.PARSE_DECLTYPES,
        )
        connection.text_factory = _text
        heap_bytes = int(self._start.memory_mb * _ENGINE_SHARE) * 1024 * 1024
        # an untrusted schema may not call json_extract; no function here is anybody's but SQLite's, see the authorizer
        for pragma in ("query_only=ON", "cell_size_check=ON", f"hard_heap_limit={heap_bytes}",
                       "cache_size=-65536", "mmap_size=0"):  # fmt: skip
            connection.execute(f"PRAGMA {pragma}").fetchall()
        stored = connection.execute("SELECT name, type, sql FROM sqlite_master").fetchall()
        tables = frozenset(name.lower() for name, _, _ in stored) - shadow_tables(connection)
        views = {name.lower(): sql for name, kind, sql in stored if kind == "view"}
        for limit, value in _LIMITS:
            connection.setlimit(limit, value)
        self._authorizer = SqliteAuthorizer(tables, views, frozenset(self._start.hidden))
        connection.set_authorizer(self._authorizer)
        return connection

    def execute(self, sql: str, timeout_s: float) -> tuple[Sequence[str], Sequence[ColumnType | None]]:  # noqa: ARG002
        """Start a statement; SQLite knows no types of a result, its values have them."""
        if self._connection is None:
            self._connection = self._connect()
        self._authorizer.expect(sql)
        self._cursor = self._connection.cursor()
        self._cursor.execute(sql)
        names = [column[0] for column in self._cursor.description or ()]
        return names, [None] * len(names)

    def cost(self, sql: str, timeout_s: float) -> ScanEstimate:  # noqa: ARG002
        """SQLite's plans have no numbers."""
        return ScanEstimate()

    def fetch(self, max_rows: int) -> list[tuple[Any, ...]]:
        """Return the next rows; this is where SQLite does its work."""
        return self._cursor.fetchmany(max_rows) if self._cursor else []

    def interrupt(self) -> None:
        """Ask the running statement to end at its next opcode."""
        connection = self._connection
        if connection is not None:
            connection.interrupt()

    def finish(self) -> None:
        """End the statement, and with it the shared lock that would keep a writer waiting."""
        if self._cursor is not None:
            self._cursor.close()
        if self._connection is not None and self._start.access == "log":
            self._connection.close()  # a writer that is done can only tidy up when nobody reads
            self._connection = None

    def fault(self, error: Exception) -> EngineFault | None:
        """Tell an interruption, a lack of memory and a locked or damaged file from a wrong statement."""
        if not isinstance(error, (sqlite3.Error, sqlite3.Warning)):
            return None
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_INTERRUPT:
            return EngineFault("interrupted", "the statement was interrupted")
        if code == sqlite3.SQLITE_TOOBIG:
            return EngineFault("too_large", f"a value of more than {_LONGEST_VALUE_BYTES:,} bytes")
        if code in _UNAVAILABLE:
            return EngineFault("unavailable", _UNAVAILABLE[code])
        said = str(error)
        by_words: Trouble = next((trouble for words, trouble in _BY_WORDS if words in said), "other")
        return statement_fault(_BY_CODE.get(code, by_words), said, _SPOKEN_NAMES)
