"""Answers that were kept, and whether they may be shown still: their columns may have become restricted since."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import replace

from ai_engine.errors import SqlRejected
from ai_engine.guard.policy import Policy
from ai_engine.types import Answer

CLOSED_SINCE = "This answer is not shown any more, as columns were closed since whose values it may name."


def with_mark(answer: Answer, policy: Policy) -> Answer:
    """Note of an answer that no statement can be judged for, as it offers choices or lists values, what was closed."""
    return answer if _has_figures(answer) else replace(answer, closed=mark_of(policy))


def as_may_be_shown(answer: Answer, check: Callable[[str], object], policy: Policy) -> Answer:
    """Return an answer as it was kept, or one that says why it is not shown and holds nothing else of it.

    Args:
        answer: of any day.
        check: judges a statement as it would be judged now; raises SqlRejected.
        policy: what is closed now.
    """
    if not _has_figures(answer):
        outdated = answer.closed not in ("", mark_of(policy))
        return Answer(answer.question, "failed", answer.model, error=CLOSED_SINCE) if outdated else answer
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


def _has_figures(answer: Answer) -> bool:
    return answer.status == "answered" and answer.sql is not None


def mark_of(policy: Policy) -> str:
    """Return a mark of what a policy closes, which tells none of it."""
    restricted = sorted((table, sorted(columns)) for table, columns in policy.restricted_columns.items())
    allowed = None if policy.allowed_tables is None else sorted(policy.allowed_tables)
    return hashlib.sha256(repr((allowed, sorted(policy.hidden_tables), restricted)).encode()).hexdigest()[:20]
