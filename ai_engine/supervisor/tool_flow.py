"""The tool sub-flow: one call of one operator.

START ─► prepare_tool ─┬─► build_context ─► execute_tool ─┬─► collect_result ─► END
                       └── the same call was made before ─┘
"""

from __future__ import annotations

from functools import cache
from typing import Literal

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from ai_engine.supervisor.setting import SupervisorRun
from ai_engine.supervisor.state import ChatState
from ai_engine.supervisor.tool_call import ToolState, build_context, collect_result, execute_tool, prepare_tool


def made_before(state: ToolState) -> Literal["build_context", "collect_result"]:
    """Answer a call that was made before from what it gave."""
    return "build_context" if state["repeats"] is None else "collect_result"


@cache
def tool_flow() -> CompiledStateGraph[ToolState, SupervisorRun, ChatState, ChatState]:
    """Compile the sub-flow once."""
    flow = StateGraph(ToolState, context_schema=SupervisorRun, input_schema=ChatState, output_schema=ChatState)
    flow.add_node("prepare_tool", prepare_tool)
    flow.add_node("build_context", build_context)
    flow.add_node("execute_tool", execute_tool)
    flow.add_node("collect_result", collect_result)
    flow.add_edge(START, "prepare_tool")
    flow.add_conditional_edges("prepare_tool", made_before)
    flow.add_edge("build_context", "execute_tool")
    flow.add_edge("execute_tool", "collect_result")
    flow.add_edge("collect_result", END)
    return flow.compile()
