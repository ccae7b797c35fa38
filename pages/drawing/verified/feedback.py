"""What people said of answers, for those who may verify: the wrong ones first deserve a look."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from backend.answers.withheld import question_without_values, why_withheld
from backend.store.feedback import Feedback
from backend.trust.feedback_book import FeedbackBook
from pages.drawing.escaping import as_html, as_label
from pages.drawing.states import draw_empty


def draw_feedback(book: FeedbackBook, who: str, check: Callable[[str], object]) -> None:
    """List what is open; a click says that somebody has dealt with it.

    Of an answer whose statement may not run now (`check` raises SqlRejected) neither that nor its reading is shown.
    """
    found = book.listed(who, only_open=True)
    if not found:
        draw_empty("Nothing to look at", "What people say of answers, right or wrong, waits here for you.")
    for said in found:
        _draw(said, book, who, why_withheld((said.sql,), check))


def _draw(said: Feedback, book: FeedbackBook, who: str, withheld: str) -> None:
    asked = question_without_values(said.question, (said.sql,)) if withheld else said.question
    with st.expander(as_label(f"{said.verdict.capitalize()}: {asked}"), key=f"said_{said.id}"):
        facts = {
            "Said": f"{said.verdict} by {said.said_by} on {said.said_at:%-d %B %Y}",
            "Reason": "" if withheld else said.reason,
            "Understood as": withheld or said.restatement,
            "Question id": "" if withheld else said.question_id,
        }
        rows = "".join(f"<tr><th>{name}</th><td>{as_html(text)}</td></tr>" for name, text in facts.items() if text)
        st.html(f'<table class="ba-facts">{rows}</table>')
        if said.sql and not withheld:
            st.code(said.sql, language="sql", wrap_lines=True)
        st.button(
            "Dealt with", key=f"settle_{said.id}", icon=":material/done:", type="tertiary", on_click=_settle,
            args=(book, said, who),
        )  # fmt: skip


def _settle(book: FeedbackBook, said: Feedback, who: str) -> None:
    book.settle(said.id, who)
