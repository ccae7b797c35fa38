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


def said_of_age(answer: Answer) -> str:
    """Say of rows of an earlier run when that was; empty for those of this one."""
    ran_at = answer.result.ran_at if answer.result is not None else None
    return "" if ran_at is None else f"Rows as of {ran_at:%Y-%m-%d %H:%M:%S} UTC, kept from an earlier run."
