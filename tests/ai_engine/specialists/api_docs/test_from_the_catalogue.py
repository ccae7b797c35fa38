"""What is planned and told by rule alone, on the example bank's description."""

from __future__ import annotations

import threading

import pytest

from ai_engine.agent import AgentRun, TabularResult
from ai_engine.errors import BadConfiguration
from ai_engine.specialists.api_docs.about import told_from_catalogue
from ai_engine.specialists.api_docs.agent import ApiDocsAgent
from ai_engine.specialists.api_docs.call_plan import PathNotResolved, rendered_path
from ai_engine.specialists.api_docs.catalogue import ApiCatalogue, read_catalogue
from ai_engine.specialists.api_docs.outside import ApiServices
from ai_engine.specialists.api_docs.planning import plan_by_rule
from ai_engine.specialists.api_docs.telling import parsed, says_only_what_is_there, table_of, told_by_rule
from ai_engine.specialists.api_docs.undone import undone
from tests.conftest import PROJECT_ROOT

CONTEXT = {"current_date": "2026-11-22"}


@pytest.fixture(scope="module")
def catalogue() -> ApiCatalogue:
    return read_catalogue((PROJECT_ROOT / "data" / "api_docs.yaml").read_text(), "api_docs.yaml")


@pytest.mark.parametrize(("question", "call", "values"), [
    ("what does the rates service quote today?", "GET /rates", {}),
    ("What does the rates service quote for housing loans?", "GET /rates/{product}", {"product": "home_loan"}),
    ("gold loan interest rate from the API", "GET /rates/{product}", {"product": "gold_loan"}),
    ("what is today's fd rate", "GET /rates/{product}", {"product": "fixed_deposit"}),
    ("rate history of home loans from 2026-01-01", "GET /rates/{product}/history",
     {"product": "home_loan", "startDateTime": "2026-01-01T00:00:00"}),
    ("EMI quote for a car loan of 12,50,000 over 5 years", "GET /emi-quote",
     {"product": "vehicle_loan", "amount": 1_250_000, "years": 5}),
    ("exchange rate from euro to dollar", "GET /fx/{base}/{quote}", {"base": "EUR", "quote": "USD"}),
    ("What is the yen exchange rate?", "GET /fx/{base}/{quote}", {"base": "JPY", "quote": "INR"}),
    ("Convert 2.5 lakh rupees to dollars", "GET /convert", {"from": "INR", "to": "USD", "amount": 250_000}),
    ("when does smpl0000003 close? branch hours please", "GET /branches/{ifsc}/hours", {"ifsc": "SMPL0000003"}),
    ("bank holidays in 2027", "GET /holidays", {"year": "2027"}),
    ("atms in Pune", "GET /atms", {"city": "Pune"}),
    ("transaction status of 4711", "GET /transactions/{transaction_id}/status", {"transaction_id": "4711"}),
    ("status of request SR00012", "GET /service-requests/{request_id}", {"request_id": "SR00012"}),
    ("request a statement: account statement of 123456789", "POST /service-requests",
     {"kind": "statement", "account_number": "123456789"}),
    ("GET /rates/gold_loan", "GET /rates/{product}", {"product": "gold_loan"}),
    ("call the endpoint /fx/USD/INR", "GET /fx/{base}/{quote}", {"base": "USD", "quote": "INR"}),
    ("delete /service-requests/SR00001", "DELETE /service-requests/{request_id}", {"request_id": "SR00001"}),
    ("Withdraw service request SR00001", "DELETE /service-requests/{request_id}", {"request_id": "SR00001"}),
    ("how much is a euro in rupees", "GET /fx/{base}/{quote}", {"base": "EUR", "quote": "INR"}),
    ("IFSC code of Mumbai Andheri West", "GET /ifsc/{ifsc}", {"ifsc": "SMPL0000001"}),
    ("current home loan rate from the API", "GET /rates/{product}", {"product": "home_loan"}),
    ("What would the service quote as EMI for 50 lakh home loan for 15 years?", "GET /emi-quote",
     {"product": "home_loan", "amount": 5_000_000, "years": 15}),
    ("list branches via the API", "GET /branches", {}),
])  # fmt: skip
def test_a_question_finds_its_call_and_its_values(catalogue, question, call, values):
    plan = plan_by_rule(question, catalogue, CONTEXT)
    assert (f"{plan.method} {plan.path}", plan.make_request) == (call, True)
    assert undone(question, catalogue.endpoint(*call.split(" ", 1)), catalogue, CONTEXT) == ()
    assert {**plan.path_params, **plan.query_params, **(plan.json_body or {})} == values


