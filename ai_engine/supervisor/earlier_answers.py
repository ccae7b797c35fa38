"""What the last answer of a conversation found, for a message that leans on it: "and what is 15 % of that?"."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from ai_engine.agent import AgentExecutionStatus, AgentResult, TabularResult, TraceEvent, TraceEventType
from ai_engine.chat_history import ChatMessage
from ai_engine.orchestrator.referents import StandingAlone, leans, standing_alone
from ai_engine.specialists.computation.follow_up import standing_alone as with_what_was_unsaid
from ai_engine.tools import ContentType


def with_figures_before(message: str, before: Sequence[ChatMessage]) -> StandingAlone:
    """Put the figures of the last answer for the words of a calculation that stand for them.

    A message that asks the calculation before again with another number ("stretch it to 7 years") stays as it is.
    """
    asked = [one.content for one in before if one.role == "user"]
    if not leans(message) or not before or with_what_was_unsaid(message, asked) != message:
        return StandingAlone(message, ())
    found = [_as_result(content["data"]) for content in before[-1].contents if _is_table(content)]
    return standing_alone(message, found, calculates=True)


def _is_table(content: dict[str, Any]) -> bool:
    data = content.get("data")
    is_widget = content.get("content_type") == ContentType.WIDGET.value and isinstance(data, dict)
    return is_widget and data.get("widget_type") == "data_table"  # type: ignore[union-attr]


def _as_result(widget: dict[str, Any]) -> AgentResult:
    """Read a table that was shown: JSON keeps exact figures as texts."""
    data = widget["data"]
    units = dict(data.get("units") or {})
    rows = [{name: _figure(cell) if name in units else cell for name, cell in row.items()} for row in data["rows"]]
    told = TraceEvent(event_type=TraceEventType.RESULT, message="", data={"units": units})
    return AgentResult(
        agent="earlier",
        status=AgentExecutionStatus.succeeded,
        tabular=TabularResult(columns=list(data["columns"]), rows=rows),
        trace=[told],
    )


def _figure(cell: Any) -> Any:
    try:
        return Decimal(cell) if isinstance(cell, str) else cell
    except InvalidOperation:
        return cell
