"""The API agent: which call answers the question, whether it may be made, what came back."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ai_engine.agent import (
    Agent,
    AgentError,
    AgentExecutionStatus,
    AgentRequest,
    AgentResult,
    AgentRun,
    Capabilities,
    TabularResult,
    TraceEventType,
    in_thread,
)
from ai_engine.errors import ApiCallFailed, AssistantError, BadConfiguration, ModelFailed
from ai_engine.prompts.loader import load_prompt
from ai_engine.specialists.api_docs.about import asks_something_else, told_from_catalogue
from ai_engine.specialists.api_docs.call_plan import (
    ApiCallPlan,
    PathNotResolved,
    as_documented,
    base_url_of,
    confirmed_plan,
    forced,
    proposal_of,
    rendered_path,
)
from ai_engine.specialists.api_docs.catalogue import Endpoint, Snippet
from ai_engine.specialists.api_docs.execution import Executed, execute
from ai_engine.specialists.api_docs.outside import ApiServices
from ai_engine.specialists.api_docs.planning import TOP_ENDPOINTS, plan_by_model, plan_by_rule
from ai_engine.specialists.api_docs.scoring import SPEAKS_OF_APIS, chosen_snippets, ranked_endpoints, tokens
from ai_engine.specialists.api_docs.telling import (
    MAX_SHOWN_CHARS,
    ApiSummary,
    parsed,
    says_only_what_is_there,
    table_of,
    told_by_rule,
    units_of,
)
from ai_engine.specialists.api_docs.undone import said_of_undone, undone
from ai_engine.specialists.api_docs.values import said_values

CONFIRMED = "api_confirmed_call"
"""Key of the context under which a person's confirmation of a proposed write comes back."""
_SNIPPETS = 3
_PER_UNUSED_WORD = 0.3
_SEVERAL = 0.6
_SUCCESS = range(200, 300)
_SHOWN_ERROR_CHARS = 300
_BY_RULE = "by rule"


class _Declined(Exception):
    """There is no call to make; carries the result that says so."""

    def __init__(self, error: AgentError) -> None:
        super().__init__(error.message)
        self.error = error


@dataclass(frozen=True)
class _Call:
    """One question on its way."""

    request: AgentRequest
    run: AgentRun
    services: ApiServices

    @property
    def base_url(self) -> str:
        """From the request, from the settings, from the catalogue; the first that there is."""
        url = base_url_of(self.request.context, (self.services.base_url, self.services.catalogue.base_url))
        if url:
            return url
        raise BadConfiguration("no address is known for the API; name it in BANK_SERVICES_BASE_URL")


class ApiDocsAgent(Agent):
    """Answers from HTTP services that a catalogue describes, and about them."""

    name = "api_docs"
    description = (
        "Calls the bank's documented HTTP services (today's rates, branch hours, IFSC codes, exchange rates, states of "
        "transactions) and answers questions about these APIs and their endpoints."
    )
    capabilities = Capabilities(
        keywords=(
            "api", "endpoint", "route", "http", "/api/", "get /", "post /", "put /", "delete /", "patch /",
            "status code", "request body",
        ),
        examples=("Which endpoints are there?", "What does the rates service quote for home loans today?"),
        works_on="outside",
        gives=frozenset({"answer", "table"}),
        needs_services=(ApiServices,),
    )  # fmt: skip

    def claim(self, part: str, run: AgentRun) -> float | None:
        """How much of a part is said in words of one endpoint; by its keywords, or where an API is spoken of at all."""
        catalogue = run.service(ApiServices).catalogue
        if told_from_catalogue(part, catalogue) is not None:
            return _SEVERAL if asks_something_else(part, catalogue) else 1.0
        asked = tokens(part)
        ranked = ranked_endpoints(part, catalogue)
        if not asked or not ranked:
            return 0.0
        best = ranked[0]
        known = best.words | SPEAKS_OF_APIS | _tokens_of_values(part, best.endpoint)
        claimed = max(0.1, 1 - _PER_UNUSED_WORD * len(set(asked) - known))
        return claimed if best.keyword or SPEAKS_OF_APIS & set(asked) else claimed / 2

    async def run(
        self,
        request: AgentRequest,
        earlier: Sequence[AgentResult],  # noqa: ARG002 - a service needs no other agent
        run: AgentRun,
    ) -> AgentResult:
        """See `ai_engine.agent.Agent`."""
        try:
            call = _Call(request, run, run.service(ApiServices))
            return await _answered(call)
        except _Declined as declined:
            return _failed(run, declined.error)
        except PathNotResolved as fault:
            message = f"The address needs a value for {fault}."
            return _failed(run, AgentError(message=message, type="PathResolutionError"))
        except AssistantError as fault:
            kind = "HttpRequestError" if isinstance(fault, ApiCallFailed) else type(fault).__name__
            kind = "ConfigurationError" if isinstance(fault, BadConfiguration) else kind
            return _failed(run, AgentError(message=fault.user_message, type=kind, details={"reason": str(fault)}))


