"""The HTTP API: POST /ask, /orchestrate and /route, GET /health, and their documentation under /docs."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from ai_engine.errors import AssistantError, BadQuestion, DatabaseBusy, QueryStopped, QueryTimedOut
from ai_engine.types import Answer
from backend import orchestrate_api, route_api, verified_api
from backend.front_desk import default_front_desk
from backend.http_edge import edge
from backend.http_errors import FAILURES, http_status_of
from backend.http_models import AskRequest, AskResponse, Health, failed_response, response_of
from backend.metrics import Metrics, metrics_endpoint
from backend.orchestration import default_orchestrator
from backend.security_headers import API_CONTENT_POLICY
from backend.service import Assistant, default_assistant
from backend.settings import Settings, read_settings

_log = logging.getLogger(__name__)
_DISCONNECT_POLL_S = 0.25
_BUSY_RETRY_S = "1"
_TOLD_FAULTS = 5
_DOCUMENTED: dict[int | str, dict[str, Any]] = {
    status: {"model": AskResponse, "description": meaning} for status, meaning in FAILURES.items()
}

router = APIRouter()


def create_app(
    assistant_factory: Callable[[], Assistant] = default_assistant,
    orchestrator_factory: orchestrate_api.OrchestratorFactory = default_orchestrator,
    front_desk_factory: route_api.FrontDeskFactory = default_front_desk,
    *,
    settings: Settings | None = None,
    bound_host: str = "localhost",
) -> FastAPI:
    """Build the API; the assistant is opened in the background, and again on the next request when that failed.

    Args:
        assistant_factory: returns the assistant that is to answer now, or raises AssistantError.
        orchestrator_factory: the same for several specialists.
        front_desk_factory: the same for the desks.
        settings: read from the environment when None.
        bound_host: the name or address that was asked to listen on.

    Raises:
        BadConfiguration: a setting is wrong.
    """
    settings = settings or read_settings()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        places = settings.api_threads + settings.api_queue_size
        with ThreadPoolExecutor(settings.api_threads, thread_name_prefix="http") as threads:
            app.state.desk = Desk(assistant_factory, threads, places, settings.api_timeout_s)
            app.state.orchestrator_factory = orchestrator_factory
            app.state.front_desk_factory = front_desk_factory
            threads.submit(app.state.desk.health)
            yield

    def metrics() -> Metrics:
        desk: Desk = app.state.desk
        return desk.metrics()

    app = FastAPI(
        title="Banking Assistant",
        description="Plain-English questions on a bank's database: a figure, its SQL and every assumption.",
        version="0.1.0",
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        lifespan=lifespan,
        middleware=edge(settings, bound_host, API_CONTENT_POLICY, _refusal),
        redirect_slashes=False,
    )
    app.include_router(router)
    app.include_router(orchestrate_api.router)
    app.include_router(route_api.router)
    app.include_router(verified_api.router)
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
    if desk.questions >= desk.places:
        desk.turned_away += 1
        answer = failed_response(body.query, DatabaseBusy.user_message, DatabaseBusy.__name__)
    else:
        answer = await _answer_unless_hung_up(request, desk, body)
    response.status_code = http_status_of(answer.error_kind)
    if answer.error_kind == DatabaseBusy.__name__:
        response.headers["Retry-After"] = _BUSY_RETRY_S
    return answer


@router.get("/health", responses={503: {"model": Health}}, summary="Tell what this server answers from")
async def health(request: Request, response: Response) -> Health:
    """Say whether questions can be answered here; gives away no address, path or key."""
    desk: Desk = request.app.state.desk
    found = await asyncio.to_thread(desk.health)  # which no question can keep waiting
    response.status_code = 200 if found.status == "ok" else 503
    return found


class Desk:
    """Where requests meet the assistant; its methods block, so they are called in threads.

    Attributes:
        threads: those that answer questions; what is beyond them waits.
        timeout_s: for one question, from when it is let in.
        places: how many may be let in, answered and waiting; those beyond them are told that it is busy.
        questions: how many have been let in; only the event loop counts.
        turned_away: how many have not, since the start.
    """

    def __init__(
        self, assistant_factory: Callable[[], Assistant], threads: ThreadPoolExecutor, places: int, timeout_s: float
    ) -> None:
        self.threads = threads
        self.places = places
        self.timeout_s = timeout_s
        self.questions = 0
        self.turned_away = 0
        self._assistant_factory = assistant_factory
        self._opening = threading.Lock()

    def answer(self, asked: AskRequest, stop: threading.Event) -> AskResponse:
        """Answer until `stop` is set; never raises."""
        question = asked.query
        try:
            assistant = self.assistant()
        except AssistantError as fault:
            return failed_response(question, type(fault).user_message, type(fault).__name__)
        answer = assistant.ask(question, stop=stop)
        return response_of(answer, _figure(answer, asked, assistant.vocabulary.model.currency))

    def health(self) -> Health:
        """Describe the assistant; never raises."""
        try:
            assistant = self.assistant()
        except AssistantError as fault:
            return Health(status="unavailable", error=type(fault).user_message)
        vocabulary = assistant.vocabulary
        return Health(
            status="ok",
            database=vocabulary.catalogue.dialect,
            model=assistant.model.name,
            as_of=vocabulary.as_of,
            warnings=list(assistant.warnings),
            notes=list(assistant.notes),
        )

    def metrics(self) -> Metrics:
        """Return the assistant's counts, with how many questions are let in now; AssistantError when there is none."""
        metrics = self.assistant().metrics
        metrics.set_crowd(self.questions, self.turned_away)
        return metrics

    def assistant(self) -> Assistant:
        """Get it for one request at a time; why that failed may name files, so it goes to the log, not the wire."""
        with self._opening:
            try:
                return self._assistant_factory()
            except AssistantError as fault:
                _log.error("the assistant cannot be opened: %s", fault)
                raise
            except Exception as fault:
                _log.exception("the assistant cannot be opened")
                raise AssistantError(str(fault)) from fault


