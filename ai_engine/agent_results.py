"""What an agent told of its result in its last event, for whoever works with the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ai_engine.agent import AgentResult, TraceEventType


def described(result: AgentResult) -> Mapping[str, Any]:
    """Return what the agent told of its result: units, columns, assumptions, the statement ..."""
    events = [event for event in result.trace if event.event_type is TraceEventType.RESULT]
    return events[-1].data if events else {}


def rows_may_leave(earlier: Sequence[AgentResult]) -> bool:
    """Tell whether a language model may see every cell of the earlier results."""
    return not any(described(result).get("may_leave") is False for result in earlier)
