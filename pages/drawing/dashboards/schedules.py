"""The schedules of a dashboard: when each runs, what came of the last run, and a form for a new one."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import streamlit as st

from backend.dashboards.book import DashboardView
from backend.schedules.book import ScheduleBook
from backend.store.schedules import FileKind, Schedule
from pages import dashboard_changes as changes
from pages import session
from pages.drawing.escaping import as_html

_WHEN = {
    "Every day at 07:00": "0 7 * * *",
    "Every working day at 07:00": "0 7 * * 1-5",
    "Every Monday at 07:00": "0 7 * * 1",
    "On the first of the month at 07:00": "0 7 1 * *",
}
_CRON = "By cron …"
_KINDS: dict[FileKind, str] = {"html": "One HTML page", "csv": "CSV of each tile"}


def draw_schedules(view: DashboardView, book: ScheduleBook, time_zone: str, folder_named: bool) -> None:
    """Draw the owner's schedules, closed unless one of them failed."""
    who = session.visitor()
    if not view.is_mine or not book.may_schedule(who):
        return
    kept = book.of(view.dashboard.id, who)
    failed = sum(one.last_failed for one in kept)
    label = "Schedules" + (f" ({len(kept)}" + (f", {failed} failed)" if failed else ")") if kept else "")
    with st.expander(label, expanded=bool(failed), icon=":material/schedule:", key=f"schedules_{view.dashboard.id}"):
        for schedule in kept:
            _draw_one(view, schedule, ZoneInfo(time_zone))
        _draw_form(view, time_zone, folder_named)


def _draw_one(view: DashboardView, schedule: Schedule, zone: ZoneInfo) -> None:
    titles = {tile.id: tile.title for tile in view.tiles}
    what = titles.get(schedule.tile_id, "a removed tile") if schedule.tile_id else "Whole dashboard"
    where = ", ".join(schedule.recipients) or "folder"
    due = f"next {_at(schedule.next_at, zone)}" if schedule.is_on else "paused"
    st.html(
        f'<p class="ba-note"><b>{as_html(what)}</b> as {_KINDS[schedule.kind]} to {as_html(where)} · '
        f"<code>{as_html(schedule.cron)}</code> · {due}</p>"
    )
    if schedule.held_until is not None:
        st.html('<p class="ba-note" role="status">Running now.</p>')
    if schedule.last_at is not None:
        mark = ' class="ba-problem ba-small" role="alert"' if schedule.last_failed else ' class="ba-note"'
        st.html(f"<p{mark}>Last run {_at(schedule.last_at, zone)}: {as_html(schedule.last_said)}</p>")
    with st.container(horizontal=True, gap="small"):
        key, args = schedule.id, (schedule,)
        st.button("Run now", key=f"run_{key}", on_click=changes.run_schedule, args=args, disabled=not schedule.is_on)
        st.button(
            "Pause" if schedule.is_on else "Resume", key=f"pause_{key}", on_click=changes.switch_schedule, args=args
        )
        st.button("Remove", key=f"gone_{key}", on_click=changes.remove_schedule, args=args)


def _draw_form(view: DashboardView, time_zone: str, folder_named: bool) -> None:
    board = view.dashboard.id
    when = st.selectbox("When", [*_WHEN, _CRON], key=f"when_{board}", help=f"In the time zone {time_zone}")
    cron = _WHEN.get(when) or st.text_input(
        "Minute, hour, day, month, day of the week", "0 7 * * 1-5", key=f"cron_{board}"
    )
    titles = {"": "Whole dashboard", **{tile.id: tile.title for tile in view.tiles}}
    tile_id = st.selectbox("What", list(titles), format_func=titles.__getitem__, key=f"what_{board}")
    kind = st.selectbox("As", list(_KINDS), format_func=_KINDS.__getitem__, key=f"as_{board}")
    hint = "Leave empty for the folder" if folder_named else "Addresses, by comma"
    mail_to = st.text_input("Mail to", key=f"mail_{board}", placeholder=hint)
    if st.button("Add schedule", type="primary", key=f"schedule_{board}"):  # what is typed last comes with the click
        changes.add_schedule(board, tile_id, cron, kind, mail_to)
        st.rerun()


def _at(moment: datetime, zone: ZoneInfo) -> str:
    return f"{moment.astimezone(zone):%d %b %Y %H:%M}"
