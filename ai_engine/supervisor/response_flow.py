"""The response sub-flow: one text of what was found, and on its way to the person.

START ─┬─ several sources, none of them written up ─► synthesize ─► write ─► stream ─► END
       └─ otherwise ─────────────────────────────────────────────────▲
"""

from __future__ import annotations

from functools import cache
from typing import Literal

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from ai_engine.supervisor.respond import stream, synthesize, write
from ai_engine.supervisor.setting import SupervisorRun
from ai_engine.supervisor.state import ChatState


def needs_synthesis(state: ChatState) -> Literal["synthesize", "write"]:
    """Put several results together, once."""
    if "response" in state or state["synthesis"] is not None or state["decision"].response:
        return "write"
    return "synthesize" if len(state["results"]) > 1 else "write"


@cache
def response_flow() -> CompiledStateGraph[ChatState, SupervisorRun, ChatState, ChatState]:
    """Compile the sub-flow once."""
    flow = StateGraph(ChatState, context_schema=SupervisorRun)
    flow.add_node("synthesize", synthesize)
    flow.add_node("write", write)
    flow.add_node("stream", stream)
    flow.add_conditional_edges(START, needs_synthesis)
    flow.add_edge("synthesize", "write")
    flow.add_edge("write", "stream")
    flow.add_edge("stream", END)
    return flow.compile()
