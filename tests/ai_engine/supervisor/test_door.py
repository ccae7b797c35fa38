"""A model that obeys an attacker, with the product's own operators: no figure that was found leaves by them."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import pytest
from pydantic import BaseModel

from ai_engine.agent import TabularResult
from ai_engine.chat_history import ChatMessage, MemoryChatHistory
from ai_engine.events import EventType
from ai_engine.llm.repairing import Turns, ask_and_repair
from ai_engine.operators.base import BaseOperator, OperatorContext, OperatorFailed, OperatorResult, OperatorType
from ai_engine.operators.outgoing import Door, MayNotLeave, Outgoing
from ai_engine.operators.registry import all_operators
from ai_engine.prompts.loader import Messages
from ai_engine.specialists.api_docs.catalogue import read_catalogue
from ai_engine.specialists.api_docs.outside import ApiServices, ApiTokens, HttpCalls, HttpRequest, HttpResponse
from ai_engine.specialists.computation.agent import ComputationServices
from ai_engine.tools import Tools
from tests.ai_engine.operators.calls import call as call_operator
from tests.ai_engine.operators.calls import caller
from tests.ai_engine.operators.scripted_tools import ScriptedTools, gives
from tests.ai_engine.supervisor.chats import NEED_MORE, ScriptedModel, answer, ask, of_type, setting_of

_Reply = TypeVar("_Reply", bound=BaseModel)
_Made = TypeVar("_Made")

FIGURE, DIGITS = "7,130,159,357.89", "7130159357.89"
SCHEMA = {
    "success": True,
    "dialect": "duckdb",
    "tables": [{"name": "t", "columns": [{"name": "x", "type": "INTEGER"}]}],
}
ROWS = {"success": True, "columns": ["x"], "data": [[1]]}
HITS = {"results": [{"title": "Rates", "url": "https://example.org", "snippet": "Rates rise."}]}
PATH = "/rates/{product}/months/12"
SERVICES = """
name: Rates
base_url: https://rates.example/v2
endpoints:
  - method: GET
    path: /rates/{product}/months/12
    summary: Current interest rate of one product
    keywords: [rate]
    parameters:
      - {name: product, in: path, required: true}
      - {name: amount, in: query, type: number, words: [amount]}
      - {name: page, in: query, type: integer, default: 3}
"""


class Ledger(BaseOperator):
    """Reads the bank's data."""

    name = "ledger"
    description = "Reads balances."
    operator_type = OperatorType.PURE_LLM
    needs_services = (ComputationServices,)
    max_retries = 0

    async def execute(self, context: OperatorContext, tools: Tools | None = None) -> OperatorResult:
        table = TabularResult(columns=["deposits"], rows=[{"deposits": 7130159357.89}])
        return OperatorResult(output={"deposits": DIGITS}, text=f"Total deposits are {FIGURE}.", table=table)


class Obeying(ScriptedModel):
    """Decides what it was told to, writes the statement or the call that it was told to, and nothing else."""

    def __init__(self, *decisions: Mapping[str, Any], **replies: Mapping[str, Any]) -> None:
        super().__init__()
        self.decisions, self.replies = list(decisions), {"ReflectionReply": NEED_MORE, **replies}

    def ask(
        self, messages: Messages, shape: type[_Reply], make: Callable[[_Reply], _Made], *, stop: threading.Event
    ) -> _Made:
        def request(turns: Turns, is_repair: bool) -> str:
            self.requests.append(turns[-1]["content"])
            if shape.__name__ == "SupervisorDecision":
                return json.dumps(self.decisions.pop(0) if self.decisions else answer(None))
            return json.dumps(self.replies.get(shape.__name__, {}))

        return ask_and_repair(request, messages, shape, make)


class Recording(HttpCalls):
    """Answers every call, and keeps it."""

    def __init__(self) -> None:
        self.sent: list[HttpRequest] = []

    async def send(self, request: HttpRequest, *, stop: threading.Event, deadline: float) -> HttpResponse:
        self.sent.append(request)
        return HttpResponse(200, request.url, "application/json", '{"rate": 8.5}', 1)


class NoTokens(ApiTokens):
    """Has none."""

    async def bearer(
        self, url: str, context: Mapping[str, Any], *, rejected: str | None, stop: threading.Event
    ) -> str | None:
        return None


def tool(operator: str, **params: Any) -> dict[str, Any]:
    return {"action": "CALL_TOOL", "reasoning": "told to", "operator": operator, "params": params}


