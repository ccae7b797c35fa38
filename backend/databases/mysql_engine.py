"""MySQL and MariaDB inside a worker: a new session and a read-only transaction per statement, rows unbuffered."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pymysql
from pymysql.constants import FIELD_TYPE
from pymysql.cursors import Cursor, SSCursor

from ai_engine.types import ColumnType, ScanEstimate
from backend.databases.engine import EngineFault, EngineStart
from backend.databases.limits import MEGABYTE
from backend.databases.mysql_plan import SIZES, plan_cost, read_scans, scans_of, tables_by_alias
from backend.databases.statement_faults import Trouble, out_of_memory, statement_fault

_AFTER_DEADLINE_S = 0.5  # the owner ends the statement at the deadline; the server's own end comes behind it
_KILL_TIMEOUT_S = 0.7
SQL_MODE = "STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION,ONLY_FULL_GROUP_BY"
"""Without ANSI_QUOTES, so that a statement means what the guard read; a column that is not grouped has no one value."""
_HELD = (
    "default_week_format = 0, div_precision_increment = 4, lc_time_names = 'en_US', sql_auto_is_null = 0, "
    "max_error_count = 1024, sql_notes = 1, lc_messages = 'en_US', sql_quote_show_create = 1, "
    f"sql_select_limit = {2**64 - 1}, sql_mode = '{SQL_MODE}'"
)
"""Whatever the server's settings are: weeks, digits, names of months, quotes and warnings are the same everywhere."""
_MARIADB_HELD = (
    "system_versioning_asof = DEFAULT, max_recursive_iterations = 1000000, standard_compliant_cte = 1, "
    "old_mode = '', default_regex_flags = ''"
)
_NEWLY_HELD = "SET SESSION note_verbosity = 'basic'"
_UNKNOWN_SETTING = 1193
_CUT_SHORT: dict[int, str] = {
    1260: "a text of GROUP_CONCAT is longer than a cell may be, or one in which something is looked for: gather less",
    1265: "a step of the recursion is kept with no more digits than the first step has: cast that to more",
    1301: "a text is longer than the database makes one: repeat or join less",
    1931: "the recursion takes more steps than the database takes: end it sooner",
}
_LOOKED_INTO = re.compile(r"\b(?:REGEXP_\w+|REPLACE|TRIM|LOCATE|SUBSTRING_INDEX)\(", re.IGNORECASE)
_LOOKED_INTO_KB = 32
"""Of a gathered text; in one of a megabyte MariaDB replaces for minutes, and hears no KILL meanwhile."""
_CLAMPED: dict[int, re.Pattern[str]] = {
    1264: re.compile(""),
    1916: re.compile(""),
    1105: re.compile("Cast to "),  # unsigned of what is below zero, signed of what is too large
    # also a text that is no time at all, of which NULL is made, unless it begins with a letter or is empty
    1292: re.compile(
        r"(?:Truncated i|I)ncorrect (?:time|seconds) value: '(?!['a-z])"
        r"|Truncated incorrect INTEGER value: '\s*[-+]?(?:\d+'$|\d{19})",
        re.IGNORECASE,
    ),
}
"""Warnings, and what they say, beside rows that are not what was asked for: of the latter another number was made."""
_INTERRUPTED = frozenset({1317})
_TIMED_OUT = frozenset({1969, 3024})
_HELD_BY_OPTION, _MEMORY_OPTION = 1290, "--max-session-mem-used"
_SPACE_REACHED = "temporary space limit reached"  # MariaDB has several numbers for it, and one language
_LOST = frozenset({1040, 1053, 1077, 1203, 1927, 2002, 2003, 2006, 2013, 2055, 4031})
_TYPES: dict[int, ColumnType] = {
    **dict.fromkeys(
        (FIELD_TYPE.TINY, FIELD_TYPE.SHORT, FIELD_TYPE.LONG, FIELD_TYPE.LONGLONG, FIELD_TYPE.INT24, FIELD_TYPE.YEAR),
        "integer",
    ),
    **dict.fromkeys((FIELD_TYPE.DECIMAL, FIELD_TYPE.NEWDECIMAL), "decimal"),
    **dict.fromkeys((FIELD_TYPE.FLOAT, FIELD_TYPE.DOUBLE), "float"),
    **dict.fromkeys(
        (FIELD_TYPE.VARCHAR, FIELD_TYPE.VAR_STRING, FIELD_TYPE.STRING, FIELD_TYPE.ENUM, FIELD_TYPE.SET), "text"
    ),
    **dict.fromkeys((FIELD_TYPE.DATE, FIELD_TYPE.NEWDATE), "date"),
    **dict.fromkeys((FIELD_TYPE.TIMESTAMP, FIELD_TYPE.DATETIME), "timestamp"),
}
_SPOKEN_NAMES = re.compile(r"(?<! in )'([^']+)'|FUNCTION (\S+)")  # behind "in" stands the clause
_BY_NUMBER: dict[int, Trouble] = {
    1054: "unknown_column",
    **dict.fromkeys((1051, 1109, 1146), "unknown_table"),
    **dict.fromkeys((1128, 1305, 1582, 1583), "unknown_function"),
    1052: "ambiguous_name",
    **dict.fromkeys((1055, 1056, 1111, 1140, 3593, 4015, 4016, 4074), "misused_aggregate"),
    **dict.fromkeys((1267, 1270, 1271, 4078, 4079), "wrong_type"),
    **dict.fromkeys((1292, 1366, 1411, 1525), "conversion"),
    1365: "division_by_zero",
    **dict.fromkeys((1264, 1441, 1690), "out_of_range"),
    **dict.fromkeys((1139, *range(3685, 3700)), "invalid_pattern"),
    1242: "several_rows",
    **dict.fromkeys((1064, 1149), "syntax"),
    **dict.fromkeys((1044, 1142, 1143, 1227, 1370, 1792), "permission"),
    **dict.fromkeys((1099, 1100, 1205, 1213), "locked"),
    **dict.fromkeys((1037, 1038, 1041), "memory"),
    **dict.fromkeys((3, 1021, 1026, 1114), "space"),
}


