"""`orchestrate`: one question to several specialists, or a file of them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from typing import Any

from pydantic import ValidationError

from ai_engine import orchestrator
from ai_engine.agent import AgentExecutionStatus, AgentRequest, OrchestratorResponse, TraceEvent
from ai_engine.errors import AssistantError, BadQuestion
from ai_engine.formats import Formats
from ai_engine.json_values import JsonValue, any_to_json
from backend.answers.json_values import json_line
from backend.answers.result_answers import answer_of
from backend.command_line.json_lines import InputLine, read_lines, write_lines
from backend.command_line.opening import opened_assistant, settings_of
from backend.command_line.plain_text import answer_table, cleaned
from backend.command_line.statuses import ANSWERED, NOT_ANSWERED
from backend.orchestration import Orchestrator, SharedOutside, failed_response


def run(arguments: argparse.Namespace) -> int:
    """Answer on standard output, or write the batch."""
    if arguments.batch is not None:
        return _run_batch(arguments)
    request = _request({"question": arguments.text, **_given(arguments)})
    with _opened(arguments) as found:
        response = _ask(found, request)
        text = json_line(_fields(response)) if arguments.json else _text(request, response, found)
    sys.stdout.write(text + "\n")
    succeeded = any(result.status is AgentExecutionStatus.succeeded for result in response.agent_results)
    return ANSWERED if succeeded else NOT_ANSWERED


@contextmanager
def _opened(arguments: argparse.Namespace) -> Iterator[Orchestrator]:
    with opened_assistant(arguments) as assistant, closing(SharedOutside(lambda: settings_of(arguments))) as outside:
        yield Orchestrator(assistant, outside.get())


def _ask(found: Orchestrator, request: AgentRequest) -> OrchestratorResponse:
    """Ask in a way that Ctrl-C stops every agent."""
    orchestrator.check(request, found.setting)
    *_, response = found.stream(request)
    assert isinstance(response, OrchestratorResponse), "the response comes last"  # noqa: S101
    return response


def _given(arguments: argparse.Namespace) -> dict[str, Any]:
    """The fields of a request that the flags give."""
    return {
        "context": dict(arguments.context),
        "prefer_agents": arguments.prefer,
        "disable_agents": arguments.disable,
        "trace": arguments.trace,
    }


def _request(fields: dict[str, Any]) -> AgentRequest:
    try:
        return AgentRequest.model_validate(fields)
    except ValidationError as faults:
        told = "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in faults.errors())
        raise BadQuestion(f"This is no request: {told}.") from None


def _run_batch(arguments: argparse.Namespace) -> int:
    lines = read_lines(arguments.batch)
    with _opened(arguments) as found, ThreadPoolExecutor(arguments.jobs) as pool:
        flags = _given(arguments)
        write_lines(arguments.out, pool.map(lambda line: _answer_line(found, line, flags), lines))
    return ANSWERED


def _answer_line(found: Orchestrator, line: InputLine, flags: dict[str, Any]) -> dict[str, JsonValue]:
    """Answer one line, whose own fields go before the flags; whatever goes wrong stays with this line."""
    try:
        line.text("question")
        own = {name: value for name, value in line.fields.items() if name in AgentRequest.model_fields}
        response = found.answer(_request({**flags, **own}))
    except AssistantError as fault:
        response = failed_response(fault.user_message, type(fault))
    except Exception as fault:  # noqa: BLE001 - one line never ends the batch
        response = failed_response(str(fault), AssistantError)
    return {"id": line.fields.get("id"), **_fields(response)}


def _fields(response: OrchestratorResponse) -> dict[str, JsonValue]:
    fields = any_to_json(response)
    assert isinstance(fields, dict), "a response is an object"  # noqa: S101
    return fields


def _text(request: AgentRequest, response: OrchestratorResponse, found: Orchestrator) -> str:
    """Write the answer, its table, who worked on it, and the trace where it was asked for."""
    parts = [cleaned(response.answer)]
    vocabulary = found.assistant.vocabulary
    first = next((one for one in response.agent_results if one.tabular and one.tabular == response.data), None)
    if first is not None:
        shown = answer_of(request.question, first, vocabulary)
        parts += [answer_table(shown, shown.result, Formats(vocabulary.model.currency))] if shown.result else []
    if response.planner is not None:
        order = " → ".join(response.planner.chosen_agents) or "nobody"
        parts.append(f"Plan: {order}. {cleaned(response.planner.rationale)}")
    ended = [f"  {one.agent}: {one.status.value}, {one.latency_ms or 0:,.0f} ms" for one in response.agent_results]
    return "\n\n".join([*parts, "\n".join([*ended, *map(_event_line, response.trace)])])


def _event_line(event: TraceEvent) -> str:
    message = cleaned(event.message or "")
    return f"  {event.timestamp:%H:%M:%S.%f} {event.event_type.value:8} {event.agent or '':12} {message}"
