"""What a figure rests on, in words."""

from __future__ import annotations

from ai_engine.types import Answer

_WORDS = {
    "agreed": "Agreed: the language model's reading and the built-in one give the same rows.",
    "compiled": "Compiled: the statement was built from the reading above.",
    "free SQL": "Free SQL: a language model wrote the statement, and said itself how the question was understood; no "
    "program compared the two. Look at it before you use the figure.",
    "given SQL": "Given SQL: this statement ran as it was given. The guard let it through; nothing compared it with "
    "the question.",
}


def said_of_trust(answer: Answer) -> str:
    """Say what the figures of an answer rest on; empty for one without a statement."""
    checked = answer.verified
    if answer.trust == "verified" and checked is not None:
        second = f" and {checked.confirmed_by}" if checked.confirmed_by else ""
        day = checked.saved_at
        return f"Verified by {checked.saved_by}{second} on {day.day} {day:%B %Y}."
    return _WORDS.get(answer.trust or "", "")
