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


def read_sqlite_catalogue(path: Path) -> Catalogue:
    """Read every table and view of the file, types as declared; not those that keep the content of a virtual one.

    Raises:
        DatabaseUnavailable: the file cannot be read now.
    """
    from sqlalchemy import create_engine
    from sqlalchemy.exc import DBAPIError
    from sqlalchemy.pool import NullPool

    from backend.catalogue.reflection import read_catalogue

    engine = create_engine("sqlite://", creator=lambda: _connect(path), poolclass=NullPool)
    try:
        catalogue = read_catalogue(engine, "sqlite")
        with closing(_connect(path)) as connection:
            inner = shadow_tables(connection)
        return replace(catalogue, tables=tuple(table for table in catalogue.tables if table.name.lower() not in inner))
    except DBAPIError as error:
        raise DatabaseUnavailable(f"cannot open {path}: {error.orig}") from None


def read_sqlite_tables(path: Path) -> tuple[tuple[str, str], ...]:
    """Return name and definition of every table, view and index, in a fraction of the whole catalogue's time.

    Raises:
        DatabaseUnavailable: the file cannot be read now.
    """
    query = "SELECT name, sql FROM sqlite_master WHERE type IN ('table', 'view', 'index') ORDER BY name"
    try:
        with closing(_connect(path, timeout=_LOCK_WAIT_S)) as connection:
            return tuple(connection.execute(query))
    except sqlite3.Error as error:
        raise DatabaseUnavailable(f"cannot read {path}: {error}") from None


def _connect(path: Path, **options: Any) -> sqlite3.Connection:
    try:
        return connect_sqlite(path, sqlite_access(path), **options)
    except OSError as error:
        raise DatabaseUnavailable(f"cannot read {path}: {error.strerror}") from None
