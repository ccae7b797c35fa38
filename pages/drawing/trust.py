"""What a figure rests on, the other reading of the question, and the button of those who may verify."""

from __future__ import annotations

import streamlit as st

from ai_engine.formats import Formats
from ai_engine.trust import said_of_trust
from ai_engine.types import Answer
from pages import session
from pages.drawing.escaping import as_html
from pages.drawing.table import draw_table
from pages.formats import for_visitor
from pages.rerun import run_anew


def draw_trust(answer: Answer, formats: Formats, key: str) -> None:
    """Draw the mark of an answer that has rows, and what belongs to it."""
    if answer.trust is not None:
        st.html(f'<p class="ba-note">{as_html(said_of_trust(answer))}</p>')
    _draw_age(answer, formats, key)
    other = answer.other_reading
    if other is not None:
        with st.expander("Read another way, the rows differ", key=f"other_{key}"):
            st.html(f'<p class="ba-note">Understood as: {as_html(for_visitor(other.restatement))}</p>')
            draw_table(other.result, other.columns, formats, key=f"other_{key}")
            st.code(other.sql, language="sql", wrap_lines=True)


def _draw_age(answer: Answer, formats: Formats, key: str) -> None:
    """Say of rows of an earlier run when that was, and offer to run it again."""
    ran_at = answer.result.ran_at if answer.result is not None else None
    if ran_at is None:
        return
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        said = f"As of {formats.day(ran_at.date())}, {ran_at:%H:%M:%S} UTC: rows of an earlier run."
        st.html(f'<p class="ba-note">{as_html(said)}</p>', width="content")
        st.button(
            "Run again", key=f"anew_{key}", type="tertiary", icon=":material/refresh:", on_click=run_anew,
            args=(answer,),
        )  # fmt: skip


def draw_verifying(answer: Answer, key: str) -> None:
    """Draw the button of those who may verify, or what became of the click.

    An own statement answers no question by which it could be found again.
    """
    if answer.sql is None or answer.trust == "given SQL" or not session.may_verify():
        return
    told = session.told_of_verifying(key)
    if told:
        st.html(f'<p class="ba-note" role="status">{as_html(told)}</p>', width="content")
    elif answer.trust == "verified":
        st.button(
            "Retract", key=f"retract_{key}", type="tertiary", icon=":material/undo:", on_click=session.retract,
            args=(answer, key),
        )  # fmt: skip
    else:
        st.button(
            "Mark as verified", key=f"verify_{key}", type="tertiary", icon=":material/verified:",
            on_click=session.verify, args=(answer, key),
        )  # fmt: skip
