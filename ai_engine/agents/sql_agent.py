"""Second step, and where every retry comes back to: one statement for the question."""

from __future__ import annotations

from langgraph.runtime import Runtime

from ai_engine.errors import IntentNotCovered
from ai_engine.ports import Services, SqlTask
from ai_engine.semantics.compiler import compile_intent
from ai_engine.state import BankingAssistantState
from ai_engine.types import Draft, FailedDraft, Interpretation


def sql_agent(state: BankingAssistantState, runtime: Runtime[Services]) -> BankingAssistantState:
    """Compile what the vocabulary covers; let the model write the rest, and everything after a failure."""
    services = runtime.context
    interpretation = state["interpreted_intent"]
    assert interpretation is not None, "the graph comes here only with a question that was understood"  # noqa: S101
    failures = state["failures"]
    if interpretation.intent is not None and not failures:
        try:
            return _update(interpretation, compile_intent(
                interpretation.intent,
                services.vocabulary.model,
                services.vocabulary.catalogue.dialect,
                services.vocabulary.as_of,
            ))  # fmt: skip
        except IntentNotCovered as gap:
            failures = (FailedDraft(None, str(gap), gap.user_message, stage="sql", error_kind=type(gap).__name__),)
    task = SqlTask(state["user_query"], interpretation.restatement, failures, interpretation.assumptions)
    return _update(interpretation, services.model.write_sql(task, services.vocabulary, stop=services.stop))


def _update(interpretation: Interpretation, draft: Draft) -> BankingAssistantState:
    assumptions = dict.fromkeys((*interpretation.assumptions, *draft.assumptions))
    return {
        "generated_sql": draft.sql,
        "columns": draft.columns,
        "ranked_by": draft.ranked_by,
        "assumptions": tuple(assumptions),
    }
