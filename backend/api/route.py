"""POST /route and GET /route/agents: each message to the desk that answers it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Callable
from typing import Annotated, Any

from fastapi import APIRouter, Body, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel

from ai_engine.errors import AssistantError, BadQuestion, DatabaseBusy, ServerStopping
from ai_engine.json_values import JsonValue, any_to_json
from ai_engine.routing import AgentProcessingResult, AgentResponse, ConversationMessage
from backend.answers.json_values import json_line
from backend.api.errors import FAILURES, http_status_of
from backend.api.models import ECHOED_CHARS
from backend.api.orchestrate import BUSY_RETRY_S, event_stream, place, who
from backend.front_desk import FrontDesk, RouteRequest

_log = logging.getLogger(__name__)
_DISCONNECT_POLL_S = 0.25
_EXAMPLE = {"user_input": "What are our total deposits?", "user_id": "asha", "session_id": "monday"}

FrontDeskFactory = Callable[[], FrontDesk]
Asked = Annotated[RouteRequest, Body(examples=[_EXAMPLE])]


class RouteResponse(BaseModel):
    """An answer: who gave it, why that desk, how sure that choice was (0 to 1), and which others it could have been."""

    metadata: AgentProcessingResult
    output: ConversationMessage
    streaming: bool
    confidence: float
    reason: str
    candidates: tuple[str, ...]


class RoutedDesk(BaseModel):
    """One desk that can be chosen."""

    id: str
    name: str
    description: str
    examples: tuple[str, ...]
    default: bool


_DOCUMENTED: dict[int | str, dict[str, Any]] = {
    status: {"model": RouteResponse, "description": meaning} for status, meaning in FAILURES.items()
}
router = APIRouter()


@router.post("/route", response_model=RouteResponse, responses=_DOCUMENTED, summary="Send a message to the right desk")
async def route(request: Request, body: Asked) -> Response:
    """Choose a desk, have it answer, and keep both; hanging up stops the work.

    With `stream_response` the answer comes as server-sent events: `chunk` with `text` and `thinking` for each piece,
    `response` with the whole at the end.
    """
    places = contextlib.ExitStack()
    try:
        places.enter_context(place(request))
        desk = await _front_desk(request)
        desk.directly_chosen(body)
    except AssistantError as fault:
        places.close()
        return refused(fault, body)
    if body.stream_response:
        stopped = _refusal_event(ServerStopping("an answer was cut short, as the server ends"), body)
        return event_stream(request, _sent(desk, body, who(request)), held=places, cut_short=stopped)
    with places:
        try:
            return JSONResponse(_fields(await _answer_unless_hung_up(request, desk, body)))
        except AssistantError as fault:
            return refused(fault, body)


@router.get("/route/agents", response_model=list[RoutedDesk], summary="List the desks")
async def agents(request: Request) -> list[RoutedDesk] | Response:
    """Describe the desks that can be chosen, directly too."""
    try:
        with place(request):
            squad = (await _front_desk(request)).squad
    except AssistantError as fault:
        return refused(fault)
    return [
        RoutedDesk(
            id=agent.id,
            name=agent.name,
            description=agent.description,
            examples=agent.examples,
            default=agent is squad.default_agent,
        )
        for agent in squad.agents.values()
    ]


def refused(fault: AssistantError, body: RouteRequest | None = None) -> JSONResponse:
    """Write a failure in the shape of an answer, with the status of its class."""
    kind = type(fault)
    told = str(fault) if isinstance(fault, BadQuestion) else kind.user_message
    fields = {
        "metadata": {
            "user_input": body.user_input[:ECHOED_CHARS] if body else "",
            "agent_id": "no_agent_selected",
            "agent_name": "No Agent",
            "user_id": body.user_id if body else "",
            "session_id": body.session_id if body else "",
            "additional_params": {"error_type": kind.__name__},
        },
        "output": {"role": "assistant", "content": [{"text": told}]},
        "streaming": False,
        "confidence": 0.0,
        "reason": "",
        "candidates": [],
    }
    headers = {"Retry-After": BUSY_RETRY_S} if kind in {DatabaseBusy, ServerStopping} else None
    return JSONResponse(any_to_json(fields), status_code=http_status_of(kind.__name__), headers=headers)


async def _sent(desk: FrontDesk, body: RouteRequest, asked_by: str) -> AsyncGenerator[str, None]:
    """Write each piece; that nobody listens any more ends the generator, and with it the work."""
    try:
        response = await desk.route(body, asked_by)
    except AssistantError as fault:
        yield _refusal_event(fault, body)
        return
    whole = response.output
    if isinstance(whole, ConversationMessage):
        yield _event("chunk", {"text": whole.text, "thinking": ""})
    else:
        async with contextlib.aclosing(whole) as pieces:  # type: ignore[type-var]
            async for piece in pieces:
                if piece.final_message is None:
                    yield _event("chunk", {"text": piece.text, "thinking": piece.thinking})
                else:
                    whole = piece.final_message
    assert isinstance(whole, ConversationMessage), "a stream has one end"  # noqa: S101
    yield _event("response", _written(response, whole))


def _refusal_event(fault: AssistantError, body: RouteRequest) -> str:
    return f"event: response\ndata: {bytes(refused(fault, body).body).decode()}\n\n"


def _event(name: str, fields: dict[str, JsonValue]) -> str:
    return f"event: {name}\ndata: {json_line(fields)}\n\n"


def _fields(response: AgentResponse) -> dict[str, JsonValue]:
    assert isinstance(response.output, ConversationMessage), "asked not to stream"  # noqa: S101
    return _written(response, response.output)


def _written(response: AgentResponse, output: ConversationMessage) -> dict[str, JsonValue]:
    whole = ConversationMessage(role=output.role, content=output.content)
    fields = any_to_json(
        {
            "metadata": response.metadata,
            "output": whole,
            "streaming": response.streaming,
            "confidence": response.confidence,
            "reason": response.reason,
            "candidates": list(response.candidates),
        }
    )
    assert isinstance(fields, dict), "a response is an object"  # noqa: S101
    return fields


async def _front_desk(request: Request) -> FrontDesk:
    """Get it in a thread; why that failed may name files, so it goes to the log, not the wire."""
    factory: FrontDeskFactory = request.app.state.front_desk_factory
    try:
        return await asyncio.to_thread(factory)
    except AssistantError as fault:
        _log.error("the front desk cannot be opened: %s", fault)
        raise
    except Exception as fault:
        _log.exception("the front desk cannot be opened")
        raise AssistantError(str(fault)) from fault


async def _answer_unless_hung_up(request: Request, desk: FrontDesk, body: RouteRequest) -> AgentResponse:
    pending = asyncio.ensure_future(desk.route(body, who(request)))
    try:
        while not (await asyncio.wait({pending}, timeout=_DISCONNECT_POLL_S))[0]:
            if request.app.state.desk.over.is_set():
                raise ServerStopping("an answer was cut short, as the server ends")
            if await request.is_disconnected():
                raise AssistantError("nobody is listening any more")
        return pending.result()
    finally:
        pending.cancel()
