"""Where in the catalogue somebody is, kept in the page's address so that a link leads there."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import streamlit as st

Section: TypeAlias = Literal["Tables", "Metrics", "Words", "Relationships", "Changes"]
SECTIONS: tuple[Section, ...] = get_args(Section)
_OPENED = ("table", "column", "metric")


def section() -> Section:
    """Return the section that is shown."""
    return next((one for one in SECTIONS if one.lower() == st.query_params.get("section")), SECTIONS[0])


def opened(what: Literal["table", "column", "metric"]) -> str:
    """Return the name of what is opened, as the address says; empty where nothing is."""
    return str(st.query_params.get(what, ""))


def go(where: Section, **names: str) -> None:
    """Show a section, with a table, column or metric opened in it."""
    for name in _OPENED:
        st.query_params.pop(name, None)
    st.query_params["section"] = where.lower()
    st.session_state["catalogue_section"] = where
    st.session_state["catalogue_search"] = ""
    for name, value in names.items():
        st.query_params[name] = value
    st.session_state["catalogue_column"] = names.get("column")


def draw_sections() -> Section:
    """Let a section be chosen; return it."""
    st.session_state["catalogue_section"] = section()

    def choose() -> None:
        go(st.session_state["catalogue_section"] or section())

    st.segmented_control(
        "Section", SECTIONS, key="catalogue_section", label_visibility="collapsed", on_change=choose, required=True
    )
    return section()
