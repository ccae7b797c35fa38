"""Draws the flows of a chat message from the code: `python -m ai_engine.supervisor.drawing`."""

from __future__ import annotations

import sys
from typing import Any

from ai_engine.supervisor.main_flow import main_flow
from ai_engine.supervisor.response_flow import response_flow
from ai_engine.supervisor.tool_flow import tool_flow
from ai_engine.supervisor.workflow_flow import workflow_flow
from ai_engine.workflows.graph import build_graph

_HEAD = """# The flows of a chat message

Drawn from the code by `python -m ai_engine.supervisor.drawing > docs/chat_flows.md`; a test compares the two.
A dotted line is taken when its condition holds.
"""


def drawn() -> str:
    """Return the page: each flow with its own nodes, sub-flows as one node of the main flow."""
    flows: dict[str, Any] = {
        "Main flow (`main_flow.py`)": main_flow(),
        "Tool sub-flow (`tool_flow.py`)": tool_flow(),
        "Workflow sub-flow (`workflow_flow.py`)": workflow_flow(),
        "The steps of a workflow, which `run_steps` runs (`ai_engine/workflows/graph.py`)": build_graph(),
        "Response sub-flow (`response_flow.py`)": response_flow(),
    }
    parts = [f"## {title}\n\n```mermaid\n{_mermaid(flow)}\n```\n" for title, flow in flows.items()]
    return "\n".join([_HEAD, *parts])


def _mermaid(flow: Any) -> str:
    """Draw one flow, without the colours of the library."""
    lines = flow.get_graph().draw_mermaid(with_styles=False).splitlines()
    return "\n".join(line.replace("\t", "    ").rstrip() for line in lines if line.strip())


if __name__ == "__main__":
    sys.stdout.write(drawn())