@pytest.mark.parametrize(("question", "call", "left"), [
    ("Exchange rate of USD to INR times 1200", "GET /fx/{base}/{quote}", ("times 1200",)),
    ("Gold loan rate minus home loan rate", "GET /rates/{product}", ("minus home loan",)),
    ("gold loan and home loan rates", "GET /rates/{product}", ("home loan",)),
    ("home loan rate on 3 March 2024", "GET /rates/{product}", ("3 March 2024",)),
    ("Hi team, who is in charge of the ATMs in Pune?", "GET /atms", ("charge",)),
])  # fmt: skip
def test_what_a_call_does_nothing_with_is_named(catalogue, question, call, left):
    assert undone(question, catalogue.endpoint(*call.split(" ", 1)), catalogue, CONTEXT) == left


@pytest.mark.parametrize("question", [
    "total deposits of the whole year", "how many failed transactions last month", "What is the weather?", "", "?",
    "transactions by channel",
])  # fmt: skip
def test_what_no_service_does_is_declined(catalogue, question):
    assert not plan_by_rule(question, catalogue, CONTEXT).make_request


@pytest.mark.parametrize(("question", "said"), [
    ("list all endpoints", "Example bank services has 21 endpoints"),
    ("which APIs are available?", "Example bank services has 21 endpoints"),
    ("show the POST endpoints", "Example bank services has 1 endpoint: POST /service-requests"),
    ("What does /rates/{product} need?", "GET /rates/{product}: Current interest rate of one product"),
    ("Which parameters does the exchange rate endpoint need?", "GET /fx/{base}/{quote}: Exchange rate of two"),
    ("which endpoints need a token?", "Example bank services has 5 endpoints"),
    ("Which status codes are there?", "200 and 201 succeed."),
    ("How do I get a token for the API?", "Services that need a token"),
    ("Which API do I call to see if a transaction went through, and does it need a token?",
     "GET /transactions/{transaction_id}/status"),
    ("Is there an API for IFSC lookup?", "GET /ifsc/{ifsc}: Branch behind an IFSC code"),
])  # fmt: skip
def test_a_question_about_the_api_is_answered_from_its_description(catalogue, question, said):
    told = told_from_catalogue(question, catalogue)
    assert told is not None
    assert told.answer.startswith(said)
    assert told.used


@pytest.mark.parametrize(
    "question",
    [
        "rates service for home loans",
        "IFSC SMPL0000001",
        "convert 5 dollars",
        "GET /rates",
        "which service request is open",
    ],
)
def test_a_question_for_what_a_service_knows_is_none_about_the_api(catalogue, question):
    assert told_from_catalogue(question, catalogue) is None or question == "GET /rates"


@pytest.mark.parametrize(("part", "sure"), [
    ("what does the rates service quote today", True), ("list all endpoints", True), ("IFSC SMPL0000001", True),
    ("What is our average home-loan ticket this year, and what does the rates service quote for home loans", False),
    ("average interest rate of home loans", False), ("what does the rates service quote for home loans today", True),
    ("How many customers do we have", False), ("total deposits by branch", False), ("list all tables", False),
    ("the daily IMPS limit", True), ("tell me the EUR to INR rate", True), ("Convert 2,500 SGD to rupees", True),
    ("home loans", False), ("transactions over IMPS", False),
    ("What does the API need, and how does it sign in?", True),
    ("Which parameters does the conversion endpoint take, and how many customers have we", False),
    ("What is our average home-loan ticket this year", False), ("EMI at 8.75 % over 20 years", False),
])  # fmt: skip
def test_the_agent_claims_what_is_said_in_a_service_s_own_words(catalogue, part, sure):
    services = {ApiServices: ApiServices(catalogue, None, None)}  # a claim calls nobody
    run = AgentRun("api_docs", part, lambda _: None, threading.Event(), 1e9, services=services)
    assert (ApiDocsAgent().claim(part, run) >= 0.75) is sure


