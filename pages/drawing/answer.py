"""One finished exchange: the answer first, then what supports it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ai_engine.insight.amounts import format_cell
from ai_engine.types import Answer, QueryResult
from pages.drawing.chart import draw_chart
from pages.drawing.escaping import as_html, as_prose
from pages.drawing.evidence import draw_evidence
from pages.drawing.question import question_html
from pages.drawing.table import draw_row_count, draw_table
from pages.drawing.telling import draw_telling
from pages.drawing.trust import draw_trust
from pages.drawing.welcome import draw_questions
from pages.session import Exchange, ask_next, exchanges, settle, show_all_whole

LONG_HEADLINE_CHARS = 85
"""A longer headline is set smaller on a narrow screen, to fit three lines."""


def draw_answer(exchange: Exchange, place: int, currency: str | None) -> None:
    """Draw whatever came of a question; `place` counts the exchanges of the conversation."""
    answer, key = exchange.answer, str(place)
    if answer.status == "answered":
        if exchange.telling is None:
            st.html(_words(answer))
        else:
            draw_telling(exchange.telling, _words(answer), key, lambda: settle(exchanges()))
        if answer.result is not None:
            draw_result(answer, currency, key)
            draw_trust(answer, currency, key)
    else:
        _draw_problem(answer, key)
    if answer.suggestions and answer.status == "answered":
        draw_questions(answer.suggestions, key=f"suggestion_{key}")
    if answer.sql or exchange.steps or answer.failures:
        draw_evidence(exchange, key)


def draw_earlier(answers: Sequence[Answer]) -> None:
    """Draw turns long past in words, as one element, with a button that shows them whole."""
    if not answers:
        return
    said = [
        (item.question, (item.headline or item.summary) if item.status == "answered" else item.error or "")
        for item in answers
    ]
    st.html("".join(f'{question_html(question)}<p class="ba-folded">{as_prose(words)}</p>' for question, words in said))
    st.button(
        "Show earlier charts and tables", key="all_whole", type="tertiary", icon=":material/unfold_more:",
        on_click=show_all_whole,
    )  # fmt: skip


def said_html(summary: str, headline: str) -> str:
    """Write an answer in words: how it begins large, the rest below; all of it large where no beginning is known."""
    headline = headline or summary
    size = " ba-long" if len(headline) > LONG_HEADLINE_CHARS else ""
    rest = summary.removeprefix(headline).strip()
    more = f'<p class="ba-more">{as_prose(rest)}</p>' if rest else ""
    return f'<p class="ba-answer{size}">{as_prose(headline)}</p>{more}'


def _words(answer: Answer) -> str:
    parts = [said_html(answer.summary, answer.headline)]
    if answer.restatement:
        parts.append(f'<p class="ba-note">Understood as: {as_html(answer.restatement)}</p>')
    parts += [f'<p class="ba-note">Assumed: {as_html(assumption)}</p>' for assumption in answer.assumptions]
    return "".join(parts)


def draw_result(answer: Answer, currency: str | None, key: str) -> None:
    """Draw the chart, the rows and the files of an answer that has rows."""
    result = answer.result
    if result is None or not result.rows:
        return
    with st.container(key=f"result_{key}"):
        draw_chart(answer, currency, key=key)
        if not _says_it_all(answer, result, currency):
            draw_table(result, answer.columns, currency, key=key)
        draw_row_count(answer, result, key=key)


def _says_it_all(answer: Answer, result: QueryResult, currency: str | None) -> bool:
    """Tell whether the sentence holds the only figure to its last digit: a table would say it again."""
    if result.row_count != 1 or len(answer.columns) != 1 or answer.columns[0].role != "measure":
        return False
    figure = format_cell(result.rows[0][0], answer.columns[0], currency)
    return figure in (answer.headline or answer.summary).removesuffix(".").split()


def _draw_problem(answer: Answer, key: str) -> None:
    st.html(f'<p class="ba-problem" role="alert">{as_html(answer.error or "")}</p>')
    if answer.status == "failed" and answer.question_id:
        st.html(f'<p class="ba-note">Question {as_html(answer.question_id)} in the server\'s log</p>')
    if answer.choices:
        draw_questions(answer.choices, key=f"choice_{key}")
    elif answer.suggestions:
        st.html('<p class="ba-note">Questions that can be answered:</p>')
        draw_questions(answer.suggestions, key=f"suggestion_{key}")
    elif answer.status == "failed":
        st.button(
            "Ask again", key=f"again_{key}", icon=":material/refresh:", on_click=ask_next, args=(answer.question,)
        )
