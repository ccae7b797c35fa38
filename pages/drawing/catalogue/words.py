"""Words of the bank that stand for something else, those that nobody taught yet, and the form that teaches one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from ai_engine.errors import AssistantError
from backend.catalogue.entries import entries
from backend.vocabulary.teaching import teach
from pages import session
from pages.drawing.catalogue.entries import draw_entries
from pages.drawing.catalogue.forms import tell
from pages.drawing.escaping import as_html, as_label
from pages.drawing.states import draw_empty

if TYPE_CHECKING:
    from backend.service import Assistant


def draw_words(assistant: Assistant) -> None:
    """Draw the words that are known, those that were asked for in vain, and a form."""
    known = [entry for entry in entries(assistant.vocabulary.model) if entry.kind == "word"]
    draw_teaching(assistant, st.session_state.get("teach_word", ""), key="words")
    asked = assistant.unknown_words.most_asked()
    if asked:
        st.html('<h2 class="ba-thing">Asked, not understood</h2>')
        with st.container(gap=None, key="unknown_words"):
            for place, (word, times) in enumerate(asked):
                with st.container(horizontal=True, vertical_alignment="center", key=f"unknown_{place}"):
                    st.button(
                        "Teach it", key=f"teach_unknown_{place}", help=f"Say what {as_label(word)} means",
                        on_click=st.session_state.__setitem__, args=("teach_word", word),
                    )  # fmt: skip
                    st.html(f"<p>Asked {times:,} times, not understood: <b>{as_html(word)}</b></p>")
    st.html('<h2 class="ba-thing">Words with a meaning of the bank\'s</h2>')
    if known:
        draw_entries(known, "all_words")
    else:
        draw_empty("No words were taught yet", "“NTB means customers who joined this month” is such a word.")


def draw_teaching(assistant: Assistant, word: str, *, key: str) -> None:
    """Let somebody say what a word means; it is proposed once the meaning itself is understood."""
    with st.form(f"teach_{key}_{word}_{st.session_state.get('taught_words', 0)}", border=False):
        said = st.text_input("Word", word)
        meaning = st.text_input("Means", placeholder="customers who joined this month")
        fault = st.empty()
        if not st.form_submit_button("Teach it", icon=":material/school:"):
            return
    try:
        teach(assistant, said, meaning, session.visitor())
    except AssistantError as problem:
        fault.error(as_label(problem.user_message))
        return
    st.session_state.pop("teach_word", None)
    st.session_state["taught_words"] = st.session_state.get("taught_words", 0) + 1
    tell("Proposed. It is understood once an editor has published it, under Changes.")
    st.rerun()
