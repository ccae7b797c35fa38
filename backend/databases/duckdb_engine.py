"""DuckDB inside a worker: read-only, no file but its own, no extension, no setting that a statement could change."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb

from ai_engine.column_types import column_type
from ai_engine.types import ColumnType, ScanEstimate
from backend.databases.duckdb_cells import as_told, told_in_words, with_words
from backend.databases.duckdb_plan import StoredTable, read_plan, stored_tables
from backend.databases.duckdb_views import PermittedViews
from backend.databases.engine import EngineFault, EngineStart, own_limit
from backend.databases.statement_faults import Trouble, statement_fault

ENGINE_SHARE = 0.7  # of the worker's memory; the rest holds the rows on their way out
GROUPS_AS_THEY_COME = {"perfect_ht_threshold": "0"}
"""DuckDB sorts groups by their keys where all keys that there might be are few: so many labels of an ENUM, for one."""
_LASTING = frozenset({"enable_logging", "enable_profiling", "query", "json_execute_serialized_sql"})
"""Functions that change what a later statement of somebody else finds or leaves, and those that run a text."""
_KEPT = "SELECT coalesce(sum(memory_usage_bytes), 0) FROM duckdb_memory() WHERE tag = 'BASE_TABLE'"
_NAME = re.compile(rb'"?(\w+)')
_SPOKEN_NAMES = re.compile(r'"([^"]+)"|with name (\S+)')
_BY_WORDS: tuple[tuple[str, Trouble], ...] = (
    ("mbiguous", "ambiguous_name"),
    ("Table Function with name", "unknown_function"),
    ("Table with name", "unknown_table"),
    ("Referenced table", "unknown_table"),
    ("Function with name", "unknown_function"),
    ("No function matches", "unknown_function"),
    ("GROUP BY", "misused_aggregate"),
    ("aggregate", "misused_aggregate"),
    ("window function", "misused_aggregate"),
    ("WHERE clause cannot", "misused_aggregate"),
    ("Referenced column", "unknown_column"),
    ("column named", "unknown_column"),
    ("does not exist on", "unknown_column"),
    ("Cannot compare values", "wrong_type"),
    ("Cannot mix values", "wrong_type"),
)
_BY_CLASS: tuple[tuple[type[duckdb.Error], Trouble], ...] = (
    (duckdb.OutOfMemoryException, "memory"),
    (duckdb.ConversionException, "conversion"),
    (duckdb.OutOfRangeException, "out_of_range"),
    (duckdb.TypeMismatchException, "wrong_type"),
    (duckdb.InvalidTypeException, "wrong_type"),
    (duckdb.PermissionException, "permission"),
    (duckdb.SyntaxException, "syntax"),
    (duckdb.ParserException, "syntax"),
    (duckdb.BinderException, "unknown_name"),
    (duckdb.CatalogException, "unknown_name"),
)


class DuckdbEngine:
    """One connection that can only read; the client streams, so memory stays flat however long the result is.

    Where something is withheld, statements do not meet the file but views of what is permitted in it.
    """

    def __init__(self, start: EngineStart) -> None:
        path = start.location["path"]
        try:
            self._connection = duckdb.connect(
                ":memory:" if start.hidden else path,
                read_only=not start.hidden,
                config={
                    "memory_limit": f"{int(start.memory_mb * ENGINE_SHARE)}MB",
                    "threads": str(start.threads),
                    **GROUPS_AS_THEY_COME,
                    "temp_directory": start.temp_folder,
                    "max_temp_directory_size": f"{start.temp_mb}MB",
                    "autoload_known_extensions": "false",
                    "autoinstall_known_extensions": "false",
                    "allow_community_extensions": "false",
                    "python_enable_replacements": "false",  # a table name is no variable of this process
                },
            )
            self._told: dict[int, str] = {}
            hidden = frozenset(start.hidden)
            self._views = PermittedViews(self._connection, Path(path), hidden) if hidden else None
            self._threads = self._threads_now = start.threads
            self._connection.execute("SET allowed_configs = ['threads']")  # which no SELECT can set
            # Only now: neither a file nor the temporary folder may be named once other files are out of reach.
            self._connection.execute("SET enable_external_access = false")
            self._connection.execute("SET lock_configuration = true")
        except duckdb.Error as error:
            raise EngineFault("unavailable", f"cannot open {path}: {error}") from error

    def execute(self, sql: str, timeout_s: float) -> tuple[Sequence[str], Sequence[ColumnType | None]]:  # noqa: ARG002
        """Start a statement; the owner's deadline ends it, as DuckDB has none of its own."""
        statement = self._only_select(sql)
        described = self._connection.sql(sql)  # bound, and not run
        columns, types = described.columns, described.types
        self._told = told_in_words([kind.id for kind in types])
        self._connection.execute(with_words(sql, len(columns), self._told) if self._told else statement)
        return columns, [column_type(str(kind)) for kind in types]

    def share_work(self, in_any_order: bool) -> None:
        """See `HasThreads`."""
        threads = self._threads if in_any_order else 1
        if threads != self._threads_now:
            self._connection.execute(f"SET threads = {threads}")
            self._threads_now = threads

    def _only_select(self, sql: str) -> duckdb.Statement:
        statements = self._connection.extract_statements(sql)
        if [statement.type for statement in statements] != [duckdb.StatementType.SELECT]:
            raise EngineFault("failed", "only one SELECT at a time may run")
        if any(word in sql.lower() for word in _LASTING) and not _LASTING.isdisjoint(_called(statements[0].query)):
            raise EngineFault("failed", "a statement may leave nothing behind")
        if self._views is not None:
            self._views.offer(sql)
        return statements[0]

    def cost(self, sql: str, timeout_s: float) -> ScanEstimate:  # noqa: ARG002
        """Read the plan; its work is the rows that DuckDB expects at every step.

        Where something is withheld nothing is told of a view of the bank's own, which may read it.
        """
        self._only_select(sql)
        if self._views is not None and self._views.may_read_more(sql):
            return ScanEstimate()
        explained = self._connection.execute(f"EXPLAIN (FORMAT JSON) {sql}").fetchall()
        return read_plan(json.loads(explained[0][1]), self._tables, own_limit(sql))

    @cached_property
    def _tables(self) -> dict[str, StoredTable]:
        """As long as this worker lasts, which is until the file is another."""
        return stored_tables(self._connection)

    def fetch(self, max_rows: int) -> list[tuple[Any, ...]]:
        """Return the next rows; this is where a streamed result does most of its work."""
        rows = self._connection.fetchmany(max_rows)
        return [as_told(row, self._told) for row in rows] if self._told else rows

    def kept_bytes(self) -> int:
        """See `KeepsPages`."""
        return int(self._connection.execute(_KEPT).fetchall()[0][0])

    def interrupt(self) -> None:
        """Ask the running statement to end; some calls inside it do not listen, hence the owner's patience is short."""
        self._connection.interrupt()

    def finish(self) -> None:
        """Drop the rest of a result: an open one would keep its memory."""
        self._connection.execute("SELECT 1").fetchall()

    def fault(self, error: Exception) -> EngineFault | None:
        """Tell an interruption, a lack of memory and a lost file from a wrong statement."""
        if not isinstance(error, duckdb.Error):
            return None
        if isinstance(error, duckdb.InterruptException):
            return EngineFault("interrupted", "the statement was interrupted")
        said = str(error)
        if isinstance(error, duckdb.IOException) and "temp" in said:
            return statement_fault("space", said, _SPOKEN_NAMES)
        if isinstance(error, (duckdb.IOException, duckdb.FatalException)):
            return EngineFault("unavailable", "the database file cannot be read, or is damaged")
        return statement_fault(_trouble(error, said), said, _SPOKEN_NAMES)


def _called(read: str) -> Iterator[str]:
    """The names before an opening bracket, as DuckDB parts the text; blanks and comments end a token there.

    Args:
        read: the text of a statement that was extracted, where DuckDB has put a blank for every other sign that it
            takes for one.
    """
    text = read.encode()  # in whose bytes DuckDB counts
    starts = [start for start, _ in duckdb.tokenize(read)]
    for start, after in pairwise(starts):
        name = _NAME.match(text, start)
        if name is not None and text.startswith(b"(", after):
            yield name[1].decode().lower()


def _trouble(error: duckdb.Error, said: str) -> Trouble:
    for words, trouble in _BY_WORDS:  # one class of the client's has all of these
        if isinstance(error, (duckdb.BinderException, duckdb.CatalogException)) and words in said:
            return trouble
    if isinstance(error, duckdb.InvalidInputException) and "regex" in said.lower():
        return "invalid_pattern"
    return next((trouble for kind, trouble in _BY_CLASS if isinstance(error, kind)), "other")
