"""Looks for schedules that are due, in the process of page or API; several servers share one store."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from uuid import uuid4
from zoneinfo import ZoneInfo

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler

from ai_engine.errors import AssistantError, CannotKeep, StoreUnavailable
from backend.dashboards.tile_results import TileResults
from backend.schedules.cron import next_run
from backend.schedules.running import run_schedule
from backend.settings import Settings
from backend.store import schedules as rows
from backend.store.opening import Store
from backend.store.schedules import Schedule

_log = logging.getLogger(__name__)
_MARGIN_S = 60.0
"""A lease outlives the longest run by so much, so that no other server begins what is about to end."""
_SIDE_BY_SIDE = 2


class ScheduleClock:
    """Runs what is due once, whichever server finds it first; implements `Drained`.

    What was due while no server ran is run once when one runs again. A server that dies amid a run leaves a lease that
    runs out; then another one runs it anew.

    Args:
        settings: how often to look, and how long a run may take.
        store: gives the store.
        results: by which tiles are run.
    """

    def __init__(
        self, settings: Settings, store: Callable[[], Store], results: Callable[[], TileResults],
    ) -> None:  # fmt: skip
        self._settings = settings
        self._zone = ZoneInfo(settings.time_zone)
        self._store, self._results = store, results
        self._holder = uuid4().hex
        self._is_stopping = False
        self._running = 0
        self._lock = threading.Lock()
        self._scheduler = BackgroundScheduler(
            executors={"default": ThreadPoolExecutor(_SIDE_BY_SIDE)}, timezone=UTC
        )  # fmt: skip

    def start(self) -> None:
        """Begin to look; the first look is after one interval."""
        self._scheduler.add_job(
            self.look, "interval", seconds=self._settings.schedule_poll_s, max_instances=_SIDE_BY_SIDE, coalesce=True
        )
        self._scheduler.start()

    def look(self) -> int:
        """Run all that is due, one after the other; the number that this server ran."""
        ran = 0
        try:
            with self._store().reading() as connection:
                found = rows.due(connection, datetime.now(UTC))
            for schedule_id in found:
                if not self._is_stopping and self._take(schedule_id):
                    self._run(schedule_id)
                    ran += 1
        except StoreUnavailable as fault:
            _log.warning("schedules could not be looked at: %s", fault)
        return ran

    @property
    def running(self) -> int:
        """See Drained."""
        return self._running

    async def tell_stopping(self) -> None:
        """See Drained."""
        self._is_stopping = True
        if self._scheduler.running:
            self._scheduler.pause()

    async def close(self) -> None:
        """See Drained."""
        self._is_stopping = True
        if self._scheduler.running:
            self._scheduler.shutdown(wait=False)

    def _take(self, schedule_id: str) -> bool:
        lease_s = self._settings.schedule_timeout_s + self._settings.smtp_timeout_s + _MARGIN_S
        with self._store().writing() as connection:
            return rows.take(connection, schedule_id, self._holder, datetime.now(UTC), lease_s)

    def _run(self, schedule_id: str) -> None:
        with self._lock:
            self._running += 1
        try:
            with self._store().reading() as connection:
                schedule = rows.by_id(connection, schedule_id)
            if schedule is not None:
                self._finish(schedule, *self._outcome(schedule))
        finally:
            with self._lock:
                self._running -= 1

    def _outcome(self, schedule: Schedule) -> tuple[str, bool]:
        """Return what is said of a run, and whether it failed."""
        try:
            return run_schedule(schedule, self._settings, self._store, self._results()), False
        except AssistantError as fault:
            _log.warning("a schedule failed: %s", fault)
            return fault.user_message, True
        except Exception:  # noqa: BLE001 - what one schedule stumbles over stops no other
            _log.exception("unexpected error in a schedule")
            return AssistantError.user_message, True

    def _finish(self, schedule: Schedule, said: str, failed: bool) -> None:
        now = datetime.now(UTC)
        try:
            following = next_run(schedule.cron, self._zone, now)
        except CannotKeep:  # a date that has passed for good
            following = now + timedelta(days=36_500)
        with self._store().writing() as connection:
            rows.give_back(
                connection, schedule.id, self._holder, ran_at=now, said=said, failed=failed, next_at=following
            )
