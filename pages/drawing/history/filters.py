"""What the history is narrowed to, and at which page of it somebody looks."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

import streamlit as st

from backend.store.audit_trail import Wanted

_STATUSES = ("answered", "clarify", "refused", "failed")
_PLACE = "history_place"
_FIELD_PX = 170


def draw_filters(*, of_all: bool) -> Wanted:
    """Draw the fields, and return what they say; a change goes back to the newest entries.

    Args:
        of_all: persons can be told apart here.
    """
    words = st.text_input(
        "Search questions and SQL", key="history_words", placeholder="Search questions and SQL",
        icon=":material/search:", label_visibility="collapsed", on_change=_to_newest,
    )  # fmt: skip
    with st.container(horizontal=True, gap="small"):
        since = st.date_input("From (UTC)", value=None, key="history_since", on_change=_to_newest, width=_FIELD_PX)
        until = st.date_input("Until (UTC)", value=None, key="history_until", on_change=_to_newest, width=_FIELD_PX)
        status = st.selectbox(
            "Status", _STATUSES, index=None, placeholder="Any", key="history_status", on_change=_to_newest,
            width=_FIELD_PX,
        )  # fmt: skip
        person = None
        if of_all:
            person = st.text_input(
                "Person", key="history_person", placeholder="Anybody", on_change=_to_newest, width=_FIELD_PX
            )
    return Wanted(
        person=(person or "").strip() or None,
        since=_begin_of(since),
        until=_begin_of(until + timedelta(days=1)) if until is not None else None,
        status=status or "",
        words=words.strip(),
    )


def place() -> tuple[int | None, int | None]:
    """Return the number before which, or after which, entries are shown; the newest are where both are None."""
    found: tuple[int | None, int | None] = st.session_state.get(_PLACE, (None, None))
    return found


def go_to(before: int | None, after: int | None) -> None:
    """Turn the page."""
    st.session_state[_PLACE] = (before, after)


def _to_newest() -> None:
    st.session_state.pop(_PLACE, None)


def _begin_of(day: date | None) -> datetime | None:
    return None if day is None else datetime.combine(day, time.min, UTC)
