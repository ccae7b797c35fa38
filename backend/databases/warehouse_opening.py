"""Opens a warehouse: tables and statements are asked by the same workers, over the warehouse's own client."""

from __future__ import annotations

import hashlib
import threading

from ai_engine.catalogue import Catalogue
from ai_engine.errors import DatabaseUnavailable, QueryFailed
from backend.databases.address import ServerAddress
from backend.databases.database import Database
from backend.databases.engine import EngineStart, start_of
from backend.databases.hidden_columns import HiddenColumns
from backend.databases.limits import DatabaseLimits
from backend.databases.runner import WorkerRunner
from backend.databases.server_kinds import SERVER_KINDS


def open_warehouse(address: ServerAddress, limits: DatabaseLimits) -> Database:
    """See `open_database`.

    Raises:
        DatabaseUnavailable: the server does not answer in time, or does not let us in.
    """
    location = location_of(address)

    def plan(_hidden: HiddenColumns) -> EngineStart:
        return start_of(SERVER_KINDS[address.dialect].engine, location, limits, dialect=address.dialect)

    runner = WorkerRunner(
        plan, lambda: None, workers=limits.connections, queue_size=limits.queue_size, each=limits.each
    )
    try:
        catalogue = _read_catalogue(address, runner, limits)
    except QueryFailed as fault:
        runner.close()
        detail = f"cannot connect to {address.shown}: {fault}"
        raise DatabaseUnavailable(detail, f"The database cannot be reached: {detail}.") from None
    except BaseException:
        runner.close()
        raise
    fingerprint = hashlib.sha256(f"{address.identity} {catalogue!r}".encode()).hexdigest()[:24]
    return Database(
        address.shown,
        address.identity,
        address.dialect,
        catalogue,
        runner,
        lambda _hidden: runner,
        lambda: fingerprint,
        lambda: False,
        runner.close,
        lambda: runner.load,
    )


def location_of(address: ServerAddress) -> dict[str, str]:
    """What a worker is told of where to connect: the parts of the address, and its options by their names."""
    return {
        **dict(address.options),
        "host": address.host,
        "port": str(address.port),
        "user": address.user,
        "password": address.password,
        "database": address.database,
        **({"schema": address.schema} if address.schema else {}),
    }


def _read_catalogue(address: ServerAddress, runner: WorkerRunner, limits: DatabaseLimits) -> Catalogue:
    if address.dialect == "spark":
        from backend.databases.spark_catalogue import read_spark_catalogue

        return read_spark_catalogue(location_of(address), limits)
    from backend.databases.warehouse_catalogue import read_warehouse_catalogue

    return read_warehouse_catalogue(address, runner, timeout_s=limits.catalogue_timeout_s, stop=threading.Event())
