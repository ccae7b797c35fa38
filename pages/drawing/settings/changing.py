"""Settings with their values; those who may can set others, which take effect at once and for everybody."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ai_engine.errors import AssistantError
from backend.configuration.changed_settings import Changed, choices_of
from backend.settings import Settings
from pages import source
from pages.drawing.escaping import as_html, as_label
from pages.drawing.states import draw_failed

_TOLD = "settings_told"


def draw_settings(names: Sequence[str], *, may_change: bool, key: str) -> None:
    """Draw a form of some settings; an emptied one is given back to the environment."""
    listed = {one.name: one for one in source.changed_settings() if one.name in names}
    with st.form(f"settings_{key}", border=may_change):
        given = {}
        for name in names:
            given[name] = _draw_setting(listed[name], may_change=may_change)
        if may_change and st.form_submit_button("Change", type="primary"):
            _change({name: text for name, text in given.items() if text.strip() != listed[name].value}, key)
    told = st.session_state.pop(f"{_TOLD}_{key}", None)
    if told is not None and told[0]:
        st.html(f'<p class="ba-note" role="status">{as_html(told[1])}</p>')
    elif told is not None:
        draw_failed(told[1])


def _draw_setting(now: Changed, *, may_change: bool) -> str:
    """Draw a list of what it may be, or a field where it may be much; returns what stands there, empty: unset."""
    by = f"Changed by {as_label(now.by)}; emptied, the environment's counts again." if now.by else None
    key, choices = f"set_{now.name}", choices_of(now.name)
    if not choices:
        return st.text_input(
            _label(now.name), now.value, key=key, disabled=not may_change, placeholder="unset", help=by, max_chars=200
        )
    offered = choices if now.value and not now.by else ("", *choices)
    return st.selectbox(
        _label(now.name), offered, offered.index(now.value), key=key, disabled=not may_change, help=by,
        format_func=lambda one: one or "as the environment has it",
    )  # fmt: skip


def _change(wanted: dict[str, str], key: str) -> None:
    try:
        for name, text in wanted.items():
            source.change_setting(name, text.strip() or None)
        said = (True, "Changed. It counts from the next question on." if wanted else "Nothing was changed.")
    except AssistantError as fault:
        said = (False, fault.user_message)
    st.session_state[f"{_TOLD}_{key}"] = said


def _label(name: str) -> str:
    said = str(Settings.model_fields[name].description).replace("`", "")
    return f"{said} (BANK_{name.upper()})"  # ours, so that no reader of the screen hears backslashes
