"""What a visitor sees before the first question: what this is, what can be asked, or why nothing can be."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ai_engine.errors import AssistantError
from pages import session
from pages.drawing.escaping import as_html, as_label
from pages.drawing.source import draw_source
from pages.drawing.states import draw_failed

_log = logging.getLogger(__name__)
_Opened = TypeVar("_Opened")


def draw_heading(title: str = "Banking Assistant") -> DeltaGenerator:
    """Name the product or the screen; beside the name there is room for a button."""
    heading = st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", key="heading"
    )
    heading.html(f'<h1 class="ba-name">{as_html(title)}</h1>', width="content")
    with heading:
        draw_source()
    return heading


def offer_fresh_start(leave: Callable[[], None] = session.forget) -> None:
    """Offer to leave the conversation behind."""
    st.button("New conversation", key="forget", type="tertiary", icon=":material/add:", on_click=leave)


def draw_examples(questions: tuple[str, ...]) -> None:
    """Invite a first question with a few that can be answered."""
    st.html(
        '<h2 class="ba-lead">What would you like to know?</h2>'
        '<p class="ba-muted">Ask in plain English. You get the figure, a chart, the table behind it, and the SQL '
        "that produced it.</p>"
    )
    draw_questions(questions, key="example")


def draw_questions(questions: tuple[str, ...], *, key: str) -> None:
    """Offer questions as buttons that ask them."""
    with st.container(horizontal=True, gap="small", key=f"{key}s"):
        for place, question in enumerate(questions):
            st.button(as_label(question), key=f"{key}_{place}", on_click=session.ask_next, args=(question,))


def draw_notes(notes: tuple[str, ...]) -> None:
    """Say what is taken for given about a database of one's own, closed until somebody asks."""
    if notes:
        with st.expander("How this database was understood", icon=":material/info:"):
            for note in notes:
                st.html(f'<p class="ba-muted">{as_html(note)}</p>')


def opened(open_it: Callable[[], _Opened], what: str, place: DeltaGenerator) -> _Opened | None:
    """Open what a page asks, or say in `place` why it cannot be and offer to look again; then None."""
    message = f"{what.capitalize()} could not be started; the server's log says why. Put that right, then try again."
    try:
        return open_it()
    except AssistantError as fault:
        message = fault.user_message
    except Exception:  # noqa: BLE001 - a page never ends in a traceback, whatever is broken
        _log.exception("%s cannot be opened", what)
    with place.container():
        draw_failed(message)
        st.button("Try again", key="reopen", icon=":material/refresh:")
    return None
