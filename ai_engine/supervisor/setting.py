"""What a chat is given, how much of everything one request may take, and the request on its way."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ai_engine.chat_history import ChatHistory
from ai_engine.context.assembler import ContextAssembler
from ai_engine.conversation import LanguageModel
from ai_engine.events import Event, EventType
from ai_engine.json_values import any_to_json
from ai_engine.operators.calling import OperatorCaller
from ai_engine.operators.registry import OperatorRegistry
from ai_engine.operators.told_tools import Elicit
from ai_engine.supervisor.budget import TokenBudget
from ai_engine.supervisor.state import ChatState
from ai_engine.tools import Tools
from ai_engine.workflows.definition import WorkflowLimits
from ai_engine.workflows.running import Checkpoints
from ai_engine.workflows.template import WorkflowTemplate


@dataclass(frozen=True, slots=True)
class SupervisorLimits:
    """Bounds of one request; the defaults are the product's, the settings override them.

    Attributes:
        max_iterations: decisions before what is there must do.
        max_tokens: that all questions to the language model may take together, by estimate.
        context_tokens: of the conversation, as a prompt or an operator is told it.
        observation_tokens: of all results together, as the model is told them.
        window_messages: told word for word; those before are told as a summary.
        max_given_kb: of what the calling program says of the request, as JSON.
    """

    max_iterations: int = 5
    timeout_s: float = 120.0
    operator_timeout_s: float = 60.0
    model_timeout_s: float = 20.0
    max_tokens: int = 60_000
    context_tokens: int = 4_000
    observation_tokens: int = 4_000
    window_messages: int = 5
    max_message_chars: int = 2_000
    rule_threshold: float = 0.3
    max_kept_kb: int = 256
    max_given_kb: int = 8


@dataclass(frozen=True)
class SupervisorSetting:
    """What is fixed for every request.

    Attributes:
        services: what operators are given, by class.
        renewed: gives them as they are now, as columns may have been closed meanwhile; None where they stay.
        tools: of the servers that are enabled; None where there is none.
        templates: workflows of ours that can be asked for by name.
        checkpoints: where workflows are kept while they run; None where none can go on after an interruption.
        currency: of the bank, which decides how amounts are written.
    """

    registry: OperatorRegistry
    history: ChatHistory
    services: Mapping[type[Any], Any] = field(default_factory=dict)
    model: LanguageModel | None = None
    tools: Tools | None = None
    limits: SupervisorLimits = field(default_factory=SupervisorLimits)
    workflow_limits: WorkflowLimits = field(default_factory=WorkflowLimits)
    templates: tuple[WorkflowTemplate, ...] = ()
    checkpoints: Checkpoints | None = None
    currency: str | None = "INR"
    renewed: Callable[[], Mapping[type[Any], Any]] | None = None


@dataclass(frozen=True)
class SupervisorRun:
    """One request on its way; the runtime context of all graphs.

    Attributes:
        message: what the person wrote.
        emit: takes each event as it happens, from any thread.
        stop: set, it ends whatever runs.
        started: when it began, as `time.monotonic` counts; so is `deadline`, of all together.
        model: draws from the request's budget; None where there is none.
        elicit: puts a tool's question to the person.
        given: what the calling program says of the person and what they look at; data like any other.
    """

    setting: SupervisorSetting
    request_id: str
    conversation_id: str
    message: str
    emit: Callable[[Event], None]
    stop: threading.Event
    started: float
    deadline: float
    budget: TokenBudget
    model: LanguageModel | None = None
    elicit: Elicit | None = None
    given: Mapping[str, Any] = field(default_factory=dict)

    @property
    def left_s(self) -> float:
        """Time until the deadline, not below zero."""
        return max(0.0, self.deadline - time.monotonic())

    @property
    def is_over(self) -> bool:
        """Whether nothing new is to be begun: stopped, or out of time."""
        return self.stop.is_set() or self.left_s <= 0

    @property
    def workflow_prefix(self) -> str:
        """How the ids of workflows of this conversation begin, which no other conversation's do."""
        return f"{len(self.conversation_id)}:{self.conversation_id}/"

    def tell(self, event_type: EventType, **data: Any) -> None:
        """Emit an event of this request."""
        fields = {name: any_to_json(value) for name, value in data.items()}
        self.emit(Event(type=event_type, request_id=self.request_id, data=fields))

    def assembler(self, state: ChatState) -> ContextAssembler:
        """Give access to what is known at this moment."""
        most = self.setting.limits.context_tokens
        return ContextAssembler(
            state["memory"], state["results"], state["actions"], self.setting.tools, most, self.given
        )

    def caller(self, state: ChatState) -> OperatorCaller:
        """What operators are given by this request."""
        return OperatorCaller(
            registry=self.setting.registry,
            request_id=self.request_id,
            emit=self.emit,
            stop=self.stop,
            model=self.model,
            services=self.setting.services,
            tools=self.setting.tools,
            assemble=self.assembler(state).values,
            elicit=self.elicit,
            outgoing=state["outgoing"],
            renewed=self.setting.renewed,
        )
