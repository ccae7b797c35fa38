"""A file that was looked at: what its tables would be, to be corrected before they are made."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from ai_engine.seen_text import seen
from backend.uploads.own_data import Looked
from backend.uploads.plan import KINDS, TablePlan
from pages import own_data
from pages.drawing.escaping import as_html, as_label


def draw_looked(looked: Looked) -> None:
    """Draw each table with its columns, and the two ways on."""
    st.html(f'<p class="ba-muted">{as_html(looked.file_name)}: nothing is kept until you say so.</p>')
    several = len(looked.tables) > 1
    wanted = [plan for place, plan in enumerate(map(_drawn, looked.tables, range(len(looked.tables)))) if (
        not several or st.session_state.get(f"own_take_{place}", True)
    )]  # fmt: skip
    with st.container(horizontal=True):
        label = f"Keep {len(wanted)} tables" if several else "Keep this table"
        if st.button(label, type="primary", key="own_build", disabled=not wanted):
            with st.spinner("Making the database …"):
                own_data.build(wanted)
            st.rerun()
        st.button("Drop it", key="own_drop", on_click=own_data.drop)


def _drawn(plan: TablePlan, place: int) -> TablePlan:
    """Draw one table and return it as the visitor wants it."""
    with st.container(border=True, key=f"own_table_{place}"):
        if plan.sheet:
            st.checkbox(f"Sheet {as_label(plan.sheet)}", value=True, key=f"own_take_{place}")
        name = st.text_input("Name of the table", plan.name, key=f"own_name_{place}", max_chars=60)
        said = " ".join((f"{plan.rows:,} rows, {len(plan.columns)} columns.", *plan.notes))
        st.html(f'<p class="ba-muted">{as_html(said)}</p>')
        frame = pd.DataFrame(
            {
                "name": [column.name for column in plan.columns],
                "kind": [column.kind for column in plan.columns],
                "written": [seen(column.written) for column in plan.columns],
                "empty": [column.empty for column in plan.columns],
                "heading": [seen(column.heading) for column in plan.columns],
            }
        )
        edited = st.data_editor(
            frame, hide_index=True, key=f"own_columns_{place}", disabled=["written", "empty", "heading"],
            column_config={
                "name": st.column_config.TextColumn("Name", max_chars=60, required=True),
                "kind": st.column_config.SelectboxColumn("Type", options=list(KINDS), required=True),
                "written": "Written as", "empty": st.column_config.NumberColumn("Empty", width="small"),
                "heading": "In the file",
            },
        )  # fmt: skip
        st.html('<p class="ba-muted">The first rows, as they would be kept</p>')
        shown = pd.DataFrame([[seen(cell) for cell in row] for row in plan.preview])
        headings = {str(at): seen(column.name) for at, column in enumerate(plan.columns)}
        shown.columns = [str(at) for at in range(len(plan.columns))]
        st.dataframe(shown, hide_index=True, column_config=headings, key=f"own_preview_{place}", height="content")
    told = [(str(row["name"]), str(row["kind"])) for _, row in edited.iterrows()]
    return own_data.renamed(plan, name, told)
