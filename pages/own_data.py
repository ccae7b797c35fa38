"""What this visitor has brought, and the file that waits to be made into tables."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from uuid import uuid4

import streamlit as st

from ai_engine.catalogue import Table
from ai_engine.errors import AssistantError, UploadRefused
from backend.sources.source import OWN
from backend.uploads.own_data import Looked, OwnData
from backend.uploads.plan import ColumnPlan, TablePlan, UploadLimits
from backend.vocabulary.doubts import keep_units
from pages import conversations, source

_LOOKED = "own_looked"
_TOLD = "own_told"
_UPLOADER = "own_uploader"


def own() -> OwnData:
    """Return this visitor's folder; NotPermitted where they may have none."""
    return OwnData(source.settings(), source.visitor())


def uploader_key() -> str:
    """Name the widget; another name empties it."""
    key: str = st.session_state.setdefault(_UPLOADER, uuid4().hex)
    return key


def limits() -> UploadLimits:
    """Return how much may be brought; NotPermitted where nothing may."""
    return own().limits


def look(file_name: str, raw: bytes) -> None:
    """Look at a dropped file; what is wrong with it is told."""
    st.session_state.pop(_UPLOADER, None)
    try:
        st.session_state[_LOOKED] = own().look(file_name, raw)
        st.session_state.pop(_TOLD, None)
    except AssistantError as fault:
        st.session_state[_TOLD] = fault.user_message


def looked() -> Looked | None:
    """Return the file that waits."""
    found: Looked | None = st.session_state.get(_LOOKED)
    return found


def take_told() -> str:
    """Return what went wrong last, once."""
    told: str = st.session_state.pop(_TOLD, "")
    return told


def build(wanted: list[TablePlan]) -> None:
    """Make tables of the file that waits; what is wrong is told, and the file goes on waiting."""
    waiting = looked()
    if waiting is None:
        return
    try:
        if not wanted:
            raise UploadRefused("Choose at least one table.")
        own().build(waiting, wanted, date.today().isoformat())  # noqa: DTZ011 - the visitor's day
    except AssistantError as fault:
        st.session_state[_TOLD] = fault.user_message
        return
    st.session_state.pop(_LOOKED, None)
    source.forget_own()
    _keep_units(wanted)


def _keep_units(wanted: list[TablePlan]) -> None:
    """Tell the vocabulary of currencies that stood in the file; without the store it asks for them."""
    brought = own().source
    try:
        if brought is not None:
            keep_units(source.own_assistant(), brought, wanted, source.visitor())
            source.forget_own()
    except AssistantError as fault:
        st.session_state[_TOLD] = fault.user_message


def drop() -> None:
    """Forget the file that waits."""
    waiting = st.session_state.pop(_LOOKED, None)
    if waiting is not None:
        own().drop(waiting)


def kept() -> tuple[Table, ...]:
    """Return the tables of this visitor; empty where there are none, AssistantError where they cannot be read."""
    if own().source is None:
        return ()
    return source.own_assistant().vocabulary.catalogue.tables


def remove(table: str | None, tables: tuple[str, ...]) -> None:
    """Remove a table, or everything; a conversation about it ends."""
    source.forget_own()
    try:
        if table is None:
            source.forget_answers()
            own().remove_all()
        else:
            own().remove(table, tables)
    except AssistantError as fault:
        st.session_state[_TOLD] = fault.user_message
    if source.chosen() == OWN:
        conversations.end()
        source.choose_first()


def renamed(plan: TablePlan, name: str, columns: list[tuple[str, str]]) -> TablePlan:
    """Return a plan with what the visitor says instead: names and kinds, in the order of its columns."""
    told: tuple[ColumnPlan, ...] = tuple(
        replace(column, name=wanted.strip(), kind=kind)  # type: ignore[arg-type]
        for column, (wanted, kind) in zip(plan.columns, columns, strict=True)
    )
    return replace(plan, name=name.strip(), columns=told, preview=())
