"""Who can be chosen by rule: each operator as the word classifier sees it, under the texts of its desk."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ai_engine.agent import Agent, AgentRun
from ai_engine.chat_history import ChatMessage
from ai_engine.operators.base import BaseOperator
from ai_engine.operators.of_agent import AgentOperator
from ai_engine.operators.registry import OperatorRegistry
from ai_engine.ports import Services
from ai_engine.routing.agent import RoutedAgent
from ai_engine.routing.desks import read_desks, words_of
from ai_engine.routing.greeter import UNDECIDED, Greeter
from ai_engine.routing.messages import ConversationMessage, ParticipantRole
from ai_engine.workflows.template import WorkflowTemplate

_log = logging.getLogger(__name__)
GREETER = "greeter"
REPORTS = "report-team"
POLICY = "policy"
CALCULATIONS = "calculations"
_OPERATORS_OF_DESKS: dict[str, tuple[str, ...]] = {
    "figures": ("sql",),
    POLICY: ("rag_retriever", "documents"),
    "services": ("api_docs",),
    CALCULATIONS: ("computation",),
}
"""By desk, the operators that do its work; the first that can."""
_FOR_OTHERS = frozenset(
    ("query_rewriter", "synthesizer", "writer", "analyzer", "orchestrator", "coder", "data_analyst")
)
"""Operators that work on what others found, or that only a language model knows how to use."""
_CLAIM_TIMEOUT_S = 5.0
_TURNS = 12
_TOLD_CHARS = 400


class _Choice(RoutedAgent):
    """Somebody who can be chosen; the work is done by the operator of the same desk."""

    async def process_request(self, *_given: Any, **_more: Any) -> ConversationMessage:
        """Refuse: it is never asked."""
        raise NotImplementedError(f"{self.name} is chosen, and its operator is called")


@dataclass(frozen=True, slots=True)
class Desks:
    """Those who can be chosen for a message.

    Attributes:
        choices: by key, in the order in which they are shown.
        operators: by key, who does the work; the greeter and reports have none.
    """

    choices: Mapping[str, RoutedAgent]
    operators: Mapping[str, type[BaseOperator]]
    registry: OperatorRegistry
    services: Mapping[type[Any], Any]

    def claim(self, key: str, text: str) -> float | None:
        """How surely a desk's operator does what a text asks, as its agent says, or the agent of its fallback."""
        agent = _agent_of(self.operators.get(key), self.registry)
        if agent is None or any(one not in self.services for one in agent.capabilities.needs_services):
            return None
        run = AgentRun(
            agent.name, text, lambda _: None, threading.Event(), time.monotonic() + _CLAIM_TIMEOUT_S,
            services=self.services,
        )  # fmt: skip
        try:
            return agent.claim(text, run)
        except Exception:  # noqa: BLE001 - whoever fails at this is not chosen for it
            _log.exception("operator %s could not tell whether it answers", key)
            return None

    def claims(self, text: str) -> dict[str, float]:
        """What each desk claims of a text, of those that can tell; takes some milliseconds each."""
        heard = ((key, self.claim(key, text)) for key in self.operators)
        return {key: claimed for key, claimed in heard if claimed is not None}

    def key_of(self, operator: str) -> str | None:
        """Return the desk whose work an operator does."""
        found = (key for key, kind in self.operators.items() if operator in {kind.name, kind.fallback_operator})
        return next(found, None)

    def turns(self, messages: Sequence[ChatMessage]) -> list[ConversationMessage]:
        """Write the latest messages as the classifier reads them: each answer under the desk that gave it."""
        return [self._turn(message) for message in messages[-_TURNS:]]

    def _turn(self, message: ChatMessage) -> ConversationMessage:
        if message.role == "user":
            return ConversationMessage.of(ParticipantRole.USER, message.content)
        desks = [key for operator in message.tools if (key := self.key_of(operator))]
        if message.status == "clarify" and not desks:
            return ConversationMessage.of(ParticipantRole.ASSISTANT, f"{UNDECIDED}.")
        said = f"[{desks[0]}] " if desks else ""
        return ConversationMessage.of(ParticipantRole.ASSISTANT, said + message.content[:_TOLD_CHARS])


def open_desks(
    registry: OperatorRegistry,
    available: Sequence[str],
    services: Mapping[type[Any], Any],
    templates: Sequence[WorkflowTemplate] = (),
) -> Desks:
    """Gather who can be chosen: desks whose operator can work, other operators by their descriptions, the greeter.

    Args:
        templates: the reports that can be asked for; without any there is no desk for reports.
    """
    choices: dict[str, RoutedAgent] = {}
    operators: dict[str, type[BaseOperator]] = {}
    known = tuple(_words_of_the_bank(services))
    for key, desk in read_desks().items():
        names = [name for name in _OPERATORS_OF_DESKS.get(key, ()) if name in available]
        if names:
            operators[key] = registry.kind(names[0])
            choices[key] = _Choice(**desk.described(*(known if key == "figures" else ())))
        elif key == REPORTS and templates:
            given = desk.described()
            choices[key] = _Choice(**{**given, "examples": (*_examples(templates), *given["examples"])})
    at_desks = {name for names in _OPERATORS_OF_DESKS.values() for name in names}
    for name in available:
        if name not in at_desks | _FOR_OTHERS:
            key = name.replace("_", "-")
            operators[key] = registry.kind(name)
            choices[key] = _Choice(name.replace("_", " "), operators[key].description)
    choices[GREETER] = Greeter(others=lambda: tuple(choices.values()), **read_desks()[GREETER].described())
    return Desks(choices, operators, registry, services)


def _examples(templates: Sequence[WorkflowTemplate]) -> list[str]:
    """Write how each template is asked for, first those that need nothing to be said."""
    ordered = sorted(templates, key=lambda one: any(it.required and it.default is None for it in one.parameters))
    return [f"Prepare the {one.title[:1].lower()}{one.title[1:]}" for one in ordered]


def _agent_of(kind: type[BaseOperator] | None, registry: OperatorRegistry) -> Agent | None:
    while kind is not None and not issubclass(kind, AgentOperator):
        kind = registry.kind(kind.fallback_operator) if kind.fallback_operator else None
    return None if kind is None else kind.agent


def _words_of_the_bank(services: Mapping[type[Any], Any]) -> Iterator[str]:
    given: Services | None = services.get(Services)
    if given is not None:
        yield from words_of(given.vocabulary.model)
