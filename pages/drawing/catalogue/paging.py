"""A long list, a page at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import streamlit as st

PAGE_ROWS = 25
_Item = TypeVar("_Item")


def page_of(items: Sequence[_Item], key: str) -> Sequence[_Item]:
    """Return the items of the page that is shown."""
    return items[_first(items, key) : _first(items, key) + PAGE_ROWS]


def draw_paging(items: Sequence[object], key: str) -> None:
    """Say which of the items are shown, and lead to the others; nothing where all are."""
    if len(items) <= PAGE_ROWS:
        return
    first = _first(items, key)
    last = min(first + PAGE_ROWS, len(items))
    with st.container(horizontal=True, vertical_alignment="center", key=f"{key}_paging"):
        st.button(
            "Previous", key=f"{key}_previous", icon=":material/chevron_left:", disabled=not first, on_click=_turn,
            args=(key, first - PAGE_ROWS),
        )  # fmt: skip
        st.html(f'<p class="ba-muted">{first + 1:,} to {last:,} of {len(items):,}</p>', width="content")
        st.button(
            "Next", key=f"{key}_next", icon=":material/chevron_right:", icon_position="right",
            disabled=last == len(items), on_click=_turn, args=(key, first + PAGE_ROWS),
        )  # fmt: skip


def _first(items: Sequence[object], key: str) -> int:
    kept = int(st.session_state.get(f"{key}_first", 0))
    return kept if 0 <= kept < len(items) else 0


def _turn(key: str, first: int) -> None:
    st.session_state[f"{key}_first"] = first
