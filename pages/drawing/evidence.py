"""What an answer rests on: its SQL, the reading of the question, the steps and their times."""

from __future__ import annotations

import streamlit as st

from ai_engine.types import Answer, FailedDraft
from pages.drawing.escaping import as_html
from pages.drawing.progress import step_line
from pages.session import Exchange

_TIMED = {
    "intent": "Understanding",
    "sql": "Writing SQL",
    "validation": "Checking SQL",
    "execution": "Database",
    "insight": "Explaining",
    "total": "Total",
}


def draw_evidence(exchange: Exchange, key: str) -> None:
    """Draw everything that supports an answer, folded away until someone asks."""
    answer = exchange.answer
    tabs = [name for name, there in (("SQL", answer.sql), ("Details", True)) if there]
    heading = "How this was answered" if answer.status == "answered" else "What was tried"
    with st.expander(heading, key=f"evidence_{key}"):
        for name, tab in zip(tabs, st.tabs(tabs), strict=True):
            with tab:
                if name == "SQL":
                    st.code(answer.sql or "", language="sql", wrap_lines=True)
                else:
                    _draw_details(exchange)


def _draw_details(exchange: Exchange) -> None:
    answer = exchange.answer
    if answer.meanings:
        st.html(_facts("Words of the question", [(item.words, item.meaning) for item in answer.meanings]))
    if exchange.steps:
        st.html('<p class="ba-note">Steps</p>' + "".join(step_line(step) for step in exchange.steps))
    st.html(_facts("Time", _times(answer)))
    for failure in answer.failures:
        _draw_failure(failure)


def _times(answer: Answer) -> list[tuple[str, str]]:
    spent = [(name, answer.timings_ms[step]) for step, name in _TIMED.items() if answer.timings_ms.get(step)]
    return [*((name, f"{elapsed_ms:,.0f} ms") for name, elapsed_ms in spent), ("Answered by", answer.model)]


def _draw_failure(failure: FailedDraft) -> None:
    st.html(f'<p class="ba-note">An earlier attempt did not work: {as_html(failure.user_message)}</p>')
    if failure.sql:
        st.code(failure.sql, language="sql", wrap_lines=True)


def _facts(heading: str, facts: list[tuple[str, str]]) -> str:
    rows = "".join(f"<tr><th>{as_html(name)}</th><td>{as_html(value)}</td></tr>" for name, value in facts)
    return f'<p class="ba-note">{as_html(heading)}</p><table class="ba-facts">{rows}</table>'
