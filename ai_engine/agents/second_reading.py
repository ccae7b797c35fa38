"""The other reading of a question: what it would run, and, beside the fourth step, whether that gives the same rows."""

from __future__ import annotations

from ai_engine import guard
from ai_engine.agents.running import run_with_deadline
from ai_engine.errors import IntentNotCovered, QueryFailed, QueryStopped, SqlRejected
from ai_engine.insight import describe_columns
from ai_engine.ports import Services
from ai_engine.row_comparison import difference
from ai_engine.semantics.compiler import compile_intent
from ai_engine.state import BankingAssistantState
from ai_engine.types import Interpretation, OtherReading, OtherStatement, QueryResult


def statement_of(reading: Interpretation | None, services: Services) -> OtherStatement | None:
    """Return what a reading would run; None where there is none, or the compiler or the guard says no."""
    if reading is None or reading.intent is None:
        return None
    vocabulary = services.vocabulary
    try:
        draft = compile_intent(reading.intent, vocabulary.model, vocabulary.catalogue.dialect, vocabulary.as_of)
        statement = guard.check(
            draft.sql, vocabulary.catalogue, services.policy, for_answer=True, ranked_by=draft.ranked_by
        )
    except (IntentNotCovered, SqlRejected):
        return None
    return OtherStatement(reading.restatement, statement, draft.columns)


def compared(state: BankingAssistantState, result: QueryResult, services: Services) -> BankingAssistantState:
    """Run the other reading where its statement differs, and note whether the rows do.

    Nothing is noted where there is no other reading, or it cannot be run.

    Raises:
        QueryStopped: the person who asked wants no more.
    """
    other, asked = state["other_reading"], state["interpreted_intent"]
    if other is None or asked is None:
        return {}
    if other.statement.sql == state["validated_sql"]:
        return _noted(services, agreed=True)
    try:
        found = run_with_deadline(services.runner, other.statement, services.limits.timeout_s, services.stop)
    except QueryStopped:
        raise
    except QueryFailed:
        return {}
    ordered = bool(asked.intent and asked.intent.order)
    whole = not (result.truncated or found.truncated)
    if whole and difference(result.rows, found.rows, ordered=ordered) is None:
        return _noted(services, agreed=True)
    columns = describe_columns(found, services.vocabulary, other.columns)
    return _noted(services, agreed=False) | {
        "shown_other": OtherReading(other.restatement, other.statement.sql, found, columns)
    }


def _noted(services: Services, *, agreed: bool) -> BankingAssistantState:
    services.agreement.note(agreed=agreed)
    return {"agreed": agreed}
