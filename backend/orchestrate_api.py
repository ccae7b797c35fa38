"""POST /orchestrate and its stream of events: one question to several specialists."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Annotated, Any

from fastapi import APIRouter, Body, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from ai_engine import orchestrator
from ai_engine.agent import AgentRequest, OrchestratorResponse
from ai_engine.errors import AssistantError, BadQuestion, DatabaseBusy
from ai_engine.orchestrator import Happening
from backend.http_errors import FAILURES, http_status_of
from backend.json_values import any_to_json, json_line
from backend.orchestration import Orchestrator, failed_response

_log = logging.getLogger(__name__)
_DISCONNECT_POLL_S = 0.25
BUSY_RETRY_S = "1"
_DOCUMENTED: dict[int | str, dict[str, Any]] = {
    status: {"model": OrchestratorResponse, "description": meaning} for status, meaning in FAILURES.items()
}
_EXAMPLE = {"question": "What are our total deposits, and what is 4 % of that?", "trace": True}

OrchestratorFactory = Callable[[], Orchestrator]
Asked = Annotated[AgentRequest, Body(examples=[_EXAMPLE])]

router = APIRouter()


@router.post(
    "/orchestrate", response_model=OrchestratorResponse, responses=_DOCUMENTED, summary="Ask several specialists"
)
async def orchestrate(request: Request, body: Asked) -> Response:
    """Plan, run the agents, and compose one answer; hanging up stops all of them, as the end of the time does.

    An answer that lacks a part names it, with status 200; `agent_results` say how each agent ended.
    """
    try:
        with place(request):
            found = await _orchestrator(request)
            response = await _answer_unless_hung_up(request, found, body)
    except AssistantError as fault:
        return refused(fault)
    return JSONResponse(any_to_json(response))


@router.post("/orchestrate/stream", response_class=StreamingResponse, responses=_DOCUMENTED, summary="The same, live")
async def orchestrate_stream(request: Request, body: Asked) -> Response:
    """Send server-sent events: `trace` for each thing that happens, and one `response` at the end.

    What cannot be asked at all is refused before, as by POST /orchestrate.
    """
    places = contextlib.ExitStack()
    try:
        places.enter_context(place(request))
        found = await _orchestrator(request)
        orchestrator.check(body, found.setting)
    except AssistantError as fault:
        places.close()
        return refused(fault)
    return StreamingResponse(
        _sent(found, body, places, request.app.state.desk.timeout_s),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store"},
    )


def refused(fault: AssistantError) -> JSONResponse:
    """Write a failure that came before any agent was asked, with the status of its class."""
    kind = type(fault)
    headers = {"Retry-After": BUSY_RETRY_S} if kind is DatabaseBusy else None
    message = str(fault) if isinstance(fault, BadQuestion) else kind.user_message
    status = http_status_of(kind.__name__)
    return JSONResponse(any_to_json(failed_response(message, kind)), status_code=status, headers=headers)


async def _sent(
    found: Orchestrator, body: AgentRequest, places: contextlib.ExitStack, timeout_s: float
) -> AsyncIterator[str]:
    """Write each event; that nobody listens any more ends the generator, and with it the run."""
    stop = threading.Event()
    with places:
        timer = asyncio.get_running_loop().call_later(timeout_s, stop.set)
        places.callback(timer.cancel)
        async with contextlib.aclosing(found.events(body, stop)) as happenings:
            try:
                async for happening in happenings:
                    yield _event(happening)
            except AssistantError as fault:
                yield _event(failed_response(fault.user_message, type(fault)))


def _event(happening: Happening) -> str:
    name = "response" if isinstance(happening, OrchestratorResponse) else "trace"
    fields = any_to_json(happening)
    assert isinstance(fields, dict), "events and responses are objects"  # noqa: S101
    return f"event: {name}\ndata: {json_line(fields)}\n\n"


@contextlib.contextmanager
def place(request: Request) -> Iterator[None]:
    """Take one of the places for questions, for as long as it is answered.

    Raises:
        DatabaseBusy: none is free.
    """
    desk = request.app.state.desk
    if desk.questions >= desk.places:
        desk.turned_away += 1
        raise DatabaseBusy("every place for questions is taken")
    desk.questions += 1
    try:
        yield
    finally:
        desk.questions -= 1


async def _orchestrator(request: Request) -> Orchestrator:
    """Get it in a thread; why that failed may name files, so it goes to the log, not the wire."""
    factory: OrchestratorFactory = request.app.state.orchestrator_factory
    try:
        return await asyncio.to_thread(factory)
    except AssistantError as fault:
        _log.error("the orchestrator cannot be opened: %s", fault)
        raise
    except Exception as fault:
        _log.exception("the orchestrator cannot be opened")
        raise AssistantError(str(fault)) from fault


async def _answer_unless_hung_up(request: Request, found: Orchestrator, body: AgentRequest) -> OrchestratorResponse:
    stop = threading.Event()
    deadline = time.monotonic() + request.app.state.desk.timeout_s
    pending = asyncio.ensure_future(found.reply(body, stop))
    try:
        while not (await asyncio.wait({pending}, timeout=_DISCONNECT_POLL_S))[0]:
            if await request.is_disconnected() or time.monotonic() > deadline:
                stop.set()
        return pending.result()
    finally:
        stop.set()
