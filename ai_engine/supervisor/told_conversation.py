"""The conversation as a language model may be told it, and its running summary."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from ai_engine.chat_history import ChatMessage
from ai_engine.context.memory import Summarise, summary_by_rule
from ai_engine.context.requirements import is_of_results
from ai_engine.context.tokens import cut_to_tokens
from ai_engine.errors import ModelFailed
from ai_engine.insight import unretold_figures
from ai_engine.operators.registry import OperatorRegistry
from ai_engine.orchestrator.model_call import ask_model
from ai_engine.ports import Services
from ai_engine.prompts.loader import load_prompt
from ai_engine.supervisor.setting import SupervisorRun
from ai_engine.tools import ContentType

WITHHELD = "(Answered with figures of the bank's data, which are not told to a language model.)"
OFFERED = "(Asked back with values of the bank's data, which are not told to a language model.)"
_LONGEST_SUMMARY_CHARS = 2_000


class SummaryReply(BaseModel):
    """What the model replies."""

    model_config = ConfigDict(extra="ignore")

    summary: str


def as_told(message: ChatMessage, registry: OperatorRegistry) -> ChatMessage:
    """Return a message as a model may be told it: an answer from the bank's data is named, not quoted.

    Which of its cells may leave was known when it was given; later it is not, so none does.
    """
    if any(decision.get("offers") for decision in message.decisions):
        return message.model_copy(update={"content": OFFERED})
    has_rows = any(content.get("content_type") == ContentType.WIDGET.value for content in message.contents)
    read_data = any(_reads_data(name, registry) for name in message.tools)
    return message.model_copy(update={"content": WITHHELD}) if has_rows or read_data else message


def _reads_data(operator: str, registry: OperatorRegistry) -> bool:
    """Whether an operator is given the bank's database or what was found; one that is not known any more may be."""
    if operator not in registry.names:
        return True
    kind = registry.kind(operator)
    return Services in kind.needs_services or any(map(is_of_results, kind.context_requirements))


def summariser(run: SupervisorRun) -> Summarise:
    """Return who carries the running summary on: the language model, checked, or the rule."""

    async def summarise(before: str, left: Sequence[ChatMessage]) -> str:
        told = [as_told(message, run.setting.registry) for message in left]
        if run.model is not None:
            try:
                return await _by_model(before, told, run)
            except ModelFailed:
                pass
        return summary_by_rule(before, told)

    return summarise


async def _by_model(before: str, left: Sequence[ChatMessage], run: SupervisorRun) -> str:
    """Ask the model.

    Raises:
        ModelFailed: no usable summary, or one with figures that nobody said.
        QueryStopped: the person wants no more.
    """
    assert run.model is not None, "asked only where there is one"  # noqa: S101
    said = [before, *(message.content for message in left)]

    def make(reply: SummaryReply) -> str:
        text = " ".join(reply.summary.split())[:_LONGEST_SUMMARY_CHARS]
        if not text:
            raise ValueError("summary is empty")
        unfounded = unretold_figures(text, said, [])
        if unfounded:
            raise ValueError(f"these figures stand in no message: {', '.join(unfounded)}")
        return text

    lines = [json.dumps({"role": one.role, "text": one.content}, ensure_ascii=False) for one in left]
    told = cut_to_tokens("\n".join(lines), run.setting.limits.context_tokens)
    messages = load_prompt("remember").fill(summary=before or "(none)", messages=told)
    timeout_s = min(run.setting.limits.model_timeout_s, run.left_s)
    return await ask_model(run.model, messages, SummaryReply, make, stop=run.stop, timeout_s=timeout_s)
