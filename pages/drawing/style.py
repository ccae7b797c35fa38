"""The page's few style rules beyond the theme."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

_STYLE_FILE = Path(__file__).with_name("style.css")
_SCROLL = """<script>
requestAnimationFrame(() => document.querySelector(".st-key-turn_{place}")?.scrollIntoView({{block: "start"}}))
</script>"""


def apply_style() -> None:
    """Send the style rules ahead of everything they dress."""
    st.html(_STYLE_FILE)


def scroll_to_turn(place: int) -> None:
    """Bring the question just asked to the top of the window, so that its answer unfolds in sight."""
    st.html(_SCROLL.format(place=place), unsafe_allow_javascript=True)
