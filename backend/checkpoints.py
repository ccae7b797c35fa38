"""Keeps what running workflows have done: beside the store's SQLite file, or in the store's PostgreSQL database."""

from __future__ import annotations

import asyncio
import sqlite3
import uuid
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import URL

from ai_engine.errors import BadConfiguration, StoreUnavailable
from ai_engine.workflows.checkpoint_text import CheckpointText
from ai_engine.workflows.running import Checkpoints
from backend.settings import Settings
from backend.store.opening import store_address, write_ahead

if TYPE_CHECKING:  # loaded where they are used, as both are slow to import
    import aiosqlite
    from langgraph.checkpoint.base import BaseCheckpointSaver

_SETUP_LOCK = 0x62616E6C  # of our own, among the advisory locks of a PostgreSQL database
_THREADS = "SELECT thread_id, MAX(checkpoint_id) AS latest FROM checkpoints GROUP BY thread_id ORDER BY latest DESC"
_EPOCH = datetime(1582, 10, 15, tzinfo=UTC)  # from which version 6 of UUIDs counts


class KeptCheckpoints:
    """Implements `Checkpoints`; any number of processes share it. What is older than `checkpoint_days` is dropped."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._url = store_address(settings)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[BaseCheckpointSaver[str]]:
        """Give a saver; see Checkpoints."""
        import psycopg

        opened = _on_sqlite if self._url.get_backend_name() == "sqlite" else _on_postgres
        try:
            async with opened(self._url, self._settings) as saver:
                for run_id, made_at in await _runs(saver):
                    if datetime.now(UTC) - made_at > timedelta(days=self._settings.checkpoint_days):
                        await saver.adelete_thread(run_id)
                yield saver
        except (sqlite3.Error, psycopg.Error) as fault:
            raise StoreUnavailable(f"checkpoints could not be read or written: {type(fault).__name__}") from None

    async def interrupted(self, prefix: str) -> tuple[str, ...]:
        """Name the runs that can go on; see Checkpoints."""
        async with self.open() as saver:
            return tuple(run_id for run_id, _ in await _runs(saver) if run_id.startswith(prefix))

    async def forget(self, run_id: str) -> None:
        """Drop what is kept of a run; see Checkpoints."""
        async with self.open() as saver:
            await saver.adelete_thread(run_id)


def open_checkpoints(settings: Settings) -> Checkpoints:
    """Tell where workflows are kept; nothing is opened yet.

    Raises:
        BadConfiguration: `BANK_STORE_URL` is wrong.
    """
    return KeptCheckpoints(settings)


def _on_sqlite(url: URL, settings: Settings) -> AbstractAsyncContextManager[BaseCheckpointSaver[str]]:
    store = Path(str(url.database)).expanduser().resolve()
    return _sqlite_saver(store.with_name(f"{store.stem}_workflows.sqlite"), settings.store_timeout_s)


@asynccontextmanager
async def _sqlite_saver(file: Path, timeout_s: float) -> AsyncIterator[BaseCheckpointSaver[str]]:
    import aiosqlite
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.touch(mode=0o600)  # what people asked is nobody else's
    except OSError as fault:
        raise BadConfiguration(f"the file {file} for workflows cannot be made: {fault.strerror}") from None
    await asyncio.to_thread(write_ahead, file, timeout_s)
    connection = await aiosqlite.connect(file, timeout=timeout_s)
    try:
        saver = AsyncSqliteSaver(connection, serde=CheckpointText())
        await saver.setup()
        await connection.execute("PRAGMA synchronous = NORMAL")  # a process that dies loses nothing by it
        yield saver
    finally:
        await _closed(connection)


async def _closed(connection: aiosqlite.Connection) -> None:
    """Close a connection even for somebody who is cancelled meanwhile.

    What is open is rolled back first: SQLite keeps the lock of a closed connection while a statement of it is
    remembered anywhere, as by the frames of what was cancelled.
    """
    cancelled = False
    waiting: set[asyncio.Future[Any]] = {asyncio.ensure_future(connection.rollback())}
    try:
        await asyncio.sleep(0)  # lets it begin
    except asyncio.CancelledError:
        cancelled = True
    closing = connection.stop()
    waiting |= {closing} if closing is not None else set()
    while waiting:
        try:
            _, waiting = await asyncio.wait(waiting)
        except asyncio.CancelledError:
            cancelled = True
            waiting = {one for one in waiting if not one.done()}
    if cancelled:
        raise asyncio.CancelledError


@asynccontextmanager
async def _on_postgres(url: URL, settings: Settings) -> AsyncIterator[BaseCheckpointSaver[str]]:
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
    from psycopg import AsyncConnection
    from psycopg.rows import dict_row

    limit_ms = int(settings.store_timeout_s * 1_000)
    connection = await AsyncConnection.connect(
        url.set(drivername="postgresql").render_as_string(hide_password=False),
        autocommit=True,
        prepare_threshold=0,
        row_factory=dict_row,
        connect_timeout=max(2, round(settings.store_timeout_s)),
        application_name="banking-assistant-workflows",
        options=f"-c statement_timeout={limit_ms} -c lock_timeout={limit_ms}",
    )
    async with connection:
        saver = AsyncPostgresSaver(connection, serde=CheckpointText())
        await connection.execute(f"SELECT pg_advisory_lock({_SETUP_LOCK})")
        try:
            await saver.setup()
        finally:
            await connection.execute(f"SELECT pg_advisory_unlock({_SETUP_LOCK})")
        yield saver


async def _runs(saver: Any) -> list[tuple[str, datetime]]:
    """Return every run with the time of its latest checkpoint, the latest first."""
    cursor = await saver.conn.execute(_THREADS)
    rows = await cursor.fetchall()
    await cursor.close()
    found = [tuple(row.values()) if isinstance(row, dict) else tuple(row) for row in rows]
    return [(str(run_id), _made_at(str(checkpoint_id))) for run_id, checkpoint_id in found]


def _made_at(checkpoint_id: str) -> datetime:
    """Read off a checkpoint's id when it was made; one that is none of LangGraph's is as old as can be."""
    try:
        fields = uuid.UUID(checkpoint_id)
    except ValueError:
        return _EPOCH
    ticks = ((fields.int >> 80) << 12) | ((fields.int >> 64) & 0xFFF)
    return _EPOCH + timedelta(microseconds=ticks // 10)
