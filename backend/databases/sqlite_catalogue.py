"""Reads the tables of a SQLite file over connections that are gone afterwards, so that no lock stays."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from ai_engine.catalogue import Catalogue
from ai_engine.errors import DatabaseUnavailable
from backend.databases.file_state import sqlite_access, sqlite_uri

_LOCK_WAIT_S = 0.5


def read_sqlite_catalogue(path: Path) -> Catalogue:
    """Read every table and view of the file, types as declared.

    Raises:
        DatabaseUnavailable: the file cannot be read now.
    """
    from sqlalchemy import create_engine
    from sqlalchemy.exc import DBAPIError
    from sqlalchemy.pool import NullPool

    from backend.catalogue import read_catalogue

    with _address_of(path) as file:
        engine = create_engine("sqlite://", creator=lambda: sqlite3.connect(file, uri=True), poolclass=NullPool)
        try:
            return read_catalogue(engine, "sqlite")
        except DBAPIError as error:
            raise DatabaseUnavailable(f"cannot open {path}: {error.orig}") from None


def read_sqlite_tables(path: Path) -> tuple[tuple[str, str], ...]:
    """Return name and definition of every table and view, in a fraction of the time the whole catalogue takes.

    Raises:
        DatabaseUnavailable: the file cannot be read now.
    """
    query = "SELECT name, sql FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name"
    with _address_of(path) as file:
        try:
            with closing(sqlite3.connect(file, uri=True, timeout=_LOCK_WAIT_S)) as connection:
                return tuple(connection.execute(query))
        except sqlite3.Error as error:
            raise DatabaseUnavailable(f"cannot read {path}: {error}") from None


@contextmanager
def _address_of(path: Path) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="banking-assistant-") as folder:
        try:
            file = sqlite_uri(path, sqlite_access(path), Path(folder))
        except OSError as error:
            raise DatabaseUnavailable(f"cannot read {path}: {error.strerror}") from None
        yield file
