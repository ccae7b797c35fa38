"""Which model reads questions, and a call of it that says whether it answers."""

from __future__ import annotations

import streamlit as st

from ai_engine.errors import AssistantError
from backend.configuration.model_trial import try_model
from pages import session, source
from pages.drawing.escaping import as_html
from pages.drawing.states import draw_failed


def draw_model(*, may_change: bool) -> None:
    """Name it and where it is, never its key."""
    settings = source.settings()
    key = "a key is set" if settings.openai_api_key is not None else "no key is set"
    place = settings.openai_base_url or "the service's own address"
    said = "The built-in model reads questions: rules over the vocabulary. OPENAI_API_KEY sets up another."
    if any((settings.openai_api_key, settings.openai_base_url, settings.replay_file)):
        said = f"{settings.model} at {place}; {key} (OPENAI_API_KEY)."
    st.html(f"<p>{as_html(said)}</p>")
    if may_change and st.button("Test the model", key="try_model"):
        try:
            with st.spinner("Asking the model …"):
                tried = try_model(session.get_assistant(), session.visitor())
        except AssistantError as fault:
            draw_failed(fault.user_message)
            return
        if tried.is_well:
            st.html(f'<p class="ba-note" role="status">{as_html(tried.said)}</p>')
        else:
            draw_failed(tried.said)
