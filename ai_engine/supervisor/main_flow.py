"""The main flow of a chat message.

START ─► initialize ─► fetch_tools ─► supervisor ─┬─ answer ───────────────────────────────► respond ─► END
                                       ▲          ├─ call_tool ─► tool ──────┐                 ▲
                                       │          ├─ workflow ──► workflow ──┴─► observe        │
                                       │          └─ clarify ───► clarify ───────────│──────────┤
                                       │                                             ▼          │
                                       └──────────── need_more ────────────────── reflect ──────┤ satisfied
                                                                          blocked └─► handle_blocked
"""

from __future__ import annotations

from functools import cache
from typing import TypeAlias

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from ai_engine.context.actions import ActionName
from ai_engine.supervisor.begin import fetch_tools, initialize
from ai_engine.supervisor.degrade import clarify, handle_blocked
from ai_engine.supervisor.observation import observe
from ai_engine.supervisor.reflection import reflect
from ai_engine.supervisor.response_flow import response_flow
from ai_engine.supervisor.setting import SupervisorRun
from ai_engine.supervisor.state import ChatState, Recommendation
from ai_engine.supervisor.supervise import supervisor
from ai_engine.supervisor.tool_flow import tool_flow
from ai_engine.supervisor.workflow_flow import workflow_flow

Graph: TypeAlias = CompiledStateGraph[ChatState, SupervisorRun, ChatState, ChatState]


def chosen_action(state: ChatState) -> ActionName:
    """Go where the decision says."""
    return state["decision"].name


def recommendation(state: ChatState) -> Recommendation:
    """Go where the reflection says."""
    return state["reflection"].recommendation


@cache
def main_flow() -> Graph:
    """Compile the flow once; it holds no state, so every request shares it."""
    flow = StateGraph(ChatState, context_schema=SupervisorRun)
    flow.add_node("initialize", initialize)
    flow.add_node("fetch_tools", fetch_tools)
    flow.add_node("supervisor", supervisor)
    flow.add_node("tool", tool_flow())
    flow.add_node("workflow", workflow_flow())
    flow.add_node("clarify", clarify)
    flow.add_node("observe", observe)
    flow.add_node("reflect", reflect)
    flow.add_node("handle_blocked", handle_blocked)
    flow.add_node("respond", response_flow())
    flow.add_edge(START, "initialize")
    flow.add_edge("initialize", "fetch_tools")
    flow.add_edge("fetch_tools", "supervisor")
    flow.add_conditional_edges(
        "supervisor",
        chosen_action,
        {"answer": "respond", "call_tool": "tool", "workflow": "workflow", "clarify": "clarify"},
    )
    flow.add_edge("tool", "observe")
    flow.add_edge("workflow", "observe")
    flow.add_edge("observe", "reflect")
    flow.add_conditional_edges(
        "reflect",
        recommendation,
        {"satisfied": "respond", "need_more": "supervisor", "blocked": "handle_blocked"},
    )
    flow.add_edge("clarify", "respond")
    flow.add_edge("handle_blocked", "respond")
    flow.add_edge("respond", END)
    return flow.compile()
