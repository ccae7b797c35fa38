"""First step: what is being asked?"""

from __future__ import annotations

from langgraph.runtime import Runtime

from ai_engine.agents.reading import read
from ai_engine.ports import Services
from ai_engine.state import BankingAssistantState


def intent_agent(state: BankingAssistantState, runtime: Runtime[Services]) -> BankingAssistantState:
    """Read the question in the light of the earlier turns."""
    reading = read(state["user_query"], state["history"], runtime.context)
    return {
        "interpreted_intent": reading.interpretation,
        "assumptions": reading.interpretation.assumptions,
        "read_by": reading.reader,
        "model_called": reading.called,
        "verified": reading.verified,
        "other_reading": reading.other,
    }
