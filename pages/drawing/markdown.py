"""Markdown that a model, an operator or a server wrote, as HTML without links, images or markup of its own."""

from __future__ import annotations

from functools import cache

from markdown_it import MarkdownIt

from backend.vocabulary.seen_text import seen


def markdown_html(text: str) -> str:
    """Write headings, lists, tables, emphasis and code; everything else stays the letters that it is."""
    return f'<div class="ba-markdown">{_reader().render(seen(text))}</div>'


@cache
def _reader() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable("table")
    return reader.disable(["image", "link", "autolink", "reference", "html_inline", "html_block"])
