"""From a URL to an opened database: address, catalogue, workers."""

from __future__ import annotations

import hashlib
import sqlite3
import tempfile
from pathlib import Path

from ai_engine.catalogue import Catalogue
from ai_engine.errors import DatabaseUnavailable
from backend.databases.address import FileAddress, parse_address
from backend.databases.database import Database
from backend.databases.duckdb_catalogue import read_duckdb_catalogue
from backend.databases.engine import EngineStart, start_of
from backend.databases.file_state import FileState, read_file_state, sqlite_access, sqlite_uri
from backend.databases.limits import DatabaseLimits
from backend.databases.runner import WorkerRunner
from backend.databases.sqlite_dates import with_text_dates

_DEFAULT_LIMITS = DatabaseLimits()


def open_database(url: str, limits: DatabaseLimits = _DEFAULT_LIMITS) -> Database:
    """Open a database for reading; a file is looked at by the first worker, a server is asked for its tables.

    Args:
        url: a SQLAlchemy URL of SQLite, DuckDB, PostgreSQL, MySQL or MariaDB, or the path of a SQLite or DuckDB file.
        limits: bounds of its workers.

    Raises:
        BadConfiguration: the URL is wrong, the file is missing or of another kind; says what to do.
        DatabaseUnavailable: the server does not answer, or another program has the file locked.
    """
    address = parse_address(url)
    if isinstance(address, FileAddress):
        return _open_file(address, limits)
    from backend.databases.server_opening import open_server

    return open_server(address, limits)


def _open_file(address: FileAddress, limits: DatabaseLimits) -> Database:
    def state() -> FileState:
        return read_file_state(address.path, "-wal" if address.dialect == "sqlite" else ".wal")

    def plan() -> EngineStart:
        try:
            access = sqlite_access(address.path) if address.dialect == "sqlite" else "locked"
        except OSError as error:
            raise DatabaseUnavailable(f"cannot read {address.path}: {error.strerror}") from None
        return start_of(address.dialect, {"path": str(address.path)}, limits, access=access)

    def fingerprint() -> str:
        return hashlib.sha256(f"{address.shown} {state().text}".encode()).hexdigest()[:24]

    runner = WorkerRunner(plan, state, workers=limits.workers, queue_size=limits.queue_size)
    try:
        if address.dialect == "duckdb":
            catalogue = read_duckdb_catalogue(runner, timeout_s=limits.connect_timeout_s)
        else:
            catalogue = with_text_dates(_read_sqlite_catalogue(address.path), runner)
    except BaseException:
        runner.close()
        raise
    return Database(address.shown, address.dialect, catalogue, runner, fingerprint, runner.close)


def _read_sqlite_catalogue(path: Path) -> Catalogue:
    """Reflect a SQLite file over a connection that is gone afterwards, so that no lock stays."""
    from sqlalchemy import create_engine
    from sqlalchemy.exc import DBAPIError
    from sqlalchemy.pool import NullPool

    from backend.catalogue import read_catalogue

    with tempfile.TemporaryDirectory(prefix="banking-assistant-") as folder:
        try:
            file = sqlite_uri(path, sqlite_access(path), Path(folder))
            engine = create_engine("sqlite://", creator=lambda: sqlite3.connect(file, uri=True), poolclass=NullPool)
            return read_catalogue(engine, "sqlite")
        except DBAPIError as error:
            raise DatabaseUnavailable(f"cannot open {path}: {error.orig}") from None
        except OSError as error:
            raise DatabaseUnavailable(f"cannot read {path}: {error.strerror}") from None
