"""Ask one agent, be certain that it ends, and have a result whatever happens."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ai_engine.agent import (
    Agent,
    AgentError,
    AgentExecutionStatus,
    AgentRequest,
    AgentResult,
    AgentRun,
    TraceEvent,
    TraceEventType,
)
from ai_engine.errors import AssistantError, DeadlineExceeded, QueryStopped
from ai_engine.ports import ChatModel

_log = logging.getLogger(__name__)
_End: TypeAlias = type[QueryStopped] | type[DeadlineExceeded]
_POLL_S = 0.05
_GRACE_S = 0.7
"""How long an agent that was told to stop may take to tell what it has; then it is left behind."""


@dataclass(frozen=True, slots=True)
class Caller:
    """What whoever asks agents gives to each of them; `AgentRun` says what the fields mean."""

    whole_question: str
    emit: Callable[[TraceEvent], None]
    stop: threading.Event
    model: ChatModel | None = None
    services: Mapping[type[Any], Any] = field(default_factory=dict)


async def call_agent(
    agent: Agent, request: AgentRequest, earlier: Sequence[AgentResult], caller: Caller, *, timeout_s: float
) -> AgentResult:
    """Return what the agent has to say, with its events and its time; never raises but when cancelled.

    The agent has a `stop` of its own, set at its deadline, when the caller's is set and when this call is cancelled.
    Within a second from then there is a result.
    """
    recorder = _Recorder(caller.emit)
    own_stop = threading.Event()
    started = time.monotonic()
    run = AgentRun(
        agent=agent.name,
        whole_question=caller.whole_question,
        emit=recorder.emit,
        stop=own_stop,
        deadline=started + timeout_s,
        model=caller.model,
        services=caller.services,
    )
    task = asyncio.ensure_future(agent.run(request, earlier, run))
    try:
        ended_by = await wait_for_end(task, run.deadline, caller.stop)
        if ended_by is not None:
            own_stop.set()
            await asyncio.wait({task}, timeout=_GRACE_S)
        result = _outcome(agent.name, task, ended_by, timeout_s)
    finally:
        own_stop.set()
        task.cancel()
    if result.error is not None and not recorder.told_error:
        run.tell(TraceEventType.ERROR, result.error.message, error_type=result.error.type)
    events = recorder.close()
    return result.model_copy(
        update={"trace": [*events, *result.trace], "latency_ms": (time.monotonic() - started) * 1_000}
    )


def failed(agent: str, error: AssistantError) -> AgentResult:
    """Write a fault of ours as an agent's result, with the text that is for people."""
    return AgentResult(
        agent=agent,
        status=AgentExecutionStatus.failed,
        error=AgentError(message=error.user_message, type=type(error).__name__),
    )


class _Recorder:
    """Passes events on and keeps them, until it is closed: whoever was left behind tells nobody any more."""

    def __init__(self, emit: Callable[[TraceEvent], None]) -> None:
        self._emit = emit
        self._events: list[TraceEvent] | None = []
        self._lock = threading.Lock()
        self.told_error = False

    def emit(self, event: TraceEvent) -> None:
        with self._lock:
            if self._events is not None:
                self._events.append(event)
                self.told_error |= event.event_type is TraceEventType.ERROR
                self._emit(event)

    def close(self) -> list[TraceEvent]:
        with self._lock:
            events, self._events = self._events or [], None
        return events


async def wait_for_end(task: asyncio.Future[Any], deadline: float, stop: threading.Event) -> _End | None:
    """Wait until a task is done; return what came first instead, the deadline (`time.monotonic`) or the stop."""
    while not task.done():
        left_s = deadline - time.monotonic()
        if stop.is_set():
            return QueryStopped
        if left_s <= 0:
            return DeadlineExceeded
        await asyncio.wait({task}, timeout=min(_POLL_S, left_s))
    return None


def _outcome(name: str, task: asyncio.Future[AgentResult], ended_by: _End | None, timeout_s: float) -> AgentResult:
    """Take the agent's own result where it has one that says more than that it was ended."""
    own = task.result() if task.done() and not task.cancelled() and task.exception() is None else None
    if own is not None and (ended_by is None or own.status is AgentExecutionStatus.succeeded):
        return own
    if ended_by is not None:
        return failed(name, QueryStopped() if ended_by is QueryStopped else DeadlineExceeded(name, timeout_s))
    fault = None if task.cancelled() else task.exception()
    if isinstance(fault, AssistantError):
        return failed(name, fault)
    _log.error("agent %s raised, which it must not", name, exc_info=fault)
    return AgentResult(
        agent=name,
        status=AgentExecutionStatus.failed,
        error=AgentError(message=AssistantError.user_message, type=type(fault).__name__),
    )
