"""What this installation is: its version, its packages with their licences, and where data is kept."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from backend import VERSION
from backend.configuration.about import kept_where, packages
from pages import source
from pages.drawing.escaping import as_html


def draw_about(*, may_change: bool) -> None:
    """Name them; places on disk only to those who may change settings."""
    st.html(f"<p>Banking Assistant {as_html(VERSION)}, Apache-2.0</p>")
    if may_change:
        for what, place in kept_where(source.settings()).items():
            st.html(f'<p class="ba-line">{as_html(what)}<br><span class="ba-muted">{as_html(place)}</span></p>')
    rows = [{"Package": one.name, "Version": one.version, "Licence": one.licence} for one in packages()]
    st.dataframe(pd.DataFrame(rows), hide_index=True, key="packages")