async def _answered(call: _Call) -> AgentResult:
    proposal = call.request.context.get(CONFIRMED)
    if proposal is None:
        told = told_from_catalogue(call.request.question, call.services.catalogue)
        if told is not None:
            call.run.tell(TraceEventType.RESULT, told.answer, snippets=list(told.used))
            return _succeeded(call.run, told.answer, told.table)
    plan = await _planned(call) if proposal is None else _confirmed(call, proposal)
    endpoint = _permitted(call, plan)
    plan = as_documented(plan, endpoint)
    if plan.writes and proposal is None:
        return _proposed(call, plan, endpoint)
    executed = await execute(call.request, call.run, call.services, plan, endpoint, call.base_url)
    if executed.response.status not in _SUCCESS:
        return _failed(call.run, _refused_by_service(executed))
    return await _told(call, executed, endpoint)


async def _planned(call: _Call) -> ApiCallPlan:
    question, context, catalogue = call.request.question, call.request.context, call.services.catalogue
    snippets = chosen_snippets(question, catalogue.snippets, _SNIPPETS)
    how, plan = _BY_RULE, None
    if call.run.model is not None:
        candidates = ranked_endpoints(question, catalogue)[:TOP_ENDPOINTS]
        try:
            plan = await in_thread(
                plan_by_model, call.run.model, question, catalogue, candidates, snippets, context, call.run.stop
            )
            how = "by the language model"
        except ModelFailed as fault:
            call.run.tell(TraceEventType.ERROR, f"The language model gave no plan, so rules make it: {fault}")
    plan = plan or plan_by_rule(question, catalogue, context)
    tried = forced(plan)
    is_forced, endpoint = tried is not plan, catalogue.endpoint(tried.method, tried.path)
    if endpoint is not None:
        tried = as_documented(tried, endpoint)
    _tell_of_plan(call, tried, how, snippets, is_forced=is_forced)
    if not tried.make_request:
        reason = tried.failure_reason or tried.reason or "No service answers this."
        raise _Declined(AgentError(message=reason, type="PlanningDeclined"))
    return tried


def _tell_of_plan(call: _Call, plan: ApiCallPlan, how: str, snippets: Sequence[Snippet], *, is_forced: bool) -> None:
    call.run.tell(
        TraceEventType.DECISION,
        f"Planned {how}: {plan.method} {plan.path}" if plan.make_request else f"Planned {how}: no call",
        method=plan.method,
        path=plan.path,
        path_params=plan.path_params,
        query_params=plan.query_params,
        json_body=plan.json_body,
        make_request=plan.make_request,
        reason=plan.reason,
        failure_reason=plan.failure_reason,
        forced=is_forced,
        snippets=[snippet.title for snippet in snippets],
    )


def _confirmed(call: _Call, proposal: object) -> ApiCallPlan:
    plan = confirmed_plan(proposal, call.base_url)
    if plan is None:
        message = "What was confirmed is not the call that was proposed. Ask again, and confirm what is then shown."
        raise _Declined(AgentError(message=message, type="ConfirmationInvalid"))
    call.run.tell(TraceEventType.DECISION, f"Confirmed: {plan.method} {plan.path}", confirmed=True)
    return plan


def _permitted(call: _Call, plan: ApiCallPlan) -> Endpoint:
    """Return the endpoint of a plan; what is not in the catalogue is never called, and no write that is not listed."""
    endpoint = call.services.catalogue.endpoint(plan.method, plan.path)
    if endpoint is None:
        message = f"{plan.method} {plan.path} is none of the endpoints of {call.services.catalogue.name}."
        raise _Declined(AgentError(message=message, type="PlanningDeclined"))
    if plan.writes and not endpoint.writable:
        message = f"{endpoint.name} changes something, and is not listed as one that may be run from here."
        raise _Declined(AgentError(message=message, type="WriteNotPermitted"))
    return endpoint


