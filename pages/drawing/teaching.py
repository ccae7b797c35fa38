"""On an answer that did not understand a word: an offer to say what it means."""

from __future__ import annotations

import streamlit as st

from ai_engine.errors import AssistantError
from ai_engine.types import Answer
from backend.vocabulary.teaching import teach, teachable
from pages import session
from pages.drawing.escaping import as_html, as_label


def draw_teach(answer: Answer, key: str) -> None:
    """Offer to teach the words that were not understood; nothing where there are none."""
    words = teachable(answer)
    if not words:
        return
    told = st.session_state.get(f"taught_{key}")
    if told:
        st.html(f'<p class="ba-note" role="status">{as_html(told)}</p>')
        return
    with (
        st.popover(as_label(f"Teach “{words[0]}”"), icon=":material/school:", key=f"teach_pop_{key}"),
        st.form(f"teach_{key}", border=False),
    ):
        word = st.selectbox("Word", words) if len(words) > 1 else words[0]
        meaning = st.text_input(as_label(f"“{word}” means"), placeholder="customers who joined this month")
        fault = st.empty()
        if not st.form_submit_button("Propose"):
            return
        try:
            teach(session.get_assistant(), str(word), meaning, session.visitor())
        except AssistantError as problem:
            fault.error(as_label(problem.user_message))
            return
    st.session_state[f"taught_{key}"] = (
        f"Proposed: “{word}” means {meaning}. It is understood once an editor has published it in the catalogue."
    )
    st.rerun()
