"""What a visitor does to dashboards by a click, and what was said of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

import streamlit as st

from ai_engine.errors import AssistantError
from ai_engine.semantics.intent import Intent
from ai_engine.types import Answer, ChartKind
from backend.dashboards.book import DashboardBook, DashboardView, tile_of
from backend.opening import shared_sources
from backend.schedules.book import ScheduleBook
from backend.store import shared_store
from backend.store.dashboards import Dashboard, Tile
from backend.store.schedules import FileKind, Schedule
from pages import session, source

_Done = TypeVar("_Done")


@dataclass(frozen=True)
class Undo:
    """What was removed last, and how it comes back."""

    said: str
    bring_back: Callable[[], None]


def book() -> DashboardBook:
    """Return the dashboards of all people."""
    known = shared_sources.settings
    return DashboardBook(shared_store.get, known.max_dashboards, known.dashboard_max_tiles)


def told() -> str:
    """Return why the last click did not do what it should, once."""
    said: str = st.session_state.pop("dashboard_told", "")
    return said


def undo() -> Undo | None:
    """Return what was removed last."""
    found: Undo | None = st.session_state.get("dashboard_undo")
    return found


def forget_undo() -> None:
    """Offer it no more."""
    st.session_state.pop("dashboard_undo", None)


def take_back() -> None:
    """Bring back what was removed last."""
    removed = undo()
    forget_undo()
    if removed is not None:
        _done(removed.bring_back)


def open_one(dashboard_id: str) -> None:
    """Show a dashboard, under an address of its own."""
    forget_undo()
    st.query_params["d"] = dashboard_id


def create(name: str) -> None:
    """Begin an empty dashboard and show it."""
    made = _done(lambda: book().create(name, session.visitor()))
    if made is not None:
        open_one(made.id)


def change(dashboard: Dashboard) -> None:
    """Keep a new name, sharing or refresh."""
    _done(lambda: book().change(dashboard, session.visitor()))


def scope_of(view: DashboardView) -> Intent:
    """Return the period and filters: the owner's are kept, a viewer's own last as long as the page."""
    found: Intent = st.session_state.get(_scope_key(view), view.dashboard.scope)
    return found


def set_scope(view: DashboardView, scope: Intent) -> None:
    """Narrow all tiles."""
    if view.is_mine:
        change(replace(view.dashboard, scope=scope))
    else:
        st.session_state[_scope_key(view)] = scope


def remove(dashboard_id: str) -> None:
    """Remove a dashboard; it can be brought back until something else is done."""
    who = session.visitor()
    removed = _done(lambda: book().remove(dashboard_id, who))
    if removed is not None:
        st.query_params.pop("d", None)

        def bring_back() -> None:
            book().restore(removed, who)
            open_one(dashboard_id)

        st.session_state["dashboard_undo"] = Undo(removed.view.dashboard.name, bring_back)


def pin(answer: Answer, chart: ChartKind, title: str, dashboard_id: str | None, new_name: str) -> Dashboard:
    """Pin an answer to a dashboard, or to a new one.

    Raises:
        AssistantError: why it cannot be kept, for people.
    """
    assistant, who = session.get_assistant(), session.visitor()
    tile = tile_of(answer, assistant.vocabulary, source.current().name, chart, title)
    kept = book()
    board = kept.create(new_name, who) if dashboard_id is None else kept.view(dashboard_id, who).dashboard
    kept.pin(board.id, tile, who)
    return board


def change_tile(dashboard_id: str, tile: Tile) -> None:
    """Keep a new title, width or chart of a tile."""
    _done(lambda: book().change_tile(dashboard_id, tile, session.visitor()))


def move_tile(dashboard_id: str, tile_id: str, *, forward: bool) -> None:
    """Let a tile change places with its neighbour."""
    _done(lambda: book().move_tile(dashboard_id, tile_id, 1 if forward else -1, session.visitor()))


def remove_tile(view: DashboardView, tile: Tile) -> None:
    """Remove a tile; it can be brought back until something else is removed."""
    who, board = session.visitor(), view.dashboard.id
    order = [one.id for one in view.tiles]

    def removed() -> bool:
        book().remove_tile(board, tile.id, who)
        return True

    if _done(removed):
        back = lambda: book().restore_tile(board, tile, order, who)  # noqa: E731 - one call, kept for later
        st.session_state["dashboard_undo"] = Undo(tile.title, back)


def _scope_key(view: DashboardView) -> str:
    return f"scope_{view.dashboard.id}"


def _done(do: Callable[[], _Done]) -> _Done | None:
    """Do something to what is kept; why it cannot be is told on the page."""
    try:
        return do()
    except AssistantError as fault:
        st.session_state["dashboard_told"] = fault.user_message
        return None


def schedule_book() -> ScheduleBook:
    """Return the schedules of all people."""
    return ScheduleBook(shared_store.get, shared_sources.settings)


def add_schedule(dashboard_id: str, tile_id: str, cron: str, kind: FileKind, mail_to: str) -> None:
    """Have a dashboard, or a tile of it, sent by the clock."""
    _done(lambda: schedule_book().add(dashboard_id, tile_id, cron, kind, mail_to, session.visitor()))


def run_schedule(schedule: Schedule) -> None:
    """Let a schedule run as soon as a server looks."""
    _done(lambda: schedule_book().run_now(schedule, session.visitor()))


def switch_schedule(schedule: Schedule) -> None:
    """Pause a schedule, or let it go on."""
    _done(lambda: schedule_book().switch(schedule, session.visitor(), is_on=not schedule.is_on))


def remove_schedule(schedule: Schedule) -> None:
    """Remove a schedule; it can be brought back until something else is removed."""
    who = session.visitor()

    def removed() -> bool:
        schedule_book().remove(schedule, who)
        return True

    if _done(removed):
        back = lambda: schedule_book().restore(schedule, who)  # noqa: E731 - one call, kept for later
        st.session_state["dashboard_undo"] = Undo(f"the schedule {schedule.cron}", back)
