"""A ranking cut off among equals: the question that keeps them, and what to say of those left out."""

from __future__ import annotations

from ai_engine.semantics.intent import Intent

UNKNOWN_WHETHER_EQUAL = "Whether more rows are level with the last one shown could not be checked."


def with_equals(intent: Intent) -> Intent | None:
    """Return the question that also shows the rows level with the last one, None where no ranking is cut off."""
    cut_off = intent.limit is not None and intent.order and not intent.with_ties and intent.over_groups is None
    if not cut_off or intent.limit is None:
        return None
    return intent.model_copy(update={"limit": intent.limit + intent.skip, "skip": 0, "with_ties": True})


def equals_left_out(intent: Intent, shown: int, found: int, *, more: bool) -> str:
    """Say how many rows are level with the last one shown, "" when none is.

    Args:
        intent: the question as it was answered.
        shown: rows of its answer.
        found: rows of the question `with_equals`.
        more: there are more than `found`.
    """
    left_out = found - intent.skip - shown
    if left_out <= 0:
        return ""
    at_least = "At least " if more else ""
    said = f"{at_least}{left_out} more {'row is' if left_out == 1 else 'rows are'} level with"
    if intent.limit_within:
        return f"{said} the last ones shown."
    return f"{said} the {'one' if shown == 1 else 'last one'} shown; ask for the top {found} to see them too."
