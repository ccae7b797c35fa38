"""From one group of an answer, clicked in the chart or chosen by name, to its rows or its breakdown."""

from __future__ import annotations

from typing import Any

import streamlit as st

from ai_engine.formats import Formats
from ai_engine.insight.amounts import format_cell
from ai_engine.types import Answer
from pages import session
from pages.drawing.escaping import as_label
from pages.drawing.style import bring_into_sight
from pages.formats import for_visitor
from pages.rerun import run_edit

_MOST_GROUPS = 500


def can_drill(answer: Answer) -> bool:
    """Tell whether the rows of an answer are groups of which more can be asked."""
    intent, result = answer.intent, answer.result
    if intent is None or result is None or answer.failures or intent.over_groups:
        return False
    return bool(intent.measures and intent.dimensions) and len(result.columns) > len(intent.dimensions)


def choose_group(key: str, row: int | None) -> None:
    """Choose the group of one row of an answer; None chooses none."""
    st.session_state[_group_key(key)] = row


def choose_marked(key: str, table_key: str) -> None:
    """Choose the group of the row that was marked in a table."""
    marked: Any = st.session_state.get(table_key)
    choose_group(key, next(iter(marked.selection.rows), None) if marked is not None else None)
    st.session_state[_clicked_key(key)] = True


def choose_clicked(key: str, chart_key: str) -> None:
    """Choose the group of the bar or point that was clicked; each bears the place of its row as its id."""
    clicked: Any = st.session_state.get(chart_key)
    points = clicked.selection.points if clicked is not None else ()
    found = next((str(point["id"]) for point in points if "id" in point), "")
    choose_group(key, int(found) if found.isdecimal() else None)
    st.session_state[_clicked_key(key)] = True


def draw_drill(answer: Answer, formats: Formats, key: str, how: str) -> None:
    """Offer the groups of an answer by name, and of the chosen one its rows and its breakdowns.

    `how` says how else one is chosen.
    """
    result, intent = answer.result, answer.intent
    if result is None or intent is None or not can_drill(answer):
        return
    groups = [row[: len(intent.dimensions)] for row in result.rows]

    def name(place: int) -> str:
        cells = zip(groups[place], answer.columns, strict=False)
        return " · ".join("without a value" if cell is None else format_cell(cell, of, formats) for cell, of in cells)

    marked = st.session_state.get(_group_key(key)) or 0
    with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall", key=f"drill_{key}"):
        chosen = st.selectbox(
            "Look into", range(min(len(groups), max(_MOST_GROUPS, marked + 1))), index=None, key=_group_key(key),
            format_func=name, placeholder=f"{how}, or choose a group", label_visibility="collapsed", width=290,
        )  # fmt: skip
        if chosen is None:
            return
        from ai_engine.semantics.edits.drill import drill_into  # takes long to load, and the page is drawn before

        drill = drill_into(intent, result.rows[chosen], session.get_assistant().vocabulary)
        if drill is None:
            st.html('<p class="ba-note">Nothing more can be asked about this group.</p>', width="content")
            return
        edits = (*((drill.rows,) if drill.rows is not None else ()), *drill.breakdowns)
        for place, edit in enumerate(edits):
            if st.button(
                as_label(for_visitor(edit.label)), key=f"into_{key}_{place}", help=as_label(for_visitor(edit.said), 300)
            ):
                run_edit(answer, edit)
                st.rerun()
    if st.session_state.pop(_clicked_key(key), False):
        bring_into_sight(f"drill_{key}")


def _group_key(key: str) -> str:
    return f"group_{key}"


def _clicked_key(key: str) -> str:
    return f"clicked_{key}"
