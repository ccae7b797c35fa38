"""Reads the tables of a SQLite file over connections that are gone afterwards, so that no lock stays."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from ai_engine.catalogue import Catalogue
from ai_engine.errors import DatabaseUnavailable
from backend.databases.file_state import sqlite_access
from backend.databases.sqlite_opening import connect_sqlite, shadow_tables

_LOCK_WAIT_S = 0.5


def read_sqlite_catalogue(path: Path, copy_timeout_s: float) -> Catalogue:
    """Read every table and view of the file, types as declared; not those that keep the content of a virtual one.

    Args:
        copy_timeout_s: where a writer has crashed, so that a copy is read, until that must be made.

    Raises:
        DatabaseUnavailable: the file cannot be read now.
    """
    from sqlalchemy import create_engine
    from sqlalchemy.exc import DBAPIError
    from sqlalchemy.pool import StaticPool

    from backend.catalogue.reflection import read_catalogue

    try:
        with closing(_connect(path, copy_timeout_s)) as connection:
            engine = create_engine("sqlite://", creator=lambda: connection, poolclass=StaticPool)
            catalogue = read_catalogue(engine, "sqlite")
            inner = shadow_tables(connection)
    except DBAPIError as error:
        raise DatabaseUnavailable(f"cannot open {path}: {error.orig}") from None
    except sqlite3.Error as error:
        raise DatabaseUnavailable(f"cannot open {path}: {error}") from None
    return replace(catalogue, tables=tuple(table for table in catalogue.tables if table.name.lower() not in inner))


def read_sqlite_tables(path: Path, copy_timeout_s: float) -> tuple[tuple[str, str], ...]:
    """Return name and definition of every table, view and index, in a fraction of the whole catalogue's time.

    Args:
        copy_timeout_s: see `read_sqlite_catalogue`.

    Raises:
        DatabaseUnavailable: the file cannot be read now.
    """
    query = "SELECT name, sql FROM sqlite_master WHERE type IN ('table', 'view', 'index') ORDER BY name"
    try:
        with closing(_connect(path, copy_timeout_s, timeout=_LOCK_WAIT_S)) as connection:
            return tuple(connection.execute(query))
    except sqlite3.Error as error:
        raise DatabaseUnavailable(f"cannot read {path}: {error}") from None


def _connect(path: Path, copy_timeout_s: float, **options: Any) -> sqlite3.Connection:
    try:
        return connect_sqlite(path, sqlite_access(path), copy_timeout_s=copy_timeout_s, **options)
    except OSError as error:
        raise DatabaseUnavailable(f"cannot read {path}: {error.strerror}") from None
