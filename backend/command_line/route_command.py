"""`route`: a message to the desk that answers it, or a file of conversations."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

from pydantic import ValidationError

from ai_engine.errors import AssistantError, BadQuestion
from ai_engine.json_values import JsonValue
from ai_engine.routing import AgentResponse, ClassifierResult, InMemoryChatStorage
from ai_engine.routing.messages import ConversationMessage, as_markdown
from backend.answers.json_values import json_line
from backend.command_line.json_lines import InputLine, read_lines, write_lines
from backend.command_line.opening import opened_assistant, settings_of
from backend.command_line.plain_text import cleaned
from backend.command_line.statuses import ANSWERED, NOT_ANSWERED
from backend.front_desk import FrontDesk, RouteRequest, open_front_desk, opened_chats
from backend.orchestration import Orchestrator, SharedOutside
from backend.store import open_store

_KEYS = ("user_id", "session_id", "user_input", "additional_params")


def run(arguments: argparse.Namespace) -> int:
    """Answer on standard output, or write the batch."""
    with _opened(arguments) as desk:
        if arguments.batch is not None:
            lines = read_lines(arguments.batch)
            write_lines(arguments.out, asyncio.run(_run_batch(desk, lines, arguments)))
            return ANSWERED
        params = {} if arguments.assistant is None else {"assistant": arguments.assistant}
        given = {"user_id": arguments.user, "session_id": arguments.session, "additional_params": params}
        request = _request({**given, "user_input": arguments.text})
        fields = asyncio.run(_answered(desk, request, classify_only=arguments.classify_only))
    sys.stdout.write((json_line(fields) if arguments.json else _text(fields)) + "\n")
    return NOT_ANSWERED if fields["error_type"] else ANSWERED


@contextmanager
def _opened(arguments: argparse.Namespace) -> Iterator[FrontDesk]:
    """Open the desks; what is only classified is kept in memory, not in the store."""
    settings = settings_of(arguments)
    with opened_assistant(arguments) as assistant, closing(SharedOutside(lambda: settings)) as outside:
        found = Orchestrator(assistant, outside.get())
        if arguments.classify_only:
            yield open_front_desk(found, InMemoryChatStorage())
            return
        with closing(open_store(settings)) as store, closing(opened_chats(settings, store)) as chats:
            yield open_front_desk(found, chats)


async def _run_batch(
    desk: FrontDesk, lines: Sequence[InputLine], arguments: argparse.Namespace
) -> list[dict[str, JsonValue]]:
    """Answer all lines, those of one session in order, `--jobs` sessions at a time."""
    sessions: dict[tuple[str, str], list[int]] = {}
    for place, line in enumerate(lines):
        key = (str(line.fields.get("user_id")), str(line.fields.get("session_id")))
        sessions.setdefault(key, []).append(place)
    free = asyncio.Semaphore(arguments.jobs)
    written: dict[int, dict[str, JsonValue]] = {}

    async def talk(places: Sequence[int]) -> None:
        async with free:
            for place in places:
                written[place] = await _line(desk, lines[place], classify_only=arguments.classify_only)

    await asyncio.gather(*(talk(places) for places in sessions.values()))
    return [written[place] for place in range(len(lines))]


async def _line(desk: FrontDesk, line: InputLine, *, classify_only: bool) -> dict[str, JsonValue]:
    """Answer one line; whatever goes wrong stays with it."""
    try:
        line.text("user_input")
        request = _request({key: line.fields[key] for key in _KEYS if key in line.fields})
        fields = await _answered(desk, request, classify_only=classify_only)
    except AssistantError as fault:
        fields = _written(None, 0.0, "", fault.user_message, type(fault).__name__)
    except Exception:  # noqa: BLE001 - one line never ends the batch
        fields = _written(None, 0.0, "", AssistantError.user_message, AssistantError.__name__)
    return {"id": line.fields.get("id"), **fields}


async def _answered(desk: FrontDesk, request: RouteRequest, *, classify_only: bool) -> dict[str, JsonValue]:
    if classify_only:
        return _of_choice(await desk.classify(request))
    return _of_response(await desk.route(request))


def _of_choice(chosen: ClassifierResult) -> dict[str, JsonValue]:
    agent = chosen.selected_agent
    names = None if agent is None else (agent.id, agent.name)
    return _written(names, chosen.confidence, chosen.reason, "", None if agent else "classification_failed")


def _of_response(response: AgentResponse) -> dict[str, JsonValue]:
    assert isinstance(response.output, ConversationMessage), "asked not to stream"  # noqa: S101
    metadata = response.metadata
    names = (metadata.agent_id, metadata.agent_name)
    error_type = metadata.additional_params.get("error_type")
    return _written(names, response.confidence, response.reason, as_markdown(response.output), error_type)


def _written(
    names: tuple[str, str] | None, confidence: float, reason: str, text: str, error_type: str | None
) -> dict[str, JsonValue]:
    agent_id, agent_name = names or ("no_agent_selected", "No Agent")
    return {
        "agent_id": agent_id,
        "agent_name": agent_name,
        "confidence": confidence,
        "reason": reason,
        "text": text,
        "error_type": error_type,
    }


def _request(fields: dict[str, Any]) -> RouteRequest:
    try:
        return RouteRequest.model_validate(fields)
    except ValidationError as faults:
        told = "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in faults.errors())
        raise BadQuestion(f"This is no message: {told}.") from None


def _text(fields: dict[str, JsonValue]) -> str:
    head = f"{fields['agent_name']} ({fields['confidence']}): {fields['reason']}"
    return "\n\n".join(part for part in (cleaned(str(fields["text"])), cleaned(head)) if part)
