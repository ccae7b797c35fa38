"""The HTTP API: POST /ask, /orchestrate, /route and /chat, GET /health, and their documentation under /docs."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.routing import Route

from ai_engine.errors import BadQuestion, DatabaseBusy, QueryStopped, QueryTimedOut, ServerStopping
from ai_engine.specialists.documents.agent import DocumentServices
from backend import VERSION
from backend.api import orchestrate, route, verified
from backend.api import sources as sources_api
from backend.api.errors import FAILURES, http_status_of
from backend.api.models import AskRequest, AskResponse, Health, failed_response
from backend.api.verified import who_asks
from backend.chat import api as chat_api
from backend.chat import templates_api
from backend.chat.opening import default_chat
from backend.desk import Desk
from backend.documents import open_document_services
from backend.front_desk import default_front_desk
from backend.http.edge import edge
from backend.http.life_cycle import LifeCycle
from backend.http.security_headers import API_CONTENT_POLICY
from backend.mcp.http import McpEndpoint
from backend.mcp.server import bank_server, document_server
from backend.metrics import Metrics, metrics_endpoint
from backend.opening import default_assistant, shared_sources
from backend.orchestration import default_orchestrator
from backend.service import Assistant
from backend.settings import Settings, read_settings
from backend.sources.sources import Sources
from backend.store import shared_store

_log = logging.getLogger(__name__)
_DISCONNECT_POLL_S = 0.25
_HEALTH_WAIT_S = 0.1
_BUSY_RETRY_S = "1"
_TOLD_FAULTS = 5
_DOCUMENTED: dict[int | str, dict[str, Any]] = {
    status: {"model": AskResponse, "description": meaning} for status, meaning in FAILURES.items()
}

router = APIRouter()


def create_app(
    assistant_factory: Callable[[], Assistant] = default_assistant,
    orchestrator_factory: orchestrate.OrchestratorFactory = default_orchestrator,
    front_desk_factory: route.FrontDeskFactory = default_front_desk,
    *,
    chat_factory: chat_api.ChatFactory = default_chat,
    store_factory: chat_api.StoreFactory = shared_store.get,
    sources: Sources = shared_sources,
    settings: Settings | None = None,
    bound_host: str = "localhost",
    life: LifeCycle | None = None,
) -> FastAPI:
    """Build the API; the assistant is opened in the background, and again on the next request when that failed.

    Args:
        assistant_factory: returns the assistant that is to answer now, or raises AssistantError.
        orchestrator_factory: the same for several specialists.
        front_desk_factory: the same for the desks.
        chat_factory: the same for the chat.
        store_factory: returns the app's store, which says who works on a conversation.
        sources: what may be asked by name.
        settings: read from the environment when None.
        bound_host: the name or address that was asked to listen on.
        life: of the server, which tells it when it begins to end.

    Raises:
        BadConfiguration: a setting is wrong.
    """
    settings = settings or read_settings()
    life = life or LifeCycle()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        places = settings.api_threads + settings.api_queue_size
        with (
            ThreadPoolExecutor(settings.api_threads, thread_name_prefix="http") as threads,
            ThreadPoolExecutor(1, thread_name_prefix="health") as app.state.health_thread,
        ):
            app.state.desk = Desk(
                assistant_factory, threads, places, settings.api_timeout_s, named, settings.api_questions_per_person
            )
            app.state.sources = sources
            app.state.looking, app.state.found_last = None, Health(status="unavailable")
            life.drain(app.state.desk)
            app.state.send_timeout_s = settings.chat_send_timeout_s
            app.state.orchestrator_factory = orchestrator_factory
            app.state.front_desk_factory = front_desk_factory
            threads.submit(app.state.desk.health)
            async with (
                mcp.opened(bank_server(app.state.desk, orchestrator_factory, documents)).run(),
                mcp_documents.opened(document_server(app.state.desk, documents)).run(),
                chat_api.chat_at_work(app, settings, life, chat_factory, store_factory),
            ):
                yield

    def named(source: str, headers: Mapping[str, str]) -> Assistant:
        return sources.assistant(source, who_asks(headers, settings))

    def documents() -> DocumentServices | None:
        return open_document_services(settings)

    mcp, mcp_documents = McpEndpoint(settings), McpEndpoint(settings)

    def metrics() -> Metrics:
        desk: Desk = app.state.desk
        return desk.metrics()

    app = FastAPI(
        title="Banking Assistant",
        description="Plain-English questions on a bank's database: a figure, its SQL and every assumption.",
        version=VERSION,
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        lifespan=lifespan,
        middleware=edge(settings, bound_host, API_CONTENT_POLICY, life, _refusal),
        redirect_slashes=False,
    )
    app.include_router(router)
    app.include_router(orchestrate.router)
    app.include_router(route.router)
    app.include_router(verified.router)
    app.include_router(sources_api.router)
    app.include_router(chat_api.router)
    app.include_router(templates_api.router)
    app.router.routes.append(Route("/mcp", mcp, include_in_schema=False))
    app.router.routes.append(Route("/mcp/documents", mcp_documents, include_in_schema=False))
    app.add_route("/metrics", metrics_endpoint(metrics), include_in_schema=False)
    app.add_exception_handler(RequestValidationError, _refuse_request)
    app.add_exception_handler(HTTPException, _refuse_unreadable)
    return app


@router.post("/ask", responses=_DOCUMENTED, summary="Answer one question")
async def ask(request: Request, body: AskRequest, response: Response) -> AskResponse:
    """Answer from the database, or say why not.

    A refusal and a question back are answers too: their HTTP status is 200, and `status` tells them apart. Hanging up
    stops the query in the database.
    """
    desk: Desk = request.app.state.desk
    try:
        with orchestrate.place(request):
            answer = await _answer_unless_hung_up(request, desk, body)
    except DatabaseBusy as fault:
        answer = failed_response(body.query, fault.user_message, DatabaseBusy.__name__)
    response.status_code = http_status_of(answer.error_kind)
    if answer.error_kind in {DatabaseBusy.__name__, ServerStopping.__name__}:
        response.headers["Retry-After"] = _BUSY_RETRY_S
    return answer


@router.get("/health", responses={503: {"model": Health}}, summary="Tell whether this server answers")
async def health(request: Request, response: Response) -> Health:
    """Say whether questions can be answered here, and nothing more, as a probe has no name.

    While that takes long to find out, as a vocabulary that was published is being taken up, it is what was found last.
    """
    state = request.app.state
    if state.looking is None or state.looking.done():
        loop = asyncio.get_running_loop()
        state.looking = loop.run_in_executor(state.health_thread, state.desk.health)  # nothing else keeps that waiting
    await asyncio.wait({state.looking}, timeout=_HEALTH_WAIT_S if state.found_last.status == "ok" else None)
    if state.looking.done():
        state.found_last = state.looking.result()
    found: Health = state.found_last
    response.status_code = 200 if found.status == "ok" else 503
    return found


async def _answer_unless_hung_up(request: Request, desk: Desk, asked: AskRequest) -> AskResponse:
    """Wait for the answer without blocking the event loop; end its run once the client is gone or time is up."""
    stop = threading.Event()
    deadline = time.monotonic() + desk.timeout_s
    try:
        answering = partial(desk.answer, asked, stop, headers=request.headers)
        pending = asyncio.get_running_loop().run_in_executor(desk.threads, answering)
        while not (await asyncio.wait({pending}, timeout=_DISCONNECT_POLL_S))[0]:
            if desk.over.is_set() or await request.is_disconnected() or time.monotonic() > deadline:
                stop.set()
        answer = pending.result()
        if answer.error_kind == QueryStopped.__name__ and (desk.over.is_set() or time.monotonic() > deadline):
            kind = ServerStopping if desk.over.is_set() else QueryTimedOut
            return failed_response(asked.query, kind.user_message, kind.__name__)
        return answer
    finally:
        stop.set()


async def _refuse_request(request: Request, fault: Exception) -> Response:
    """Give a request that is not a question the same shape as every other failure; nothing of it is repeated."""
    faults = fault.errors() if isinstance(fault, RequestValidationError) else []
    places = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in faults[:_TOLD_FAULTS])
    sentence = f"The request is not a question: {places}."
    if request.url.path.startswith("/route"):
        return route.refused(BadQuestion(sentence))
    if request.url.path.startswith("/orchestrate"):
        return orchestrate.refused(BadQuestion(sentence))
    if request.url.path.startswith(("/chat", "/templates")):
        return chat_api.refused(BadQuestion(sentence))
    return _refusal(http_status_of(BadQuestion.__name__), sentence)


async def _refuse_unreadable(_: Request, fault: Exception) -> Response:
    """Say in the same shape that there is no such address, or that the body is no JSON."""
    assert isinstance(fault, HTTPException), "it handles no other"  # noqa: S101
    return _refusal(fault.status_code, f"{fault.detail}.")


def _refusal(status: int, sentence: str) -> Response:
    kind = ServerStopping if status == HTTPStatus.SERVICE_UNAVAILABLE else BadQuestion
    body = failed_response("", sentence, kind.__name__)
    return JSONResponse(body.model_dump(mode="json"), status_code=status)
