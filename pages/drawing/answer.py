"""One finished exchange: the answer first, then what supports it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from ai_engine.formats import Formats
from ai_engine.insight.amounts import format_cell
from ai_engine.types import Answer, QueryResult
from pages import session
from pages.drawing.chart import draw_chart, kinds_of
from pages.drawing.chips import draw_chips, draw_next_questions, draw_origin
from pages.drawing.dashboards.pin import draw_pin
from pages.drawing.details import detail_views
from pages.drawing.drill import can_drill, choose_marked, draw_drill
from pages.drawing.escaping import as_html, as_prose
from pages.drawing.feedback import draw_feedback
from pages.drawing.question import question_html
from pages.drawing.sql import sql_views
from pages.drawing.table import draw_row_count, draw_table, draw_totals, table_key
from pages.drawing.teaching import draw_teach
from pages.drawing.telling import draw_telling
from pages.drawing.tie_out import draw_tie_out
from pages.drawing.trust import draw_trust, draw_verifying
from pages.drawing.views import View, draw_views
from pages.drawing.welcome import draw_questions
from pages.formats import for_visitor, words_of
from pages.session import Exchange

LONG_HEADLINE_CHARS = 85
"""A longer headline is set smaller on a narrow screen, to fit three lines."""


def draw_answer(exchange: Exchange, place: int, formats: Formats) -> None:
    """Draw whatever came of a question; `place` counts the exchanges of the conversation."""
    answer, key = exchange.answer, session.key_of(exchange, place)
    there = answer.sql or exchange.steps or answer.failures
    evidence = (*sql_views(answer, key), *detail_views(exchange)) if there else ()
    draw_origin(answer)
    if answer.status == "answered":
        if exchange.telling is None or not exchange.telling.summary_follows:
            st.html(_words(answer))
        else:
            draw_telling(exchange.telling, _words(answer), key, lambda: session.settle(session.exchanges()))
        draw_chips(answer, key)
        draw_result(answer, formats, key, evidence, asked_by=exchange.asked_by)
        marks = st.container()
        if answer.result is not None:
            draw_trust(answer, formats, key)
            with st.container(horizontal=True, gap="small", vertical_alignment="center", key=f"doing_{key}"):
                draw_pin(answer, key)
                draw_verifying(answer, key)
                draw_feedback(answer, key)
        draw_next_questions(answer, key)
        if answer.suggestions:
            draw_questions(answer.suggestions, key=f"suggestion_{key}")
        with marks:  # drawn last, as it may have to be waited for
            draw_tie_out(exchange, lambda: session.settle(session.exchanges()))
    else:
        _draw_problem(answer, key)
        draw_teach(answer, key)
        if evidence:
            _fold_away("What was tried", evidence, key)


def draw_earlier(answers: Sequence[Answer], show_whole: Callable[[], None]) -> None:
    """Draw turns long past in words, as one element, with a button that shows them whole."""
    if not answers:
        return
    said = [(item.question, _in_short(item)) for item in answers]
    st.html("".join(f'{question_html(question)}<p class="ba-folded">{as_prose(words)}</p>' for question, words in said))
    st.button(
        "Show earlier charts and tables", key="draw_all_whole", type="tertiary", icon=":material/unfold_more:",
        on_click=show_whole,
    )  # fmt: skip


def _in_short(answer: Answer) -> str:
    headline, summary = words_of(answer)
    return (headline or summary) if answer.status == "answered" else answer.error or ""


def said_html(summary: str, headline: str) -> str:
    """Write an answer in words: how it begins large, the rest below; all of it large where no beginning is known."""
    headline = headline or summary
    size = " ba-long" if len(headline) > LONG_HEADLINE_CHARS else ""
    rest = summary.removeprefix(headline).strip()
    more = f'<p class="ba-more">{as_prose(rest)}</p>' if rest else ""
    return f'<p class="ba-answer{size}">{as_prose(headline)}</p>{more}'


def _words(answer: Answer) -> str:
    headline, summary = words_of(answer)
    parts = [said_html(summary, headline)]
    if answer.restatement:
        parts.append(f'<p class="ba-note">Understood as: {as_html(for_visitor(answer.restatement))}</p>')
    parts += [
        f'<p class="ba-note">Assumed: {as_html(for_visitor(assumption))}</p>' for assumption in answer.assumptions
    ]
    return "".join(parts)


def draw_result(
    answer: Answer, formats: Formats, key: str, evidence: tuple[View, ...] = (), *, asked_by: str = ""
) -> None:
    """Draw the chart, the rows and the files of an answer that has rows, and the views of what it rests on.

    `asked_by` is who asked, empty for this visitor.
    """
    result = answer.result
    views: list[View] = []
    if kinds := kinds_of(answer):
        views.append(("Chart", partial(draw_chart, answer, kinds, formats, key=key)))
    if result is not None and result.rows and not _says_it_all(answer, result, formats):
        views.append(("Table", partial(_draw_rows, answer, result, formats, key)))
    with st.container(key=f"result_{key}"):
        if views:
            draw_views([*views, *evidence], key=key, first="Table" if answer.chart == "table" else None)
        elif evidence:
            _fold_away("How this was answered", evidence, key)
        if result is not None and result.rows:
            draw_row_count(answer, result, key=key, asked_by=asked_by)


@st.fragment
def _draw_rows(answer: Answer, result: QueryResult, formats: Formats, key: str) -> None:
    """Draw the rows and their totals; marking one draws them alone again."""
    own = f"row_{key}"
    on_marked = partial(choose_marked, own, table_key(key)) if can_drill(answer) else None
    draw_table(result, answer.columns, formats, key=key, on_marked=on_marked)
    draw_totals(answer, session.get_assistant().vocabulary, formats)
    draw_drill(answer, formats, own, "Mark a row")


def _fold_away(heading: str, views: tuple[View, ...], key: str) -> None:
    """Draw views that have nothing to show but what an answer rests on, closed until somebody asks."""
    with st.expander(heading, key=f"evidence_{key}"):
        draw_views(views, key=key)


def _says_it_all(answer: Answer, result: QueryResult, formats: Formats) -> bool:
    """Tell whether the sentence holds the only figure to its last digit: a table would say it again."""
    if result.row_count != 1 or len(answer.columns) != 1 or answer.columns[0].role != "measure":
        return False
    figure = format_cell(result.rows[0][0], answer.columns[0], formats)
    return figure in _in_short(answer).removesuffix(".").split()


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
            "Ask again",
            key=f"again_{key}",
            icon=":material/refresh:",
            on_click=session.ask_next,
            args=(answer.question,),
        )
