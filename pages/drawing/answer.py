"""One finished exchange: the answer first, then what supports it."""

from __future__ import annotations

import streamlit as st

from ai_engine.types import Answer
from pages.drawing.chart import draw_chart
from pages.drawing.escaping import as_html, as_prose
from pages.drawing.evidence import draw_evidence
from pages.drawing.table import draw_row_count, draw_table
from pages.drawing.welcome import draw_questions
from pages.session import Exchange, ask_next


def draw_answer(exchange: Exchange, place: int, currency: str | None) -> None:
    """Draw whatever came of a question; `place` counts the exchanges of the conversation."""
    answer, key = exchange.answer, str(place)
    if answer.status == "answered":
        _draw_words(answer)
        if answer.result is not None:
            _draw_result(answer, currency, key)
    else:
        _draw_problem(answer, key)
    if answer.suggestions and answer.status == "answered":
        draw_questions(answer.suggestions, key=f"suggestion_{key}")
    if answer.sql or exchange.steps or answer.failures:
        draw_evidence(exchange, key)


def _draw_words(answer: Answer) -> None:
    parts = [f'<p class="ba-answer">{as_prose(answer.summary)}</p>']
    if answer.restatement:
        parts.append(f'<p class="ba-note">Understood as: {as_html(answer.restatement)}</p>')
    parts += [f'<p class="ba-note">Assumed: {as_html(assumption)}</p>' for assumption in answer.assumptions]
    st.html("".join(parts))


def _draw_result(answer: Answer, currency: str | None, key: str) -> None:
    result = answer.result
    if result is None or not result.rows:
        return
    draw_chart(result, answer.columns, answer.chart, currency, key=key)
    draw_table(result, answer.columns, currency, key=key)
    draw_row_count(result, key=key)


def _draw_problem(answer: Answer, key: str) -> None:
    st.html(f'<p class="ba-problem" role="alert">{as_html(answer.error or "")}</p>')
    if answer.choices:
        draw_questions(answer.choices, key=f"choice_{key}")
    elif answer.suggestions:
        st.html('<p class="ba-note">Questions that can be answered:</p>')
        draw_questions(answer.suggestions, key=f"suggestion_{key}")
    elif answer.status == "failed":
        st.button(
            "Ask again", key=f"again_{key}", icon=":material/refresh:", on_click=ask_next, args=(answer.question,)
        )
