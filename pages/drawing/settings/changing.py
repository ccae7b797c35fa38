"""Settings with their values; those who may can set others, which take effect at once and for everybody."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ai_engine.errors import AssistantError
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
            now = listed[name]
            by = f"Changed by {as_label(now.by)}; emptied, the environment's counts again." if now.by else ""
            given[name] = st.text_input(
                _label(name),
                now.value, key=f"set_{name}", disabled=not may_change, placeholder="unset",
                help=by or None, max_chars=200,
            )  # fmt: skip
        if may_change and st.form_submit_button("Change", type="primary"):
            _change({name: text for name, text in given.items() if text.strip() != listed[name].value}, key)
    told = st.session_state.pop(f"{_TOLD}_{key}", None)
    if told is not None and told[0]:
        st.html(f'<p class="ba-note" role="status">{as_html(told[1])}</p>')
    elif told is not None:
        draw_failed(told[1])


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
    return f"BANK_{name.upper()}: {said}"  # ours, so that no reader of the screen hears backslashes
