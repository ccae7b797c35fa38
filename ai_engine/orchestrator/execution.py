"""Runs agents: beside each other where none reads what another gives, otherwise one after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from ai_engine.agent import (
    Agent,
    AgentError,
    AgentExecutionStatus,
    AgentRequest,
    AgentResult,
    TabularResult,
    TraceEventType,
)
from ai_engine.agent_call import call_agent
from ai_engine.errors import AssistantError, DeadlineExceeded, QueryStopped
from ai_engine.orchestrator.setting import OrchestratorRun
from ai_engine.orchestrator.sharing import Step


@dataclass(frozen=True, slots=True)
class Planned:
    """A step with its place in the plan."""

    place: int
    step: Step


@dataclass(frozen=True, slots=True)
class Finished:
    """What came of a planned step."""

    planned: Planned
    result: AgentResult


async def run_ready(
    pending: Sequence[Planned], finished: Sequence[Finished], request: AgentRequest, run: OrchestratorRun
) -> tuple[Finished, ...]:
    """Run every step that can start now, in the planned order and at the same time."""
    agents = {agent.name: agent for agent in run.setting.agents}
    ready = ready_steps(pending, agents)
    results = await asyncio.gather(*(_run_one(one, agents, finished, request, run) for one in ready))
    return tuple(Finished(one, result) for one, result in zip(ready, results, strict=True))


def ready_steps(pending: Sequence[Planned], agents: dict[str, Agent]) -> tuple[Planned, ...]:
    """Return the steps that read nothing of what a step still pending before them gives; at least the first.

    One that may not run beside others runs alone.
    """
    ready: list[Planned] = []
    for number, one in enumerate(pending):
        able = agents[one.step.agent].capabilities
        before = (agents[other.step.agent].capabilities for other in pending[:number])
        if any(able.reads & other.gives for other in before):
            continue
        if not able.beside_others:
            return (one,) if not ready else tuple(ready)
        ready.append(one)
    return tuple(ready)


async def _run_one(
    planned: Planned,
    agents: dict[str, Agent],
    finished: Sequence[Finished],
    request: AgentRequest,
    run: OrchestratorRun,
) -> AgentResult:
    agent, question = agents[planned.step.agent], planned.step.question
    if run.stop.is_set():
        return _skipped(agent.name, QueryStopped())
    limits = run.setting.limits
    if run.left_s <= 0:
        return _skipped(agent.name, DeadlineExceeded("the whole request", limits.total_timeout_s))
    earlier = [_passed_on(one.result, limits.max_passed_rows) for one in finished if one.planned.place < planned.place]
    running = AgentExecutionStatus.running.value
    run.tell(TraceEventType.MESSAGE, agent.name, "Started", status=running, question=question)
    own = request.model_copy(update={"question": question})
    timeout_s = min(limits.agent_timeout_s, run.left_s)
    result = await call_agent(agent, own, earlier, run.caller(request), timeout_s=timeout_s)
    run.tell(
        TraceEventType.MESSAGE, agent.name, "Finished", status=result.status.value,
        latency_ms=round(result.latency_ms or 0.0, 3), row_count=result.tabular.row_count if result.tabular else None,
    )  # fmt: skip
    return result


def _passed_on(result: AgentResult, max_rows: int) -> AgentResult:
    """Give a result to the next agent with no more rows than it may have."""
    table = result.tabular
    if table is None or table.row_count <= max_rows:
        return result
    return result.model_copy(update={"tabular": TabularResult(columns=table.columns, rows=table.rows[:max_rows])})


def _skipped(name: str, reason: AssistantError) -> AgentResult:
    error = AgentError(message=reason.user_message, type=type(reason).__name__)
    return AgentResult(agent=name, status=AgentExecutionStatus.skipped, error=error)
