"""How tables hang together: a drawing, and the same as a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from ai_engine.seen_text import seen
from ai_engine.semantics.model import Relationship
from backend.answers.exports import neutralise
from pages.drawing.catalogue.diagram import MOST_BOXES, around, drawing
from pages.drawing.catalogue.forms import edit_relationship
from pages.drawing.catalogue.place import opened
from pages.drawing.states import draw_empty

if TYPE_CHECKING:
    from backend.service import Assistant

_GUESSED = {"name": "guessed by the column's name", "values": "guessed by the values", None: ""}


def draw_relationships(assistant: Assistant) -> None:
    """Draw the tables around one, or those with the most relationships, and list all between them."""
    model = assistant.vocabulary.model
    if not model.relationships:
        draw_empty("No relationships are known", "Where the database declares no foreign keys, add them here.")
        edit_relationship(assistant)
        return
    names = [item.name for item in model.datasets if model.relationships_of(item.name)]
    if opened("table") in names:
        st.session_state.setdefault("catalogue_around", opened("table"))
    if st.session_state.get("catalogue_around") not in (None, *names):
        st.session_state["catalogue_around"] = None
    chosen = st.selectbox("Around", names, index=None, placeholder="All tables", key="catalogue_around")
    shown = around(model, chosen)
    st.html(drawing(model, shown, chosen, dark=st.context.theme.type == "dark"))
    if chosen is None and len(names) > MOST_BOXES:
        st.html(
            f'<p class="ba-muted">The {MOST_BOXES} tables with the most relationships; '
            "choose one to see those around it.</p>"
        )
    links = [link for link in model.relationships if {link.from_dataset, link.to_dataset} <= set(shown)]
    st.dataframe(pd.DataFrame([_row(link) for link in links]), hide_index=True, key="catalogue_links")
    edit_relationship(assistant)


def _row(link: Relationship) -> dict[str, object]:
    return {
        "Many": _shown(f"{link.from_dataset} ({', '.join(link.from_columns)})"),
        "One": _shown(f"{link.to_dataset} ({', '.join(link.to_columns)})"),
        "Chosen by the words": _shown(", ".join(link.synonyms)),
        "Preferred": link.preferred,
        "Known from": _GUESSED[link.guessed_by],
        "Name": _shown(link.name),
    }


def _shown(text: str) -> str:
    return str(neutralise(seen(text)))
