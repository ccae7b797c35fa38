"""Right or wrong, and why: what a person says of an answer, kept for those who look after the answers."""

from __future__ import annotations

import streamlit as st

from ai_engine.errors import AssistantError
from ai_engine.types import Answer
from backend.store.feedback import Verdict
from pages import session
from pages.drawing.escaping import as_html


@st.fragment
def draw_feedback(answer: Answer, key: str) -> None:
    """Draw two buttons, then what became of the click; only this is drawn again."""
    if not answer.question_id:
        return
    said = st.session_state.get(_said(answer))
    if said is None:
        with st.container(horizontal=True, gap="small", vertical_alignment="center", key=f"feedback_{key}"):
            st.html('<p class="ba-note">Is this right?</p>', width="content")
            for verdict, label, icon in (("right", "Right", "thumb_up"), ("wrong", "Wrong", "thumb_down")):
                st.button(
                    label, key=f"{verdict}_{key}", type="tertiary", icon=f":material/{icon}:", on_click=_say,
                    args=(answer, verdict, ""),
                )  # fmt: skip
        return
    st.html(f'<p class="ba-note" role="status">{as_html(said)}</p>')
    if said == _ASKED:
        _draw_reason(answer, key)


_ASKED = "Noted as wrong. What is wrong with it?"
_THANKS = "Noted. Those who look after the answers will read it."


def _draw_reason(answer: Answer, key: str) -> None:
    with st.form(f"reason_{key}", border=False, enter_to_submit=True):
        st.text_input(
            "What is wrong with it?", key=f"why_{key}", label_visibility="collapsed",
            placeholder="Closed accounts are in it, for example",
            max_chars=session.get_assistant().limits.max_question_chars,
        )  # fmt: skip
        st.form_submit_button("Send", icon=":material/send:", on_click=_give_reason, args=(answer, f"why_{key}"))


def _give_reason(answer: Answer, typed: str) -> None:
    _say(answer, "wrong", st.session_state.get(typed, ""))


def _say(answer: Answer, verdict: Verdict, reason: str) -> None:
    try:
        session.get_assistant().feedback.say(answer, verdict, reason, session.visitor())
        told = _ASKED if verdict == "wrong" and not reason else _THANKS if verdict == "wrong" else "Noted as right."
    except AssistantError as fault:
        told = fault.user_message
    st.session_state[_said(answer)] = told


def _said(answer: Answer) -> str:
    return f"feedback_{answer.question_id}"
