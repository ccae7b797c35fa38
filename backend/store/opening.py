"""Opens the store: a SQLite file for the processes of one machine, a PostgreSQL database for many."""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, Row, Select, create_engine, event, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, IntegrityError, SQLAlchemyError

from ai_engine.errors import BadConfiguration, StoreUnavailable
from backend.settings import PROJECT_ROOT, Settings, read_settings
from backend.store.migrations import bring_up_to_date, is_up_to_date

_log = logging.getLogger(__name__)
_UPGRADE_LOCK = 0x62616E6B  # of our own, among the advisory locks of a PostgreSQL database
_DEFAULT_URL = f"sqlite:///{PROJECT_ROOT / '.store' / 'store.sqlite'}"
_RETRY_S = 0.02
_FULL = "The disk on which the assistant keeps things is full. Whoever runs it can make room."
_LOCKED = "What the assistant keeps is being changed by another program for too long. Please try again in a moment."
_DAMAGED = "What the assistant keeps is damaged and cannot be read. Whoever runs it can put a copy in its place."
_TOLD: Mapping[object, str] = {
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_BUSY: _LOCKED,
    sqlite3.SQLITE_LOCKED: _LOCKED,
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
    "53100": _FULL,
    "55P03": _LOCKED,
    "57014": _LOCKED,
    "XX001": _DAMAGED,
    "XX002": _DAMAGED,
}
_FORMS = "sqlite:///FILE or postgresql://USER@HOST/DATABASE"