class MysqlEngine:
    """One session per statement: there is no other way to forget its variables that every server has."""

    def __init__(self, start: EngineStart) -> None:
        self._start = start
        self._cursor: SSCursor | None = None
        self._ended = True
        self._ahead: list[tuple[Any, ...]] = []
        self._connection = self._connect(start.connect_timeout_s)

    def _connect(self, timeout_s: float) -> pymysql.Connection[Any]:
        try:
            return pymysql.connect(
                **connection_arguments(self._start.location),
                connect_timeout=max(1, int(timeout_s)),
                cursorclass=SSCursor,
            )
        except (pymysql.Error, OSError) as error:
            raise EngineFault("unavailable", f"cannot connect: {_message(error)}") from error

    def execute(self, sql: str, timeout_s: float) -> tuple[Sequence[str], Sequence[ColumnType | None]]:
        """Start a statement in a transaction that cannot write, with the server's own deadline."""
        looked_into = _LOOKED_INTO.search(sql) is not None
        self._begin_anew(timeout_s, _LOOKED_INTO_KB if looked_into else self._start.max_cell_kb)
        self._cursor = self._connection.cursor(SSCursor)
        self._cursor.execute(sql)  # without parameters, so that no % in it means anything
        self._ended = False
        described: Sequence[Any] = self._cursor.description or ()
        return [column[0] for column in described], [_TYPES.get(column[1]) for column in described]

    def cost(self, sql: str, timeout_s: float) -> ScanEstimate:
        """Read the plan, and how large the server takes its tables to be."""
        self._begin_anew(timeout_s)
        with self._connection.cursor(Cursor) as cursor:
            cursor.execute(f"EXPLAIN FORMAT=JSON {sql}")
            found = cursor.fetchone()
            if not found:
                return ScanEstimate()
            plan, aliases = json.loads(found[0]), tables_by_alias(sql)
            scans = scans_of(plan, sql)
            called = {scan.called.lower() for scan in scans}
            names = set().union(*(aliases.get(name, {name}) for name in called))
            sizes: dict[str, tuple[int, int]] = {}
            if names:
                cursor.execute(SIZES, [sorted(names)])
                sizes = {name.lower(): (int(row or 0), int(whole or 0)) for name, row, whole in cursor.fetchall()}
        return replace(read_scans(scans, aliases, sizes), work=plan_cost(plan))

    def _begin_anew(self, timeout_s: float, gathered_kb: int = _LOOKED_INTO_KB) -> None:
        try:
            self._begin(timeout_s, gathered_kb)
        except (pymysql.OperationalError, pymysql.InterfaceError) as error:
            if self._connection.open and error.args[0] not in _LOST:
                raise
            self._connection = self._connect(self._start.connect_timeout_s)  # it had been cut while idle
            self._begin(timeout_s, gathered_kb)

    def _begin(self, timeout_s: float, gathered_kb: int) -> None:
        limit_s = timeout_s + _AFTER_DEADLINE_S
        lock_wait_s = max(1, round(self._start.lock_wait_s))
        is_mariadb = _is_mariadb(self._connection)
        hold(
            self._connection,
            f"max_statement_time = {limit_s:.3f}" if is_mariadb else f"max_execution_time = {limit_s * 1_000:.0f}",
            f"group_concat_max_len = {min(gathered_kb, self._start.max_cell_kb) * 1024 + 1}",
            f"lock_wait_timeout = {lock_wait_s}",
            f"innodb_lock_wait_timeout = {lock_wait_s}",
            *([space_bounds(self._start)] if is_mariadb else []),
        )
        with self._connection.cursor() as cursor:
            cursor.execute("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            cursor.execute("START TRANSACTION READ ONLY")

    def fetch(self, max_rows: int) -> list[tuple[Any, ...]]:
        """Return the next rows as they arrive, but for one: behind the last one stands whether all are whole."""
        if self._cursor is None:
            return []
        rows = [*self._ahead, *self._cursor.fetchmany(max_rows + 1 - len(self._ahead))]
        self._ahead = rows[max_rows:]
        self._ended = not self._ahead
        if self._ended and self._cursor.warning_count:
            self._require_whole()
        return rows[:max_rows]

    def _require_whole(self) -> None:
        """Fail where the server says, beside the rows, that it has left something out or made another number of it."""
        with self._connection.cursor(Cursor) as cursor:
            cursor.execute("SHOW WARNINGS")
            for _, code, said in cursor.fetchall():
                if code in _CUT_SHORT:
                    raise EngineFault("too_large", _CUT_SHORT[code])
                if code in _CLAMPED and _CLAMPED[code].match(said):
                    raise statement_fault("out_of_range", said, _SPOKEN_NAMES)

    def interrupt(self) -> None:
        """Kill the statement, over a connection of its own."""
        with contextlib.suppress(EngineFault, pymysql.Error, OSError):
            killer = self._connect(_KILL_TIMEOUT_S)
            try:
                killer.query(f"KILL QUERY {self._connection.thread_id()}")  # type: ignore[no-untyped-call]
            finally:
                killer.close()

    def finish(self) -> None:
        """End the session; rows that nobody wanted are stopped at the server instead of being read to their end."""
        if not self._ended:
            self.interrupt()
        cursor, self._cursor, self._ended, self._ahead = self._cursor, None, True, []
        with contextlib.suppress(pymysql.Error, OSError):
            if cursor is not None:
                cursor.close()
        with contextlib.suppress(pymysql.Error, OSError):
            self._connection.close()
            self._connection.connect()  # ready for the next one; where that fails, the next one says so

    def fault(self, error: Exception) -> EngineFault | None:
        """Tell a timeout, a cancellation and a lost connection from a wrong statement."""
        if isinstance(error, OSError):
            return EngineFault("unavailable", "the connection was lost")
        if not isinstance(error, pymysql.Error):
            return None
        code = error.args[0] if error.args else 0
        if code in _TIMED_OUT:
            return EngineFault("timed_out", "the statement was interrupted")
        if code in _INTERRUPTED:
            return EngineFault("interrupted", "the statement was interrupted")
        if code in _LOST or isinstance(error, pymysql.InterfaceError):
            return EngineFault("unavailable", "the connection was lost")
        if _SPACE_REACHED in _message(error):
            return statement_fault("space", _message(error), _SPOKEN_NAMES)
        if code == _HELD_BY_OPTION and _MEMORY_OPTION in _message(error):
            return out_of_memory()
        return statement_fault(_BY_NUMBER.get(code, "other"), _message(error), _SPOKEN_NAMES)


def connection_arguments(location: dict[str, str]) -> dict[str, Any]:
    """Turn a server's location into the client's arguments; loading local files stays off."""
    return {**location, "port": int(location["port"]), "charset": "utf8mb4", "autocommit": True, "local_infile": False}


def space_bounds(start: EngineStart) -> str:
    """Settings of MariaDB: memory of a session, and of those that know it (from 11.5.2 on) its temporary files."""
    memory, files = start.memory_mb * MEGABYTE, start.temp_mb * MEGABYTE
    return f"max_session_mem_used = {memory} /*M!110502 , max_tmp_session_space_usage = {files} */"


def hold(connection: pymysql.Connection[Any], *further: str) -> None:
    """Hold a session to what statements and their warnings mean, whatever settings it began with."""
    is_mariadb = _is_mariadb(connection)
    with connection.cursor() as cursor:
        cursor.execute(f"SET SESSION {', '.join((_HELD, *([_MARIADB_HELD] if is_mariadb else []), *further))}")
        try:
            if is_mariadb:
                cursor.execute(_NEWLY_HELD)
        except pymysql.OperationalError as error:
            if error.args[0] != _UNKNOWN_SETTING:  # by a server from before 2023, whose notes nothing silences
                raise


def _is_mariadb(connection: pymysql.Connection[Any]) -> bool:
    return "mariadb" in connection.get_server_info().lower()  # type: ignore[no-untyped-call]


def _message(error: Exception) -> str:
    return str(error.args[-1]) if error.args else type(error).__name__
