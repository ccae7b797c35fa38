"""The question as it was asked."""

from __future__ import annotations

import streamlit as st

from pages.drawing.escaping import as_html

_MOST_SHOWN_CHARS = 600


def draw_question(question: str) -> None:
    """Draw a question; of a very long one, its beginning."""
    st.html(question_html(question))


def question_html(question: str) -> str:
    """Write a question as HTML; of a very long one, its beginning."""
    shown = question.strip()
    if len(shown) > _MOST_SHOWN_CHARS:
        shown = f"{shown[:_MOST_SHOWN_CHARS]}… ({len(question.strip()):,} characters)"
    return f'<div class="ba-question">{as_html(shown)}</div>'
