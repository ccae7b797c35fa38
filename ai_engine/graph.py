"""The pipeline: five steps and the edges between them.

intent_agent ─► sql_agent ─► validation_agent ─► execution_tool ─► insight_agent
     │              ▲               │                  │
     ▼              └───────────────┴── failed, tries left
    END                             └── failed, none left ─► END

What is run again without being read enters later: a settled reading at sql_agent, a statement at validation_agent.
"""

from __future__ import annotations

import time
from functools import cache
from typing import Literal, Protocol, TypeAlias

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from ai_engine.agents.execution_tool import execution_tool_node
from ai_engine.agents.insight_agent import insight_agent
from ai_engine.agents.intent_agent import intent_agent
from ai_engine.agents.sql_agent import sql_agent
from ai_engine.agents.validation_agent import validation_agent
from ai_engine.errors import QueryStopped
from ai_engine.ports import Services
from ai_engine.run_log import log_retry, log_step
from ai_engine.state import BankingAssistantState
from ai_engine.types import Limits, StepName

Graph: TypeAlias = CompiledStateGraph[BankingAssistantState, Services, BankingAssistantState, BankingAssistantState]


class Node(Protocol):
    """One step: reads the state, returns the fields it changed."""

    def __call__(self, state: BankingAssistantState, runtime: Runtime[Services]) -> BankingAssistantState:
        """Run the step once."""
        ...


_STEPS: dict[StepName, Node] = {
    "intent_agent": intent_agent,
    "sql_agent": sql_agent,
    "validation_agent": validation_agent,
    "execution_tool": execution_tool_node,
    "insight_agent": insight_agent,
}


def should_read(state: BankingAssistantState) -> Literal["intent_agent", "sql_agent", "validation_agent"]:
    """Begin behind whatever was settled before the run."""
    if state["generated_sql"] is not None:
        return "validation_agent"
    return "sql_agent" if state["interpreted_intent"] is not None else "intent_agent"


def should_write_sql(state: BankingAssistantState) -> Literal["sql_agent", "end"]:
    """Go on only with a question that was understood; anything else is answered by the interpretation itself."""
    interpretation = state["interpreted_intent"]
    return "sql_agent" if interpretation is not None and interpretation.outcome == "query" else "end"


def should_retry(
    state: BankingAssistantState, runtime: Runtime[Services]
) -> Literal["sql_agent", "execution_tool", "end_failure"]:
    """Run a clean draft; otherwise draft again while the budget lasts."""
    if state["validated_sql"] and not state["error_message"]:
        return "execution_tool"
    return "sql_agent" if _may_retry(state, runtime.context.limits) else "end_failure"


def should_retry_after_execution(
    state: BankingAssistantState, runtime: Runtime[Services]
) -> Literal["sql_agent", "insight_agent", "end_failure"]:
    """Explain a result; otherwise draft again while the budget lasts."""
    if state["execution_result"] is not None and not state["error_message"]:
        return "insight_agent"
    return "sql_agent" if _may_retry(state, runtime.context.limits) else "end_failure"


def _may_retry(state: BankingAssistantState, limits: Limits) -> bool:
    return bool(state["error_message"]) and state["retry_count"] <= limits.max_retries


def _as_step(name: StepName, node: Node) -> Node:
    """Add to a node what every step does: not to start once the run was stopped, and to record its time."""

    def step(state: BankingAssistantState, runtime: Runtime[Services]) -> BankingAssistantState:
        if runtime.context.stop.is_set():
            raise QueryStopped
        started = time.perf_counter()
        update = node(state, runtime)
        elapsed_ms = (time.perf_counter() - started) * 1_000
        log_step(name, elapsed_ms)
        for failure in update.get("failures", ()):
            log_retry(update["retry_count"], failure, texts=runtime.context.log_texts)
        return {**update, "timings_ms": {name: elapsed_ms}}

    step.__name__ = name
    return step


@cache
def build_graph() -> Graph:
    """Compile the pipeline once; it holds no state, so every run shares it."""
    workflow = StateGraph(BankingAssistantState, context_schema=Services)
    for name, node in _STEPS.items():
        workflow.add_node(name, _as_step(name, node))
    workflow.add_conditional_edges(START, should_read, ["intent_agent", "sql_agent", "validation_agent"])
    workflow.add_conditional_edges("intent_agent", should_write_sql, {"sql_agent": "sql_agent", "end": END})
    workflow.add_edge("sql_agent", "validation_agent")
    workflow.add_conditional_edges(
        "validation_agent",
        should_retry,
        {"sql_agent": "sql_agent", "execution_tool": "execution_tool", "end_failure": END},
    )
    workflow.add_conditional_edges(
        "execution_tool",
        should_retry_after_execution,
        {"sql_agent": "sql_agent", "insight_agent": "insight_agent", "end_failure": END},
    )
    workflow.add_edge("insight_agent", END)
    return workflow.compile()
