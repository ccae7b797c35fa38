"""What the settings say about the workers of a database."""

from __future__ import annotations

from backend.databases import DatabaseLimits
from backend.settings import Settings


def database_limits(settings: Settings) -> DatabaseLimits:
    """Bounds of the workers, every one of them a setting."""
    return DatabaseLimits(
        workers=settings.database_workers,
        connections=settings.database_connections,
        threads=settings.database_threads,
        memory_mb=settings.database_memory_mb,
        temp_mb=settings.database_temp_mb,
        max_result_mb=settings.max_result_mb,
        max_cell_kb=settings.max_cell_kb,
        max_hashed_mb=settings.max_hashed_mb,
        queue_size=settings.database_queue_size,
        queue_per_person=settings.database_queue_per_person,
        queries_per_person=settings.database_queries_per_person,
        connect_timeout_s=settings.database_connect_timeout_s,
        lock_wait_s=settings.database_lock_wait_s,
        catalogue_timeout_s=settings.catalogue_timeout_s,
        idle_close_s=settings.database_idle_close_s,
    )
