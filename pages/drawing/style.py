"""The page's few style rules beyond the theme."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

_STYLE_FILE = Path(__file__).with_name("style.css")
_REACHABLE_FILE = Path(__file__).with_name("reachable.js")
_STAYS_MS = 3_000
_SCROLL = """<script>
requestAnimationFrame(() => {{
  const part = document.querySelector(".st-key-{key}"), stay = () => part.scrollIntoView({{block: "{block}"}});
  if (!part) return;
  const drawn = new ResizeObserver(stay), leave = () => drawn.disconnect();
  drawn.observe(part.closest(".st-key-turns") ?? part);
  ["wheel", "touchmove", "pointerdown", "keydown"].forEach(hand => addEventListener(hand, leave, {{once: true}}));
  setTimeout(leave, {stays_ms});
}})
</script>"""
"""What is drawn anew above would push it out of sight; whoever takes the page in hand is left alone."""
_PICTURES = """<script>
if (!window.savesPictures) {
  window.savesPictures = true;
  document.addEventListener("click", event => {
    const button = event.target.closest?.("[data-picture]");
    const plot = button && document.querySelector(`.st-key-result_${button.dataset.of} .js-plotly-plot`);
    if (!plot) return;
    const shown = plot.layout, {width, height} = plot._fullLayout, {heading, counted} = shown.meta ?? {};
    const lines = [""];
    for (const word of (heading ?? "").split(" ")) {
      if (lines.at(-1) && (lines.at(-1) + word).length * TITLE_CHAR_PX > width - 16) lines.push("");
      lines.push(`${lines.pop()} ${word}`.trim());
    }
    const plain = text => text.replace(/&/g, "&amp;").replace(/\\x3c/g, "&lt;").replace(/>/g, "&gt;");
    const head = heading ? 20 * lines.length + 12 + (counted ? 21 : 0) : 0, tall = height + head;
    plot.layout = {
      ...shown,
      paper_bgcolor: getComputedStyle(document.querySelector('[data-testid="stApp"]')).backgroundColor,
      height: tall,
      margin: {...shown.margin, t: shown.margin.t + head},
      legend: {...shown.legend, y: 1 - head / tall},
      title: {
        text: lines.map(plain).join("\\x3cbr>"), x: 0, xanchor: "left", y: 1, yanchor: "top", yref: "container",
        pad: {t: lines.length < 2 ? 10 : 20, l: 4}, font: {size: 15},
        subtitle: {text: plain(counted ?? ""), font: {size: 12}},
      },
    };
    plot._context.toImageButtonOptions = {
      format: button.dataset.picture, filename: button.dataset.name, scale: button.dataset.picture === "png" ? 2 : 1,
      width, height: tall,
    };
    plot.querySelector('.modebar-btn[data-attr="toImage"], .modebar-btn').click();
    plot.layout = shown;
  });
}
</script>""".replace("TITLE_CHAR_PX", "7.8")
"""Plotly's own button saves one format, on no ground: light text from a dark page would be lost on white paper. The
title, which the page writes above a chart, is written into the picture. "\\x3c" stands for "<": Streamlit drops a
script in which a tag seems to stand."""


def apply_style() -> None:
    """Send the style rules ahead of everything they dress, what saves a chart as a picture, and what keys need."""
    st.html(_STYLE_FILE)
    st.html(_PICTURES, unsafe_allow_javascript=True)
    st.html(f"<script>{_REACHABLE_FILE.read_text()}</script>", unsafe_allow_javascript=True)


def scroll_to_turn(place: int) -> None:
    """Bring the question just asked to the top of the window, so that its answer unfolds in sight."""
    _scroll(f"turn_{place}", "start")


def bring_into_sight(key: str) -> None:
    """Scroll as little as shows what a click has brought, which may stand below the window."""
    _scroll(key, "nearest")


def _scroll(key: str, block: str) -> None:
    st.html(_SCROLL.format(key=key, block=block, stays_ms=_STAYS_MS), unsafe_allow_javascript=True)
