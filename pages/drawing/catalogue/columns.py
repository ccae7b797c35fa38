"""One table: what it is, its columns with what they hold in figures, and one column closer."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from ai_engine.errors import AssistantError
from ai_engine.seen_text import seen
from ai_engine.semantics.model import Dataset, Field
from backend.answers.exports import neutralise
from backend.catalogue.entries import native_type
from backend.catalogue.profile import ColumnProfile, TableProfile, profiling
from backend.http.life_cycle import shared_page_work
from pages.drawing.catalogue.forms import edit_column, edit_table
from pages.drawing.catalogue.place import go, opened
from pages.drawing.escaping import as_html

if TYPE_CHECKING:
    from ai_engine.types import Scalar
    from backend.service import Assistant

_WITHHELD = "Sensitive: nothing of its values is shown."
_ROW_PX, _HEAD_PX, _MOST_ROWS_SHOWN = 35, 38, 16


def draw_table_of(assistant: Assistant, dataset: Dataset) -> None:
    """Draw one table, first what is known at once, then the figures as they come."""
    st.button(
        "All tables", key="all_tables", type="tertiary", icon=":material/arrow_back:", on_click=go, args=("Tables",)
    )
    st.html(
        f'<h2 class="ba-thing">{as_html(dataset.label)}</h2>'
        f'<p class="ba-muted">{as_html(dataset.source)}{as_html(_more_of(dataset))}</p>'
        f"<p>{as_html(dataset.description)}</p>"
    )
    told = st.empty()
    place = st.empty()
    _draw_columns(assistant, dataset, _known(assistant, dataset) or TableProfile(), place)
    profile = _profile(assistant, dataset, told)
    _draw_columns(assistant, dataset, profile, place)
    _draw_told(profile, told)
    edit_table(assistant, dataset)
    _draw_column(assistant, dataset, profile)


def _more_of(dataset: Dataset) -> str:
    parts = [f" · dated by {dataset.default_time}" if dataset.default_time else ""]
    parts.append(f" · also called {', '.join(dataset.synonyms)}" if dataset.synonyms else "")
    return "".join(parts)


def _known(assistant: Assistant, dataset: Dataset) -> TableProfile | None:
    """Return what was read under this vocabulary, which is kept beside it: another one would take over its id."""
    vocabulary, name, profile = st.session_state.get("catalogue_profile", (None, "", None))
    return profile if vocabulary is assistant.vocabulary and name == dataset.name else None


def _keep(assistant: Assistant, dataset: Dataset, profile: TableProfile) -> None:
    st.session_state["catalogue_profile"] = (assistant.vocabulary, dataset.name, profile)


def _profile(assistant: Assistant, dataset: Dataset, told: st.delta_generator.DeltaGenerator) -> TableProfile:
    """Read the figures, unless this visitor has just seen them; whoever stops or leaves ends the statement."""
    known = _known(assistant, dataset)
    if known is not None:
        return known
    stopped = TableProfile(fault="Stopped.")
    _keep(assistant, dataset, stopped)
    with told.container(horizontal=True, vertical_alignment="center"):
        st.html('<p class="ba-muted">Reading the figures of this table …</p>', width="content")
        st.button("Stop", key="stop_profile", icon=":material/stop_circle:")
        heartbeat = st.empty()
    try:
        found = stopped
        for heard in shared_page_work.during(profiling(assistant, dataset)):
            heartbeat.empty()
            found = heard or found
    except AssistantError as fault:
        found = TableProfile(fault=fault.user_message)
    _keep(assistant, dataset, found)
    return found


def _draw_told(profile: TableProfile, told: st.delta_generator.DeltaGenerator) -> None:
    rows = f"{profile.rows:,} rows" if profile.whole else f"Figures of the first {profile.rows:,} rows"
    if not profile.fault:
        told.html(f'<p class="ba-muted">{rows}</p>')
        return
    with told.container(horizontal=True, vertical_alignment="center"):
        st.html(f'<p class="ba-muted" role="status">Figures: {as_html(profile.fault)}</p>', width="content")
        st.button("Read them", key="read_profile", on_click=lambda: st.session_state.pop("catalogue_profile", None))


def _draw_columns(
    assistant: Assistant, dataset: Dataset, profile: TableProfile, place: st.delta_generator.DeltaGenerator
) -> None:
    rows = [_row(assistant, dataset, item, profile.columns.get(item.name)) for item in dataset.fields]
    place.dataframe(
        pd.DataFrame(rows),
        key="catalogue_columns",
        hide_index=True,
        placeholder="",
        height=_HEAD_PX + _ROW_PX * min(len(rows), _MOST_ROWS_SHOWN),
        column_config={
            "Column": st.column_config.TextColumn(pinned=True),
            "Range": st.column_config.TextColumn(width="medium"),
            "Unit": st.column_config.TextColumn(width="small"),
            "Empty": st.column_config.NumberColumn(format="percent", help="Share of rows without a value"),
            "Different": st.column_config.NumberColumn(format="localized", help="How many different values"),
            "Rows": st.column_config.BarChartColumn(
                y_min=0, help="Rows in ten equal steps of the range, or with each of the most frequent values"
            ),
        },
    )


def _row(assistant: Assistant, dataset: Dataset, item: Field, known: ColumnProfile | None) -> dict[str, object]:
    span = "" if known is None or known.lowest is None else f"{_short(known.lowest)} to {_short(known.highest)}"
    return {
        "Column": neutralise(seen(item.name)),
        "Type": neutralise(seen(native_type(item, dataset, assistant))),
        "Rows": list(known.bars) if known is not None and known.bars else None,
        "Range": span,
        "Empty": known.nulls if known is not None else None,
        "Different": known.distinct if known is not None else None,
        "Unit": item.unit or "",
        "Sensitive": item.sensitive,
        "Description": neutralise(seen(item.description)),
    }


def _short(value: Scalar) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return seen(f"{value:,}" if isinstance(value, int | Decimal) and not isinstance(value, bool) else str(value))


def _draw_column(assistant: Assistant, dataset: Dataset, profile: TableProfile) -> None:
    names = [item.name for item in dataset.fields]
    if opened("column") in names:
        st.session_state.setdefault("catalogue_column", opened("column"))
    if st.session_state.get("catalogue_column") not in (None, *names):
        st.session_state["catalogue_column"] = None
    name = st.selectbox("One column closer", names, index=None, placeholder="Choose a column", key="catalogue_column")
    if name is None:
        return
    item = dataset.field(name)
    facts = {
        "Called": ", ".join((item.label, *item.synonyms)),
        "Meaning": item.description,
        "Type": native_type(item, dataset, assistant),
        "Computed as": item.expression if item.expression != item.name else "",
        "Unit": item.unit or "",
        "Values are also called": "; ".join(
            f"{value}: {', '.join(said)}" for value, said in item.value_synonyms.items()
        ),
        "Sensitive": _WITHHELD if item.sensitive else "",
    }
    known = profile.columns.get(name)
    if known is not None and known.values:
        facts["Most frequent"] = ", ".join(
            f"{value} ({rows:,})" for value, rows in zip(known.values, known.bars, strict=True)
        )
    lines = "".join(
        f"<tr><th scope='row'>{as_html(key)}</th><td>{as_html(said)}</td></tr>" for key, said in facts.items() if said
    )
    st.html(f'<table class="ba-facts">{lines}</table>')
    edit_column(assistant, dataset, item)
