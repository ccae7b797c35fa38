"""Beside the first step: who reads a question, and which of two readings is taken.

What a person has verified goes before every reading. The rules cost no call, so they read beside a language model: to
find what was verified, to be compared with it, and to answer where it is away. Where nothing is verified and they do
not answer alone, the call goes first, and they read while it is awaited.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, replace

from ai_engine.agents.second_reading import statement_of
from ai_engine.errors import DatabaseUnavailable, ModelBudgetSpent, ModelNotConfigured, ModelUnavailable
from ai_engine.ports import AssistantModel, Services
from ai_engine.semantics.settled_periods import with_settled_periods
from ai_engine.types import Interpretation, OtherStatement, Turn
from ai_engine.verified import NoVerifiedAnswers, VerifiedAnswer, VerifiedAnswers

BUDGET_SPENT = "Your budget for the language model is used up for today, so the built-in reader answered."
MODEL_AWAY = "The language model cannot be reached, so the built-in reader answered."
_HEAD_START_S = 0.05
"""In which a request is written and sent; threads that compute take turns, so that rules would hold it up."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a question was understood as.

    Attributes:
        reader: name of who read it.
        called: the language model was asked for it.
        verified: the answer that a person has checked for this.
        other: what the rules would run, where their reading is complete and the language model's was taken.
    """

    interpretation: Interpretation
    reader: str
    called: bool = True
    verified: VerifiedAnswer | None = None
    other: OtherStatement | None = None


def read(question: str, history: Sequence[Turn], services: Services) -> Reading:
    """Read a question in the light of the turns before it.

    Raises:
        ModelFailed: the language model gave no reading, and the rules have none that is complete.
        QueryStopped: the person who asked wants no more.
    """
    verified = services.verified if services.verified.in_use() else NoVerifiedAnswers()
    if not history and (known := verified.of_question(question)) is not None:
        return _verified(known.interpretation(), known, called=False)
    if services.rules is None:
        return _of_model(_settled(services.model, question, history, services), None, verified, services)
    if verified is services.verified or _rules_suffice(services):
        by_rule = _by_rule(services.rules, question, history, services)
        if by_rule is not None and (known := verified.of_reading(by_rule)) is not None:
            return _verified(by_rule, known, called=False)
        if by_rule is not None and _rules_suffice(services):
            return Reading(by_rule, services.rules.name, called=False)
    return _read_by_both(services.rules, question, history, verified, services)


def _read_by_both(
    rules: AssistantModel, question: str, history: Sequence[Turn], verified: VerifiedAnswers, services: Services
) -> Reading:
    """Take the language model's reading; that of the rules stands beside it, and in its place where it is away."""
    replied = threading.Event()

    def read_by_rule() -> tuple[Interpretation | None, OtherStatement | None]:
        replied.wait(_HEAD_START_S)
        by_rule = _by_rule(rules, question, history, services)
        return by_rule, statement_of(by_rule, services)

    with ThreadPoolExecutor(1, thread_name_prefix="rules") as beside:
        reading = beside.submit(copy_context().run, read_by_rule)
        try:
            read_by_model = _settled(services.model, question, history, services)
        except (ModelUnavailable, ModelNotConfigured) as fault:
            replied.set()
            by_rule, _ = reading.result()
            if by_rule is None:
                raise
            why = BUDGET_SPENT if isinstance(fault, ModelBudgetSpent) else MODEL_AWAY
            told = replace(by_rule, assumptions=(why, *by_rule.assumptions))
            return Reading(told, rules.name, called=False)
        finally:
            replied.set()
        return _of_model(read_by_model, reading.result()[1], verified, services)


def _of_model(
    read_by_model: Interpretation, other: OtherStatement | None, verified: VerifiedAnswers, services: Services
) -> Reading:
    called = services.rules is not None
    is_structured = read_by_model.outcome == "query" and read_by_model.intent is not None
    known = verified.of_reading(read_by_model) if is_structured else None  # nothing holds free words to the question
    if known is not None:
        return _verified(read_by_model, known, called=called)
    return Reading(read_by_model, services.model.name, called=called, other=other)


def _verified(interpretation: Interpretation, known: VerifiedAnswer, *, called: bool) -> Reading:
    return Reading(interpretation, "verified", called=called, verified=known)


def _by_rule(
    rules: AssistantModel, question: str, history: Sequence[Turn], services: Services
) -> Interpretation | None:
    """Return what the rules make of a question where they leave nothing open."""
    try:
        interpretation = _settled(rules, question, history, services)
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
