"""Keeps turns in the app's store beside the page's work: a store that is slow, full or away holds no answer up."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from typing import TypeVar

import streamlit as st

from ai_engine.errors import AssistantError, StoreUnavailable
from backend.store import KeptConversations, shared_store

_log = logging.getLogger(__name__)
_Found = TypeVar("_Found")
_FIRST_WAIT_S = 0.25
_REST_S = 15.0
_writers = ThreadPoolExecutor(4, thread_name_prefix="keeping")
NOT_KEPT = "This conversation is not kept for now, and lasts as long as this page is open."


def store() -> KeptConversations:
    """Return where conversations are kept."""
    from backend.opening import shared_sources  # takes seconds, so the page is drawn before

    return KeptConversations(shared_store.get, shared_sources.settings.kept_answer_kb)


class Writing:
    """Something on its way into the store."""

    def __init__(self, write: Callable[[], None] | None, *, wait_s: float = _FIRST_WAIT_S) -> None:
        """Begin; most are done after a moment, which is waited for, so that what is shown is kept."""
        self._done: Future[None] | None = None
        if write is not None and not is_resting():
            self._done = _writers.submit(write)
            try:
                self._done.exception(wait_s)
            except NotYet:
                return

    def end(self) -> None:
        """Wait for the end; what went wrong is told by `fault` until something is kept again."""
        if self._done is not None:
            attempt(self._done.result)


def attempt(use: Callable[[], _Found]) -> _Found | None:
    """Use the store; where it cannot be used, remember why, give None, and leave it alone for a while.

    Raises:
        AssistantError: the store is there, and what was asked of it may not be.
    """
    try:
        found = use()
    except StoreUnavailable as fault:
        _log.warning("a conversation is not kept: %s", fault)
        st.session_state["store_fault"] = (time.monotonic(), fault.user_message)
        return None
    except AssistantError:
        raise
    except Exception:  # noqa: BLE001 - whatever is wrong with the store, answers go on
        _log.exception("a conversation is not kept")
        st.session_state["store_fault"] = (time.monotonic(), StoreUnavailable.user_message)
        return None
    st.session_state.pop("store_fault", None)
    return found


def fault() -> str:
    """Return what is wrong with the store, empty where it was last used with success."""
    told: tuple[float, str] = st.session_state.get("store_fault", (0.0, ""))
    return told[1]


def is_resting() -> bool:
    """Tell whether the store failed just now, so that nobody waits for it again yet."""
    told: tuple[float, str] | None = st.session_state.get("store_fault")
    return told is not None and time.monotonic() - told[0] < _REST_S
