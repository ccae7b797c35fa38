"""What stands above the tiles: which dashboard it is, and what is done with the whole of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from backend.answers.exports import file_name
from backend.dashboards.book import MOST_NAME_CHARS, DashboardView
from backend.store.dashboards import Dashboard
from pages import dashboard_changes as changes
from pages.drawing.escaping import as_html, as_label

_REFRESH = {0: "When opened", 1: "Every minute", 5: "Every 5 minutes", 15: "Every 15 minutes", 60: "Every hour"}


def draw_choice(mine: list[Dashboard], shown: DashboardView | None) -> None:
    """Draw the choice among one's dashboards, and the way to a new one."""
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        names = {one.id: one.name for one in mine}
        if shown is not None and not shown.is_mine:
            names = {shown.dashboard.id: f"{shown.dashboard.name} (shared with you)", **names}
        if names:
            here = list(names).index(shown.dashboard.id) if shown is not None else 0
            st.selectbox(
                "Dashboard", list(names), here, format_func=lambda one: names[one], key="dashboard_chosen", width=320,
                on_change=lambda: changes.open_one(st.session_state["dashboard_chosen"]),
            )  # fmt: skip
        with st.popover("New dashboard", icon=":material/add:"):
            st.text_input("Name", key="dashboard_name", max_chars=MOST_NAME_CHARS)
            st.button("Create", type="primary", on_click=_create)


def draw_actions(view: DashboardView, write_page: Callable[[], bytes]) -> bool:
    """Draw what is done with a dashboard; true while its tiles are being edited.

    Args:
        write_page: makes the page that is downloaded, when somebody asks for it.
    """
    board = view.dashboard
    edits = False
    with st.container(
        horizontal=True, gap="small", vertical_alignment="center", width="content", key="dashboard_actions"
    ):
        if view.is_mine:
            edits = st.toggle("Edit", key=f"edit_{board.id}")
            with st.popover("Settings", icon=":material/tune:"):
                _draw_settings(board)
        elif board.refresh_minutes:
            st.html(f'<p class="ba-note">Refreshed {_REFRESH.get(board.refresh_minutes, "").lower()}</p>')
        st.download_button(
            "HTML", write_page, file_name(board.name, "html"), "text/html", icon=":material/download:",
            help="Download as one page that needs nothing else", on_click="ignore", key=f"export_{board.id}",
        )  # fmt: skip
    return edits


def draw_undo() -> None:
    """Offer to bring back what was removed last, and say why a click did nothing."""
    removed, said = changes.undo(), changes.told()
    if said:
        st.html(f'<p class="ba-problem" role="alert">{as_html(said)}</p>')
    if removed is not None:
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="dashboard_undo_bar"):
            st.html(f'<p class="ba-note" role="status">Removed {as_html(removed.said)}.</p>', width="content")
            st.button("Undo", icon=":material/undo:", on_click=changes.take_back)


def _create() -> None:
    changes.create(st.session_state["dashboard_name"])
    st.session_state["dashboard_name"] = ""


def _draw_settings(board: Dashboard) -> None:
    name, shared, refresh = f"name_{board.id}", f"shared_{board.id}", f"refresh_{board.id}"

    def keep() -> None:
        state = st.session_state
        kept = replace(board, name=state[name], is_shared=state[shared], refresh_minutes=state[refresh])
        changes.change(kept)

    st.text_input("Name", board.name, key=name, max_chars=MOST_NAME_CHARS, on_change=keep)
    offered = sorted({*_REFRESH, board.refresh_minutes})
    st.selectbox(
        "Refresh", offered, offered.index(board.refresh_minutes), key=refresh, on_change=keep,
        format_func=lambda minutes: _REFRESH.get(minutes, f"Every {minutes} minutes"),
    )  # fmt: skip
    st.toggle(
        "Shared: everybody here who has the link may read it", board.is_shared, key=shared, on_change=keep
    )  # fmt: skip
    if board.is_shared:
        st.code(f"?d={board.id}", language=None)
    st.button(
        f"Remove {as_label(board.name)}", icon=":material/delete:", on_click=changes.remove, args=(board.id,),
    )  # fmt: skip
