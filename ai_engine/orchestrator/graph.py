"""The orchestrator: a plan, its agents, one answer.

START ─► plan ─► execute_agent ─► compose ─► END
          │       ▲       │          ▲
          │       └───────┘          │
          └── nobody to ask ─────────┘

`execute_agent` comes back to itself while agents are pending; each time it runs those that can run beside each other.
"""

from __future__ import annotations

from functools import cache
from typing import Literal, TypeAlias, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from ai_engine.agent import AgentExecutionStatus, AgentRequest, OrchestratorResponse, TraceEventType
from ai_engine.orchestrator.composer import compose
from ai_engine.orchestrator.execution import Finished, Planned, run_ready
from ai_engine.orchestrator.planner import Plan, make_plan
from ai_engine.orchestrator.setting import OrchestratorRun
from ai_engine.orchestrator.temporal import with_temporal_context


class OrchestratorState(TypedDict, total=False):
    """Every field that a step may write; `agent_results` are in the planned order."""

    request: AgentRequest
    planner: Plan
    pending_agents: tuple[Planned, ...]
    agent_results: tuple[Finished, ...]
    response: OrchestratorResponse


Graph: TypeAlias = CompiledStateGraph[OrchestratorState, OrchestratorRun, OrchestratorState, OrchestratorState]


async def plan_node(state: OrchestratorState, runtime: Runtime[OrchestratorRun]) -> OrchestratorState:
    """Say when "now" is, and decide who works on what."""
    run = runtime.context
    request = with_temporal_context(state["request"], run.now_utc, run.setting.data_as_of)
    plan = await make_plan(request, run)
    if plan.fallback:
        run.tell(TraceEventType.ERROR, "planner", "The language model gave no plan", error=plan.fallback)
    run.tell(
        TraceEventType.DECISION,
        "planner",
        "Planner produced execution order",
        agents=list(plan.decision.chosen_agents),
        confidence=plan.decision.confidence,
        rationale=plan.decision.rationale,
        candidates=list(plan.candidates),
        parts=[{"agent": step.agent, "question": step.question} for step in plan.steps],
    )
    pending = tuple(Planned(place, step) for place, step in enumerate(plan.steps))
    return {"request": request, "planner": plan, "pending_agents": pending, "agent_results": ()}


async def execute_agent(state: OrchestratorState, runtime: Runtime[OrchestratorRun]) -> OrchestratorState:
    """Run the agents that can start now."""
    pending, earlier = state["pending_agents"], state["agent_results"]
    ran = await run_ready(pending, earlier, state["request"], runtime.context)
    done = {one.planned.place for one in ran}
    results = tuple(sorted((*earlier, *ran), key=lambda one: one.planned.place))
    left = tuple(one for one in pending if one.place not in done)
    return {
        "pending_agents": left or _asked_at_last(state["planner"], results, runtime.context),
        "agent_results": results,
    }


def _asked_at_last(plan: Plan, results: tuple[Finished, ...], run: OrchestratorRun) -> tuple[Planned, ...]:
    """Turn to whoever claims the question, once, when none of those that its words speak for could answer it."""
    reserve = plan.reserve
    answered = any(one.result.status is AgentExecutionStatus.succeeded for one in results)
    if reserve is None or answered or len(results) > len(plan.steps) or run.stop.is_set():
        return ()
    run.tell(TraceEventType.DECISION, "planner", f"Nobody could answer, so {reserve.agent} is asked, which says it can")
    return (Planned(len(plan.steps), reserve),)


async def compose_node(state: OrchestratorState, runtime: Runtime[OrchestratorRun]) -> OrchestratorState:
    """Make one answer of the results."""
    run = runtime.context
    composition = await compose(state["request"], state["planner"], state["agent_results"], run)
    if composition.fallback:
        run.tell(TraceEventType.ERROR, "composer", "The language model gave no answer", error=composition.fallback)
    metadata = composition.response.metadata
    run.tell(
        TraceEventType.RESULT, "composer", "Composer finished",
        agents=metadata["agents"], composed_by=metadata["composed_by"],
    )  # fmt: skip
    return {"response": composition.response}


def who_is_next(state: OrchestratorState) -> Literal["execute_agent", "compose"]:
    """Go on while agents are pending."""
    return "execute_agent" if state["pending_agents"] else "compose"


@cache
def build_graph() -> Graph:
    """Compile the orchestrator once; it holds no state, so every run shares it."""
    workflow = StateGraph(OrchestratorState, context_schema=OrchestratorRun)
    workflow.add_node("plan", plan_node)
    workflow.add_node("execute_agent", execute_agent)
    workflow.add_node("compose", compose_node)
    workflow.add_edge(START, "plan")
    workflow.add_conditional_edges("plan", who_is_next)
    workflow.add_conditional_edges("execute_agent", who_is_next)
    workflow.add_edge("compose", END)
    return workflow.compile()
