"""The views of one answer beside each other: chart, table, SQL, details; one of them is open at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import streamlit as st

View: TypeAlias = tuple[str, Callable[[], None]]


def draw_views(views: Sequence[View], *, key: str, first: str | None = None) -> None:
    """Draw tabs, of which the first or the one called `first` is open; a single view needs none."""
    if len(views) == 1:
        views[0][1]()
        return
    tabs = st.tabs([name for name, _ in views], default=first, key=f"views_{key}")
    for (_, draw), tab in zip(views, tabs, strict=True):
        with tab:
            draw()
