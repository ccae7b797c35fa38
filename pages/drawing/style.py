"""The page's few style rules beyond the theme."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

_STYLE_FILE = Path(__file__).with_name("style.css")
_SCROLL = """<script>
requestAnimationFrame(() => document.querySelector(".st-key-turn_{place}")?.scrollIntoView({{block: "start"}}))
</script>"""
_PICTURES = """<script>
if (!window.savesPictures) {
  window.savesPictures = true;
  document.addEventListener("click", event => {
    const button = event.target.closest?.("[data-picture]");
    const plot = button?.closest('[class*="st-key-result_"]')?.querySelector(".js-plotly-plot");
    if (!plot) return;
    const ground = plot.layout.paper_bgcolor;
    plot.layout.paper_bgcolor = getComputedStyle(document.querySelector('[data-testid="stApp"]')).backgroundColor;
    plot._context.toImageButtonOptions = {
      format: button.dataset.picture, filename: button.dataset.name, scale: button.dataset.picture === "png" ? 2 : 1,
    };
    plot.querySelector('.modebar-btn[data-attr="toImage"], .modebar-btn').click();
    plot.layout.paper_bgcolor = ground;
  });
}
</script>"""
"""Plotly's own button saves one format, on no ground: light text from a dark page would be lost on white paper."""


def apply_style() -> None:
    """Send the style rules ahead of everything they dress, and what saves a chart as a picture."""
    st.html(_STYLE_FILE)
    st.html(_PICTURES, unsafe_allow_javascript=True)


def scroll_to_turn(place: int) -> None:
    """Bring the question just asked to the top of the window, so that its answer unfolds in sight."""
    st.html(_SCROLL.format(place=place), unsafe_allow_javascript=True)
