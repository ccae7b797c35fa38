"""Says which data source is asked, and lets another be chosen; a conversation is about one of them."""

from __future__ import annotations

import streamlit as st

from ai_engine.errors import AssistantError
from pages import conversations, source
from pages.drawing.escaping import as_html, as_label

_KEY = "chosen_source"


def draw_source() -> None:
    """Name the current source; a choice where there are several. Settings that are wrong are told elsewhere."""
    try:
        titles = {one.name: one.title for one in source.permitted()}
    except AssistantError:
        return
    if not titles:
        return
    named = source.chosen() or next(iter(titles))
    if named not in titles:
        first = next(iter(titles))
        st.button(
            f"Ask {as_label(titles[first])}", key="first_source", type="tertiary", on_click=_choose, args=(first,)
        )
    elif len(titles) == 1:
        st.html(f'<p class="ba-source" title="Data source">{as_html(titles[named])}</p>', width="content")
    else:
        st.session_state[_KEY] = named
        st.selectbox(
            "Data source", list(titles), key=_KEY, format_func=lambda name: as_label(titles[name]), width=200,
            label_visibility="collapsed", on_change=_choose_shown,
        )  # fmt: skip
        source.choose(named)


def draw_first_only() -> None:
    """Say that the first source is asked here whatever was chosen."""
    permitted = source.permitted()
    if permitted and source.chosen() not in (None, permitted[0].name):
        st.html(
            f'<p class="ba-warning">The supervisor asks {as_html(permitted[0].title)}, whatever is chosen above.</p>'
        )


def _choose_shown() -> None:
    _choose(st.session_state[_KEY])


def _choose(name: str) -> None:
    """Begin a new conversation with another source: what was said before is about other tables."""
    conversations.leave(for_source=name)
