"""Third step: may this statement run?"""

from __future__ import annotations

from dataclasses import replace

from langgraph.runtime import Runtime

from ai_engine import guard
from ai_engine.errors import SqlRejected
from ai_engine.ports import Services
from ai_engine.state import BankingAssistantState, note_failure
from ai_engine.types import FailedDraft


def validation_agent(state: BankingAssistantState, runtime: Runtime[Services]) -> BankingAssistantState:
    """Replace the draft by its canonical form, or note why it may not run."""
    services = runtime.context
    sql, each = state["generated_sql"] or "", state["first_of_each"]
    try:
        statement = guard.check(
            sql, services.vocabulary.catalogue, services.policy, for_answer=True, ranked_by=state["ranked_by"]
        )
        if each is not None:
            looking = guard.check(each.sql, services.vocabulary.catalogue, services.policy, for_answer=True)
            statement = replace(statement, first_of_each=replace(each, sql=looking.run_sql))
    except SqlRejected as refusal:
        failure = FailedDraft(
            sql, str(refusal), refusal.user_message, stage="validation", error_kind=type(refusal).__name__,
            part=refusal.part, place=refusal.place,
        )  # fmt: skip
        return note_failure(state, failure)
    return {"validated_sql": statement.sql, "statement": statement, "error_message": None}