async def _answer_unless_hung_up(request: Request, desk: Desk, asked: AskRequest) -> AskResponse:
    """Wait for the answer without blocking the event loop; end its run once the client is gone or time is up."""
    stop = threading.Event()
    deadline = time.monotonic() + desk.timeout_s
    desk.questions += 1
    try:
        pending = asyncio.get_running_loop().run_in_executor(desk.threads, desk.answer, asked, stop)
        while not (await asyncio.wait({pending}, timeout=_DISCONNECT_POLL_S))[0]:
            if await request.is_disconnected() or time.monotonic() > deadline:
                stop.set()
        answer = pending.result()
        if answer.error_kind == QueryStopped.__name__ and time.monotonic() > deadline:
            return failed_response(asked.query, QueryTimedOut.user_message, QueryTimedOut.__name__)
        return answer
    finally:
        stop.set()
        desk.questions -= 1


def _figure(answer: Answer, asked: AskRequest, currency: str | None) -> dict[str, Any] | None:
    if asked.figure is None or answer.result is None or not answer.result.rows:
        return None
    from backend.charts import figure_json, figure_of  # Plotly takes its time to load, and few ask for it

    return figure_json(figure_of(answer, currency, None if asked.figure == "suggested" else asked.figure))


async def _refuse_request(request: Request, fault: Exception) -> Response:
    """Give a request that is not a question the same shape as every other failure; nothing of it is repeated."""
    faults = fault.errors() if isinstance(fault, RequestValidationError) else []
    places = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in faults[:_TOLD_FAULTS])
    sentence = f"The request is not a question: {places}."
    if request.url.path.startswith("/route"):
        return route_api.refused(BadQuestion(sentence))
    if request.url.path.startswith("/orchestrate"):
        return orchestrate_api.refused(BadQuestion(sentence))
    return _refusal(http_status_of(BadQuestion.__name__), sentence)


async def _refuse_unreadable(_: Request, fault: Exception) -> Response:
    """Say in the same shape that there is no such address, or that the body is no JSON."""
    assert isinstance(fault, HTTPException), "it handles no other"  # noqa: S101
    return _refusal(fault.status_code, f"{fault.detail}.")


def _refusal(status: int, sentence: str) -> Response:
    body = failed_response("", sentence, BadQuestion.__name__)
    return JSONResponse(body.model_dump(mode="json"), status_code=status)
