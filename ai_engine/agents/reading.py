"""Beside the first step: who reads a question, and which of two readings is taken.

What a person has verified goes before every reading. The rules cost no call, so they read beside a language model: to
find what was verified, to be compared with it, and to answer where it is away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ai_engine.errors import DatabaseUnavailable, ModelBudgetSpent, ModelNotConfigured, ModelUnavailable
from ai_engine.ports import AssistantModel, Services
from ai_engine.semantics.settled_periods import with_settled_periods
from ai_engine.types import Interpretation, Turn
from ai_engine.verified import VerifiedAnswer

BUDGET_SPENT = "Your budget for the language model is used up for today, so the built-in reader answered."
MODEL_AWAY = "The language model cannot be reached, so the built-in reader answered."


@dataclass(frozen=True, slots=True)
class Reading:
    """What a question was understood as.

    Attributes:
        reader: name of who read it.
        called: the language model was asked for it.
        verified: the answer that a person has checked for this.
        other: what the rules made of it, where that is complete and the language model's reading was taken.
    """

    interpretation: Interpretation
    reader: str
    called: bool = True
    verified: VerifiedAnswer | None = None
    other: Interpretation | None = None


def read(question: str, history: Sequence[Turn], services: Services) -> Reading:
    """Read a question in the light of the turns before it.

    Raises:
        ModelFailed: the language model gave no reading, and the rules have none that is complete.
        QueryStopped: the person who asked wants no more.
    """
    if not history and (known := services.verified.of_question(question)) is not None:
        return _verified(known.interpretation(), known, called=False)
    by_rule = _by_rule(question, history, services)
    if by_rule is not None:
        if (known := services.verified.of_reading(by_rule)) is not None:
            return _verified(by_rule, known, called=False)
        if _rules_suffice(services):
            return Reading(by_rule, _name(services.rules), called=False)
    try:
        read_by_model = _settled(services.model, question, history, services)
    except (ModelUnavailable, ModelNotConfigured) as fault:
        if by_rule is None:
            raise
        why = BUDGET_SPENT if isinstance(fault, ModelBudgetSpent) else MODEL_AWAY
        told = replace(by_rule, assumptions=(why, *by_rule.assumptions))
        return Reading(told, _name(services.rules), called=False)
    known = services.verified.of_reading(read_by_model) if read_by_model.outcome == "query" else None
    if known is not None:
        return _verified(read_by_model, known, called=services.rules is not None)
    return Reading(read_by_model, services.model.name, called=services.rules is not None, other=by_rule)


def _verified(interpretation: Interpretation, known: VerifiedAnswer, *, called: bool) -> Reading:
    return Reading(interpretation, "verified", called=called, verified=known)


def _by_rule(question: str, history: Sequence[Turn], services: Services) -> Interpretation | None:
    """Return what the rules make of a question where they leave nothing open; None where no model stands beside."""
    if services.rules is None:
        return None
    try:
        interpretation = _settled(services.rules, question, history, services)
    except DatabaseUnavailable:  # a search of the data; the language model may do without
        return None
    return interpretation if interpretation.outcome == "query" and interpretation.intent is not None else None


def _settled(model: AssistantModel, question: str, history: Sequence[Turn], services: Services) -> Interpretation:
    interpretation = model.interpret(question, history, services.vocabulary, stop=services.stop)
    return with_settled_periods(interpretation, services.vocabulary)


def _rules_suffice(services: Services) -> bool:
    if services.readers == "built-in-first":
        return services.agreement.trusted
    return services.readers == "built-in"


def _name(model: AssistantModel | None) -> str:
    return model.name if model is not None else ""