def _proposed(call: _Call, plan: ApiCallPlan, endpoint: Endpoint) -> AgentResult:
    """Show a write instead of running it; the proposal comes back in the context once a person has confirmed it."""
    path = rendered_path(plan.path, plan.path_params)
    proposal = proposal_of(plan, call.base_url)
    body = f" with {plan.json_body}" if plan.json_body else ""
    answer = f"{endpoint.summary}: this would send {plan.method} {call.base_url}{path}{body}. Confirm it to run it."
    call.run.tell(TraceEventType.DECISION, answer, proposal=proposal)
    error = AgentError(message=answer, type="ConfirmationNeeded", details={"context": {CONFIRMED: proposal}})
    return AgentResult(agent=call.run.agent, status=AgentExecutionStatus.skipped, answer=answer, error=error)


async def _told(call: _Call, executed: Executed, endpoint: Endpoint) -> AgentResult:
    found = parsed(executed.response.body)
    table = table_of(found, endpoint)
    summary, how = await _summary(call, executed, found, table, endpoint)
    call.run.tell(TraceEventType.MESSAGE, f"Summed up {how}")
    units = units_of(table, endpoint) if table is not None else {}
    gap = said_of_undone(_undone(call, endpoint)) if how == _BY_RULE else ""  # a model was shown the question itself
    summary = f"{summary} {gap}".rstrip()
    missing = {"missing": [gap]} if gap else {}
    call.run.tell(TraceEventType.RESULT, summary, units=units, url=executed.response.url, **missing)
    return _succeeded(call.run, summary, table)


def _undone(call: _Call, endpoint: Endpoint) -> tuple[str, ...]:
    if call.request.context.get(CONFIRMED) is not None:
        return ()  # a person has read what is sent
    return undone(call.request.question, endpoint, call.services.catalogue, call.request.context)


async def _summary(
    call: _Call, executed: Executed, found: Any, table: TabularResult | None, endpoint: Endpoint
) -> tuple[str, str]:
    response = executed.response
    by_rule = told_by_rule(found, table, endpoint, None)
    model = call.run.model
    if model is None or time.monotonic() >= call.run.deadline:
        return by_rule, _BY_RULE
    question, body = call.request.question, response.body[:MAX_SHOWN_CHARS]

    def make(reply: ApiSummary) -> str:
        if not says_only_what_is_there(reply.summary, body, question, table):
            raise ValueError("the summary has a number, a currency or an address that is not in the reply")
        return reply.summary.strip() or by_rule

    asked = load_prompt("api_summary").fill(
        question=question, call=f"{executed.plan.method} {response.url}: status {response.status}", reply=body
    )
    try:
        return await in_thread(model.ask, asked, ApiSummary, make, stop=call.run.stop), "by the language model"
    except ModelFailed as fault:
        call.run.tell(TraceEventType.ERROR, f"The language model gave no summary, so rules write it: {fault}")
        return by_rule, _BY_RULE


def _refused_by_service(executed: Executed) -> AgentError:
    response = executed.response
    said = " ".join(response.body.split())[:_SHOWN_ERROR_CHARS]
    return AgentError(
        message=f"The service answered with status {response.status}{f': {said}' if said else ''}.",
        type="HttpError",
        details={"status": response.status, "url": response.url, "body": said, "attempts": executed.attempts},
    )


def _tokens_of_values(part: str, endpoint: Endpoint) -> frozenset[str]:
    return frozenset(token for value in said_values(part, endpoint, {}).values() for token in tokens(str(value)))


def _succeeded(run: AgentRun, answer: str, table: TabularResult | None) -> AgentResult:
    return AgentResult(agent=run.agent, status=AgentExecutionStatus.succeeded, answer=answer, tabular=table)


def _failed(run: AgentRun, error: AgentError) -> AgentResult:
    run.tell(TraceEventType.ERROR, error.message, error_type=error.type)
    return AgentResult(agent=run.agent, status=AgentExecutionStatus.failed, error=error)
