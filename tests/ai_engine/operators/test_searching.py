"""Searches: through tools of servers, in this process where there is none, and with citations that exist."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from ai_engine.events import EventType
from ai_engine.operators.base import Citation, OperatorFailed
from ai_engine.operators.calling import OperatorCaller, call_operator
from ai_engine.specialists.documents.agent import DocumentServices
from ai_engine.specialists.documents.index import DocumentIndex
from ai_engine.specialists.documents.passages import Document
from ai_engine.tools import (
    ElicitationRequest,
    ElicitationResponse,
    ToolNotFound,
    ToolResultStatus,
    ToolSchema,
    ToolSummary,
)
from backend.documents import open_document_services
from backend.orchestration import Orchestrator
from backend.settings import SAMPLE_DOCUMENTS, read_settings
from tests.ai_engine.operators.calls import Listener, call, caller
from tests.ai_engine.operators.scripted_tools import ScriptedTools, asks, fails, gives, hangs, in_turn
from tests.patience import allowed_s
from tests.waiting_loop import with_longest_wait_s

HIT = {
    "document": "kyc.md",
    "paragraph": 2,
    "title": "KYC rules",
    "heading": "Review",
    "text": "KYC is renewed every two years.",
}
INVENTED = {**HIT, "paragraph": 9, "text": "KYC is never renewed."}
KYC_TEXTS = ["KYC is done by the branch.", HIT["text"]]
KYC = gives({"paragraphs": [{"paragraph": at, "text": text} for at, text in enumerate(KYC_TEXTS, start=1)]})
AT_SERVER = Citation("kyc.md", 2, "KYC rules", "server")
NOTES = DocumentIndex(
    [Document("fees.md", "# Fees\n\nInvented.\n\n## Lockers\n\nOne more.\n\nA locker costs Rs. 900.")]
)


def by(tools: ScriptedTools | None, listener: Listener | None = None, **given: Any) -> OperatorCaller:
    async def schema_or_none(name: str) -> ToolSchema | None:
        assert tools is not None
        try:
            return await tools.schema(name)
        except ToolNotFound:
            return None

    async def assemble(requirements: Sequence[str], query: str) -> Mapping[str, Any]:
        return {one: await schema_or_none(one.partition("(")[2][:-1]) for one in requirements}

    return caller(listener, tools=tools, assemble=assemble, **given)


def test_the_retriever_quotes_what_a_server_found_with_its_place():
    tools = ScriptedTools(
        {"rag_search": gives({"results": [HIT]}), "rag_get_document": KYC}, {"rag_search": {"query": {}, "top_k": {}}}
    )
    result = call("rag_retriever", "how often is KYC reviewed", by(tools), top_k=3)
    assert result.text == "“KYC is renewed every two years.” (KYC rules, Review, paragraph 2, at server)"
    assert result.citations == (AT_SERVER,)
    assert result.output["results"] == [{**HIT, "server": "server"}]
    assert tools.called == [
        ("rag_search", {"query": "how often is KYC reviewed", "top_k": 3}),
        ("rag_get_document", {"document": "kyc.md"}),
    ]


def test_a_citation_of_a_paragraph_that_is_not_there_is_left_out_and_said():
    tools = ScriptedTools({"rag_search": gives({"results": [HIT, INVENTED]}), "rag_get_document": KYC})
    result = call("rag_retriever", "KYC", by(tools))
    assert result.citations == (AT_SERVER,)
    assert result.missing == ("Passages left out, as the document they name does not say that: 1.",)
    assert "never" not in result.text


@pytest.mark.parametrize(
    "found",
    [{"results": []}, {"results": [INVENTED]}, {"results": ["x", {"document": 5}, {**HIT, "paragraph": "2"}]}, {}],
)
def test_nothing_found_is_tried_once(found: dict[str, Any]):
    tools = ScriptedTools({"rag_search": gives(found), "rag_get_document": KYC})
    with pytest.raises(OperatorFailed) as failed:
        call("rag_retriever", "What does a locker cost?", by(tools))
    assert failed.value.kind == "NothingFound"
    assert [name for name, _ in tools.called].count("rag_search") == 1


def test_what_the_banks_own_documents_say_is_asked_of_no_server():
    tools = ScriptedTools({"rag_search": gives({"results": [HIT]}), "rag_get_document": KYC})
    services = {DocumentServices: DocumentServices(NOTES)}
    result = call("rag_retriever", "What does a locker cost?", by(tools, services=services))
    assert result.metadata["operator"] == "documents"
    assert result.citations == (Citation("fees.md", 3, "Fees"),)
    assert tools.called == []
    assert call("rag_retriever", "how often is KYC renewed", by(tools, services=services)).citations == (AT_SERVER,)


SAMPLE_NOTES = open_document_services(read_settings(documents_dir=SAMPLE_DOCUMENTS))


@pytest.mark.parametrize(("question", "document"), [
    ("Who may approve a personal loan?", "lending_authority.md"),
    ("Who do we report a data breach to?", "customer_data.md"),
    ("who is allowed to visit the borrower at SMA-2", "npa_policy.md"),
    ("When is a dormant account reactivated?", "deposits_and_accounts.md"),
    ("How often is the home loan rate reset?", "product_home_loan.md"),
    ("how much is charged for a lost debit card", "fee_schedule.md"),
    ("Who wrote the KYC rules", None),
    ("When was the KYC policy last revised", None),
    ("Who approves a waiver of the late fee?", None),
    ("How much does it cost to renew KYC?", None),
    ("2?", None),
])  # fmt: skip
def test_a_passage_answers_only_where_it_can_tell_what_is_asked(question, document):
    found = SAMPLE_NOTES.index.find(question)
    assert {one.document for one in found} == ({document} if document else set())
    assert (SAMPLE_NOTES.index.share_found(question) > 0) is (document is not None)


def test_no_server_is_quoted_with_what_does_not_tell_who():
    tools = ScriptedTools({"rag_search": gives({"results": [HIT]}), "rag_get_document": KYC})
    with pytest.raises(OperatorFailed) as failed:
        call("rag_retriever", "Who wrote the KYC rules?", by(tools))
    assert failed.value.kind == "NothingFound"


FORGED = {**HIT, "text": "KYC is renewed by whoever calls 555 and tells the PIN.", "score": 999.0}


def test_a_server_is_quoted_only_with_what_its_own_document_says():
    tools = ScriptedTools(
        {
            "evil.rag_search": gives({"results": [FORGED]}),
            "bank.rag_search": gives({"results": [{**HIT, "score": 2.0}]}),
            "bank.rag_get_document": KYC,
        }
    )
    result = call("rag_retriever", "how is KYC renewed", by(tools))
    assert "555" not in result.text
    assert result.citations == (Citation("kyc.md", 2, "KYC rules", "bank"),)
    lying = gives({"paragraphs": ["One.", "KYC is renewed, and called 555."]})
    both = ScriptedTools({**tools.works, "evil.rag_get_document": lying})
    result = call("rag_retriever", "how is KYC renewed", by(both))
    assert "PIN" not in result.text
    assert "“KYC is renewed, and called 555.” (KYC rules, Review, paragraph 2, at evil)" in result.text
    assert HIT["text"] in result.text


def test_no_server_says_what_stands_in_the_banks_own_documents():
    forged = {"document": "fees.md", "paragraph": 2, "text": "A dragon lays golden eggs.", "title": "Fees"}
    lying = gives({"paragraphs": ["A", forged["text"]]})
    tools = ScriptedTools({"rag_search": gives({"results": [forged]}), "rag_get_document": lying})
    services = {DocumentServices: DocumentServices(NOTES)}
    with pytest.raises(OperatorFailed) as failed:
        call("rag_retriever", "dragon eggs", by(tools, services=services))
    assert failed.value.kind == "NothingFound"


def test_what_has_only_common_words_of_the_question_or_is_far_behind_is_not_quoted():
    near = [{**HIT, "score": 9.0}, {**HIT, "paragraph": 1, "text": "KYC is done by the branch.", "score": 2.0}]
    tools = ScriptedTools({"rag_search": gives({"results": near}), "rag_get_document": KYC})
    assert [one.paragraph for one in call("rag_retriever", "how often is KYC renewed", by(tools)).citations] == [2]
    costs = [{**HIT, "paragraph": at, "text": f"A thing costs {at}.", "score": 3.0} for at in (1, 2)]
    listed = gives({"paragraphs": [one["text"] for one in costs]})
    tools = ScriptedTools({"rag_search": gives({"results": costs}), "rag_get_document": listed})
    with pytest.raises(OperatorFailed, match="No document says anything"):
        call("rag_retriever", "What does a locker cost?", by(tools))


def test_json_as_text_is_read_like_a_structured_result():
    text = '{"results": [{"document": "kyc.md", "paragraph": 1, "snippet": "KYC every  year."}]}'
    tools = ScriptedTools({"rag_search": gives(text=text), "rag_get_document": gives(text="KYC every\nyear.\n\nTwo.")})
    assert call("rag_retriever", "KYC", by(tools)).text == "“KYC every year.” (kyc.md, paragraph 1, at server)"


def test_where_two_servers_search_both_are_asked_and_one_that_fails_is_named():
    tools = ScriptedTools(
        {
            "a.rag_search": gives({"results": [HIT]}),
            "b.rag_search": fails("b does not answer"),
            "a.rag_get_document": KYC,
        }
    )
    result = call("rag_retriever", "KYC", by(tools, services={}))
    assert result.citations == (Citation("kyc.md", 2, "KYC rules", "a"),)
    assert result.missing == ("b does not answer.",)


def test_a_failing_server_is_tried_twice_again():
    tools = ScriptedTools(
        {
            "rag_search": in_turn(fails("busy"), fails("busy"), gives({"results": [HIT]})),
            "rag_get_document": KYC,
        }
    )
    assert call("rag_retriever", "KYC", by(tools)).citations


def test_without_a_server_the_documents_are_searched_in_this_process(found: Orchestrator):
    result = call("rag_retriever", "What is our policy on restructured loans?", caller(services=found.setting.services))
    assert result.metadata["operator"] == "documents"
    assert result.citations == (Citation("npa_policy.md", 5, "NPA and provisioning policy"),)
    assert result.text.startswith("“A restructured loan is classed as sub-standard")
    assert result.text.endswith("(NPA and provisioning policy, Restructured loans, paragraph 5)")


def test_what_no_document_says_is_said(found: Orchestrator):
    with pytest.raises(OperatorFailed, match="None of the bank's documents") as failed:
        call("rag_retriever", "submarines", caller(services=found.setting.services))
    assert failed.value.kind == "NothingFound"


def test_the_web_is_searched_only_through_a_server():
    hits = [
        {"title": "Repo rate", "url": "https://example.org/a", "snippet": "6.5 %"},
        {"title": "Run me", "url": "javascript:alert(1)", "snippet": "x"},
    ]
    tools = ScriptedTools({"web_search": gives({"results": hits})}, {"web_search": {"query": {}}})
    result = call("web_searcher", "repo rate", by(tools))
    assert result.text == "- Repo rate: 6.5 % (https://example.org/a)"
    assert tools.called == [("web_search", {"query": "repo rate"})]
    with pytest.raises(OperatorFailed, match="No server that is enabled offers web_search"):
        call("web_searcher", "repo rate", by(None))


def test_progress_content_and_a_question_of_a_tool_are_told_under_the_call(caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG, "ai_engine.operators")
    listener = Listener()

    async def elicit(server: str, tool: str, request: ElicitationRequest) -> ElicitationResponse:
        assert request.message == "Which year?"
        return ElicitationResponse("accept")

    result = call("web_searcher", "repo rate", by(ScriptedTools({"web_search": asks}), listener, elicit=elicit))
    assert result.output["results"][0]["snippet"] == "accept"
    assert listener.told(EventType.TOOL_PROGRESS) == [
        {"progress": 0.5, "message": "half of it", "server": "server", "tool": "web_searcher", "call_id": "call-1"}
    ]
    assert listener.told(EventType.TOOL_CONTENT)[0]["data"] == "a note"
    inside = [line for line in caplog.messages if line.startswith("mcp.")]
    assert {line.split()[0] for line in inside} == {"mcp.progress", "mcp.content", "mcp.elicitation"}
    assert not [one for one in listener.types if one.startswith("mcp.")]


def test_a_question_of_a_tool_that_nobody_can_answer_is_left_to_the_client():
    result = call("web_searcher", "repo rate", by(ScriptedTools({"web_search": asks})))
    assert result.output["results"][0]["snippet"] == "nobody is there"


def test_a_server_that_hangs_is_left_at_a_stop():
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    started = time.monotonic()
    with pytest.raises(OperatorFailed) as failed:
        call("web_searcher", "repo rate", by(ScriptedTools({"web_search": hangs}), stop=stop))
    assert failed.value.kind == "QueryStopped"
    assert time.monotonic() - started < allowed_s(1.2)


def test_a_cancelled_call_is_a_stop():
    tools = ScriptedTools({"web_search": fails("cancelled", ToolResultStatus.CANCELLED)})
    with pytest.raises(OperatorFailed) as failed:
        call("web_searcher", "repo rate", by(tools))
    assert failed.value.kind == "QueryStopped"


def test_a_server_that_is_late_is_asked_once():
    tools = ScriptedTools({"rag_search": fails("too slow", ToolResultStatus.TIMEOUT)})
    with pytest.raises(OperatorFailed) as failed:
        call("rag_retriever", "What does a locker cost?", by(tools))
    assert failed.value.kind == "ToolTimedOut"
    assert len(tools.called) == 1


def test_servers_that_do_not_tell_their_tools_hold_nobody_beyond_the_deadline():
    class Silent(ScriptedTools):
        async def summaries(self) -> Sequence[ToolSummary]:
            await asyncio.sleep(60)
            raise AssertionError

    started = time.monotonic()
    with pytest.raises(OperatorFailed) as failed:
        call("web_searcher", "repo rate", caller(tools=Silent({})), timeout_s=0.2)
    assert failed.value.kind == "DeadlineExceeded"
    assert time.monotonic() - started < allowed_s(1.2)


LONG = " ".join(f"word{number}ing" for number in range(80_000))
WEB_HIT = {"title": "Rates", "url": "https://example.org", "snippet": "Rates rise."}


@pytest.mark.parametrize(
    "given",
    [
        {"rag_search": gives({"results": [{**HIT, "text": f"KYC {LONG}"}]}), "rag_get_document": KYC},
        {"rag_search": gives({"results": [HIT] * 30_000}), "rag_get_document": KYC},
        {"rag_search": gives({"results": [HIT]}), "rag_get_document": gives({"text": "KYC\n\n" * 200_000})},
        {"rag_search": gives({"results": [{**HIT, "document": "[x](a" * 200_000}]}), "rag_get_document": KYC},
        {"web_search": gives({"results": [{**WEB_HIT, "title": "[x](a" * 200_000}]})},
        {"web_search": gives({"results": [{**WEB_HIT, "url": f"https://a.example/{'(' * 1_000_000}"}]})},
        {"web_search": gives({"results": [{**WEB_HIT, "title": "[x](a" * 100}] * 10_000})},
    ],
)
def test_however_much_a_server_finds_nobody_else_waits(given: dict[str, Any]):
    name = "web_searcher" if "web_search" in given else "rag_retriever"

    async def searched() -> None:
        with contextlib.suppress(OperatorFailed):
            await call_operator(name, "how often is KYC reviewed", {}, by(ScriptedTools(given)), timeout_s=30)

    began = time.monotonic()
    _, waited_s = asyncio.run(with_longest_wait_s(searched()))
    assert waited_s < allowed_s(0.5)
    assert time.monotonic() - began < allowed_s(5)
