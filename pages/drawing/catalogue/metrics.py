"""One metric: what it is called, how it is computed, and a question that asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from ai_engine.semantics.model import Metric
from backend.catalogue.entries import example_of
from pages import session
from pages.drawing.catalogue.forms import edit_metric
from pages.drawing.catalogue.place import go
from pages.drawing.escaping import as_html, as_label

if TYPE_CHECKING:
    from backend.service import Assistant


def draw_metric(assistant: Assistant, metric: Metric) -> None:
    """Draw one metric."""
    st.button(
        "All metrics", key="all_metrics", type="tertiary", icon=":material/arrow_back:", on_click=go, args=("Metrics",)
    )
    also = f"Also called {', '.join(metric.synonyms)}" if metric.synonyms else ""
    facts = " · ".join(
        part for part in (also, metric.unit or "", f"dated by {metric.time_field}" if metric.time_field else "") if part
    )
    st.html(
        f'<h2 class="ba-thing">{as_html(metric.label)}</h2><p class="ba-muted">{as_html(facts)}</p>'
        f"<p>{as_html(metric.description)}</p>"
    )
    st.code(metric.expression, language="sql", wrap_lines=True)
    example = example_of(metric, assistant)
    if example is not None and st.button(as_label(example), key="metric_example", icon=":material/question_answer:"):
        session.ask_next(example)
        st.switch_page("pages/ask.py")
    edit_metric(assistant, metric)
