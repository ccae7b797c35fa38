"""Which workflow template a message asks for, and what of its parameters the conversation has said already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from ai_engine.chat_history import ChatMessage
from ai_engine.semantics.words import words
from ai_engine.supervisor.decision import SupervisorDecision
from ai_engine.supervisor.state import Choice
from ai_engine.workflows.checks import nearest
from ai_engine.workflows.filling import AskBack, Filled, KnownValues, fill
from ai_engine.workflows.recognition import Recognised, read_answer, recognise
from ai_engine.workflows.template import WorkflowTemplate

_MOST_ANSWER_WORDS = 5


def template_asked(
    message: str,
    before: Sequence[ChatMessage],
    templates: Sequence[WorkflowTemplate],
    known: KnownValues,
    context: Mapping[str, Any] = MappingProxyType({}),
) -> Filled | AskBack | None:
    """Return the template with its values, or what is to be asked first; None where the message asks for none.

    A message that answers such a question is read together with the messages that led to it; a long one that gives
    no value is none.

    Args:
        context: what the person looks at; a value of the name of a parameter that is missing is taken for it.
    """
    recognised = recognise(message, templates, known)
    if recognised is not None:
        filled = fill(recognised.template, recognised.given, known, message)
        looked_at = context.get(filled.parameter) if isinstance(filled, AskBack) else None
        if isinstance(filled, AskBack) and isinstance(looked_at, str) and filled.parameter not in recognised.given:
            again = fill(recognised.template, {**recognised.given, filled.parameter: looked_at}, known, message)
            filled = again if isinstance(again, Filled) else filled
        return _with_unused(filled, recognised)
    asked, *answers = [*_unfinished(before), message]
    if not answers:
        return None
    recognised = recognise(asked, templates, known)
    if recognised is None:
        return None
    filled = fill(recognised.template, recognised.given, known, asked)
    for answer in answers:
        if isinstance(filled, Filled):
            return None
        wanted = next(one for one in filled.template.parameters if one.name == filled.parameter)
        given = {**filled.given, wanted.name: read_answer(wanted, answer, known)}
        filled = fill(filled.template, given, known, asked)
    if isinstance(filled, AskBack) and filled.parameter == wanted.name and len(words(message)) > _MOST_ANSWER_WORDS:
        return None
    return _with_unused(filled, recognised)


def template_named(
    name: str, given: Mapping[str, Any], templates: Sequence[WorkflowTemplate], known: KnownValues, message: str
) -> Filled | AskBack:
    """Return a template with its values, or what is to be asked first.

    Raises:
        ValueError: there is none of this name, or it has not these parameters; in words that a model can act on.
    """
    by_name = {one.name: one for one in reversed(templates)}
    if name not in by_name:
        raise ValueError(f"there is no template {name!r}.{nearest(name, by_name)}")
    names = [one.name for one in by_name[name].parameters]
    unknown = [one for one in given if one not in names]
    if unknown:
        raise ValueError(f"the template {name} has no parameter {unknown[0]!r}.{nearest(unknown[0], names)}")
    values = {one: str(value) for one, value in given.items() if value is not None}
    return fill(by_name[name], values, known, message)


def choice_of(asked: Filled | AskBack, reason: str) -> Choice:
    """Run a template that has all it needs; else ask the person for what is missing."""
    if isinstance(asked, AskBack):
        question, choices = asked.question, asked.choices
        decision = SupervisorDecision(action="CLARIFY", reasoning=reason, question=question, choices=choices)
        return Choice(decision, offers=True)
    steps = [step.model_dump(mode="json") for step in asked.definition.steps]
    goal = asked.definition.goal
    return Choice(SupervisorDecision(action="CREATE_WORKFLOW", reasoning=reason, goal=goal, steps=steps), asked)


def _with_unused(filled: Filled | AskBack, recognised: Recognised) -> Filled | AskBack:
    """Have the report say which words it does nothing with."""
    return replace(filled, unused=recognised.unused) if isinstance(filled, Filled) else filled


def _unfinished(before: Sequence[ChatMessage]) -> list[str]:
    """Return the person's messages that were answered by questions back alone, up to now, oldest first."""
    asked: list[str] = []
    for message in reversed(before):
        if message.role == "assistant":
            if message.status != "clarify" or message.tools:
                break
        else:
            asked.insert(0, message.content)
    return asked
