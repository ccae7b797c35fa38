"""What to do next as a language model decides it, judged before it is done."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ai_engine.agent import in_thread
from ai_engine.context.assembler import ContextAssembler
from ai_engine.errors import ModelFailed, ModelNotConfigured, ModelUnavailable
from ai_engine.json_values import any_to_json
from ai_engine.orchestrator.model_call import ask_model
from ai_engine.ports import Services
from ai_engine.prompts.loader import Messages, load_prompt
from ai_engine.supervisor.decision import SupervisorDecision, check_decision, undecided
from ai_engine.supervisor.known_words import check_handed_on, check_words, in_known_words, known_texts
from ai_engine.supervisor.outward import check_outward, check_parameters
from ai_engine.supervisor.setting import SupervisorRun
from ai_engine.supervisor.state import ChatState, Choice
from ai_engine.supervisor.template_choice import choice_of, template_named
from ai_engine.supervisor.told_conversation import as_told
from ai_engine.workflows.filling import KnownValues, VocabularyValues, can_be_filled

_REPAIRS = 2
"""A decision is tried three times, the second and third with what was wrong with the one before."""
_NONE = "(none)"
_LONGEST_TOOL_CHARS = 300


async def choose_by_model(state: ChatState, run: SupervisorRun) -> Choice | None:
    """Return the model's choice; None where it cannot be reached, so that the rules decide.

    Raises:
        QueryStopped: the person wants no more.
    """
    assert run.model is not None, "asked only where there is one"  # noqa: S101

    def make(decision: SupervisorDecision) -> Choice:
        known = known_texts(state, run)
        decision = in_known_words(decision, known, run.message)
        check_handed_on(decision, known)
        if decision.action == "CREATE_WORKFLOW" and decision.template:
            return _template(decision, run, state["outgoing"].written)
        check_decision(decision, run.setting.registry, state["available"], run.setting.workflow_limits)
        check_outward(decision, run.setting.registry, state["outgoing"])
        check_words(decision, known, has_results=bool(len(state["results"])))
        return Choice(decision)

    messages = replace(await _messages(state, run), repairs=_REPAIRS)
    timeout_s = min(run.setting.limits.model_timeout_s * (_REPAIRS + 1), run.left_s)
    try:
        return await ask_model(run.model, messages, SupervisorDecision, make, stop=run.stop, timeout_s=timeout_s)
    except (ModelUnavailable, ModelNotConfigured):
        return None
    except ModelFailed:
        return Choice(undecided())


def _template(decision: SupervisorDecision, run: SupervisorRun, written: Sequence[str]) -> Choice:
    """Give the template that the model chose its values.

    Raises:
        ValueError: there is no such template, or its values may not be handed on; in words that a model can act on.
    """
    known, params = _known(run), decision.params or {}
    if known is None:
        raise ValueError("there are no templates here")
    asked = template_named(str(decision.template), params, run.setting.templates, known, run.message)
    check_parameters(asked.template.steps, params, run.setting.registry, written)
    return choice_of(asked, decision.reasoning)


async def _messages(state: ChatState, run: SupervisorRun) -> Messages:
    """Fill the prompt; whatever was cut to fit is said in it."""
    limits, memory = run.setting.limits, state["memory"]
    registry = run.setting.registry
    told = replace(memory, messages=tuple(as_told(message, registry) for message in memory.messages))
    recent = f"conversation.recent({memory.window})"
    requirements = [recent, "conversation.summary"]
    known = await ContextAssembler(told, max_tokens=limits.context_tokens).assemble(requirements, run.message)
    lines = [json.dumps(one, ensure_ascii=False) for one in known.values[recent]]
    templates = await in_thread(lambda: list(_templates(run)))
    return load_prompt("supervise").fill(
        message=run.message,
        context=json.dumps(dict(run.given), ensure_ascii=False) if run.given else _NONE,
        summary=str(known.values["conversation.summary"]) or _NONE,
        recent="\n".join([*lines, *known.cut]) or _NONE,
        operators="\n".join(_operator(name, run) for name in state["available"]),
        templates="\n".join(templates) or _NONE,
        actions=_actions(state),
        found=state["observations"] or _NONE,
        tools="\n".join(f"{one.name}: {one.description[:_LONGEST_TOOL_CHARS]}" for one in state["tool_summaries"])
        or _NONE,
    )


def _operator(name: str, run: SupervisorRun) -> str:
    kind = run.setting.registry.kind(name)
    schema = json.dumps(any_to_json(dict(kind.parameters)), ensure_ascii=False, separators=(",", ":"))
    return f"{name}: {kind.description} Parameters: {schema}"


def _templates(run: SupervisorRun) -> Iterator[str]:
    known = _known(run)
    for one in run.setting.templates if known is not None else ():
        if known is not None and can_be_filled(one, known):
            parameters = [
                {"name": it.name, "description": it.description, "required": it.required and it.default is None}
                for it in one.parameters
            ]
            written = json.dumps(parameters, ensure_ascii=False)
            yield f"{one.name}: {one.title}. {one.description} Parameters: {written}"


def _known(run: SupervisorRun) -> KnownValues | None:
    """Return what the bank's data have; None where there are none."""
    given: Services | None = run.setting.services.get(Services)
    return None if given is None else VocabularyValues(given.vocabulary)


def _actions(state: ChatState) -> str:
    told = [json.dumps(action.as_told(), ensure_ascii=False) for action in state["actions"]]
    return "\n".join(told) or _NONE
