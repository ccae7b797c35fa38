"""The list of this visitor's conversations, below the screens."""

from __future__ import annotations

import streamlit as st

from backend.store.conversations import Conversation
from pages import conversations, keeping
from pages.drawing.escaping import as_html, as_label

_MOST_CHARS = 34
_PAGES = "conversation_pages"


def draw_conversations() -> None:
    """Draw the list by last use, with search; what was deleted last can be taken back."""
    with st.sidebar.container(key="conversations", gap=None):
        st.html('<h2 class="ba-side">Conversations</h2>')
        search = st.text_input(
            "Search conversations", placeholder="Search conversations", key="conversation_search",
            label_visibility="collapsed",
        )  # fmt: skip
        _draw_deleted()
        pages = int(st.session_state.get(_PAGES, 1))
        found = conversations.listed(search, pages)
        if found is None:
            st.html(f'<p class="ba-note" role="alert">{as_html(keeping.fault())}</p>')
            return
        if not found:
            hint = "None has this in its name or questions." if search.strip() else "What you ask is kept here."
            st.html(f'<p class="ba-note">{hint}</p>')
        most = pages * conversations.PAGE_LENGTH
        for place, one in enumerate(found[:most]):
            _draw_line(one, place)
        if len(found) > most:
            st.button("Show more", key="more_conversations", type="tertiary", on_click=_show_more)


def _draw_line(one: Conversation, place: int) -> None:
    if one.id != conversations.current():
        label = as_label(one.title, _MOST_CHARS)
        st.button(label, key=f"conversation_{place}", type="tertiary", on_click=conversations.choose, args=(one.id,))
        return
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center", key="conversation_open"):
        st.html(f'<p class="ba-side-open" aria-current="true">{as_html(one.title)}</p>')
        with st.popover("Edit", type="tertiary"):
            key = f"title_{one.id}"
            st.text_input(
                "Name", value=one.title, key=key, max_chars=200, on_change=conversations.rename, args=(one.id, key)
            )
            st.button(
                "Delete", key=f"delete_{one.id}", icon=":material/delete:", on_click=conversations.delete, args=(one,)
            )


def _draw_deleted() -> None:
    deleted: Conversation | None = st.session_state.get("deleted")
    if deleted is None:
        return
    st.html(f'<p class="ba-note" role="status">Deleted: {as_html(deleted.title)}</p>')
    st.button("Undo", key="undelete", type="tertiary", icon=":material/undo:", on_click=conversations.undelete)


def _show_more() -> None:
    st.session_state[_PAGES] = int(st.session_state.get(_PAGES, 1)) + 1
