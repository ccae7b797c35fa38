"""Who is to answer: the port of classifiers, and the one that asks a language model."""

from __future__ import annotations

import asyncio
import logging
import re
import threading
from collections.abc import Mapping, Sequence
from typing import Protocol

from pydantic import BaseModel, ConfigDict

from ai_engine.agent import in_thread
from ai_engine.errors import ModelFailed
from ai_engine.ports import ChatModel
from ai_engine.prompts.loader import Messages, load_prompt
from ai_engine.routing.agent import RoutedAgent
from ai_engine.routing.messages import ClassifierResult, ConversationMessage

_log = logging.getLogger(__name__)
_VARIABLE = re.compile(r"\{\{(\w+)\}\}")
_MOST_HISTORY_CHARS = 12_000
_LOGGER_OF_CHATS = logging.getLogger("ai_engine.routing.chats")


class Classifier(Protocol):
    """Chooses among agents; keeps nothing from one message to the next, so that any number may be asked at once."""

    async def classify(
        self, input_text: str, chat_history: Sequence[ConversationMessage], agents: Mapping[str, RoutedAgent]
    ) -> ClassifierResult:
        """Choose.

        Args:
            input_text: the message.
            chat_history: all turns of the session by time, those of agents marked `[agent-id] `.
            agents: by id.

        Raises:
            ModelFailed: a language model gave no usable reply.
        """
        ...


class SelectionReply(BaseModel):
    """What the model replies."""

    model_config = ConfigDict(extra="ignore")

    userinput: str
    selected_agent: str
    confidence: float


class ModelClassifier:
    """Asks a language model, which must reply in the form of `SelectionReply`.

    Args:
        model: the language model.
        prompt: a system prompt of one's own, with `{{AGENT_DESCRIPTIONS}}`, `{{HISTORY}}` and the names of `variables`.
        variables: further values for it; several lines where it is a list.
        fallback: asked where the model fails; without one that is raised.
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        prompt: str | None = None,
        variables: Mapping[str, str | Sequence[str]] | None = None,
        fallback: Classifier | None = None,
        log_chat: bool = False,
    ) -> None:
        self._model = model
        self._prompt = prompt
        self._variables = dict(variables or {})
        self._fallback = fallback
        self._log_chat = log_chat
        if prompt is not None:
            known = {"AGENT_DESCRIPTIONS", "HISTORY", *self._variables}
            unknown = sorted(set(_VARIABLE.findall(prompt)) - known)
            if unknown:
                raise ValueError(f"The prompt has variables without a value: {', '.join(unknown)}.")

    async def classify(
        self, input_text: str, chat_history: Sequence[ConversationMessage], agents: Mapping[str, RoutedAgent]
    ) -> ClassifierResult:
        """See Classifier; a name that no agent has selects nobody."""
        messages = self._messages(input_text, chat_history, agents)
        stop = threading.Event()
        try:
            reply = await in_thread(self._model.ask, messages, SelectionReply, _checked, stop=stop)
        except ModelFailed as fault:
            if self._fallback is None:
                raise
            _log.warning("the classifier's model failed, words decide: %s", type(fault).__name__)
            return await self._fallback.classify(input_text, chat_history, agents)
        except asyncio.CancelledError:
            stop.set()
            raise
        if self._log_chat:
            _LOGGER_OF_CHATS.info("classifier: %s -> %s", messages.user, reply)
        agent = agents.get(_id_in(reply.selected_agent))
        if agent is None:
            return ClassifierResult(None, 0.0, "The message fits nobody in particular.")
        return ClassifierResult(agent, _normal(reply.confidence), "The language model chose by description.")

    def _messages(
        self, input_text: str, chat_history: Sequence[ConversationMessage], agents: Mapping[str, RoutedAgent]
    ) -> Messages:
        described, history = descriptions(agents), formatted_history(chat_history)
        if self._prompt is None:
            return load_prompt("route").fill(agents=described, history=history or "(none)", message=input_text)
        values = {
            **{name: text if isinstance(text, str) else "\n".join(text) for name, text in self._variables.items()},
            "AGENT_DESCRIPTIONS": described,
            "HISTORY": history,
        }
        return Messages(_VARIABLE.sub(lambda found: values[found[1]], self._prompt), input_text)


def descriptions(agents: Mapping[str, RoutedAgent]) -> str:
    """Write one line per agent: "billing-agent: Handles billing and payments"."""
    return "\n".join(f"{agent_id}: {agent.description}" for agent_id, agent in agents.items())


def formatted_history(chat_history: Sequence[ConversationMessage]) -> str:
    """Write one line per turn, "user: ..." or "assistant: [agent-id] ..."; of a long history, its end."""
    lines: list[str] = []
    left = _MOST_HISTORY_CHARS
    for message in reversed(chat_history):
        line = f"{message.role.value}: {message.told_text}"
        left -= len(line)
        if left < 0:
            break
        lines.append(line)
    return "\n".join(reversed(lines))


def _checked(reply: SelectionReply) -> SelectionReply:
    if not 0 <= reply.confidence <= 100:
        raise ValueError("confidence must be from 0 to 1")
    return reply


def _id_in(selected: str) -> str:
    """Models write an id in capitals or quotes now and then."""
    return selected.strip().strip("\"'`[]").lower()


def _normal(confidence: float) -> float:
    return confidence / 100 if confidence > 1 else confidence
