"""POST /orchestrate and its stream of events: one question to several specialists."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Body, Request
from fastapi.responses import JSONResponse, Response

from ai_engine import orchestrator
from ai_engine.agent import AgentRequest, OrchestratorResponse, in_thread
from ai_engine.errors import AssistantError, BadQuestion, DatabaseBusy, ServerStopping, UnknownSource
from ai_engine.json_values import any_to_json
from ai_engine.orchestrator import Happening
from ai_engine.under_way import UnderWay, under_way
from backend.answers.json_values import json_line
from backend.api.errors import FAILURES, http_status_of
from backend.api.verified import who_asks
from backend.desk import Desk
from backend.events.stream import EventStream
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


@router.post("/orchestrate/stream", response_class=Response, responses=_DOCUMENTED, summary="The same, live")
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
    pieces = _sent(found, body, request.app.state.desk.timeout_s, who(request))
    stopped = failed_response(ServerStopping.user_message, ServerStopping)
    return event_stream(request, pieces, held=places, cut_short=_event(stopped))


def refused(fault: AssistantError) -> JSONResponse:
    """Write a failure that came before any agent was asked, with the status of its class."""
    kind = type(fault)
    headers = {"Retry-After": BUSY_RETRY_S} if kind in {DatabaseBusy, ServerStopping} else None
    message = str(fault) if isinstance(fault, BadQuestion) else kind.user_message
    status = http_status_of(kind.__name__)
    return JSONResponse(any_to_json(failed_response(message, kind)), status_code=status, headers=headers)


async def _sent(found: Orchestrator, body: AgentRequest, timeout_s: float, asked_by: str) -> AsyncGenerator[str, None]:
    """Write each event; that nobody listens any more ends the generator, and with it the run."""
    stop = threading.Event()
    timer = asyncio.get_running_loop().call_later(timeout_s, stop.set)
    try:
        async with contextlib.aclosing(found.events(body, stop, asked_by)) as happenings:
            try:
                async for happening in happenings:
                    yield _event(happening)
            except AssistantError as fault:
                yield _event(failed_response(fault.user_message, type(fault)))
    finally:
        timer.cancel()


def _event(happening: Happening) -> str:
    name = "response" if isinstance(happening, OrchestratorResponse) else "trace"
    fields = any_to_json(happening)
    assert isinstance(fields, dict), "events and responses are objects"  # noqa: S101
    return f"event: {name}\ndata: {json_line(fields)}\n\n"


@contextlib.contextmanager
def place(request: Request) -> Iterator[None]:
    """Take one of the places for questions, for as long as it is answered; DatabaseBusy where none is free.

    So does whatever else opens a source or reads the store; a response to a question takes none, as one waits for it.
    Work that goes on when its client has gone keeps the place: who hangs up in a loop gets no more than who waits.
    """
    desk: Desk = request.app.state.desk
    loop, taken, counted = asyncio.get_running_loop(), contextlib.ExitStack(), UnderWay()
    taken.enter_context(desk.place(who(request)))

    def give_back() -> None:
        if threading.get_ident() == here:
            taken.close()
            return
        with contextlib.suppress(RuntimeError):  # the loop has ended, and all places with it
            loop.call_soon_threadsafe(taken.close)

    here = threading.get_ident()
    under_way.set(counted)
    try:
        yield
    finally:
        counted.afterwards(give_back)


def who(request: Request) -> str:
    """Name who asks; see `who_asks`."""
    return who_asks(request.headers, request.app.state.chat_settings)


def event_stream(
    request: Request,
    pieces: AsyncGenerator[str, None],
    headers: Mapping[str, str] | None = None,
    held: contextlib.ExitStack | None = None,
    cut_short: str | None = None,
) -> Response:
    """Send pieces as server-sent events; what is held for them is given back however the stream ends.

    Args:
        cut_short: the last piece where the server's end comes first; unset: the pieces end by themselves then.
    """
    send_timeout_s: float = request.app.state.send_timeout_s
    over = None if cut_short is None else (request.app.state.desk.over, cut_short)
    return EventStream(pieces, send_timeout_s=send_timeout_s, headers=headers, held=held, over=over)


async def _orchestrator(request: Request) -> Orchestrator:
    """Get it in a thread; why that failed may name files, so it goes to the log, not the wire."""
    factory: OrchestratorFactory = request.app.state.orchestrator_factory
    source = request.query_params.get("source")
    try:
        found = await asyncio.to_thread(factory)
        if source:
            desk: Desk = request.app.state.desk
            asked = await in_thread(desk.assistant, source, request.headers)
            return replace(found, assistant=asked)
        return found
    except UnknownSource:
        raise  # whoever asks may name anything
    except AssistantError as fault:
        _log.error("the orchestrator cannot be opened: %s", fault)
        raise
    except Exception as fault:
        _log.exception("the orchestrator cannot be opened")
        raise AssistantError(str(fault)) from fault


async def _answer_unless_hung_up(request: Request, found: Orchestrator, body: AgentRequest) -> OrchestratorResponse:
    stop = threading.Event()
    desk: Desk = request.app.state.desk
    deadline = time.monotonic() + desk.timeout_s
    pending = asyncio.ensure_future(found.reply(body, stop, who(request)))
    try:
        while not (await asyncio.wait({pending}, timeout=_DISCONNECT_POLL_S))[0]:
            if desk.over.is_set() or await request.is_disconnected() or time.monotonic() > deadline:
                stop.set()
        response = pending.result()
        if desk.over.is_set():
            raise ServerStopping("an answer was cut short, as the server ends")
        return response
    finally:
        stop.set()
