"""Second step, and where every retry comes back to: one statement for the question."""

from __future__ import annotations

from langgraph.runtime import Runtime

from ai_engine import guard
from ai_engine.agents.equal_rows import with_level_rows
from ai_engine.errors import IntentNotCovered, SqlRejected
from ai_engine.ports import Services, SqlTask
from ai_engine.semantics.compiled import compiled
from ai_engine.semantics.intent import Intent
from ai_engine.state import BankingAssistantState
from ai_engine.types import Draft, FailedDraft, Interpretation
from ai_engine.verified import VerifiedAnswer


def sql_agent(state: BankingAssistantState, runtime: Runtime[Services]) -> BankingAssistantState:
    """Compile what the vocabulary covers; let the model write the rest, and everything after a failure."""
    services = runtime.context
    interpretation = state["interpreted_intent"]
    assert interpretation is not None, "the graph comes here only with a question that was understood"  # noqa: S101
    failures, verified = state["failures"], state["verified"]
    if verified is not None and not failures:
        return _update(interpretation, _as_verified(verified, services))
    if interpretation.intent is not None and not failures:
        try:
            return _update(interpretation, _compiled(interpretation.intent, services)) | {"compiled": True}
        except IntentNotCovered as gap:
            failures = (FailedDraft(None, str(gap), gap.user_message, stage="sql", error_kind=type(gap).__name__),)
    task = SqlTask(state["user_query"], interpretation.restatement, failures, interpretation.assumptions)
    written = services.model.write_sql(task, services.vocabulary, stop=services.stop)
    return _update(interpretation, written) | {"compiled": False}


def _compiled(intent: Intent, services: Services) -> Draft:
    return with_level_rows(compiled(intent, services.vocabulary), intent, services.vocabulary)


def _as_verified(verified: VerifiedAnswer, services: Services) -> Draft:
    """Take the statement that a person has checked, with the meaning of its columns where the intent still says it."""
    if verified.intent is None:
        return Draft(verified.sql)
    try:
        draft = _compiled(verified.intent, services)
        each = draft.first_of_each
        if each and guard.check(draft.sql, services.vocabulary.catalogue, services.policy).sql != verified.sql:
            each = None
    except (IntentNotCovered, SqlRejected):
        return Draft(verified.sql)
    return Draft(verified.sql, draft.columns, draft.assumptions, draft.ranked_by, each)


def _update(interpretation: Interpretation, draft: Draft) -> BankingAssistantState:
    assumptions = dict.fromkeys((*interpretation.assumptions, *draft.assumptions))
    return {
        "generated_sql": draft.sql,
        "columns": draft.columns,
        "ranked_by": draft.ranked_by,
        "first_of_each": draft.first_of_each,
        "assumptions": tuple(assumptions),
    }
