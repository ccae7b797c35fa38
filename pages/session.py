"""What one visitor's session holds: the assistant, the turns so far, and the question on its way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from ai_engine.types import Answer, StepFinished, Turn

if TYPE_CHECKING:
    from backend.service import Assistant

_REMEMBERED_TURNS = 10


@dataclass(frozen=True)
class Exchange:
    """One question with its answer and the steps that led to it."""

    answer: Answer
    steps: Sequence[StepFinished] = ()


@st.cache_resource(show_spinner="Opening the bank's data …", validate=lambda found: not found.database.outdated)
def get_assistant() -> Assistant:
    """Open the assistant once for all visitors; a failure is not kept, so that a repaired database is found."""
    from backend.service import default_assistant  # takes seconds, so the page is drawn before

    return default_assistant()


def exchanges() -> list[Exchange]:
    """Return this visitor's conversation, oldest first; the list itself, to be added to."""
    kept: list[Exchange] = st.session_state.setdefault("exchanges", [])
    return kept


def history(past: list[Exchange]) -> list[Turn]:
    """Return what a follow-up question may refer to."""
    understood = [item.answer for item in past if item.answer.status in {"answered", "clarify"}]
    return [Turn(answer.question, answer.restatement, answer.intent) for answer in understood[-_REMEMBERED_TURNS:]]


def ask_next(question: str) -> None:
    """Put a question on its way, as a click on a suggestion does."""
    st.session_state["next_question"] = question


def take_question(typed: str | None) -> str | None:
    """Return the question to answer in this run, once."""
    clicked: str | None = st.session_state.pop("next_question", None)
    return clicked or typed


def forget() -> None:
    """Start a new conversation."""
    st.session_state["exchanges"] = []
