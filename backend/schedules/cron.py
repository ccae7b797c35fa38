"""When a schedule runs: cron as crontab(5) has it, in the bank's time zone."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from apscheduler.triggers.cron import CronTrigger

from ai_engine.errors import CannotKeep

_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_DAY_PART = re.compile(r"(\*|[0-7]|[a-z]{3})(?:-([0-7]|[a-z]{3}))?(?:/(\d))?")
_FIELDS = 5
_LOOKED_AHEAD = 20


def next_run(cron: str, zone: ZoneInfo, after: datetime) -> datetime:
    """Return the first moment behind `after` at which a schedule runs.

    Args:
        cron: minute, hour, day of the month, month, day of the week; 0 and 7 are Sunday.
        zone: in which these are meant.
        after: with its zone.

    Raises:
        CannotKeep: the text is no cron expression, or such a moment never comes.
    """
    found = _trigger(cron, zone).get_next_fire_time(None, after + timedelta(microseconds=1))
    if not isinstance(found, datetime):
        raise CannotKeep(f"The schedule “{cron}” never comes.")
    return found


def require_rare(cron: str, zone: ZoneInfo, after: datetime, min_minutes: int) -> None:
    """Refuse a schedule that would run more often than is allowed.

    Raises:
        CannotKeep: so, or as `next_run` does.
    """
    before = next_run(cron, zone, after)
    for _ in range(_LOOKED_AHEAD):
        following = next_run(cron, zone, before)
        if following - before < timedelta(minutes=min_minutes):
            raise CannotKeep(f"A schedule runs at most every {min_minutes} minutes; “{cron}” would more often.")
        before = following


def _trigger(cron: str, zone: ZoneInfo) -> CronTrigger:
    fields = cron.lower().split()
    if len(fields) != _FIELDS:
        raise CannotKeep("A schedule has five parts: minute, hour, day of the month, month, day of the week.")
    minute, hour, day, month, weekday = fields
    if day != "*" and weekday != "*":
        raise CannotKeep("Give a day of the month or a day of the week, and * for the other.")
    try:
        return CronTrigger(
            minute=minute, hour=hour, day=day, month=month, day_of_week=_weekdays(weekday), timezone=zone
        )
    except (ValueError, TypeError):
        raise CannotKeep(f"“{cron}” is no schedule. “0 7 * * 1-5” is every working day at 07:00.") from None


def _weekdays(field: str) -> str:
    """Spell the days of the week: numbers count from Sunday in cron, from Monday in APScheduler."""
    if field == "*":
        return field
    found: set[int] = set()
    for part in field.split(","):
        read = _DAY_PART.fullmatch(part)
        if read is None:
            raise ValueError(part)
        first, last = (0, 6) if read[1] == "*" else (_day(read[1]), _day(read[2] or read[1]))
        last = 6 if read[3] and not read[2] else last
        if read[2] and last < first:
            last += 7
        found |= {place % 7 for place in range(first, last + 1, int(read[3] or 1))}
    return ",".join(_DAYS[place] for place in sorted(found))


def _day(text: str) -> int:
    return _DAYS.index(text) if text in _DAYS else int(text)