class Store:
    """The app's own database; safe to share between threads.

    Every use is one transaction, seen whole by other processes or not at all. An `IntegrityError` of SQLAlchemy reaches
    the caller, who knows what it means; every other fault is StoreUnavailable.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give a connection that sees one state of the store."""
        with _translated(), self.engine.connect() as connection:
            if self.engine.dialect.name == "postgresql":  # SQLite has no weaker one
                connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection

    def rows(self, query: Select[Any], values: Mapping[str, Any]) -> Sequence[Row[Any]]:
        """Return what one query finds, which sees one state without a transaction around it: fewer ways to a server."""
        with _translated(), self.engine.connect() as connection:
            connection.execution_options(isolation_level="AUTOCOMMIT")
            return connection.execute(query, values).all()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Give a connection whose changes are kept at the end, or dropped when an error passes.

        On SQLite the file is locked for others who write from the start, so that what is read here stays true until
        it is written.
        """
        with _translated(), self.engine.connect() as connection:
            connection.execution_options(writes=True)
            with connection.begin():
                yield connection

    def close(self) -> None:
        """Give all connections back."""
        self.engine.dispose()


def open_store(settings: Settings) -> Store:
    """Connect to the store, and make what it lacks.

    Raises:
        BadConfiguration: `BANK_STORE_URL` is wrong, its folder cannot be made, or a newer app has changed the store.
        StoreUnavailable: the server does not answer, or the file is locked or damaged.
    """
    url = store_address(settings)
    engine = _sqlite_engine(url, settings) if url.get_backend_name() == "sqlite" else _postgres_engine(url, settings)
    store = Store(engine)
    try:
        with _translated(), engine.connect() as connection:
            is_ready = is_up_to_date(connection)
        if not is_ready:
            _upgrade(store)
    except BaseException:
        store.close()
        raise
    return store


def _upgrade(store: Store) -> None:
    """Change the store while no other process may; one that waited finds nothing left to do."""
    with store.writing() as connection:
        if store.engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _UPGRADE_LOCK})
        for revision in bring_up_to_date(connection):
            _log.info("the store was brought up to date: %s", revision)


def store_address(settings: Settings) -> URL:
    """Tell where the store is; the address may hold a password.

    Raises:
        BadConfiguration: `BANK_STORE_URL` is wrong.
    """
    return _read_url(settings.store_url or _DEFAULT_URL)


class SharedStore:
    """The one store of a process, opened on first use; where that failed, the next caller tries again."""

    def __init__(self, open_one: Callable[[], Store]) -> None:
        self._open_one = open_one
        self._lock = threading.Lock()
        self._current: Store | None = None

    def get(self) -> Store:
        """Return the store; raises what `open_store` raises."""
        with self._lock:
            if self._current is None:
                self._current = self._open_one()
            return self._current

    def close(self) -> None:
        """Close the store, if it is open; the next caller opens it anew."""
        with self._lock:
            if self._current is not None:
                self._current.close()
                self._current = None


shared_store = SharedStore(lambda: open_store(read_settings()))
"""The store that the environment names."""


def _read_url(given: str) -> URL:
    """Read the setting; its text may hold a password and is in no error."""
    try:
        url = make_url(given.strip())
    except (ArgumentError, ValueError):
        raise BadConfiguration(f"BANK_STORE_URL cannot be read; use {_FORMS}") from None
    kind = url.drivername.partition("+")[0]
    if kind == "sqlite":
        if not url.database or url.database == ":memory:" or url.host or url.query:
            raise BadConfiguration("BANK_STORE_URL names no file: use sqlite:///FILE, without host and options")
        return url.set(drivername="sqlite")
    if kind not in ("postgresql", "postgres"):
        raise BadConfiguration(f"BANK_STORE_URL has an unknown kind of database; use {_FORMS}")
    if not url.database:
        raise BadConfiguration("BANK_STORE_URL names no database: use postgresql://USER@HOST/DATABASE")
    return url.set(drivername="postgresql+psycopg")


def _sqlite_engine(url: URL, settings: Settings) -> Engine:
    file = Path(str(url.database)).expanduser().resolve()
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.touch(mode=0o600)  # what people asked is nobody else's
    except OSError as fault:
        raise BadConfiguration(f"the file {file} of BANK_STORE_URL cannot be made: {fault.strerror}") from None
    try:
        write_ahead(file, settings.store_timeout_s)
    except sqlite3.Error as fault:
        raise _unavailable(fault) from None
    engine = create_engine(
        url.set(database=str(file)),
        hide_parameters=True,
        pool_size=settings.store_connections,
        max_overflow=0,
        pool_timeout=settings.store_timeout_s,
        connect_args={"timeout": settings.store_timeout_s, "isolation_level": None},
    )
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def write_ahead(file: Path, timeout_s: float) -> None:
    """Let a SQLite file be read while it is written, from now on.

    Raises:
        sqlite3.Error: it stays locked for `timeout_s`, or is no SQLite file.
    """
    deadline = time.monotonic() + timeout_s
    with closing(sqlite3.connect(file, timeout=timeout_s)) as connection:
        while True:
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError:  # SQLite does not wait for one who writes already, but fails at once
                if time.monotonic() > deadline:
                    raise
                time.sleep(_RETRY_S)


def _prepare_sqlite(connection: Any, _record: object) -> None:
    for statement in ("foreign_keys = ON", "synchronous = FULL"):
        connection.execute(f"PRAGMA {statement}")


def _begin_sqlite(connection: Connection) -> None:
    """Begin by hand: the driver would begin late, and only before a change."""
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _postgres_engine(url: URL, settings: Settings) -> Engine:
    limit_ms = int(settings.store_timeout_s * 1_000)
    return create_engine(
        url,
        hide_parameters=True,
        pool_size=settings.store_connections,
        max_overflow=0,
        pool_timeout=settings.store_timeout_s,
        pool_pre_ping=True,
        connect_args={
            "connect_timeout": max(2, round(settings.store_timeout_s)),
            "application_name": "banking-assistant-store",
            "options": f"-c statement_timeout={limit_ms} -c lock_timeout={limit_ms}",
        },
    )


@contextmanager
def _translated() -> Iterator[None]:
    """Say a library's fault in our words, without its text: that may quote addresses and rows."""
    try:
        yield
    except IntegrityError:
        raise
    except SQLAlchemyError as fault:
        raise _unavailable(getattr(fault, "orig", None) or fault) from None


def _unavailable(fault: BaseException) -> StoreUnavailable:
    """Say what is wrong in words that help whoever reads them; the rest is in the log of the database."""
    code = getattr(fault, "sqlite_errorcode", None)  # of the whole family in its lowest byte
    told = _TOLD.get(code & 0xFF if code is not None else getattr(fault, "sqlstate", None))
    return StoreUnavailable(f"the store could not be read or written: {type(fault).__name__}", told)
