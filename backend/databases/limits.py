"""Bounds on what one database may cost the machine it is asked from."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from backend.databases.slots import PersonBounds

MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class DatabaseLimits:
    """Every bound of a database's workers; the defaults suit two cores and a few gigabytes.

    Attributes:
        workers: processes that ask an embedded engine at the same time.
        connections: the same for a server, where another process does the work.
        threads: threads one DuckDB worker may use for statements whose result is known to be the same in whatever
            order rows are read. Others have one: with several, ties, what no ORDER BY sorts and the last digits of sums
            of floating point differ from run to run.
        memory_mb: what one worker may take beyond its own start-up size.
        temp_mb: what one worker may spill to the temporary folder.
        max_result_mb: cells of one result, together.
        max_cell_kb: one text cell; larger ones fail the query instead of being cut.
        max_hashed_mb: a larger file is not read as a whole to learn whether it changed.
        queue_size: statements that wait for a worker; more are turned away as busy.
        queue_per_person: of these, one person's.
        queries_per_person: statements of one person at the same time; None for as many as there are workers.
        connect_timeout_s: until a worker must have opened its connection, and until a SQLite file whose writer has
            crashed must have been copied.
        lock_wait_s: for a lock that another program holds on the data.
        catalogue_timeout_s: one statement that reads which tables a PostgreSQL server has.
        idle_close_s: a worker unused for so long ends and gives the file's lock and the memory back.
    """

    workers: int = 2
    connections: int = 8
    threads: int = 2
    memory_mb: int = 1_024
    temp_mb: int = 2_048
    max_result_mb: int = 64
    max_cell_kb: int = 1_024
    max_hashed_mb: int = 1_024
    queue_size: int = 64
    queue_per_person: int = 16
    queries_per_person: int | None = None
    connect_timeout_s: float = 10.0
    lock_wait_s: float = 5.0
    catalogue_timeout_s: float = 60.0
    idle_close_s: float = 300.0

    @property
    def each(self) -> PersonBounds:
        """What one person may take."""
        return PersonBounds(self.queue_per_person, self.queries_per_person)


def address_space_bytes(process: int | Literal["self"]) -> int:
    """Return what a process has mapped, which is what its memory limit counts; 0 where the system does not tell."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
