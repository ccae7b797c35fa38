"""A planned call on its way: address, headers, token, and the one repair that each kind of refusal allows."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ai_engine.agent import AgentRequest, AgentRun, TraceEventType
from ai_engine.specialists.api_docs.call_plan import ApiCallPlan, harmless_headers, rendered_path
from ai_engine.specialists.api_docs.catalogue import Endpoint
from ai_engine.specialists.api_docs.outside import ApiServices, HttpRequest, HttpResponse
from ai_engine.specialists.api_docs.planning import with_period

_UNAUTHORISED, _BAD_REQUEST = 401, 400
_NEVER_GIVEN = frozenset({"host", "content-length", "transfer-encoding", "connection", "te", "upgrade", "trailer"})


@dataclass(frozen=True, slots=True)
class Executed:
    """The plan as it was carried out in the end, what came back, and in how many attempts."""

    plan: ApiCallPlan
    response: HttpResponse
    attempts: int


async def execute(
    request: AgentRequest, run: AgentRun, services: ApiServices, plan: ApiCallPlan, endpoint: Endpoint, base_url: str
) -> Executed:
    """Make the call. After 401 once more with another token, after 400 once more with the bounds of today.

    Raises:
        PathNotResolved: the path lacks a value.
        ApiCallFailed, QueryStopped: see `HttpCalls` and `ApiTokens`.
    """
    deadline = min(run.deadline, time.monotonic() + services.timeout_s)
    url = f"{base_url}{rendered_path(plan.path, plan.path_params)}"
    given = _given_headers(request.context)
    own = "authorization" in {name.lower() for name in given}
    token = None if own else await services.tokens.bearer(url, request.context, rejected=None, stop=run.stop)
    attempts, refreshed, adjusted = 0, own or (token is None and not endpoint.needs_token), plan.writes
    while True:
        attempts += 1
        response = await services.calls.send(_request(plan, url, given, token), stop=run.stop, deadline=deadline)
        response = _without_secret(response, token)
        _tell(run, plan, response, attempts)
        if response.status == _UNAUTHORISED and not refreshed:
            refreshed = True
            other = await services.tokens.bearer(url, request.context, rejected=token, stop=run.stop)
            if other is not None and other != token:
                token = other
                continue
        if response.status == _BAD_REQUEST and not adjusted:
            adjusted = True
            repaired = with_period(plan, request.context)
            if repaired is not None:
                plan = repaired
                continue
        return Executed(plan, response, attempts)


def _request(plan: ApiCallPlan, url: str, given: Mapping[str, str], token: str | None) -> HttpRequest:
    headers = {"Accept": "application/json", **given, **harmless_headers(plan.headers)}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    query = tuple((name, text) for name, value in plan.query_params.items() for text in _texts(value))
    return HttpRequest(plan.method, url, query, headers, plan.json_body if plan.writes else None)


def _texts(value: Any) -> list[str]:
    """Write one query value; a list stands once for each of its parts, nothing for None."""
    if value is None:
        return []
    if isinstance(value, (list, tuple)):
        return [text for part in value for text in _texts(part)]
    return [str(value).lower() if isinstance(value, bool) else str(value)]


def _given_headers(context: Mapping[str, Any]) -> dict[str, str]:
    """Headers of whoever asks, but for those that say where a message ends or to whom it goes."""
    given = context.get("api_headers")
    if not isinstance(given, Mapping):
        return {}
    return {str(name): str(value) for name, value in given.items() if str(name).lower() not in _NEVER_GIVEN}


def _without_secret(response: HttpResponse, token: str | None) -> HttpResponse:
    """A service that repeats the token does not put it into a trace."""
    if not token or token not in response.body:
        return response
    return replace(response, body=response.body.replace(token, "[token]"))


def _tell(run: AgentRun, plan: ApiCallPlan, response: HttpResponse, attempt: int) -> None:
    run.tell(
        TraceEventType.TOOL,
        f"{plan.method} {response.url}: status {response.status}",
        method=plan.method,
        url=response.url,
        status=response.status,
        attempt=attempt,
        latency_ms=round(response.elapsed_ms, 3),
        size_chars=len(response.body),
    )
