"""What a click makes of an answer's question: the changed one is run as the next turn, and nobody reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ai_engine.turns import assumed_in_reading
from ai_engine.types import Answer
from pages import session

if TYPE_CHECKING:
    from ai_engine.semantics.edits.edit import Edit


def run_anew(answer: Answer) -> None:
    """Put an answer's question on its way once more, with its statement run."""
    compiled = answer.trust in ("verified", "agreed", "compiled")
    reading = answer.intent if compiled and answer.intent is not None else answer.sql
    if reading is not None:
        session.ask_settled(answer.question, reading, assumed_in_reading(answer), anew=True)


def run_edit(answer: Answer, edit: Edit) -> None:
    """Put a change of an answer's question on its way, with what is still assumed."""
    from ai_engine.semantics.edits.chips import still_assumed  # takes long to load, and the page is drawn before
    from ai_engine.semantics.edits.naming import question_of

    known, assumptions = session.get_assistant().vocabulary, assumed_in_reading(answer)
    if answer.intent is not None:
        assumptions = still_assumed(assumptions, answer.intent, edit.intent, known)
    question = question_of(edit.intent, known)
    session.ask_settled(question, edit.intent, (*assumptions, *edit.notes), derived_from=answer.question_id)
