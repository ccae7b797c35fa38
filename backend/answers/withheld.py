"""Answers that were kept, and whether they may be shown still: their columns may have become restricted since."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ai_engine.errors import SqlRejected
from ai_engine.types import Answer


def as_may_be_shown(answer: Answer, check: Callable[[str], object]) -> Answer:
    """Return an answer as it was kept, or one that says why it is not shown and holds nothing else of it.

    Args:
        answer: of any day.
        check: judges a statement as it would be judged now; raises SqlRejected.
    """
    if answer.status != "answered":
        return answer
    why = why_withheld((answer.sql, answer.other_reading.sql if answer.other_reading else None), check)
    if not why:
        return answer
    return Answer(answer.question, "failed", answer.model, error=why, error_kind=SqlRejected.__name__)


def why_withheld(statements: Iterable[str | None], check: Callable[[str], object]) -> str:
    """Say why what these statements gave is not shown any more; empty where it may be."""
    try:
        for sql in filter(None, statements):
            check(sql)
    except SqlRejected as refusal:
        return f"This answer is not shown any more, as its query may not run today: {refusal}."
    return ""
