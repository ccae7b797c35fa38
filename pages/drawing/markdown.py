"""Markdown that a model, an operator or a server wrote, as HTML without links, images or markup of its own."""

from __future__ import annotations

from ai_engine.operators.links import page_reader
from ai_engine.seen_text import seen


def markdown_html(text: str) -> str:
    """Write headings, lists, tables, emphasis and code; everything else stays the letters that it is."""
    return f'<div class="ba-markdown">{seen(page_reader().render(seen(text)))}</div>'
