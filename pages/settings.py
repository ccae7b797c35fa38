"""What is set, and by whom it can be changed: sources, model, formats, policy, and what this installation is."""

from __future__ import annotations

import streamlit as st

from ai_engine.errors import AssistantError
from backend.configuration.changed_settings import is_administrator
from pages import source
from pages.drawing.settings.about import draw_about
from pages.drawing.settings.changing import draw_settings
from pages.drawing.settings.fixed import draw_fixed
from pages.drawing.settings.formats import draw_formats
from pages.drawing.settings.model import draw_model
from pages.drawing.settings.policy import draw_policy
from pages.drawing.settings.sources import draw_sources
from pages.drawing.states import draw_failed
from pages.drawing.style import apply_style
from pages.drawing.welcome import draw_heading

_YEARS = ("currency", "fiscal_year_start_month", "plain_year", "as_of")
_MODEL = (
    "model", "strong_model", "model_timeout_s", "model_total_timeout_s", "model_max_tokens_per_day", "send_rows",
    "readers",
)  # fmt: skip
_LIMITS = ("query_timeout_s", "max_rows", "max_groups", "default_limit_rows", "max_question_chars", "allow_union")


def show() -> None:
    """Draw the whole screen."""
    apply_style()
    draw_heading("Settings")
    try:
        may_change = is_administrator(source.settings(), source.visitor())
    except AssistantError as fault:
        draw_failed(fault.user_message)
        return
    if not may_change:
        st.html('<p class="ba-muted">You can look; those named in BANK_ADMINISTRATORS can change.</p>')
    sources, model, formats, years, policy, fixed, about = st.tabs(
        ["Data sources", "Model", "Your formats", "Currency and years", "Policy", "All settings", "About"]
    )
    with sources:
        draw_sources(may_change=may_change)
    with model:
        draw_model(may_change=may_change)
        draw_settings(_MODEL, may_change=may_change, key="model")
    with formats:
        draw_formats()
    with years:
        draw_settings(_YEARS, may_change=may_change, key="years")
    with policy:
        draw_settings(_LIMITS, may_change=may_change, key="limits")
        draw_policy(may_see_rights=may_change)
    with fixed:
        draw_fixed(may_see_places=may_change)
    with about:
        draw_about(may_change=may_change)


show()
