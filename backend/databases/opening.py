"""From a URL to an opened database: address, catalogue, workers."""

from __future__ import annotations

import threading
from collections.abc import Hashable

from ai_engine.catalogue import Catalogue
from ai_engine.errors import DatabaseUnavailable
from backend.databases.address import FileAddress, McpAddress, parse_address
from backend.databases.database import Database
from backend.databases.duckdb_catalogue import read_duckdb_catalogue
from backend.databases.engine import EngineStart, start_of
from backend.databases.file_content import FileContent
from backend.databases.file_runner import FileRunner, TableWatch
from backend.databases.file_state import FileState, read_file_state, side_file, sqlite_access
from backend.databases.hidden_columns import HiddenColumns
from backend.databases.limits import DatabaseLimits
from backend.databases.runner import WorkerRunner
from backend.databases.sqlite_catalogue import read_sqlite_catalogue, read_sqlite_tables
from backend.databases.sqlite_dates import with_text_dates

_DEFAULT_LIMITS = DatabaseLimits()


def open_database(url: str, limits: DatabaseLimits = _DEFAULT_LIMITS) -> Database:
    """Open a database for reading; a file is looked at by the first worker, a server is asked for its tables.

    Args:
        url: a SQLAlchemy URL of SQLite, DuckDB, PostgreSQL, MySQL, MariaDB or a warehouse, the path of a SQLite or
            DuckDB file, or the address of an MCP server with `mcp+` before it.
        limits: bounds of its workers.

    Raises:
        BadConfiguration: the URL is wrong, the file is missing or of another kind; says what to do.
        DatabaseUnavailable: the server does not answer, or another program has the file locked.
    """
    address = parse_address(url)
    if isinstance(address, FileAddress):
        return _open_file(address, limits)
    if isinstance(address, McpAddress):
        from backend.databases.mcp_opening import open_mcp

        return open_mcp(address, limits)
    from backend.databases.server_opening import open_server

    return open_server(address, limits)


def _open_file(address: FileAddress, limits: DatabaseLimits) -> Database:
    log_suffix = "-wal" if address.dialect == "sqlite" else ".wal"

    def state() -> FileState:
        return read_file_state(address.path, log_suffix)

    def plan(hidden: HiddenColumns) -> EngineStart:
        try:
            access = sqlite_access(address.path) if address.dialect == "sqlite" else "locked"
        except OSError as error:
            raise DatabaseUnavailable(f"cannot read {address.path}: {error.strerror}") from None
        return start_of(
            address.dialect, {"path": str(address.path)}, limits, dialect=address.dialect, access=access, hidden=hidden
        )

    def outdated() -> bool:
        found = state()
        if found.file is None:
            return False  # the next statement says that it is gone
        if found.file != seen.file or (address.dialect == "duckdb" and found != seen):
            return True
        try:
            return watch.tables_changed(threading.Event())
        except DatabaseUnavailable:
            return False

    def tables(stop: threading.Event) -> Hashable:
        if address.dialect == "sqlite":
            return read_sqlite_tables(address.path, limits.connect_timeout_s)
        return read_duckdb_catalogue(workers, timeout_s=limits.connect_timeout_s, stop=stop)

    workers = WorkerRunner(plan, state, workers=limits.workers, queue_size=limits.queue_size, each=limits.each)
    try:
        seen, described = state(), tables(threading.Event())
        watch = TableWatch(state, tables, seen=seen, opened_with=described)
        if isinstance(described, Catalogue):
            catalogue = described
        else:
            catalogue = with_text_dates(read_sqlite_catalogue(address.path, limits.connect_timeout_s), workers)
    except BaseException:
        workers.close()
        raise
    runner = FileRunner(workers, watch, catalogue)
    content = FileContent(address.path, side_file(address.path, log_suffix), state, limits.max_hashed_mb)

    return Database(
        address.shown,
        address.identity,
        address.dialect,
        catalogue,
        runner,
        runner.without,
        content.fingerprint,
        outdated,
        workers.close,
        lambda: workers.load,
        _version=lambda: state().version,
    )
