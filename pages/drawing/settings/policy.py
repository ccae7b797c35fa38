"""What statements may not do, and the columns that are kept back."""

from __future__ import annotations

import streamlit as st

from ai_engine.errors import AssistantError
from pages import session
from pages.drawing.escaping import as_html
from pages.drawing.states import draw_failed


def draw_policy(*, may_see_rights: bool) -> None:
    """List the columns of the current source that nobody is shown, by table.

    Args:
        may_see_rights: so are rights that the database's role has and does not need, which may name hidden tables.
    """
    try:
        assistant = session.get_assistant()
    except AssistantError as fault:
        draw_failed(fault.user_message)
        return
    policy = assistant.policy
    if may_see_rights and assistant.warnings:
        st.html("<p><strong>Rights of the database's role that are not needed</strong></p>")
        st.html("".join(f'<p class="ba-warning">{as_html(warning)}</p>' for warning in assistant.warnings))
    st.html("<p><strong>Kept back</strong></p>")
    if not policy.restricted_columns:
        st.html('<p class="ba-muted">No column of this source is marked as sensitive.</p>')
    for table, columns in sorted(policy.restricted_columns.items()):
        st.html(f"<p>{as_html(table)}: {as_html(', '.join(sorted(columns)))}</p>")
    st.html(
        '<p class="ba-muted">Only single SELECT statements run, read-only, on tables and columns of the catalogue.</p>'
    )
