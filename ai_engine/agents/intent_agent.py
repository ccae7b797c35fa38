"""First step: what is being asked?"""

from __future__ import annotations

from langgraph.runtime import Runtime

from ai_engine.ports import Services
from ai_engine.semantics.settled_periods import with_settled_periods
from ai_engine.state import BankingAssistantState


def intent_agent(state: BankingAssistantState, runtime: Runtime[Services]) -> BankingAssistantState:
    """Read the question in the light of the earlier turns."""
    services = runtime.context
    interpretation = services.model.interpret(
        state["user_query"], state["history"], services.vocabulary, stop=services.stop
    )
    interpretation = with_settled_periods(interpretation, services.vocabulary)
    return {"interpreted_intent": interpretation, "assumptions": interpretation.assumptions}
