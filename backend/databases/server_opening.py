"""Opens a database on a server: its tables reflected over a short connection, statements left to workers."""

from __future__ import annotations

import hashlib
import threading
from typing import Any

from ai_engine.catalogue import Catalogue
from ai_engine.errors import BadConfiguration, DatabaseUnavailable
from ai_engine.types import QueryResult, ScanEstimate
from backend.databases.address import ServerAddress
from backend.databases.database import Database
from backend.databases.engine import EngineStart, start_of
from backend.databases.hidden_columns import HiddenColumns
from backend.databases.limits import DatabaseLimits
from backend.databases.runner import WorkerRunner
from backend.databases.server_kinds import SERVER_KINDS
from backend.databases.warehouse_opening import open_warehouse


def open_server(address: ServerAddress, limits: DatabaseLimits) -> Database:
    """See `open_database`.

    Raises:
        BadConfiguration: the client of this kind of server is not installed, or an option of the URL is not known.
        DatabaseUnavailable: the server does not answer in time, or does not let us in.
    """
    SERVER_KINDS[address.dialect].require_client()
    if address.dialect not in ("postgres", "mysql"):
        return open_warehouse(address, limits)
    location = _location(address)
    catalogue = _read_catalogue(address, location, limits)

    def plan(hidden: HiddenColumns) -> EngineStart:
        return start_of(SERVER_KINDS[address.dialect].engine, location, limits, dialect=address.dialect, hidden=hidden)

    runner = WorkerRunner(
        plan, lambda: None, workers=limits.connections, queue_size=limits.queue_size, each=limits.each
    )
    fingerprint = hashlib.sha256(f"{address.identity} {catalogue!r}".encode()).hexdigest()[:24]
    return Database(
        address.shown,
        address.identity,
        address.dialect,
        catalogue,
        runner,
        lambda hidden: _KeptFromIndexes(runner, hidden) if address.dialect == "postgres" else runner,
        lambda: fingerprint,
        lambda: False,
        runner.close,
        lambda: runner.load,
    )


class _KeptFromIndexes:
    """The runner of a PostgreSQL server whose sessions tell no order of rows in these columns."""

    def __init__(self, workers: WorkerRunner, hidden: HiddenColumns) -> None:
        self._workers = workers
        self._hidden = hidden

    def run(self, sql: str, *, max_rows: int, timeout_s: float, stop: threading.Event) -> QueryResult:
        """Return at most `max_rows` rows; see `ai_engine.ports.QueryRunner`."""
        return self._workers.run(sql, max_rows=max_rows, timeout_s=timeout_s, stop=stop, hidden=self._hidden)

    def cost(self, sql: str, *, timeout_s: float, stop: threading.Event) -> ScanEstimate:
        """See `ai_engine.ports.EstimatesCost`."""
        return self._workers.cost(sql, timeout_s=timeout_s, stop=stop, hidden=self._hidden)


def _location(address: ServerAddress) -> dict[str, str]:
    options = dict(address.options)
    common = {"host": address.host, "port": str(address.port), "user": address.user, "password": address.password}
    if address.dialect == "postgres":
        import psycopg
        from psycopg.conninfo import make_conninfo

        keep_alive = {"keepalives_idle": "30", "keepalives_interval": "10", "keepalives_count": "3"}
        location = {"application_name": "banking-assistant", **keep_alive, **options, **common}
        location = {name: value for name, value in location.items() if value} | {"dbname": address.database}
        try:
            make_conninfo(**location)
        except psycopg.ProgrammingError as error:
            raise BadConfiguration(f"an option of the database address is not known: {error}") from None
        return location
    return {**options, **common, "database": address.database}


def _read_catalogue(address: ServerAddress, location: dict[str, str], limits: DatabaseLimits) -> Catalogue:
    from sqlalchemy import create_engine
    from sqlalchemy.exc import DBAPIError
    from sqlalchemy.pool import NullPool

    from backend.catalogue.reflection import read_catalogue

    def connect() -> Any:
        return _connect(address, location, limits)

    driver = {"postgres": "postgresql+psycopg://", "mysql": "mysql+pymysql://"}[address.dialect]
    engine = create_engine(driver, creator=connect, poolclass=NullPool)
    try:
        return read_catalogue(engine, address.dialect)
    except (DBAPIError, OSError) as error:
        reason = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
    finally:
        engine.dispose()
    detail = f"cannot connect to {address.shown}: {reason}"
    # Out here, where the client's error is not in its context: that one knows the password.
    raise DatabaseUnavailable(detail, f"The database cannot be reached: {detail}.")


def _connect(address: ServerAddress, location: dict[str, str], limits: DatabaseLimits) -> Any:
    limit_s = int(limits.connect_timeout_s)
    if address.dialect == "postgres":
        import psycopg

        from backend.databases.postgres_session import ENCODING, own_names_first

        timeout_ms = max(1, round(limits.catalogue_timeout_s * 1_000))
        session = f"-c statement_timeout={timeout_ms} -c default_transaction_read_only=on"
        options = f"{location.get('options', '')} {session}".strip()
        connection = psycopg.connect(**{**location, **ENCODING, "options": options}, connect_timeout=max(2, limit_s))  # type: ignore[arg-type]
        own_names_first(connection)
        if connection.info.server_version >= 110_000:
            connection.execute("SET jit = off")  # what the catalogue is asked is compiled for seconds, to run for 50 ms
        connection.commit()
        return connection
    import pymysql

    from backend.databases.mysql_engine import connection_arguments, hold

    limit_s = max(1, limit_s)
    opened = pymysql.connect(**connection_arguments(location), connect_timeout=limit_s, read_timeout=limit_s)
    hold(opened)  # else names stand in other quotes than are looked for, or are left out
    return opened
