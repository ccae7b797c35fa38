"""Data of one's own: files dropped here become a private database, asked as any other, removed at a click."""

from __future__ import annotations

import streamlit as st

from ai_engine.errors import AssistantError, NotPermitted
from backend.uploads.plan import ENDINGS
from pages import own_data
from pages.drawing.doubts import draw_doubts
from pages.drawing.states import draw_empty, draw_failed, draw_no_permission
from pages.drawing.style import apply_style
from pages.drawing.welcome import draw_heading
from pages.drawing.your_data.kept import draw_kept
from pages.drawing.your_data.looked import draw_looked


def show() -> None:
    """Draw the whole screen."""
    apply_style()
    draw_heading("Your own data")
    try:
        _offer()
        kept = () if own_data.looked() else own_data.kept()
    except NotPermitted:
        draw_no_permission("bring data of your own")
        return
    except AssistantError as fault:
        draw_failed(fault.user_message)
        st.button("Remove everything", key="own_remove_all", on_click=own_data.remove, args=(None, ()))
        return
    looked = own_data.looked()
    if looked is not None:
        draw_looked(looked)
    elif kept:
        draw_kept(kept)
        draw_doubts(own_data.own().source)
    else:
        draw_empty("You have brought nothing yet", "What you drop above is seen by nobody else.")


def _offer() -> None:
    """Take a file, and tell what was wrong with the last."""
    limits = own_data.limits()
    if own_data.looked() is None:
        st.html(
            '<p class="ba-muted">A CSV, Excel or Parquet file becomes a database that only you can ask: up to '
            f"{limits.max_file_mb:,} MB a file, {limits.max_rows:,} rows and {limits.max_columns:,} columns a table, "
            f"{limits.max_tables} tables, {limits.max_total_mb:,} MB in all.</p>"
        )
        dropped = st.file_uploader(
            "Drop a file here", type=list(ENDINGS), key=own_data.uploader_key(), max_upload_size=limits.max_file_mb
        )
        if dropped is not None:
            with st.spinner("Reading the file …"):
                own_data.look(dropped.name, dropped.getvalue())
            st.rerun()
    told = own_data.take_told()
    if told:
        draw_failed(told)


show()
