"""What a run of the orchestrator is given, and how much of everything it may take."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

from ai_engine.agent import Agent, AgentRequest, TraceEvent, TraceEventType
from ai_engine.agent_call import Caller
from ai_engine.ports import ChatModel


@dataclass(frozen=True, slots=True)
class OrchestratorLimits:
    """Bounds of one request; the defaults are the product's, the settings override them."""

    total_timeout_s: float = 120.0
    agent_timeout_s: float = 60.0
    planner_timeout_s: float = 20.0
    max_passed_rows: int = 1_000
    max_question_chars: int = 2_000


@dataclass(frozen=True)
class Setting:
    """What is fixed for every run: who can work, and with what.

    Attributes:
        agents: those that exist, in the order in which equals work.
        services: what agents are given, by class; an agent that needs another is not there.
        model: the language model of planner, composer and agents; None when there is none.
        data_as_of: the day from which the data's "last month" counts.
        currency: of the bank, which decides how amounts are written.
    """

    agents: tuple[Agent, ...]
    services: Mapping[type[Any], Any] = field(default_factory=dict)
    model: ChatModel | None = None
    limits: OrchestratorLimits = field(default_factory=OrchestratorLimits)
    data_as_of: date | None = None
    currency: str | None = "INR"

    @property
    def available(self) -> tuple[Agent, ...]:
        """The agents whose services are there."""
        return tuple(a for a in self.agents if all(kind in self.services for kind in a.capabilities.needs_services))


@dataclass(frozen=True)
class OrchestratorRun:
    """One request on its way; the graph's runtime context.

    Attributes:
        emit: takes each event as it happens, from any thread.
        stop: set, it ends whatever runs.
        deadline: of all together, as `time.monotonic` counts.
        now_utc: when the request came.
    """

    setting: Setting
    emit: Callable[[TraceEvent], None]
    stop: threading.Event
    deadline: float
    now_utc: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def left_s(self) -> float:
        """Time until the deadline, not below zero."""
        return max(0.0, self.deadline - time.monotonic())

    def tell(self, event_type: TraceEventType, who: str, message: str, **data: Any) -> None:
        """Emit an event of the planner, the composer or about an agent."""
        self.emit(TraceEvent(event_type=event_type, agent=who, message=message, data=data))

    def caller(self, request: AgentRequest) -> Caller:
        """What agents are given by this run."""
        setting = self.setting
        return Caller(request.question, self.emit, self.stop, setting.model, setting.services)