@pytest.mark.parametrize(("path", "rendered"), [
    ("/a/:id/b", "/a/x%20y/b"), ("/a/{id}", "/a/x%20y"), ("/a/{id}:act", "/a/x%20y:act"), ("/a:act", "/a:act"),
])  # fmt: skip
def test_both_ways_to_write_a_placeholder_are_filled_in(path, rendered):
    assert rendered_path(path, {"id": "x y"}) == rendered


@pytest.mark.parametrize("path", ["/a/{id}", "/a/../b", "//evil.example", "a", "/a?b=c", "/a#b", "/a\\b"])
def test_a_path_that_leads_elsewhere_or_lacks_a_value_is_not_resolved(path):
    with pytest.raises(PathNotResolved):
        rendered_path(path, {})


@pytest.mark.parametrize(("body", "columns", "rows"), [
    ('[{"a": 1.10, "b": {"c": "2026-01-31"}}]', ["a", "b.c"], 1),
    ('{"items": [{"a": 1}, {"b": 2}], "next": null}', ["a", "b"], 2),
    ('{"a": 1, "list": [1, 2]}', ["a", "list"], 1),
    ("[1, 2, 3]", ["value"], 3),
    ('{"a": {"b": {"c": 1}}}', ["a.b"], 1),
])  # fmt: skip
def test_json_becomes_a_table(body, columns, rows):
    table = table_of(parsed(body), None)
    assert table is not None
    assert (table.columns, table.row_count) == (columns, rows)


@pytest.mark.parametrize("body", ["", "{}", "[]", "plain text", "<html>", "[[1]]", "null", "[" * 50_000])
def test_what_holds_no_rows_is_no_table(body):
    assert table_of(parsed(body), None) is None


@pytest.mark.parametrize(("summary", "holds"), [
    ("It is 8.75 %.", True), ("It is 8.750.", True), ("It is 8.8 %.", False), ("Rs.1,75,206.00", True), ("none", True),
    ("It is eighty-seven percent.", False), ("It is 8.75 crore.", False), ("It is -8.75.", False), ("It is ½.", False),
    ("8.75k", False), ("Ⅷ", False),
    ("8.75 <b>x</b>", False), ("8.75, see evil.example/x", False), ("8.75 in lakh", False),
    ("As of 22 November 2026 it is 8.75 %.", True), ("It is 2026.", False), ("There are 22.", False),
])  # fmt: skip
def test_a_summary_has_no_number_of_its_own(summary, holds):
    body = '{"rate": 8.75, "amount": 175206.0, "as_of": "2026-11-22"}'
    assert says_only_what_is_there(summary, body, "what?", table_of(parsed(body), None)) is holds


def test_rows_are_told_by_the_endpoint_s_own_words_and_counted(catalogue):
    endpoint = catalogue.endpoint("GET", "/rates")
    rows = [{"name": f"Loan {place}", "rate_percent": place} for place in range(15)]
    table = TabularResult(columns=["name", "rate_percent"], rows=rows)
    told = told_by_rule({"rates": rows}, table, endpoint, None)
    assert told.startswith("Current interest rates, 15 rows: Loan 0 0%; Loan 1 1%; ")
    assert told.endswith("; Loan 11 11%; and 3 more.")
    assert told_by_rule([], None, endpoint, None) == "Current interest rates: no data was returned."


def test_an_openapi_file_keeps_types_bodies_references_and_security():
    text = """
openapi: 3.0.3
info: {title: Desk}
servers: [{url: "https://desk.bank.example/v1"}]
security: [{bearer: []}]
paths:
  /loans/{id}:
    parameters: [{$ref: "#/components/parameters/Id"}]
    get: {summary: One loan, security: []}
    patch:
      operationId: changeLoan
      x-writable: true
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Change"}}}}
components:
  parameters: {Id: {name: id, in: path, required: true, schema: {type: integer}}}
  schemas:
    Change: {type: object, required: [state], properties: {state: {type: string, enum: [open, closed]}}}
"""
    found = read_catalogue(text, "desk.yaml")
    read, change = found.endpoints
    assert (found.name, found.base_url) == ("Desk", "https://desk.bank.example/v1")
    assert (read.name, read.needs_token, read.parameters[0].type) == ("GET /loans/{id}", False, "integer")
    assert (change.needs_token, change.writable, change.parameters[1].place) == (True, True, "body")
    assert list(change.parameters[1].values) == ["open", "closed"]
    with pytest.raises(BadConfiguration, match="not in it"):
        read_catalogue(text.replace("parameters/Id", "parameters/No"), "desk.yaml")
