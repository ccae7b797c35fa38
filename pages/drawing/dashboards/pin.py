"""The button below an answer that pins it to a dashboard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import streamlit as st

from ai_engine.errors import AssistantError
from ai_engine.types import Answer, ChartKind
from backend.charts import title_of
from backend.dashboards.book import MOST_NAME_CHARS
from backend.store.dashboards import Dashboard
from pages import dashboard_changes as changes
from pages import session
from pages.drawing.escaping import as_html, as_label

_PAGE = Path(__file__).parents[2] / "dashboards.py"
_NEW = "A new dashboard"


def draw_pin(answer: Answer, key: str) -> None:
    """Offer to pin an answer that has rows, as it is drawn now."""
    if answer.result is None or answer.sql is None:
        return
    if st.button("Pin", key=f"pin_{key}", type="tertiary", icon=":material/keep:", help="Pin to a dashboard"):
        chart: ChartKind = st.session_state.get(f"kind_{key}") or answer.chart
        _choose(answer, chart, key)


@st.dialog("Pin to a dashboard")
def _choose(answer: Answer, chart: ChartKind, key: str) -> None:
    """Ask where to; what is kept is asked anew whenever the dashboard is opened.

    What is told stands first, where opening the dialog again overwrites it before anything has to be waited for.
    """
    told = st.empty()
    try:
        mine = changes.book().mine(session.visitor())
    except AssistantError as fault:
        told.html(f'<p class="ba-problem" role="alert">{as_html(fault.user_message)}</p>')
        return
    form = st.empty()
    with form.container():
        chosen, new_name, title = _draw_where_to(mine, answer, key)
        if not st.button("Pin", type="primary", key=f"pin_done_{key}"):
            return
    try:
        board = changes.pin(answer, chart, title, chosen.id if chosen else None, new_name)
    except AssistantError as fault:
        told.html(f'<p class="ba-problem" role="alert">{as_html(fault.user_message)}</p>')
        return
    form.empty()
    with told.container():
        st.html(f'<p class="ba-note" role="status">Pinned to {as_html(board.name)}.</p>')
        label = f"Open {as_label(board.name)}"
        st.page_link(_PAGE, label=label, icon=":material/dashboard:", query_params={"d": board.id})


def _draw_where_to(mine: Sequence[Dashboard], answer: Answer, key: str) -> tuple[Dashboard | None, str, str]:
    """Ask for a dashboard, or the name of a new one, and for the tile's title."""
    offered: list[Dashboard | None] = [*mine, None]
    chosen = st.selectbox(
        "Dashboard", offered, format_func=lambda one: _NEW if one is None else one.name, key=f"pin_to_{key}"
    )  # fmt: skip
    name_key = f"pin_new_{key}"
    new_name = "" if chosen else st.text_input("Its name", "My dashboard", max_chars=MOST_NAME_CHARS, key=name_key)
    proposed = title_of(replace(answer, scope=answer.scope.removesuffix(answer.period).rstrip(", ")))[:MOST_NAME_CHARS]
    title = st.text_input("Title of the tile", proposed, max_chars=MOST_NAME_CHARS, key=f"pin_title_{key}")
    return chosen, new_name, title
