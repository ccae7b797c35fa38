"""Beside the last step: does the last row shown share its place with rows that are not?"""

from __future__ import annotations

from ai_engine import guard
from ai_engine.agents.execution_tool import run_with_deadline
from ai_engine.errors import IntentNotCovered, QueryFailed, QueryStopped, SqlRejected
from ai_engine.ports import Services
from ai_engine.semantics.compiler import compile_intent
from ai_engine.semantics.intent import Intent
from ai_engine.semantics.ties import UNKNOWN_WHETHER_EQUAL, equals_left_out, with_equals
from ai_engine.types import QueryResult


def said_of_equal_rows(intent: Intent | None, result: QueryResult, services: Services) -> tuple[str, ...]:
    """Look for the rows that a ranking leaves out though they are level with one it shows; one sentence or none.

    Raises:
        QueryStopped: the person who asked wants no more.
    """
    asked = with_equals(intent) if intent is not None and not result.truncated else None
    if intent is None or asked is None or (result.row_count < (intent.limit or 0) and not intent.limit_within):
        return ()
    try:
        found = _answered(asked, services)
    except QueryStopped:
        raise
    except (IntentNotCovered, SqlRejected, QueryFailed):
        return (UNKNOWN_WHETHER_EQUAL,)
    said = equals_left_out(intent, result.row_count, found.row_count, more=found.truncated)
    return (said,) if said else ()


def _answered(intent: Intent, services: Services) -> QueryResult:
    vocabulary = services.vocabulary
    draft = compile_intent(intent, vocabulary.model, vocabulary.catalogue.dialect, vocabulary.as_of)
    statement = guard.check(draft.sql, vocabulary.catalogue, services.policy)
    return run_with_deadline(services.runner, statement, services.limits.timeout_s, services.stop)
