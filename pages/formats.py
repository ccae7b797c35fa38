"""How this visitor wants figures and days written, and the words of answers written so."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from ai_engine.formats import DateFormat, Formats, Grouping
from ai_engine.insight.rewritten import in_formats
from ai_engine.types import Answer
from pages import session, source

_MOST_KEPT = 200


def chosen_formats() -> Formats:
    """Return what this visitor has chosen, without a currency."""
    return source.person_formats().of(source.visitor())


def visitor_formats() -> Formats:
    """Return how to write figures and days of the current source for this visitor."""
    return replace(chosen_formats(), currency=session.get_assistant().vocabulary.model.currency)


def choose(grouping: Grouping | None, dates: DateFormat | None) -> None:
    """Write figures and days so from now on; raises StoreUnavailable."""
    source.person_formats().choose(source.visitor(), Formats(grouping=grouping, dates=dates))


def for_visitor(text: str) -> str:
    """Write a text with exact figures and days for this visitor."""
    return in_formats(text, chosen_formats())


def words_of(answer: Answer) -> tuple[str, str]:
    """Return headline and summary of an answer for this visitor; once told so, they are kept for the session."""
    own = chosen_formats()
    if not own.are_own or answer.result is None:
        return answer.headline, answer.summary
    from ai_engine.insight.told_anew import words_for  # takes long to load, and the page is drawn before

    kept: dict[tuple[str, str, Formats], tuple[str, str]] = st.session_state.setdefault("words_told", {})
    key = (answer.question_id, answer.summary, own)
    if key not in kept:
        if len(kept) >= _MOST_KEPT:
            kept.clear()
        kept[key] = words_for(answer, session.get_assistant().vocabulary, visitor_formats())
    return kept[key]
