"""The API agent on the real example services, with and without a language model."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI, Request

from ai_engine.agent import AgentExecutionStatus, AgentRequest, AgentResult, TraceEvent, TraceEventType
from ai_engine.agent_call import Caller, call_agent
from ai_engine.errors import BadConfiguration, ModelFailed
from ai_engine.specialists.api_docs.agent import CONFIRMED, ApiDocsAgent
from ai_engine.specialists.api_docs.call_plan import ApiCallPlan
from ai_engine.specialists.api_docs.outside import ApiServices
from ai_engine.specialists.api_docs.telling import ApiSummary
from backend.outgoing.api_docs import open_api_services
from backend.settings import EXAMPLE_SERVICES_FILE, Settings, read_settings
from data.example_services import EMAIL, PASSWORD, build_app
from tests.loopback_server import serving
from tests.patience import allowed_s

TIMES = {
    "current_datetime_utc": "2026-11-22T09:00:00+00:00", "current_date": "2026-11-22",
    "current_date_start_hour": "2026-11-22 00", "current_date_end_hour": "2026-11-22 23",
}  # fmt: skip


class Clock:
    def __init__(self) -> None:
        self.now = time.time()

    def __call__(self) -> float:
        return self.now


class ScriptedChat:
    """Gives the replies in order; an exception is raised instead."""

    def __init__(self, *replies: Any) -> None:
        self.replies = list(replies)
        self.asked: list[str] = []

    def ask(self, messages: Any, shape: Any, make: Any, *, stop: threading.Event) -> Any:
        self.asked.append(messages.user)
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        try:
            return make(reply)
        except ValueError as fault:
            raise ModelFailed(str(fault)) from fault


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def app(clock: Clock, small_bank: Path) -> FastAPI:
    """The services, with a note of every call that reaches them."""
    services = build_app(bank=small_bank, now=clock)
    services.state.heard = []

    @services.middleware("http")
    async def listen(request: Request, call_next: Any) -> Any:
        services.state.heard.append((request.method, request.scope["raw_path"].decode(), dict(request.headers)))
        return await call_next(request)

    return services


@pytest.fixture
def address(app: FastAPI) -> Iterator[str]:
    with serving(app) as found:
        yield found


@pytest.fixture
def services(address: str) -> ApiServices:
    found = open_api_services(settings_for(address))
    assert found is not None
    return found


def settings_for(address: str, **parts: object) -> Settings:
    identity = f"{address}/identity/v1/accounts:signInWithPassword"
    known = {
        "services_base_url": address, "services_identity_url": identity, "services_email": EMAIL,
        "services_password": PASSWORD, "services_file": EXAMPLE_SERVICES_FILE,
    }  # fmt: skip
    return read_settings(**{**known, **parts})


def ask(
    services: ApiServices, question: str, context: Mapping[str, Any] | None = None, *, model: Any = None,
    stop: threading.Event | None = None, timeout_s: float = 20,
) -> AgentResult:  # fmt: skip
    caller = Caller(question, lambda event: None, stop or threading.Event(), model, {ApiServices: services})
    request = AgentRequest(question=question, context={**TIMES, **(context or {})})
    return asyncio.run(call_agent(ApiDocsAgent(), request, (), caller, timeout_s=timeout_s))


def heard(app: FastAPI) -> list[tuple[str, str]]:
    return [(method, path) for method, path, _ in app.state.heard if "/identity/" not in path]


def kinds(trace: Sequence[TraceEvent]) -> list[str]:
    return [event.event_type.value for event in trace]


# --- questions that a service answers ----------------------------------------------------------------------------


@pytest.mark.parametrize(("question", "path", "answer"), [
    ("What does the rates service quote for home loans today?", "/rates/home_loan",
     "The rates service quotes 8.75% a year for Home Loan, in force since 2026-10-01."),
    ("opening hours of SMPL0000002", "/branches/SMPL0000002/hours",
     "Mumbai Bandra Kurla (SMPL0000002) is open on weekdays from 09:30 to 16:30 and on Saturdays from 09:30 to 13:30."),
    ("IFSC SMPL0000005", "/ifsc/SMPL0000005",
     "SMPL0000005 is Mumbai Nariman Point in Mumbai, Maharashtra; its MICR code is 400000005."),
    ("What is the USD exchange rate?", "/fx/USD/INR", "One USD is 84.5 INR."),
    ("Exchange rate of USD to INR times 1200", "/fx/USD/INR",
     "One USD is 84.5 INR. Nothing was done about “times 1200”."),
    ("convert 250 dollars to rupees", "/convert", "250.0 USD are 21125.0 INR, at 84.5."),
    ("EMI quote for a home loan of 25 lakh over 20 years", "/emi-quote",
     "The service quotes an instalment of Rs.22,092.77 a month for Rs.25,00,000.00 over 240 months at 8.75%."),
    ("charges for RTGS", "/charges/rtgs", "RTGS transfer costs Rs.25.00, and 18% tax on it."),
    ("daily limit for UPI", "/limits/upi", "At most Rs.1,00,000.00 a day goes through upi."),
])  # fmt: skip
def test_a_question_is_answered_by_the_service_that_knows(app, services, question, path, answer):
    result = ask(services, question)
    assert (result.status, result.answer) == (AgentExecutionStatus.succeeded, answer)
    assert heard(app) == [("GET", path)]
    assert kinds(result.trace) == ["decision", "tool", "message", "result"]


def test_rows_become_a_table_with_their_units(services):
    result = ask(services, "what does the rates service quote today?")
    assert result.tabular is not None
    assert result.tabular.columns == ["product", "name", "rate_percent", "effective_from", "max_months"]
    first = result.tabular.rows[0]
    assert (first["name"], str(first["rate_percent"]), first["effective_from"]) == (
        "Home Loan",
        "8.75",
        date(2026, 10, 1),
    )
    assert result.trace[-1].data["units"] == {"rate_percent": "percent"}


def test_services_that_have_moved_give_out_their_own_tokens(address):
    settings = read_settings(services_base_url=address, services_file=EXAMPLE_SERVICES_FILE)
    moved = open_api_services(settings)
    assert moved is not None
    assert ask(moved, "daily limit for UPI").status is AgentExecutionStatus.succeeded


def test_the_state_of_a_transaction_is_that_of_the_sample_bank(services):
    result = ask(services, "What is the status of transaction 1?")
    assert result.answer is not None
    assert result.answer.startswith("Transaction 1 by System of ") and result.answer.endswith(" is Posted.")


def test_a_question_about_the_api_is_answered_without_a_call(app, services):
    result = ask(services, "List me all the API points available to you")
    assert result.tabular is not None
    assert result.tabular.row_count == len(services.catalogue.endpoints)
    need = ask(services, "What does POST /service-requests need?")
    assert need.answer is not None
    assert "account_number (body, string, required)" in need.answer
    assert "changes something: to be confirmed" in need.answer
    assert app.state.heard == []


def test_what_no_service_knows_is_declined_by_name(app, services):
    result = ask(services, "What is the weather in Oslo?")
    assert result.error is not None
    assert result.error.type == "PlanningDeclined"
    assert app.state.heard == []


def test_a_value_that_was_not_said_is_asked_for(app, services):
    result = ask(services, "opening hours of the branch")
    assert result.error is not None
    assert (result.error.type, "ifsc (path, string, required)" in result.error.message) == ("PlanningDeclined", True)
    assert app.state.heard == []


# --- retries -----------------------------------------------------------------------------------------------------


def test_after_401_another_token_is_had_and_the_call_succeeds(app, services):
    result = ask(services, "daily limit for UPI", {"api_bearer_token": "long-expired"})
    assert result.status is AgentExecutionStatus.succeeded
    tools = [event.data["status"] for event in result.trace if event.event_type is TraceEventType.TOOL]
    assert tools == [401, 200]
    assert app.state.services.sign_ins == 1


def test_a_second_401_is_told_and_not_tried_again(app, address, services):
    always = FastAPI()
    always.state.calls = 0

    @always.get("/limits/{channel}", status_code=401)
    async def never(channel: str) -> dict[str, str]:
        always.state.calls += 1
        return {"error": f"no {channel}"}

    with serving(always) as other:
        identity = f"{address}/identity/v1/accounts:signInWithPassword"
        found = open_api_services(settings_for(other, services_identity_url=identity))
        result = ask(found, "daily limit for UPI")
    assert result.error is not None
    assert (result.error.type, result.error.details["status"], always.state.calls) == ("HttpError", 401, 2)


def test_a_token_that_expires_between_two_questions_is_replaced_before_it_is_refused(app, services, clock):
    ask(services, "daily limit for UPI")
    clock.now += 3_600  # the service's clock alone: the token store believes in the token
    result = ask(services, "daily limit for IMPS")
    assert result.status is AgentExecutionStatus.succeeded
    statuses = [event.data["status"] for event in result.trace if event.event_type is TraceEventType.TOOL]
    assert statuses == [401, 200]
    assert app.state.services.sign_ins == 2


def test_after_400_the_bounds_of_today_are_added_once(app, services):
    result = ask(services, "rate history of home loans")
    tools = [event.data for event in result.trace if event.event_type is TraceEventType.TOOL]
    assert [tool["status"] for tool in tools] == [400, 200]
    assert "startDateTime=2026-11-22T00%3A00%3A00&endDateTime=2026-11-22T23%3A59%3A59" in tools[1]["url"]
    assert result.tabular is not None
    assert [str(row["rate_percent"]) for row in result.tabular.rows] == ["8.75"]


def test_a_400_that_no_period_mends_is_told(app, services):
    result = ask(services, "EMI quote for a gold loan of 25 lakh over 20 years")
    assert result.error is not None
    assert (result.error.type, result.error.details["status"]) == ("HttpError", 400)
    assert "36 months" in result.error.message


@pytest.mark.parametrize(("question", "status"), [
    ("call the failing service", 500), ("IFSC SMPL0009999", 404), ("What is the status of transaction 999999999", 404),
])  # fmt: skip
def test_what_a_service_refuses_is_told_with_its_status(services, question, status):
    result = ask(services, question)
    assert result.error is not None
    assert (result.error.type, result.error.details["status"]) == ("HttpError", status)


def test_too_many_calls_are_told_and_not_repeated(app, services):
    results = [ask(services, "call the limited service") for _ in range(4)]
    assert [result.status.value for result in results] == ["succeeded"] * 3 + ["failed"]
    assert results[3].error is not None
    assert results[3].error.details["status"] == 429
    assert len(heard(app)) == 4


# --- time and stop -----------------------------------------------------------------------------------------------


def test_a_slow_service_is_left_at_the_time_limit(address):
    found = open_api_services(settings_for(address, services_timeout_s=0.5))
    result = ask(found, "call the slow service for 20 seconds")
    assert result.error is not None
    assert result.error.type == "HttpRequestError"


def test_a_stop_in_the_middle_of_a_call_ends_it_within_a_second(services):
    stop = threading.Event()
    threading.Timer(0.5, stop.set).start()
    began = time.monotonic()
    result = ask(services, "call the slow service for 20 seconds", stop=stop)
    assert result.status is AgentExecutionStatus.failed
    assert time.monotonic() - began < allowed_s(1.6)


def test_the_deadline_of_the_agent_ends_a_call(services):
    began = time.monotonic()
    assert ask(services, "call the slow service for 20 seconds", timeout_s=0.5).error is not None
    assert time.monotonic() - began < allowed_s(1.8)


# --- writes ------------------------------------------------------------------------------------------------------

ORDER = "order a cheque book for account 123456789012"


def test_a_write_is_proposed_and_not_run(app, services):
    result = ask(services, ORDER)
    assert result.status is AgentExecutionStatus.skipped
    assert result.error is not None
    assert result.error.type == "ConfirmationNeeded"
    assert "POST" in str(result.answer) and "123456789012" in str(result.answer)
    assert app.state.heard == []


def test_a_confirmed_write_runs_exactly_as_it_was_shown(app, services):
    proposed = ask(services, ORDER).error.details["context"]
    again = json.loads(json.dumps(proposed))  # as it comes back from a page
    result = ask(services, ORDER, again)
    assert result.answer == "Request SR00001 (cheque_book) was received."
    assert [call for call in heard(app) if call[0] == "POST"] == [("POST", "/service-requests")]


@pytest.mark.parametrize("change", [
    {"json_body": {"kind": "cheque_book", "account_number": "999999999999"}},
    {"path": "/service-requests/{request_id}", "method": "DELETE"}, {"base_url": "https://elsewhere.example"},
    {"hash": "0" * 64}, {"hash": None}, {"extra": 1},
])  # fmt: skip
def test_a_confirmation_of_anything_else_runs_nothing(app, services, change):
    proposed = ask(services, ORDER).error.details["context"][CONFIRMED]
    result = ask(services, ORDER, {CONFIRMED: {**proposed, **change}})
    assert result.error is not None
    assert result.error.type == "ConfirmationInvalid"
    assert app.state.heard == []


def test_a_write_that_is_not_listed_as_writable_is_never_run_nor_proposed(app, services):
    result = ask(services, "withdraw request SR00001")
    assert result.error is not None
    assert result.error.type == "WriteNotPermitted"
    assert app.state.heard == []


# --- with a language model ---------------------------------------------------------------------------------------


def plan(**parts: Any) -> ApiCallPlan:
    return ApiCallPlan(**{"make_request": True, "method": "get", "path": "/rates/:product", "path_params": {}, **parts})


def test_a_model_plans_and_sums_up_in_one_call_each(app, services):
    chat = ScriptedChat(
        plan(path="/rates/{product}", path_params={"product": "gold_loan"}, reason="Asked for."),
        ApiSummary(summary="Gold loans are quoted at 9.5 %."),
    )
    result = ask(services, "gold loan rate?", model=chat)
    assert result.answer == "Gold loans are quoted at 9.5 %."
    assert heard(app) == [("GET", "/rates/gold_loan")]
    assert len(chat.asked) == 2


def test_a_model_that_fails_is_replaced_by_rules_and_it_is_said(services):
    result = ask(services, "charges for RTGS", model=ScriptedChat(ModelFailed("away"), ModelFailed("away")))
    assert result.answer == "RTGS transfer costs Rs.25.00, and 18% tax on it."
    assert kinds(result.trace) == ["error", "decision", "tool", "error", "message", "result"]


def test_a_figure_that_the_reply_does_not_hold_is_not_told(services):
    chat = ScriptedChat(ModelFailed("away"), ApiSummary(summary="It costs 99 rupees."))
    assert "99" not in str(ask(services, "charges for RTGS", model=chat).answer)


@pytest.mark.parametrize(("method", "reason", "calls"), [
    ("GET", "The documentation does not specify it.", 1), ("GET", "I cannot invent a value.", 1),
    ("GET", "The question is about something else.", 0), ("POST", "The documentation does not specify it.", 0),
])  # fmt: skip
def test_a_declined_get_is_forced_where_only_documentation_was_missed_and_a_write_never(
    app, services, method, reason, calls
):
    path = "/rates" if method == "GET" else "/service-requests"
    chat = ScriptedChat(plan(make_request=False, method=method, path=path, failure_reason=reason), ModelFailed("away"))
    result = ask(services, "rates?", model=chat)
    assert len(heard(app)) == calls
    assert result.status.value == ("succeeded" if calls else "failed")


@pytest.mark.parametrize(
    "said", ["Deposits are Rs.987,654,321.00.", "It is nine hundred crore.", "See https://evil.example/x"]
)
def test_a_model_s_reason_for_no_call_tells_no_figure_and_leads_nowhere(services, said):
    chat = ScriptedChat(plan(make_request=False, path="/rates", reason=said, failure_reason=said), ModelFailed("away"))
    assert ask(services, "what is the weather?", model=chat).error.message == "No service answers this."


@pytest.mark.parametrize("wrong", [
    {"path": "/internal/secrets"}, {"path": "https://evil.example/x"}, {"path": "//evil.example/x"},
    {"method": "DELETE", "path": "/rates/{product}"}, {"path": "/rates/../admin"},
    {"method": "TRACE", "path": "/rates"},
])  # fmt: skip
def test_a_model_s_plan_beside_the_catalogue_is_not_carried_out(app, services, wrong):
    result = ask(services, "tell me a secret", model=ScriptedChat(plan(**wrong)))
    assert result.status is AgentExecutionStatus.failed
    assert app.state.heard == []


@pytest.mark.parametrize(("question", "amount", "is_sent"), [
    ("rate of a home loan?", 2_500_000, False), ("rate of a home loan, please 9", 9_999, False),
    ("rate of a home loan of 25 lakh?", 2_500_000, True), ("rate of a home loan over 5 years?", 60, True),
    ("rate of a home loan on 2026-10-01?", "2026-10-01", True), ("rate of branch HDFC0001234?", "hdfc0001234", True),
])  # fmt: skip
def test_a_model_makes_up_no_value_that_a_service_would_answer_to(
    app: FastAPI, services: ApiServices, question: str, amount: Any, is_sent: bool
):
    filled = {"path": "/rates/{product}", "path_params": {"product": amount}}
    ask(services, question, model=ScriptedChat(plan(**filled), ModelFailed("away")))
    assert (heard(app) == [("GET", f"/rates/{amount}")]) is is_sent


@pytest.mark.parametrize("value", ["a?b=c", "a#b", "ü", "50 %", "a.b", "..x"])
def test_a_value_stays_within_its_part_of_the_path(app, services, value):
    chat = ScriptedChat(plan(path="/rates/{product}", path_params={"product": value}), ModelFailed("away"))
    ask(services, f"rates of {value}?", model=chat)
    (path,) = [path for _, path in heard(app)]
    assert path.startswith("/rates/") and path.count("/") == 2 and "?" not in path


@pytest.mark.parametrize("value", [
    "..", ".", "", None, " ", "../admin", "home_loan/../../admin", "a/b", "%2e%2e", "a\\b", "%2E", "a%2fb", "a%5Cb",
    "%252e%252e", "%25252fadmin", "..;", "..;x", "%2e.", "a\r\nX-A: 1", "a%0d%0ab", "%c0%ae%c0%ae", "%25" * 10 + "2f",
])  # fmt: skip
def test_a_value_that_would_climb_or_is_missing_makes_no_call(app, services, value):
    chat = ScriptedChat(plan(path="/rates/{product}", path_params={"product": value}))
    result = ask(services, f"rates of {value}?", model=chat)
    assert result.error is not None
    assert result.error.type == "PathResolutionError"
    assert app.state.heard == []


@pytest.mark.parametrize("path", ["/rates/%2e%2e", "/rates/%2e%2e%2f%2e%2e%2fadmin", "/rates/a%2fb", "/rates/.."])
def test_a_path_that_a_model_filled_in_is_taken_apart_and_judged_like_its_values(app, services, path):
    result = ask(services, "rates?", model=ScriptedChat(plan(path=path)))
    assert result.status is AgentExecutionStatus.failed
    assert app.state.heard == []


def test_a_filled_in_path_and_names_of_the_model_s_own_lead_to_the_same_call(app, services):
    for one in (plan(path="/rates/gold%5Floan"), plan(path="/rates/{p}", path_params={"p": "gold_loan"})):
        ask(services, "gold loan rate?", model=ScriptedChat(one, ModelFailed("away")))
    assert heard(app) == [("GET", "/rates/gold_loan")] * 2


def test_parameters_that_the_description_does_not_have_are_not_sent(app, services):
    given = {"path": "/rates", "query_params": {"leak": "7130159357"}, "path_params": {"x": 1}, "json_body": {"y": 2}}
    result = ask(services, "rates?", model=ScriptedChat(plan(**given), ModelFailed("away")))
    assert "leak" not in json.dumps([event.model_dump(mode="json") for event in result.trace])
    write = {"method": "POST", "path": "/service-requests", "json_body": {"kind": "cheque_book", "leak": "7130159357"}}
    proposed = ask(services, "a cheque book please", model=ScriptedChat(plan(**write)))
    assert proposed.error is not None
    assert proposed.error.details["context"][CONFIRMED]["json_body"] == {"kind": "cheque_book"}


def test_a_model_s_headers_carry_no_identity(app, services):
    headers = {"Authorization": "Bearer mine", "Cookie": "a=b", "Host": "evil.example", "Accept-Language": "hi"}
    ask(services, "rates?", model=ScriptedChat(plan(path="/rates", headers=headers), ModelFailed("away")))
    ((_, _, sent),) = [call for call in app.state.heard if call[1] == "/rates"]
    assert (sent.get("cookie"), sent["accept-language"]) == (None, "hi")
    assert "mine" not in sent.get("authorization", "")
    assert "evil" not in sent["host"]


# --- where it goes, and what stays here --------------------------------------------------------------------------


def test_the_address_of_the_request_comes_before_that_of_the_settings_and_must_be_listed(app, address, services):
    result = ask(services, "charges for RTGS", {"api_base_url": "https://elsewhere.example"})
    assert result.error is not None
    assert result.error.type == "HttpRequestError"
    assert "BANK_SERVICES_HOSTS" in result.error.message
    with serving(build_app()) as other:
        both = open_api_services(settings_for(address, services_hosts=other))
        for key in ("api_base_url", "base_url"):
            assert ask(both, "charges for RTGS", {key: f"{other}/"}).status is AgentExecutionStatus.succeeded
    assert app.state.heard == []


@pytest.mark.parametrize("path", ["/admin", "/admin/", "/a/..", "/admin%2f..", "//admin", "/;x", "/."])
@pytest.mark.parametrize("key", ["api_base_url", "base_url"])
def test_a_request_names_no_path_under_which_nothing_is_described(app, address, services, path: str, key: str):
    result = ask(services, "daily limit for UPI", {key: f"{address}{path}"})
    assert result.error is not None
    assert "not another path" in result.error.message
    assert app.state.heard == []


def test_the_path_of_the_settings_is_that_of_another_host_too(app, address):
    beyond = FastAPI()
    beyond.mount("/v2", app)
    with serving(beyond) as other:
        versioned = open_api_services(settings_for(f"{address}/v2", services_hosts=other))
        assert ask(versioned, "charges for RTGS", {"base_url": f"{other}/v2"}).status is AgentExecutionStatus.succeeded
        assert ask(versioned, "charges for RTGS", {"base_url": other}).status is AgentExecutionStatus.failed


def test_a_token_of_the_settings_goes_to_no_other_service_even_if_it_is_listed(address, app):
    echo = build_app()
    echo.state.heard = []

    @echo.middleware("http")
    async def listen(request: Request, call_next: Any) -> Any:
        echo.state.heard.append(request.headers.get("authorization"))
        return await call_next(request)

    with serving(echo) as other:
        both = open_api_services(settings_for(address, services_hosts=other))
        ask(both, "daily limit for UPI", {"api_base_url": other})
    assert set(echo.state.heard) == {None}
    assert app.state.services.sign_ins == 0


def test_no_token_stands_in_a_trace_or_a_result_even_if_the_service_repeats_it(address, caplog):
    repeating = FastAPI()

    @repeating.get("/limits/{channel}")
    async def limits(channel: str, request: Request) -> dict[str, str]:
        return {"channel": channel, "you_sent": request.headers["authorization"]}

    with serving(repeating) as other:
        found = open_api_services(settings_for(other))
        secret = "a-very-secret-token"
        result = ask(
            found, "daily limit for UPI", {"api_bearer_token": secret, "api_headers": {"X-Key": "other-secret"}}
        )
    assert result.status is AgentExecutionStatus.succeeded
    everything = result.model_dump_json() + caplog.text
    assert secret not in everything
    assert "other-secret" not in everything


def test_headers_of_the_request_are_sent_but_for_those_that_frame_a_message(app, services):
    ask(services, "charges for RTGS", {"api_headers": {"X-Trace": "7", "Host": "evil.example", "Content-Length": "9"}})
    ((_, _, sent),) = app.state.heard[-1:]
    assert sent["x-trace"] == "7"
    assert "evil" not in sent["host"]


# --- opening -----------------------------------------------------------------------------------------------------


def test_the_example_services_are_known_on_the_sample_bank_alone(tmp_path):
    assert open_api_services(read_settings()) is not None
    assert open_api_services(read_settings(database_url=str(tmp_path / "own.duckdb"))) is None


@pytest.mark.parametrize("text", [
    "", "- a", "name: x", "a: [", "name: x\nendpoints:\n- {method: GET, path: x, summary: y}",
    "openapi: 2.0.0\npaths: {}", "openapi: 3.1.0\npaths: {}",
])  # fmt: skip
def test_a_description_that_is_none_is_named(tmp_path, text):
    file = tmp_path / "services.yaml"
    file.write_text(text)
    with pytest.raises(BadConfiguration):
        open_api_services(read_settings(services_file=file))


def test_an_openapi_file_is_read_and_called(app, address, tmp_path):
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps({**app.openapi(), "servers": [{"url": address}]}))
    found = open_api_services(read_settings(services_file=file))
    assert found is not None
    assert {endpoint.name for endpoint in found.catalogue.endpoints} >= {
        "GET /rates/{product}",
        "POST /service-requests",
    }
    chat = ScriptedChat(plan(path="/rates/{product}", path_params={"product": "gold_loan"}), ModelFailed("away"))
    assert "9.5" in str(ask(found, "gold loan rate", model=chat).answer)


def test_agents_share_nothing_between_calls(services):
    agents = ApiDocsAgent()
    assert vars(agents) == {}
    other = replace(services, base_url="https://elsewhere.example")
    assert ask(other, "charges for RTGS").status is AgentExecutionStatus.failed
    assert ask(services, "charges for RTGS").status is AgentExecutionStatus.succeeded


@pytest.mark.parametrize(
    ("text", "says"),
    [("[" * 100_000, "nested too deeply"), ("openapi: 3.0.0\n# " + "x" * 5_000_000, "BANK_SERVICES_MAX_FILE_KB")],
)
def test_a_description_that_is_too_deep_or_too_large_is_refused_before_it_costs_anything(tmp_path, text, says):
    file = tmp_path / "api.yaml"
    file.write_text(text)
    with pytest.raises(BadConfiguration, match=says):
        open_api_services(read_settings(services_file=file))
