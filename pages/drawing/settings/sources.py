"""The data sources of a visitor, and a test that says what stands in the way of one."""

from __future__ import annotations

import streamlit as st

from backend.configuration.about import shown_address
from pages import source
from pages.drawing.doubts import draw_doubts
from pages.drawing.escaping import as_html
from pages.drawing.states import draw_failed


def draw_sources(*, may_change: bool) -> None:
    """List them; those who may change settings also see addresses, without passwords."""
    current = source.chosen()
    asked = next((one for one in source.permitted() if one.name == current), source.permitted()[0])
    for place, one in enumerate(source.permitted()):
        with st.container(border=True, key=f"source_{place}"):
            is_asked = one.name == current or (current is None and place == 0)
            private = (
                "only you can ask it"
                if one.folder is not None
                else "everybody"
                if "*" in one.people
                else "named people"
            )
            address = shown_address(one.url) if may_change and one.folder is None else ""
            st.html(
                f'<p class="ba-line"><strong>{as_html(one.title)}</strong>{" (asked now)" if is_asked else ""}<br>'
                f'<span class="ba-muted">{as_html(" · ".join(filter(None, (one.name, private, address))))}</span></p>'
            )
            if (may_change or one.folder is not None) and st.button("Test the connection", key=f"test_{place}"):
                with st.spinner("Trying to reach it …"):
                    tested = source.tested(one)
                if tested.finding == "reached":
                    st.html(f'<p class="ba-note" role="status">{as_html(tested.said)} {tested.elapsed_ms:,.0f} ms</p>')
                else:
                    draw_failed(f"{tested.finding.capitalize()}: {tested.said}")
    draw_doubts(asked)
