"""Entries of the catalogue as lines to click: all tables, all metrics, or what a search found."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from backend.catalogue.entries import Entry
from pages.drawing.catalogue.paging import draw_paging, page_of
from pages.drawing.catalogue.place import go
from pages.drawing.escaping import as_html, as_label

_KINDS = {"table": "Table", "column": "Column", "metric": "Metric", "word": "Word", "relationship": "Relationship"}


def draw_entries(found: Sequence[Entry], key: str, *, kinds: bool = False) -> None:
    """List entries, a page at a time; `kinds` says of each what it is."""
    with st.container(gap=None, key=f"{key}_lines"):
        for place, entry in enumerate(page_of(found, key)):
            with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"{key}_line_{place}"):
                st.button(
                    as_label(entry.label or entry.name), key=f"{key}_open_{place}", type="tertiary",
                    on_click=leads_to(entry),
                )  # fmt: skip
                st.html(_about(entry, kinds=kinds))
    draw_paging(found, key)


def leads_to(entry: Entry) -> Callable[[], None]:
    """Return what opens an entry."""
    match entry.kind:
        case "table":
            return lambda: go("Tables", table=entry.name)
        case "column":
            return lambda: go("Tables", table=entry.dataset, column=entry.name)
        case "metric":
            return lambda: go("Metrics", metric=entry.name)
        case "word":
            return lambda: go("Words")
    return lambda: go("Relationships", table=entry.label.partition(" → ")[0])


def _about(entry: Entry, *, kinds: bool) -> str:
    place = f" of {entry.dataset}" if entry.dataset else ""
    kind = f"{_KINDS[entry.kind]}{place}" if kinds else ""
    words = " · ".join(part for part in (kind, entry.description) if part)
    return f'<p class="ba-muted ba-line">{as_html(words)}</p>'