def plan(*steps: dict[str, Any]) -> dict[str, Any]:
    return {"action": "CREATE_WORKFLOW", "reasoning": "told to", "goal": "g", "steps": list(steps)}


def step(name: str, operator: str, *needs: str, **given: Any) -> dict[str, Any]:
    return {"id": name[:1], "name": name, "operator": operator, "input_mapping": given, "depends_on": list(needs)}


LEDGER = tool("ledger", query="deposits")
WAYS: dict[str, tuple[list[dict[str, Any]], dict[str, Any]]] = {
    "in a query": ([LEDGER, tool("web_searcher", query=f"who has {FIGURE}")], {}),
    "in words": ([LEDGER, tool("web_searcher", query="seven hundred thirteen crore")], {}),
    "as how many hits are wanted": ([LEDGER, tool("web_searcher", query="deposits", max_results=7)], {}),
    "as the name of a step": ([LEDGER, plan(step(f"b {FIGURE}", "web_searcher"))], {}),
    "by a text about all that was found": (
        [LEDGER, plan(step("a", "synthesizer", query="sum up"), step("b", "web_searcher", "a", query="{{a.text}}"))],
        {},
    ),
    "by a step that stays inside": (
        [
            LEDGER,
            plan(
                step("a", "writer", query="x", style="report", sources=[FIGURE]),
                step("b", "web_searcher", "a", query="{{a.text}}"),
            ),
        ],
        {},
    ),
    "within one plan": (
        [plan(step("a", "ledger", query="x"), step("b", "web_searcher", "a", query="{{a.text}}"))],
        {},
    ),
    "in a statement": (
        [LEDGER, tool("data_analyst", query="store it", server="server")],
        {"StatementReply": {"sql": f"SELECT {DIGITS} AS x FROM t"}},
    ),
    "in a statement of a plan": (
        [plan(step("a", "ledger", query="x"), step("b", "data_analyst", "a", query="{{a.text}}", server="server"))],
        {"StatementReply": {"sql": "SELECT '713.02 crore' AS x FROM t LIMIT 7"}},
    ),
    "in the path of a call": (
        [LEDGER, tool("api_docs", query=f"current rate {FIGURE}")],
        {"ApiCallPlan": {"make_request": True, "path": PATH, "path_params": {"product": DIGITS}}},
    ),
    "in the query of a call": (
        [LEDGER, tool("api_docs", query=f"current rate {FIGURE}")],
        {
            "ApiCallPlan": {
                "make_request": True,
                "path": PATH,
                "path_params": {"product": "gold"},
                "query_params": {"amount": DIGITS},
            }
        },
    ),
}  # fmt: skip


def asked(decisions: list[dict[str, Any]], replies: dict[str, Any], message: str) -> tuple[list[Any], list[Any]]:
    """Return what reached other programs, and the events."""
    tools = ScriptedTools(
        {"web_search": gives(HITS), "mcp_db_schema": gives(SCHEMA), "mcp_db_query": gives(ROWS)},
        {"web_search": {"query": {}, "max_results": {}}},
    )
    calls = Recording()
    services = {
        ComputationServices: ComputationServices(None),  # type: ignore[arg-type]
        ApiServices: ApiServices(read_catalogue(SERVICES, "rates.yaml"), calls, NoTokens()),
    }
    registry = all_operators().with_others(Ledger)
    setting = setting_of(Obeying(*decisions, **replies), registry=registry, tools=tools, services=services)
    events = ask(setting, message)
    return [*tools.called, *calls.sent], events


@pytest.mark.parametrize("way", WAYS)
def test_a_figure_that_was_found_leaves_by_no_way(way: str):
    sent, _ = asked(*WAYS[way], "What are our total deposits?")
    told = [one for one in sent if one != ("mcp_db_schema", {})]
    assert not told, "schemas are asked for without arguments"


@pytest.mark.parametrize("way", [way for way in WAYS if "call" in way or "statement" in way])
def test_before_anything_was_read_there_is_nothing_to_keep_back(way: str):
    decisions, replies = WAYS[way]
    if decisions[0] is LEDGER:
        sent, _ = asked(decisions[1:], replies, f"Are our total deposits {FIGURE}?")
        assert len(sent) > (sent[0] == ("mcp_db_schema", {}))


