"""Which processes have begun to write the audit trail and not ended: one that was killed may have lost entries."""

from __future__ import annotations

import os
import socket
from datetime import UTC, datetime

from sqlalchemy import Column, Connection, Integer, String, Table, Text, delete, insert, select

from backend.store.schema import METADATA, UtcTime

RUNS = Table(
    "audit_runs",
    METADATA,
    Column("id", String(32), primary_key=True),
    Column("host", Text, nullable=False),
    Column("process", Integer, nullable=False),
    Column("begun_at", UtcTime(), nullable=False),
)


def begin(connection: Connection, run_id: str) -> list[datetime]:
    """Note that this process writes from now on; returns when those began that were killed here, and forgets them."""
    mine = {"host": socket.gethostname(), "process": os.getpid(), "begun_at": datetime.now(UTC)}
    here = connection.execute(select(RUNS).where(RUNS.c.host == mine["host"])).all()
    gone = [run for run in here if not _lives(run.process)]
    connection.execute(delete(RUNS).where(RUNS.c.id.in_([run.id for run in gone])))
    connection.execute(insert(RUNS), [{"id": run_id, **mine}])
    return [run.begun_at for run in gone]


def end(connection: Connection, run_id: str) -> None:
    """Note that everything is written."""
    connection.execute(delete(RUNS).where(RUNS.c.id == run_id))


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
