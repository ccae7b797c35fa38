"""Who may have what run by the clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from uuid import uuid4
from zoneinfo import ZoneInfo

from sqlalchemy import Connection

from ai_engine.errors import CannotKeep, NotPermitted
from backend.configuration.people import is_among, people_in
from backend.schedules.cron import next_run, require_rare
from backend.schedules.delivery import recipients_of
from backend.settings import Settings
from backend.store import dashboards
from backend.store import schedules as rows
from backend.store.opening import Store
from backend.store.schedules import FileKind, Schedule

_MOST_PER_DASHBOARD = 20


class ScheduleBook:
    """The schedules of dashboards; only a dashboard's owner sees and changes them.

    Args:
        store: gives the store; StoreUnavailable passes.
        settings: who may schedule, where to, how often.
    """

    def __init__(self, store: Callable[[], Store], settings: Settings) -> None:
        self._store = store
        self._settings = settings
        self._zone = ZoneInfo(settings.time_zone)

    def may_schedule(self, who: str) -> bool:
        """Tell whether this person may have anything run by the clock."""
        return is_among(people_in(self._settings.schedulers), who)

    def of(self, dashboard_id: str, who: str) -> list[Schedule]:
        """Return the schedules of one's own dashboard, the next one first."""
        with self._store().reading() as connection:
            self._require_own(connection, dashboard_id, who)
            return rows.of_dashboard(connection, dashboard_id)

    def add(self, dashboard_id: str, tile_id: str, cron: str, kind: FileKind, mail_to: str, who: str) -> Schedule:
        """Begin a schedule for one's own dashboard, or one tile of it.

        Args:
            tile_id: empty for the whole dashboard.
            cron: in the bank's time zone.
            mail_to: addresses; empty for the folder.

        Raises:
            CannotKeep: it would run too often, there are too many, or it has nowhere to go.
            NotPermitted: this person may schedule nothing, or not this.
        """
        now = datetime.now(UTC)
        cron = " ".join(cron.split())
        require_rare(cron, self._zone, now, self._settings.schedule_min_minutes)
        recipients = recipients_of(mail_to, self._settings) if mail_to.strip() else ()
        if not recipients and self._settings.schedules_dir is None:
            raise CannotKeep("There is no folder for scheduled files here: give addresses to mail them to.")
        at = next_run(cron, self._zone, now)
        schedule = Schedule(uuid4().hex, who, dashboard_id, tile_id, cron, kind, recipients, True, at)
        with self._changing(dashboard_id, who) as connection:
            if len(rows.of_dashboard(connection, dashboard_id)) >= _MOST_PER_DASHBOARD:
                raise CannotKeep(f"A dashboard has at most {_MOST_PER_DASHBOARD} schedules.")
            rows.add(connection, schedule)
        return schedule

    def run_now(self, schedule: Schedule, who: str) -> None:
        """Let it be due at once."""
        self._set(schedule, who, datetime.now(UTC), is_on=True)

    def switch(self, schedule: Schedule, who: str, *, is_on: bool) -> None:
        """Pause it, or let it go on with the next moment to come."""
        self._set(schedule, who, next_run(schedule.cron, self._zone, datetime.now(UTC)), is_on=is_on)

    def remove(self, schedule: Schedule, who: str) -> None:
        """Forget it."""
        with self._changing(schedule.dashboard_id, who) as connection:
            rows.remove(connection, schedule.id)

    def restore(self, schedule: Schedule, who: str) -> None:
        """Bring back one that was just removed."""
        with self._changing(schedule.dashboard_id, who) as connection:
            if rows.by_id(connection, schedule.id) is None and schedule.owner == who:
                rows.add(connection, schedule)

    def _set(self, schedule: Schedule, who: str, next_at: datetime, *, is_on: bool) -> None:
        with self._changing(schedule.dashboard_id, who) as connection:
            rows.set_due(connection, schedule.id, next_at, is_on=is_on)

    @contextmanager
    def _changing(self, dashboard_id: str, who: str) -> Iterator[Connection]:
        if not self.may_schedule(who):
            raise NotPermitted("may schedule nothing")
        with self._store().writing() as connection:
            self._require_own(connection, dashboard_id, who)
            yield connection

    def _require_own(self, connection: Connection, dashboard_id: str, who: str) -> None:
        found = dashboards.by_id(connection, dashboard_id)
        if found is None or found.owner != who:
            raise NotPermitted("not this person's dashboard", "Only the owner of a dashboard may schedule it.")
