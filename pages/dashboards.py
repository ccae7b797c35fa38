"""Dashboards: pinned answers in a grid, asked again without a model whenever the page is opened."""

from __future__ import annotations

from concurrent.futures import Future
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import streamlit as st

from ai_engine.errors import AssistantError, NotPermitted
from backend.dashboards.book import DashboardView, scope_words
from backend.dashboards.files import dashboard_html
from backend.dashboards.tile_results import TileResult, shared_tile_results
from pages import dashboard_changes as changes
from pages import session, source
from pages.drawing.dashboards.grid import draw_grid
from pages.drawing.dashboards.heading import draw_actions, draw_choice, draw_undo
from pages.drawing.dashboards.schedules import draw_schedules
from pages.drawing.dashboards.scope import draw_scope
from pages.drawing.states import draw_empty, draw_failed, draw_no_permission
from pages.drawing.style import apply_style
from pages.drawing.welcome import draw_heading, opened

if TYPE_CHECKING:
    from ai_engine.semantics.intent import Intent
    from ai_engine.semantics.model import SemanticModel
    from backend.service import Assistant


def show() -> None:
    """Draw the whole screen."""
    apply_style()
    with st.container(key="dashboards"):
        draw_heading("Dashboards")
        assistant = opened(session.get_assistant, "the assistant", st.empty())
        if assistant is None:
            return
        try:
            _draw(assistant)
        except NotPermitted:
            draw_undo()
            _draw_not_there()
        except AssistantError as fault:
            draw_failed(fault.user_message)


def _draw(assistant: Assistant) -> None:
    who, asked = session.visitor(), st.query_params.get("d", "")
    book = changes.book()
    mine = book.mine(who)
    wanted = asked or (mine[0].id if mine else "")
    view = book.view(wanted, who) if wanted else None
    draw_choice(mine, view)
    draw_undo()
    if view is None:
        draw_empty("No dashboard yet", "Ask a question and choose Pin below its answer, or create a dashboard here.")
        return
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom"):
        models = (assistant.vocabulary.model, *shared_tile_results().models(view.tiles, who))
        draw_scope(view, assistant.vocabulary, models)
        scope, opened_now = changes.scope_of(view), source.opener()
        edits = draw_actions(view, lambda: _page_of(view.dashboard.id, scope, who, opened_now().vocabulary.model))
    if not view.tiles:
        draw_empty("This dashboard is empty", "Ask a question and choose Pin below its answer.")
        return
    minutes = view.dashboard.refresh_minutes
    if minutes and not edits:
        st.fragment(_draw_again, run_every=timedelta(minutes=minutes))(view.dashboard.id, who)
    else:
        _draw_tiles(view, edits=edits)
    known = assistant.settings
    draw_schedules(view, changes.schedule_book(), known.time_zone, known.schedules_dir is not None)


def _draw_again(dashboard_id: str, who: str) -> None:
    """Draw the tiles as they are by now, as long as the dashboard is there for this person."""
    try:
        _draw_tiles(changes.book().view(dashboard_id, who), edits=False)
    except NotPermitted:
        _draw_not_there()
    except AssistantError as fault:
        draw_failed(fault.user_message)


def _draw_not_there() -> None:
    draw_no_permission("see this dashboard: it is not there, or not shared with you")


def _draw_tiles(view: DashboardView, *, edits: bool) -> None:
    draw_grid(view, _results(view), edits=edits)


def _page_of(dashboard_id: str, scope: Intent, who: str, model: SemanticModel) -> bytes:
    """Write a dashboard as one page, as it is by now, narrowed as it is shown."""
    results, view = shared_tile_results(), changes.book().view(dashboard_id, who)
    owner = view.dashboard.owner
    started = [(tile, results.start(tile, scope, who, owner=owner, keep=False)) for tile in view.tiles]
    told = [(tile, future.result()) for tile, future in started]
    narrowed_by = scope_words(scope, (model, *results.models(view.tiles, who)))
    return dashboard_html(view.dashboard.name, narrowed_by, told, datetime.now().astimezone())


def _results(view: DashboardView) -> dict[str, Future[TileResult]]:
    """Have all tiles asked beside each other."""
    shared, scope, who = shared_tile_results(), changes.scope_of(view), session.visitor()
    keep = scope == view.dashboard.scope
    owner = view.dashboard.owner
    return {tile.id: shared.start(tile, scope, who, owner=owner, keep=keep) for tile in view.tiles}


show()
