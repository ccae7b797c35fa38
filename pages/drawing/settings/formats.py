"""How this person wants figures and days, chosen by example; it counts at once, and for nobody else."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import streamlit as st

from ai_engine.errors import AssistantError
from ai_engine.formats import DateFormat, Formats, Grouping
from ai_engine.insight.amounts import format_number, spoken_figure
from pages import formats
from pages.drawing.escaping import as_html
from pages.drawing.states import draw_failed

_GROUPINGS: dict[Grouping | None, str] = {
    None: "As the currency has it",
    "lakh": "1,23,45,678 with lakh and crore",
    "million": "12,345,678 with million and billion",
    "thousands": "12,345,678 in full, without words",
}
_DATES: dict[DateFormat | None, str] = {
    None: "23 November 2026", "iso": "2026-11-23", "short": "23 Nov 2026", "slashes": "23/11/2026",
}  # fmt: skip
_EXAMPLE, _DAY = Decimal("12345678"), date(2026, 11, 23)
_KEYS = ("format_grouping", "format_dates")
_FAULT = "formats_fault"


def draw_formats() -> None:
    """Draw both choices and how an amount and a day look then."""
    chosen = formats.chosen_formats()
    st.html(
        '<p class="ba-muted">For what you see: answers, tables, charts, dashboards. CSV files keep plain values.</p>'
    )
    _offer("Figures", _GROUPINGS, chosen.grouping, _KEYS[0])
    _offer("Dates", _DATES, chosen.dates, _KEYS[1])
    if fault := st.session_state.pop(_FAULT, ""):
        draw_failed(fault)
        return
    try:
        st.html(f'<p class="ba-note" role="status">{as_html(_example(formats.visitor_formats()))}</p>')
    except AssistantError as no_source:
        draw_failed(no_source.user_message)


def _offer(label: str, choices: dict[Any, str], chosen: str | None, key: str) -> None:
    names = list(choices)
    st.radio(
        label, names, index=names.index(chosen), key=key, format_func=choices.__getitem__, on_change=_choose,
    )  # fmt: skip


def _choose() -> None:
    grouping, dates = (st.session_state[key] for key in _KEYS)
    try:
        formats.choose(grouping, dates)
    except AssistantError as fault:
        st.session_state[_FAULT] = fault.user_message


def _example(chosen: Formats) -> str:
    said = spoken_figure(_EXAMPLE, chosen.currency, chosen)
    return f"So: {said} in a sentence, {format_number(_EXAMPLE, chosen)} in a table, on {chosen.day(_DAY)}."
