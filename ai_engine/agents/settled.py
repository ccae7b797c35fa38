"""A run that has nothing left to be read: its reading, or its statement, was settled before."""

from __future__ import annotations

from collections.abc import Sequence

from ai_engine.errors import IntentNotCovered
from ai_engine.ports import Services
from ai_engine.semantics.intent import Intent
from ai_engine.semantics.restatement import restate
from ai_engine.semantics.settled_periods import known_until
from ai_engine.state import BankingAssistantState
from ai_engine.types import Interpretation


def settled_state(reading: Intent | str, assumptions: Sequence[str], services: Services) -> BankingAssistantState:
    """Return what a run starts with beyond its question.

    Args:
        reading: a structured question, or a statement that runs as it is.
        assumptions: choices made when it was read, one sentence each.
        services: whose vocabulary and verified answers count today.

    Raises:
        IntentNotCovered: the vocabulary no longer has what the structured question names.
    """
    given = tuple(assumptions)
    if isinstance(reading, str):
        return {
            "interpreted_intent": Interpretation("query", "", assumptions=given),
            "assumptions": given,
            "generated_sql": reading,
        }
    vocabulary = services.vocabulary
    try:
        intent = known_until(reading, vocabulary)
        said = restate(intent, vocabulary.model, vocabulary.as_of)
    except KeyError as unknown:
        raise IntentNotCovered(f"{unknown.args[0]} is no longer in the vocabulary") from unknown
    interpretation = Interpretation("query", said, intent, given)
    verified = services.verified.of_reading(interpretation) if services.verified.in_use() else None
    return {"interpreted_intent": interpretation, "assumptions": given, "verified": verified}
