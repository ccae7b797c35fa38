"""What tools show beside the words of an answer: Markdown, tables with charts, pictures, files, HTML made harmless."""

from __future__ import annotations

import base64
import binascii
import json
import logging
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from pages import session
from pages.drawing.answer import draw_result
from pages.drawing.escaping import as_html, as_label
from pages.drawing.markdown import markdown_html
from pages.formats import visitor_formats

_log = logging.getLogger(__name__)
_MOST_CHARS = 100_000
_PICTURES = {"image/png", "image/jpeg", "image/gif", "image/webp"}
_WIDGET = "application/vnd.mcp.widget+json"
_DRAWN_WIDGETS = {"data_table", "chart"}
_ENDINGS = {"application/pdf": "pdf", "application/json": "json", "audio/mpeg": "mp3", "audio/wav": "wav",
            "video/mp4": "mp4"}  # fmt: skip


def draw_content(content: Mapping[str, Any], key: str) -> None:
    """Draw one item; whatever cannot be drawn is said or offered as a file, and nothing of it runs or fetches."""
    kind, data = str(content.get("content_type", "")), content.get("data")
    about = content.get("metadata") or {}
    if data is None:
        size_kb = about.get("not_kept_kb", 0)
        st.html(f'<p class="ba-note">{as_html(kind)} of {size_kb:,} KB is no longer kept.</p>')
    elif kind == _WIDGET or (isinstance(data, dict) and data.get("widget_type")):
        _draw_or_say(lambda: _draw_widget(data, key), data, key)
    elif content.get("encoding") == "base64":
        _draw_bytes(kind, str(data), about, key)
    else:
        _draw_text(kind, data, key)


def _draw_or_say(draw: Callable[[], None], data: Any, key: str) -> None:
    """Draw what another program made up; where it cannot be drawn, say so and show it as it came."""
    try:
        draw()
    except Exception as fault:  # noqa: BLE001 - a page never ends in a traceback, whatever a tool sent
        _log.warning("a widget could not be drawn: %s", type(fault).__name__)
        st.html('<p class="ba-note">A tool sent a widget that cannot be drawn.</p>')
        _draw_json("Widget", data, f"{key}_odd")


def _draw_text(kind: str, data: Any, key: str) -> None:
    if kind == "text/markdown":
        st.html(markdown_html(str(data)[:_MOST_CHARS]))
    elif kind == "text/html":
        from backend.mcp.client.markup import safe_html  # few answers have any

        with st.container(border=True, key=f"html_{key}"):
            st.html(safe_html(str(data)[:_MOST_CHARS]))
    elif kind == "image/svg+xml":
        from backend.mcp.client.markup import safe_svg

        picture = base64.b64encode(safe_svg(str(data)[:_MOST_CHARS]).encode()).decode()
        st.html(f'<img class="ba-picture" alt="" src="data:image/svg+xml;base64,{picture}">')
    elif kind.startswith("text/"):
        st.html(f'<p class="ba-desk">{as_html(str(data)[:_MOST_CHARS])}</p>')
    else:
        _draw_json(kind or "JSON", data, key)


def _draw_bytes(kind: str, data: str, about: Mapping[str, Any], key: str) -> None:
    try:
        content = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        st.html('<p class="ba-note">A tool sent something that cannot be read.</p>')
        return
    name = str(about.get("alt_text") or about.get("name") or "")
    if kind in _PICTURES:
        st.html(f'<img class="ba-picture" alt="{as_html(name)}" src="data:{kind};base64,{data}">')
        return
    if kind == "image/svg+xml":
        _draw_text(kind, content.decode("utf-8", "replace"), key)
        return
    label = as_label(name or f"File ({kind})")
    ending = _ENDINGS.get(kind, "bin")
    st.download_button(label, content, f"file.{ending}", "application/octet-stream", key=f"file_{key}")


def _draw_widget(data: Any, key: str) -> None:
    from backend.answers.widget_answers import widget_answer  # the engine behind it takes seconds to load

    widget = data if isinstance(data, dict) else {}
    title = str(widget.get("title") or "")
    inner = widget.get("data")
    vocabulary = session.get_assistant().vocabulary
    is_drawn = widget.get("widget_type") in _DRAWN_WIDGETS and isinstance(inner, dict)
    answer = widget_answer(title, inner, vocabulary) if is_drawn else None  # type: ignore[arg-type]
    if answer is None:
        _draw_json(title or str(widget.get("widget_type") or "Widget"), widget, key)
        return
    if title:
        st.html(f'<p class="ba-muted">{as_html(title)}</p>')
    draw_result(answer, visitor_formats(), f"w{key}")


def _draw_json(title: str, data: Any, key: str) -> None:
    with st.expander(as_label(title), key=f"json_{key}"):
        written = json.dumps(data, indent=2, ensure_ascii=False, default=str)[:_MOST_CHARS]
        st.html(f'<pre class="ba-pre">{as_html(written)}</pre>')
