"""What a page shows where it has nothing, has failed, or may not be seen by the person before it."""

from __future__ import annotations

import streamlit as st

from pages.drawing.escaping import as_html


def draw_empty(title: str, hint: str) -> None:
    """Say that there is nothing here yet, and what would bring something."""
    st.html(f'<div class="ba-empty"><h2>{as_html(title)}</h2><p class="ba-muted">{as_html(hint)}</p></div>')


def draw_failed(message: str) -> None:
    """Say what went wrong, as an error's `user_message` does; screen readers are told at once."""
    st.html(f'<p class="ba-problem" role="alert">{as_html(message)}</p>')


def draw_no_permission(what: str) -> None:
    """Say that this visitor may not do something ("see who asked what"), and who can change that."""
    st.html(
        f'<div class="ba-empty"><h2>Not for you</h2><p class="ba-muted">You may not {as_html(what)}. '
        "Whoever runs this app decides who may.</p></div>"
    )
