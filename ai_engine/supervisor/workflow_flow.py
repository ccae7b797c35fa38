"""The workflow sub-flow: a plan of several steps.

START ─► parse_workflow ─┬─► run_steps ─► collect_all_results ─► END
                         └── it cannot run ─────────────────────► END

`run_steps` runs the graph of `ai_engine/workflows/graph.py`: its steps in order, beside each other where they can.
"""

from __future__ import annotations

from functools import cache
from typing import Literal

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from ai_engine.supervisor.setting import SupervisorRun
from ai_engine.supervisor.state import ChatState
from ai_engine.supervisor.workflow_call import WorkflowState, collect_all_results, parse_workflow, run_steps


def can_run(state: WorkflowState) -> Literal["run_steps", "__end__"]:
    """Run a plan that was found good; what is wrong with another is noted."""
    return "run_steps" if state["plan"] is not None or state["resumes"] is not None else "__end__"


@cache
def workflow_flow() -> CompiledStateGraph[WorkflowState, SupervisorRun, ChatState, ChatState]:
    """Compile the sub-flow once."""
    flow = StateGraph(WorkflowState, context_schema=SupervisorRun, input_schema=ChatState, output_schema=ChatState)
    flow.add_node("parse_workflow", parse_workflow)
    flow.add_node("run_steps", run_steps)
    flow.add_node("collect_all_results", collect_all_results)
    flow.add_edge(START, "parse_workflow")
    flow.add_conditional_edges("parse_workflow", can_run)
    flow.add_edge("run_steps", "collect_all_results")
    flow.add_edge("collect_all_results", END)
    return flow.compile()
