"""From a URL to an opened database: address, catalogue, workers."""

from __future__ import annotations

import hashlib
import sqlite3
from typing import TYPE_CHECKING
from urllib.parse import quote

from ai_engine.catalogue import Catalogue
from ai_engine.errors import BadConfiguration, DatabaseUnavailable
from backend.databases.address import FileAddress, parse_address
from backend.databases.database import Database
from backend.databases.engine import EngineStart
from backend.databases.file_state import FileState, keeps_write_ahead_log, read_file_state
from backend.databases.limits import DatabaseLimits
from backend.databases.runner import WorkerRunner

if TYPE_CHECKING:
    from sqlalchemy import Engine

_DEFAULT_LIMITS = DatabaseLimits()


def open_database(url: str, limits: DatabaseLimits = _DEFAULT_LIMITS) -> Database:
    """Open a database for reading; no worker is started before the first statement.

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
    raise BadConfiguration("server databases are not supported yet")


def _open_file(address: FileAddress, limits: DatabaseLimits) -> Database:
    def state() -> FileState:
        return read_file_state(address.path, "-wal" if address.dialect == "sqlite" else ".wal")

    def immutable() -> bool:
        return address.dialect == "sqlite" and state().log is None and keeps_write_ahead_log(address.path)

    catalogue = _read_file_catalogue(address, immutable=immutable())

    def plan() -> EngineStart:
        try:
            return EngineStart(
                engine=address.dialect,
                location={"path": str(address.path)},
                readable=frozenset(table.name.lower() for table in catalogue.tables),
                memory_mb=limits.memory_mb,
                temp_mb=limits.temp_mb,
                threads=limits.threads,
                max_cell_kb=limits.max_cell_kb,
                max_result_mb=limits.max_result_mb,
                connect_timeout_s=limits.connect_timeout_s,
                idle_close_s=limits.idle_close_s,
                immutable=immutable(),
            )
        except OSError as error:
            raise DatabaseUnavailable(f"cannot read {address.path}: {error.strerror}") from None

    def fingerprint() -> str:
        return hashlib.sha256(f"{address.shown} {state().text}".encode()).hexdigest()[:24]

    runner = WorkerRunner(plan, state, workers=limits.workers, queue_size=limits.queue_size)
    return Database(address.shown, address.dialect, catalogue, runner, fingerprint, runner.close)


def _read_file_catalogue(address: FileAddress, *, immutable: bool) -> Catalogue:
    from sqlalchemy.exc import DBAPIError

    from backend.catalogue import read_catalogue

    engine = _file_engine(address, immutable=immutable)
    try:
        return read_catalogue(engine, address.dialect)
    except DBAPIError as error:
        raise DatabaseUnavailable(f"cannot open {address.path}: {error.orig}") from None
    finally:
        engine.dispose()


def _file_engine(address: FileAddress, *, immutable: bool) -> Engine:
    """Make an engine that keeps no connection, so that the file is free again after reflection."""
    from sqlalchemy import create_engine
    from sqlalchemy.engine import URL
    from sqlalchemy.pool import NullPool

    if address.dialect == "sqlite":
        mode = "immutable=1" if immutable else "mode=ro"
        file = f"file:{quote(str(address.path))}?{mode}"
        return create_engine("sqlite://", creator=lambda: sqlite3.connect(file, uri=True), poolclass=NullPool)
    return create_engine(
        URL.create("duckdb", database=str(address.path)),
        connect_args={"read_only": True, "config": {"enable_external_access": "false", "temp_directory": ""}},
        poolclass=NullPool,
    )
