"""Calls of tools by operators: which servers are asked, and what a failed call means."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ai_engine.errors import QueryStopped
from ai_engine.operators.base import NOT_SET_UP, TOOL_TIMED_OUT, OperatorFailed
from ai_engine.operators.registry import tools_named
from ai_engine.tools import ToolRequest, ToolResult, ToolResultStatus, Tools, ToolSummary

_KINDS = {
    ToolResultStatus.TIMEOUT: TOOL_TIMED_OUT,
    ToolResultStatus.CANCELLED: QueryStopped.__name__,
    ToolResultStatus.ERROR: "ToolFailed",
}


async def offered(tools: Tools | None, name: str) -> tuple[ToolSummary, ...]:
    """Return the tools of this name, one per server that has it."""
    known = {tool.name: tool for tool in await tools.summaries()} if tools is not None else {}
    return tuple(known[full] for full in tools_named(name, tuple(known)))


async def called_everywhere(
    tools: Tools, name: str, arguments: Mapping[str, Any]
) -> tuple[list[tuple[str, ToolResult]], tuple[str, ...]]:
    """Call a tool on every server that has it; return what succeeded with its server, and of what failed the reasons.

    Raises:
        OperatorFailed: no server has it, or all calls failed.
    """
    named = await offered(tools, name)
    if not named:
        raise OperatorFailed(f"No server that is enabled offers {name}.", NOT_SET_UP)
    made = await tools.call_parallel([ToolRequest(one.name, arguments) for one in named])
    pairs = [(one.server_id, result) for one, result in zip(named, made, strict=True)]
    succeeded = [(server, result) for server, result in pairs if result.status is ToolResultStatus.SUCCESS]
    failures = [_failure(result) for result in made if result.status is not ToolResultStatus.SUCCESS]
    if not succeeded:
        raise failures[0]
    return succeeded, tuple(map(str, failures))


async def called(tools: Tools, name: str, arguments: Mapping[str, Any]) -> ToolResult:
    """Call one tool.

    Raises:
        OperatorFailed: the call failed.
    """
    result = await tools.call(name, arguments)
    if result.status is not ToolResultStatus.SUCCESS:
        raise _failure(result)
    return result


def taken(arguments: Mapping[str, Any], schema: Mapping[str, Any] | None) -> dict[str, Any]:
    """Leave out of optional arguments those that a tool does not take; `query` and what it requires always stay."""
    known: Sequence[str] = tuple((schema or {}).get("properties", ()))
    return {name: value for name, value in arguments.items() if name == "query" or name in known}


def structured_of(result: ToolResult) -> Any:
    """Return a tool's structured output, or its text where that is JSON; None where it is neither."""
    if result.structured is not None:
        return result.structured
    try:
        return json.loads(result.combined_text)
    except (ValueError, RecursionError):
        return None


def _failure(result: ToolResult) -> OperatorFailed:
    message = result.error or f"{result.tool_name} did not answer."
    return OperatorFailed(message if message.endswith(".") else f"{message}.", _KINDS[result.status])
