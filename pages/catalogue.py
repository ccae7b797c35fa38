"""The catalogue: what the data has, what it is called, how it hangs together, and what is to be changed about that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from backend.catalogue.entries import Kind, entries, search
from pages import session
from pages.drawing.catalogue.changes import draw_changes
from pages.drawing.catalogue.columns import draw_table_of
from pages.drawing.catalogue.entries import draw_entries
from pages.drawing.catalogue.forms import draw_told, edit_metric
from pages.drawing.catalogue.metrics import draw_metric
from pages.drawing.catalogue.place import Section, draw_sections, opened
from pages.drawing.catalogue.relationships import draw_relationships
from pages.drawing.catalogue.words import draw_words
from pages.drawing.states import draw_empty
from pages.drawing.style import apply_style
from pages.drawing.welcome import draw_heading
from pages.drawing.welcome import opened as started

if TYPE_CHECKING:
    from backend.service import Assistant

_MOST_FOUND = 200
_KINDS: dict[Section, Kind] = {"Tables": "table", "Metrics": "metric"}


def show() -> None:
    """Draw the whole screen."""
    apply_style()
    draw_heading("Catalogue")
    assistant = started(session.get_assistant, "the assistant", st.empty())
    if assistant is None:
        return
    words = st.text_input(
        "Search the catalogue", key="catalogue_search", placeholder="Search tables, columns, metrics and words",
        icon=":material/search:", label_visibility="collapsed",
    )  # fmt: skip
    section = draw_sections()
    if words.strip():
        _draw_found(assistant, words)
    else:
        _draw_section(assistant, section)


def _draw_found(assistant: Assistant, words: str) -> None:
    found = search(entries(assistant.vocabulary.model), words, _MOST_FOUND)
    if not found:
        draw_empty("Nothing is called so", "Try a part of a name, or one word instead of several.")
        return
    draw_entries(found, "found", kinds=True)


def _draw_section(assistant: Assistant, section: Section) -> None:
    model = assistant.vocabulary.model
    table = next((item for item in model.datasets if item.name == opened("table")), None)
    metric = next((item for item in model.metrics if item.name == opened("metric")), None)
    draw_told()
    if section == "Relationships":
        draw_relationships(assistant)
    elif section == "Words":
        draw_words(assistant)
    elif section == "Changes":
        draw_changes(assistant)
    elif section == "Tables" and table is not None:
        draw_table_of(assistant, table)
    elif section == "Metrics" and metric is not None:
        draw_metric(assistant, metric)
    else:
        _draw_all(assistant, _KINDS[section])


def _draw_all(assistant: Assistant, kind: Kind) -> None:
    found = [entry for entry in entries(assistant.vocabulary.model) if entry.kind == kind]
    if found:
        draw_entries(found, f"all_{kind}s")
    else:
        draw_empty(f"There are no {kind}s yet", "")
    if kind == "metric":
        edit_metric(assistant, None)


show()
