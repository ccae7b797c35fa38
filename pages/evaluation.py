"""Evaluations: a set of questions is asked, judged by statements known to be right, and compared with before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from ai_engine.errors import AssistantError
from backend.evaluation.runs import Evaluations, runs_of, shared_evaluations
from backend.evaluation.sets import QuestionSets, permissions
from backend.store import shared_store
from backend.store.evaluations import KeptRun
from pages import session
from pages.drawing.evaluations.report import draw_report
from pages.drawing.states import draw_empty, draw_failed, draw_no_permission
from pages.drawing.style import apply_style
from pages.drawing.welcome import draw_heading, opened

if TYPE_CHECKING:
    from backend.service import Assistant

_LOOK_S = 2.0


def show() -> None:
    """Draw the whole screen."""
    apply_style()
    draw_heading("Evaluation")
    assistant = opened(session.get_assistant, "the assistant", st.empty())
    if assistant is None:
        return
    if not permissions(assistant.settings).allow(session.visitor()):
        draw_no_permission("run evaluations")
        return
    try:
        _draw(assistant)
    except AssistantError as fault:
        draw_failed(fault.user_message)


def _draw(assistant: Assistant) -> None:
    evaluations, sets = shared_evaluations(), QuestionSets(shared_store.get, assistant.settings)
    if said := st.session_state.pop("evaluation_told", ""):
        draw_failed(said)
    _draw_choice(assistant, evaluations, sets)
    if evaluations.running:
        st.fragment(_follow, run_every=_LOOK_S)(assistant, evaluations)
        return
    kept = [run for run in runs_of(assistant) if run.state != "running"]
    if not kept:
        draw_empty("Nothing was evaluated yet", "Choose a set of questions above and run it.")
        return
    chosen = st.selectbox("Evaluation", kept, format_func=_called, key="evaluation_run")
    before = next((run for run in kept[kept.index(chosen) + 1 :] if run.set_name == chosen.set_name), None)
    draw_report(chosen, before, assistant)


def _draw_choice(assistant: Assistant, evaluations: Evaluations, sets: QuestionSets) -> None:
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        name = st.selectbox("Set of questions", sets.names(), key="evaluation_set", width=360)
        st.button(
            "Run", type="primary", key="evaluate", icon=":material/play_arrow:", disabled=bool(evaluations.running),
            on_click=_start, args=(assistant, evaluations, sets, name),
        )  # fmt: skip
        with st.popover("Upload a set", icon=":material/upload:"):
            st.html('<p class="ba-note">One JSON object per line, with question and gold_sql.</p>')
            brought = st.file_uploader("JSON lines", ["jsonl"], key="evaluation_file")
            if brought is not None:
                kept = (sets, brought.name, brought.getvalue())
                st.button("Keep it", key="evaluation_keep", on_click=_bring, args=kept)


def _follow(assistant: Assistant, evaluations: Evaluations) -> None:
    """Show how far the run is, and leave for its report once it has ended."""
    run = next((one for one in runs_of(assistant) if one.state == "running"), None)
    if not evaluations.running:
        st.rerun()
    if run is not None:
        told = f"{run.asked} of {run.questions} questions"
        st.progress(run.asked / max(run.questions, 1), told)
    st.button("Stop", key="evaluation_stop", icon=":material/stop_circle:", on_click=evaluations.stop)


def _start(assistant: Assistant, evaluations: Evaluations, sets: QuestionSets, name: str) -> None:
    try:
        questions = sets.questions(name, assistant)
        evaluations.start(questions, name, assistant, session.visitor())
        st.session_state.pop("evaluation_run", None)
    except AssistantError as fault:
        st.session_state["evaluation_told"] = fault.user_message


def _bring(sets: QuestionSets, name: str, content: bytes) -> None:
    try:
        st.session_state["evaluation_set"] = sets.bring(name, content, session.visitor())
    except AssistantError as fault:
        st.session_state["evaluation_told"] = fault.user_message


def _called(run: KeptRun) -> str:
    ended = "" if run.state == "done" else f", {run.state}"
    return f"{run.started_at.astimezone():%d %b %Y %H:%M} · {run.set_name} · {run.model}{ended}"


show()
