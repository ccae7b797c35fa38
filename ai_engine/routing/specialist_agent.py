"""One of the assistant's own agents as one that the front desk can choose."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ai_engine.agent import (
    Agent,
    AgentExecutionStatus,
    AgentRequest,
    AgentResult,
    AgentRun,
    TraceEvent,
    TraceEventType,
)
from ai_engine.agent_call import Caller, call_agent
from ai_engine.agent_results import described, rows_may_leave
from ai_engine.formats import Formats
from ai_engine.insight.amounts import format_value
from ai_engine.ports import ChatModel
from ai_engine.routing.agent import RoutedAgent
from ai_engine.routing.messages import ConversationMessage, FaultMessage, ParticipantRole, resting_on, withheld
from ai_engine.specialists.earlier import EARLIER_QUESTIONS

_log = logging.getLogger(__name__)
_EARLIER_QUESTIONS = 5
_SHOWN_ROWS = 50


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the assistant's agents are given in one call.

    Attributes:
        services: by class, as `AgentRun.services`.
        model: None where rules answer.
        currency: of the bank, which decides how amounts are written.
        timeout_s: for one answer.
    """

    services: Mapping[type[Any], Any] = field(default_factory=dict)
    model: ChatModel | None = None
    currency: str | None = "INR"
    timeout_s: float = 60.0


class SpecialistAgent(RoutedAgent):
    """Asks an agent of the assistant's; earlier messages of the conversation are told to it as earlier questions.

    `additional_params["context"]`, where it is an object, is the context of the agent's request.

    Args:
        name: see RoutedAgent, which has further arguments.
        description: what it does.
        agent: who works.
        surroundings: asked anew for each message.
    """

    def __init__(
        self, name: str, description: str, agent: Agent, surroundings: Callable[[], Surroundings], **described: Any
    ) -> None:
        super().__init__(name, description, **described)
        self._agent = agent
        self._surroundings = surroundings

    def claim(self, input_text: str) -> float | None:
        """See RoutedAgent: what the agent says of itself to a planner."""
        given = self._surroundings()
        run = AgentRun(
            agent=self._agent.name,
            whole_question=input_text,
            emit=_unheard,
            stop=threading.Event(),
            deadline=time.monotonic() + given.timeout_s,
            services=given.services,
        )
        try:
            return self._agent.claim(input_text, run)
        except Exception:  # noqa: BLE001 - whoever fails at this is not chosen for it
            _log.exception("agent %s could not tell whether it answers", self._agent.name)
            return None

    async def process_request(
        self,
        input_text: str,
        user_id: str,  # noqa: ARG002 - the agents know no users
        session_id: str,  # noqa: ARG002 - and no sessions
        chat_history: Sequence[ConversationMessage],
        additional_params: dict[str, Any] | None = None,
    ) -> ConversationMessage:
        """See RoutedAgent; an agent that has no answer says why, in words for people."""
        given = self._surroundings()
        context = (additional_params or {}).get("context")
        asked = [turn.text for turn in chat_history if turn.role is ParticipantRole.USER and not turn.is_withheld]
        request = AgentRequest(
            question=input_text,
            context={
                **(context if isinstance(context, dict) else {}),
                EARLIER_QUESTIONS: asked[-_EARLIER_QUESTIONS:],
            },
        )
        stop = threading.Event()
        caller = Caller(input_text, _unheard, stop, given.model, given.services)
        try:
            result = await call_agent(self._agent, request, (), caller, timeout_s=given.timeout_s)
        except asyncio.CancelledError:
            stop.set()
            raise
        answer = resting_on(written(result, given.currency), filter(None, [described(result).get("query")]))
        return answer if rows_may_leave([result]) else withheld(answer)


def written(result: AgentResult, currency: str | None) -> ConversationMessage:
    """Write a result as a turn: its sentence, then its table as people read it."""
    if result.status is not AgentExecutionStatus.succeeded:
        error = result.error
        choices = error.details.get("choices") or error.details.get("suggestions") or () if error else ()
        offers = "".join(f"\n- {choice}" for choice in choices)
        text = f"{error.message if error else 'There is no answer.'}{offers}"
        kind = error.type if error else "AgentError"
        return FaultMessage(role=ParticipantRole.ASSISTANT, content=[{"text": text}], error_type=kind)
    blocks: list[dict[str, Any]] = [{"text": result.answer or "Here is what was found."}]
    if result.tabular is not None and result.tabular.row_count > 1:
        blocks.append({"table": _table(result, currency)})
    return ConversationMessage(role=ParticipantRole.ASSISTANT, content=blocks)


def _table(result: AgentResult, currency: str | None) -> dict[str, Any]:
    table = result.tabular
    assert table is not None, "asked only where there is one"  # noqa: S101
    told = [event.data for event in result.trace if event.event_type is TraceEventType.RESULT]
    units = told[-1].get("units", {}) if told else {}
    rows = [
        [format_value(row[name], units.get(name), Formats(currency)) for name in table.columns]
        for row in table.rows[:_SHOWN_ROWS]
    ]
    return {"columns": list(table.columns), "rows": rows, "row_count": table.row_count}


def _unheard(_event: TraceEvent) -> None:
    """Events of one message are not told any further."""
