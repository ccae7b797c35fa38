"""Where schedules are kept, and which server runs one now."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, TypeAlias

from sqlalchemy import (
    Boolean,
    Column,
    ColumnElement,
    Connection,
    ForeignKey,
    Index,
    RowMapping,
    String,
    Table,
    Text,
    delete,
    insert,
    or_,
    select,
    update,
)

from backend.store.dashboards import DASHBOARDS
from backend.store.keys import written
from backend.store.schema import METADATA, UtcTime

FileKind: TypeAlias = Literal["html", "csv"]

SCHEDULES = Table(
    "schedules",
    METADATA,
    Column("id", String(32), primary_key=True),
    Column("owner", String(200), nullable=False),
    Column("dashboard_id", String(32), ForeignKey(DASHBOARDS.c.id, ondelete="CASCADE"), nullable=False),
    Column("tile_id", String(32), nullable=False),
    Column("cron", String(120), nullable=False),
    Column("kind", String(8), nullable=False),
    Column("recipients", Text, nullable=False),
    Column("is_on", Boolean, nullable=False),
    Column("next_at", UtcTime(), nullable=False),
    Column("last_at", UtcTime()),
    Column("last_said", Text, nullable=False),
    Column("last_failed", Boolean, nullable=False),
    Column("holder", String(64), nullable=False),
    Column("held_until", UtcTime()),
)
Index("ix_schedules_due", SCHEDULES.c.is_on, SCHEDULES.c.next_at)


@dataclass(frozen=True, slots=True)
class Schedule:
    """One thing that runs by the clock.

    Attributes:
        owner: with whose rights it runs.
        tile_id: the one tile that is sent; empty for all of the dashboard.
        recipients: mail addresses; none for the folder.
        next_at: when it is due.
        last_said: what came of the last run, for people.
        held_until: a server runs it now, and has until then.
    """

    id: str
    owner: str
    dashboard_id: str
    tile_id: str
    cron: str
    kind: FileKind
    recipients: tuple[str, ...]
    is_on: bool
    next_at: datetime
    last_at: datetime | None = None
    last_said: str = ""
    last_failed: bool = False
    held_until: datetime | None = None


def add(connection: Connection, schedule: Schedule) -> None:
    """Keep a new one."""
    row = {
        "id": schedule.id, "owner": schedule.owner, "dashboard_id": schedule.dashboard_id,
        "tile_id": schedule.tile_id, "cron": schedule.cron, "kind": schedule.kind,
        "recipients": json.dumps(schedule.recipients), "is_on": schedule.is_on, "next_at": schedule.next_at,
        "last_at": None, "last_said": "", "last_failed": False, "holder": "", "held_until": None,
    }  # fmt: skip
    connection.execute(insert(SCHEDULES), [row])


def of_dashboard(connection: Connection, dashboard_id: str) -> list[Schedule]:
    """Return those of a dashboard, the next one first."""
    wanted = select(SCHEDULES).where(SCHEDULES.c.dashboard_id == dashboard_id)
    ordered = wanted.order_by(SCHEDULES.c.next_at, SCHEDULES.c.id)
    return [_schedule(row) for row in connection.execute(ordered).mappings()]


def by_id(connection: Connection, schedule_id: str) -> Schedule | None:
    """Return one, None where there is none of that name."""
    row = connection.execute(select(SCHEDULES).where(SCHEDULES.c.id == schedule_id)).mappings().first()
    return None if row is None else _schedule(row)


def set_due(connection: Connection, schedule_id: str, next_at: datetime, *, is_on: bool) -> None:
    """Let it run next at a moment, or no more."""
    connection.execute(update(SCHEDULES).where(SCHEDULES.c.id == schedule_id).values(next_at=next_at, is_on=is_on))


def remove(connection: Connection, schedule_id: str) -> None:
    """Forget one."""
    connection.execute(delete(SCHEDULES).where(SCHEDULES.c.id == schedule_id))


def due(connection: Connection, now: datetime) -> list[str]:
    """Return the ids of those that are due and that no server runs, the longest waiting first."""
    wanted = select(SCHEDULES.c.id).where(SCHEDULES.c.is_on, SCHEDULES.c.next_at <= now, _is_free(now))
    return list(connection.scalars(wanted.order_by(SCHEDULES.c.next_at)))


def take(connection: Connection, schedule_id: str, holder: str, now: datetime, lease_s: float) -> bool:
    """Take one that is due, unless another server was quicker; the lease runs out by itself."""
    mine = (SCHEDULES.c.id == schedule_id) & SCHEDULES.c.is_on & (SCHEDULES.c.next_at <= now) & _is_free(now)
    held = {"holder": holder, "held_until": now + timedelta(seconds=lease_s)}
    return connection.execute(update(SCHEDULES).where(mine).values(held)).rowcount == 1


def give_back(
    connection: Connection, schedule_id: str, holder: str, *, ran_at: datetime, said: str, failed: bool,
    next_at: datetime,
) -> None:  # fmt: skip
    """Note what came of a run and when the next one is; nothing where another server has taken it since."""
    mine = (SCHEDULES.c.id == schedule_id) & (SCHEDULES.c.holder == holder)
    connection.execute(
        update(SCHEDULES).where(mine).values(
            last_at=ran_at, last_said=written(said), last_failed=failed, next_at=next_at, holder="", held_until=None
        )
    )  # fmt: skip


def _is_free(now: datetime) -> ColumnElement[bool]:
    return or_(SCHEDULES.c.held_until.is_(None), SCHEDULES.c.held_until <= now)


def _schedule(row: RowMapping) -> Schedule:
    return Schedule(
        row["id"], row["owner"], row["dashboard_id"], row["tile_id"], row["cron"], row["kind"],
        tuple(json.loads(row["recipients"])), row["is_on"], row["next_at"], row["last_at"], row["last_said"],
        row["last_failed"], row["held_until"],
    )  # fmt: skip
