"""The tables that a visitor has brought, each with its way out."""

from __future__ import annotations

import streamlit as st

from ai_engine.catalogue import Table
from backend.sources.source import OWN
from pages import conversations, own_data
from pages.drawing.escaping import as_html, as_label

_MOST_COLUMNS = 12


def draw_kept(tables: tuple[Table, ...]) -> None:
    """List them, and offer to ask and to remove."""
    names = tuple(table.name for table in tables)
    for place, table in enumerate(tables):
        columns = ", ".join(column.name for column in table.columns[:_MOST_COLUMNS])
        more = f" and {len(table.columns) - _MOST_COLUMNS} more" if len(table.columns) > _MOST_COLUMNS else ""
        with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"own_kept_{place}"):
            st.html(
                f'<p class="ba-line"><strong>{as_html(table.name)}</strong><br>'
                f'<span class="ba-muted">{as_html(table.comment or "")} {as_html(columns + more)}</span></p>'
            )
            st.button(
                "Remove", key=f"own_remove_{place}", help=f"Remove {as_label(table.name)} from disk",
                on_click=own_data.remove, args=(table.name, names),
            )  # fmt: skip
    with st.container(horizontal=True):
        if st.button("Ask about it", type="primary", key="own_ask"):
            conversations.leave(for_source=OWN)
            st.switch_page("pages/ask.py")
        with st.popover("Remove everything"):
            st.html("<p>All your tables are removed from disk. This cannot be undone.</p>")
            st.button("Remove all of it", key="own_remove_all", on_click=own_data.remove, args=(None, names))
