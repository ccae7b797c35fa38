"""The statement protocol over HTTP: POST a statement, GET page after page, DELETE to cancel."""

from __future__ import annotations

import base64
import json
import time
from typing import Any
from urllib.parse import unquote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from tests.trino_server.coordinator import Coordinator, Statement


class _Cut(Response):
    """Announces a whole reply, sends half of it, and goes."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        await send({"type": "http.response.body", "body": self.body[: len(self.body) // 2], "more_body": True})
        raise ConnectionError("cut in the middle of a page")


def application(coordinator: Coordinator) -> Starlette:
    """Serve what a client of Trino asks for."""
    server = _Server(coordinator)
    queued, executing = (
        "/v1/statement/queued/{number}/{slug}/{token:int}",
        "/v1/statement/executing/{number}/{slug}/{token:int}",
    )
    return Starlette(
        routes=[
            Route("/v1/info", server.info, methods=["GET"]),
            Route("/v1/statement", server.post, methods=["POST"]),
            Route(queued, server.queued, methods=["GET"]),
            Route(executing, server.executing, methods=["GET"]),
            Route(queued, server.delete, methods=["DELETE"]),
            Route(executing, server.delete, methods=["DELETE"]),
            Route("/v1/query", server.listed, methods=["GET"]),
            Route("/v1/query/{number}", server.told, methods=["GET"]),
            Route("/v1/query/{number}", server.killed, methods=["DELETE"]),
        ]
    )


class _Server:
    def __init__(self, coordinator: Coordinator) -> None:
        self._coordinator = coordinator

    def _refused(self, request: Request) -> Response | None:
        time.sleep(self._coordinator.behaviour.latency_s)
        if self._coordinator.unavailable > 0:
            self._coordinator.unavailable -= 1
            return Response("busy", 503)
        person = self._coordinator.behaviour.person
        if person is None:
            return None
        name, secret = person
        right = "Basic " + base64.b64encode(f"{name}:{secret}".encode()).decode() if name else f"Bearer {secret}"
        if request.headers.get("authorization") == right:
            return None
        return Response(f"Access Denied: {secret} expected", 401, {"WWW-Authenticate": 'Basic realm="Trino"'})

    async def info(self, _request: Request) -> Response:
        return JSONResponse({"nodeVersion": {"version": "loopback"}, "coordinator": True, "starting": False})

    async def post(self, request: Request) -> Response:
        refused = await run_in_threadpool(self._refused, request)
        if refused is not None:
            return refused
        if not request.headers.get("x-trino-user"):
            return Response("User must be set", 400)
        session = dict(part.split("=", 1) for part in request.headers.get("x-trino-session", "").split(",") if part)
        statement = self._coordinator.submit(
            (await request.body()).decode(),
            request.headers["x-trino-user"],
            {name.strip(): unquote(value) for name, value in session.items()},
            request.headers.get("x-trino-transaction-id", "NONE"),
        )
        return self._reply(request, statement, f"queued/{statement.number}/{statement.slug}/1")

    def _found(self, request: Request) -> Statement | None:
        statement = self._coordinator.statements.get(request.path_params["number"])
        return statement if statement and statement.slug == request.path_params.get("slug") else None

    async def queued(self, request: Request) -> Response:
        refused = await run_in_threadpool(self._refused, request)
        statement = self._found(request)
        if refused is not None or statement is None:
            return refused or Response("Query not found", 404)
        self._coordinator.begin(statement)
        return self._reply(request, statement, f"executing/{statement.number}/{statement.slug}/0")

    async def executing(self, request: Request) -> Response:
        refused = await run_in_threadpool(self._refused, request)
        statement = self._found(request)
        if refused is not None or statement is None:
            return refused or Response("Query not found", 404)
        return await run_in_threadpool(self._page, request, statement)

    def _page(self, request: Request, statement: Statement) -> Response:
        token: int = request.path_params["token"]
        place = f"executing/{statement.number}/{statement.slug}"
        if not statement.ready.wait(self._coordinator.behaviour.poll_s):
            return self._reply(request, statement, f"{place}/{token}")
        try:
            page = self._coordinator.page(statement, token)
        except LookupError:
            return Response("Results are no longer available", 410)
        following = None if page is None else f"{place}/{token + 1}"
        reply = self._reply(request, statement, following, page)
        if token == self._coordinator.behaviour.cut_page and statement.columns and page:
            return _Cut(reply.body, 200, {"content-type": "application/json"})
        return reply

    def _reply(
        self, request: Request, statement: Statement, following: str | None, page: list[list[Any]] | None = None
    ) -> Response:
        base = f"{request.url.scheme}://{request.url.netloc}"
        content: dict[str, Any] = {
            "id": statement.number,
            "infoUri": f"{base}/ui/query.html?{statement.number}",
            "stats": _stats(statement),
            "warnings": [],
        }
        if statement.error is not None:
            content["error"] = {
                "message": str(statement.error), "errorCode": 1, "errorName": statement.error.name,
                "errorType": statement.error.kind, "failureInfo": {"type": "io.trino.spi.TrinoException", "stack": []},
            }  # fmt: skip
        elif following is not None:
            content["nextUri"] = f"{base}/v1/statement/{following}"
        if statement.columns and statement.ready.is_set():
            content["columns"] = statement.columns
        if page:
            content["data"] = page
        if statement.update_type is not None:
            content["updateType"] = statement.update_type
        headers = {name: value for name, value in statement.headers.items() if name.startswith("X-Trino-")}
        lie = self._coordinator.behaviour.lie
        said = lie(content) if lie is not None and page else content
        body = said if isinstance(said, bytes) else json.dumps(said)
        return Response(body, 200, headers, "application/json")

    async def delete(self, request: Request) -> Response:
        statement = self._found(request)
        if statement is None:
            return Response("Query not found", 404)
        await run_in_threadpool(self._coordinator.cancel, statement)
        return Response(status_code=204)

    async def listed(self, _request: Request) -> Response:
        return JSONResponse([_told(one) for one in self._coordinator.statements.values()])

    async def told(self, request: Request) -> Response:
        statement = self._coordinator.statements.get(request.path_params["number"])
        return Response("gone", 410) if statement is None else JSONResponse(_told(statement))

    async def killed(self, request: Request) -> Response:
        statement = self._coordinator.statements.get(request.path_params["number"])
        if statement is not None:
            await run_in_threadpool(self._coordinator.cancel, statement)
        return Response(status_code=204)


def _stats(statement: Statement) -> dict[str, Any]:
    return {"state": statement.state, "queued": statement.state == "QUEUED", "scheduled": statement.state == "RUNNING",
            "nodes": 1, "totalSplits": 1, "completedSplits": int(statement.state == "FINISHED")}  # fmt: skip


def _told(statement: Statement) -> dict[str, Any]:
    return {
        "queryId": statement.number, "state": statement.state, "query": statement.sql,
        "session": {"user": statement.user, "systemProperties": statement.session},
        "errorCode": {"name": statement.error.name} if statement.error else None,
    }  # fmt: skip
