"""The settings that only the environment changes: what each is called, its value and what it means."""

from __future__ import annotations

import streamlit as st

from backend.configuration.fixed_settings import FixedSetting, fixed_settings
from pages import source
from pages.drawing.escaping import as_html
from pages.drawing.states import draw_empty


def draw_fixed(*, may_see_places: bool) -> None:
    """List them, narrowed by a search."""
    st.html('<p class="ba-muted">These count from the start of the app: set the variable and start it anew.</p>')
    search = st.text_input(
        "Search settings", key="search_fixed", placeholder="For example timeout, or BANK_STORE", max_chars=100
    )
    found = fixed_settings(source.base_settings(), search, may_see_places=may_see_places)
    if not found:
        draw_empty("No such setting", "Look for a part of its name or for a word of what it means.")
        return
    st.html(f'<p class="ba-note" role="status">{len(found)} setting{"s" * (len(found) != 1)}</p>')
    st.html("".join(map(_line, found)))


def _line(one: FixedSetting) -> str:
    value = as_html(one.value) if one.value else '<span class="ba-muted">unset</span>'
    meaning = as_html(one.meaning.replace("`", ""))
    return (
        f'<p class="ba-setting"><code>{as_html(one.variable)}</code> {value}<span class="ba-muted">{meaning}</span></p>'
    )
