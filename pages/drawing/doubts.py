"""Asks about the few columns that an inferred vocabulary is unsure of; nothing has to be answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from ai_engine.errors import AssistantError
from ai_engine.semantics.infer.doubts import ColumnAnswer, Doubt
from backend.sources.source import Source
from backend.vocabulary import doubts
from pages import source
from pages.drawing.escaping import as_html, as_label
from pages.drawing.states import draw_failed

if TYPE_CHECKING:
    from backend.service import Assistant


def draw_doubts(one: Source | None) -> None:
    """Draw the questions of a source as one form, for those whose word counts there."""
    if one is None:
        return
    try:
        assistant = source.assistant_of(one)
        if not doubts.may_answer(assistant, one, source.visitor()):
            return
        asked = _asked(one, assistant)
    except AssistantError as fault:
        draw_failed(fault.user_message)
        return
    if not asked:
        return
    with st.form(f"doubts_{one.name}"):
        st.html(f"<p><strong>Questions about {as_html(one.title)}</strong><br>First stands what was taken for it.</p>")
        said = [_draw(one, doubt) for doubt in asked]
        if st.form_submit_button("That is right", type="primary"):
            try:
                doubts.answer(assistant, one, said, source.visitor())
            except AssistantError as fault:
                draw_failed(fault.user_message)
                return
            source.reopen(one)
            st.session_state.pop("doubts_asked", None)
            st.rerun()


def _asked(one: Source, assistant: Assistant) -> tuple[Doubt, ...]:
    """Look once for each vocabulary, which is kept beside what was found: it samples the tables."""
    name, vocabulary, found = st.session_state.get("doubts_asked", ("", None, ()))
    if name != one.name or vocabulary is not assistant.vocabulary:
        with st.spinner("Looking what is in doubt …"):
            found = doubts.open_doubts(assistant)
        st.session_state["doubts_asked"] = (one.name, assistant.vocabulary, found)
    kept: tuple[Doubt, ...] = found
    return kept


def _draw(one: Source, doubt: Doubt) -> ColumnAnswer:
    shown = f" For instance {', '.join(doubt.shown)}." if doubt.shown else ""
    place = st.radio(
        as_label(f"{doubt.question}{shown}", 300), range(len(doubt.choices)), horizontal=True,
        format_func=lambda at: as_label(doubt.choices[at]),
        key=f"doubt_{one.name}_{doubt.dataset}_{doubt.field}_{doubt.asked}",
    )  # fmt: skip
    return ColumnAnswer(doubt.dataset, doubt.field, doubt.asked, doubt.choices[place])
