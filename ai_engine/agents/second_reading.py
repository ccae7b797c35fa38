"""Beside the fourth step: does the other reading of a question give the same rows?"""

from __future__ import annotations

from ai_engine import guard
from ai_engine.agents.running import run_with_deadline
from ai_engine.errors import IntentNotCovered, QueryFailed, QueryStopped, SqlRejected
from ai_engine.insight import describe_columns
from ai_engine.ports import Services
from ai_engine.row_comparison import difference
from ai_engine.semantics.compiler import compile_intent
from ai_engine.state import BankingAssistantState
from ai_engine.types import OtherReading, QueryResult


def compared(state: BankingAssistantState, result: QueryResult, services: Services) -> BankingAssistantState:
    """Run the other reading where its statement differs, and note whether the rows do.

    Nothing is noted where there is no other reading, or it cannot be run.

    Raises:
        QueryStopped: the person who asked wants no more.
    """
    other, asked = state["other_reading"], state["interpreted_intent"]
    if other is None or other.intent is None or asked is None:
        return {}
    vocabulary = services.vocabulary
    try:
        draft = compile_intent(other.intent, vocabulary.model, vocabulary.catalogue.dialect, vocabulary.as_of)
        statement = guard.check(
            draft.sql, vocabulary.catalogue, services.policy, for_answer=True, ranked_by=draft.ranked_by
        )
        if statement.sql == state["validated_sql"]:
            return _noted(services, agreed=True)
        found = run_with_deadline(services.runner, statement, services.limits.timeout_s, services.stop)
    except QueryStopped:
        raise
    except (IntentNotCovered, SqlRejected, QueryFailed):
        return {}
    ordered = bool(asked.intent and asked.intent.order)
    whole = not (result.truncated or found.truncated)
    if whole and difference(result.rows, found.rows, ordered=ordered) is None:
        return _noted(services, agreed=True)
    return _noted(services, agreed=False) | {
        "shown_other": OtherReading(
            other.restatement, statement.sql, found, describe_columns(found, vocabulary, draft.columns)
        )
    }


def _noted(services: Services, *, agreed: bool) -> BankingAssistantState:
    services.agreement.note(agreed=agreed)
    return {"agreed": agreed}