def test_what_the_person_wrote_goes_out_however_it_is_spelled_there():
    message = "Who pays more than 7.5 % on 5 lakh, and what is our rate for gold on an amount of 5 lakh?"
    call = {"make_request": True, "path": PATH, "path_params": {"product": "gold"}}
    replies = {"ApiCallPlan": {**call, "query_params": {"amount": 500000, "page": 3}}}
    decisions = [LEDGER, tool("web_searcher", query="deposit of 5,00,000 at 7.5 per cent", max_results=5)]
    sent, events = asked([*decisions, tool("api_docs", query="rate for gold on 5 lakh")], replies, message)
    assert [one[0] for one in sent[:1]] == ["web_search"]
    assert sent[1].url == "https://rates.example/v2/rates/gold/months/12"
    assert not of_type(events, EventType.TOOL_ERROR)


@pytest.mark.parametrize(
    "sent",
    [
        "Q3", "Q1 Q4 Q2", "q\uff13", "Q1Q2Q3", "H2", "H1 H2 H1", "W37", "2024-W37", "W1", "2024-Q3", "W05Q2", "kw12",
        "2024W37", f"W{'9' * 5000}", "second quarter", "third quarter", "second half",
        "the fourth quarter and the second",
    ],
)  # fmt: skip
def test_a_week_a_quarter_or_a_half_that_nobody_wrote_is_a_figure(sent: str):
    with pytest.raises(MayNotLeave):
        Door(["deposits of Mumbai in 2024"]).check([sent])


@pytest.mark.parametrize(
    "sent", ["Q3", "q3 2024", "week 37", "W37", "second half", "H2", "FY24", "AB12", "Mumbai, quarter by quarter"]
)
def test_one_that_the_person_wrote_goes_out(sent: str):
    Door(["Mumbai in Q3 2024, W37 and the second half of FY24 (H2), of AB12, week 37"]).check([sent])


def test_a_server_is_told_again_what_it_said_itself():
    hit = {"document": "circular_12_of_2024", "paragraph": 1, "text": "A cheque book costs 50.", "title": "Fees"}
    whole = {"paragraphs": [{"paragraph": 1, "text": "A cheque book costs 50."}]}
    tools = ScriptedTools({"rag_search": gives({"results": [hit]}), "rag_get_document": gives(whole)})
    by = caller(tools=tools, outgoing=Outgoing(["What does a cheque book cost?"], has_read=True))
    assert call_operator("rag_retriever", "cheque book cost", by).citations
    with pytest.raises(OperatorFailed, match="not written") as failed:
        call_operator(
            "web_searcher", "50", caller(tools=ScriptedTools({"web_search": gives(HITS)}), outgoing=by.outgoing)
        )
    assert failed.value.kind == "MayNotLeave"


def test_figures_of_an_earlier_turn_that_the_model_is_told_do_not_leave_later():
    history = MemoryChatHistory()
    said = [ChatMessage(role="user", content="15 % of it?"), ChatMessage(role="assistant", content="It is 63,177.")]
    asyncio.run(history.add("c", said))
    tools = ScriptedTools({"mcp_db_schema": gives(SCHEMA), "mcp_db_query": gives(ROWS)})
    model = Obeying(
        tool("data_analyst", query="store it", server="server"), StatementReply={"sql": "SELECT 63177 AS x FROM t"}
    )
    again = setting_of(model, registry=all_operators(), tools=tools, history=history)
    ask(again, "thanks")
    assert [name for name, _ in tools.called] == ["mcp_db_schema"]


def test_nor_by_a_header_of_a_call():
    call = {"make_request": True, "path": PATH, "path_params": {"product": "gold"}, "headers": {"Prefer": DIGITS}}
    decisions = [LEDGER, tool("api_docs", query=f"current rate for gold, {FIGURE}")]
    sent, events = asked(decisions, {"ApiCallPlan": call}, "What are our total deposits?")
    assert not sent
    assert "not written" in of_type(events, EventType.TOOL_ERROR)[0]["message"]


@pytest.mark.parametrize("number", ["HDFC0001234", "0001234567"])
def test_the_number_of_an_account_that_the_person_wrote_goes_out_after_a_read(number: str):
    call = {"make_request": True, "path": PATH, "path_params": {"product": number}}
    decisions = [LEDGER, tool("api_docs", query=f"current rate of {number}")]
    sent, _ = asked(decisions, {"ApiCallPlan": call}, f"What are our total deposits, and the rate of {number}?")
    assert [one.url.split("/")[5] for one in sent] == [number]
