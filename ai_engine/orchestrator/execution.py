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
from ai_engine.agent_results import rows_may_leave
from ai_engine.errors import AssistantError, DeadlineExceeded, QueryStopped
from ai_engine.orchestrator.referents import leans, standing_alone
from ai_engine.orchestrator.setting import OrchestratorRun
from ai_engine.orchestrator.sharing import Step
from ai_engine.specialists.earlier import EARLIER_QUESTIONS, earlier_questions


@dataclass(frozen=True, slots=True)
class Planned:
    """A step with its place in the plan."""

    place: int
    step: Step


@dataclass(frozen=True, slots=True)
class Finished:
    """What came of a planned step; `taken` says, a sentence each, what was put for words that lean on other parts."""

    planned: Planned
    result: AgentResult
    taken: tuple[str, ...] = ()


async def run_ready(
    pending: Sequence[Planned], finished: Sequence[Finished], request: AgentRequest, run: OrchestratorRun
) -> tuple[Finished, ...]:
    """Run every step that can start now, in the planned order and at the same time."""
    agents = {agent.name: agent for agent in run.setting.agents}
    ready = ready_steps(pending, agents)
    return tuple(await asyncio.gather(*(_run_one(one, agents, finished, request, run) for one in ready)))


def ready_steps(pending: Sequence[Planned], agents: dict[str, Agent]) -> tuple[Planned, ...]:
    """Return the steps that need nothing of what a step still pending before them gives; at least the first.

    One that may not run beside others runs alone.
    """
    ready: list[Planned] = []
    for number, one in enumerate(pending):
        able = agents[one.step.agent].capabilities
        before = [agents[other.step.agent].capabilities for other in pending[:number]]
        if any(able.reads & other.gives for other in before) or (before and leans(one.step.question)):
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
) -> Finished:
    agent = agents[planned.step.agent]
    if run.stop.is_set():
        return Finished(planned, _skipped(agent.name, QueryStopped()))
    limits = run.setting.limits
    if run.left_s <= 0:
        return Finished(planned, _skipped(agent.name, DeadlineExceeded("the whole request", limits.total_timeout_s)))
    before = [one for one in finished if one.planned.place < planned.place]
    earlier = [_passed_on(one.result, limits.max_passed_rows) for one in before]
    own, taken = _own_request(agent, planned, before, request, run)
    running = AgentExecutionStatus.running.value
    run.tell(TraceEventType.MESSAGE, agent.name, "Started", status=running, question=own.question, taken=list(taken))
    timeout_s = min(limits.agent_timeout_s, run.left_s)
    result = await call_agent(agent, own, earlier, run.caller(request), timeout_s=timeout_s)
    run.tell(
        TraceEventType.MESSAGE, agent.name, "Finished", status=result.status.value,
        latency_ms=round(result.latency_ms or 0.0, 3), row_count=result.tabular.row_count if result.tabular else None,
    )  # fmt: skip
    return Finished(planned, result, taken)


def _own_request(
    agent: Agent, planned: Planned, before: Sequence[Finished], request: AgentRequest, run: OrchestratorRun
) -> tuple[AgentRequest, tuple[str, ...]]:
    """Let the agent's part stand alone: with what it leans on written in, or with the agent's own parts before it.

    Where a language model is asked, nothing is written in that it may not see.
    """
    part, results = planned.step.question, [one.result for one in before]
    if not leans(part) or (run.setting.model is not None and not rows_may_leave(results)):
        return request.model_copy(update={"question": part}), ()
    alone = standing_alone(part, results, calculates="table" in agent.capabilities.reads)
    if alone.taken:
        return request.model_copy(update={"question": alone.question}), alone.told
    asked = [one.planned.step.question for one in before if one.planned.step.agent == agent.name]
    context = {**request.context, EARLIER_QUESTIONS: [*earlier_questions(request), *asked]}
    return request.model_copy(update={"question": part, "context": context}), ()


def _passed_on(result: AgentResult, max_rows: int) -> AgentResult:
    """Give a result to the next agent with no more rows than it may have."""
    table = result.tabular
    if table is None or table.row_count <= max_rows:
        return result
    return result.model_copy(update={"tabular": TabularResult(columns=table.columns, rows=table.rows[:max_rows])})


def _skipped(name: str, reason: AssistantError) -> AgentResult:
    error = AgentError(message=reason.user_message, type=type(reason).__name__)
    return AgentResult(agent=name, status=AgentExecutionStatus.skipped, error=error)
