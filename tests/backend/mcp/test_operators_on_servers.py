"""Operators that work through a real server: our own, asked by our own client over HTTP."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ai_engine.events import EventType
from ai_engine.operators.base import OperatorFailed
from backend.mcp.client import SharedTools
from backend.settings import SAMPLE_DOCUMENTS
from tests.ai_engine.operators.calls import Listener, call, caller
from tests.ai_engine.scripted_agents import ScriptedChat
from tests.backend.mcp.connected import served_bank
from tests.backend.mcp.test_server import SLOW
from tests.backend.mcp.tool_servers import opened
from tests.patience import allowed_s


@pytest.fixture(scope="module")
def tools(small_bank: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedTools]:
    with served_bank(small_bank, documents_dir=SAMPLE_DOCUMENTS) as address:
        endpoints = {"bank": address, "documents": f"{address}/documents"}
        entries = [{"id": name, "transport": "http", "url": url} for name, url in endpoints.items()]
        with opened(tmp_path_factory.mktemp("servers"), entries) as shared:
            yield shared


def sql(statement: str) -> dict[str, Any]:
    return {"sql": statement}


def test_the_analyst_asks_the_servers_database_and_says_what_stands_out(tools: SharedTools):
    listener = Listener()
    model = ScriptedChat(sql("SELECT segment, COUNT(*) AS customers FROM customers GROUP BY segment ORDER BY 2 DESC"))
    result = call("data_analyst", "customers by segment", caller(listener, tools=tools.view(), model=model))
    assert result.output["row_count"] == len(result.output["rows"]) > 1
    assert sum(row["customers"] for row in result.output["rows"]) == 600
    assert result.output["findings"][0].startswith("Customers: highest for ")
    assert "customers(" in model.asked[0].user
    assert listener.types[-1] == "tool.complete"


def test_a_column_that_the_server_does_not_show_cannot_be_asked_for(tools: SharedTools):
    model = ScriptedChat(*[sql("SELECT pan FROM customers")] * 3)
    with pytest.raises(OperatorFailed, match="No statement for bank could be run") as failed:
        call("data_analyst", "the PANs", caller(tools=tools.view(), model=model))
    assert all("pan" in attempt for attempt in failed.value.details["attempts"])


def test_a_stop_ends_the_statement_at_the_server(tools: SharedTools):
    stop = threading.Event()
    listener = Listener()
    threading.Timer(1.5, stop.set).start()
    started = time.monotonic()
    with pytest.raises(OperatorFailed) as failed:
        call("data_analyst", "slow", caller(listener, tools=tools.view(), model=ScriptedChat(sql(SLOW)), stop=stop))
    assert failed.value.kind == "QueryStopped"
    assert 1.4 < time.monotonic() - started < 1.5 + allowed_s(1)
    assert any("Asks bank" in event["message"] for event in listener.told(EventType.TOOL_PROGRESS))


@pytest.mark.parametrize(
    ("question", "document", "said"),
    [
        ("What is our policy on restructured loans?", "npa_policy.md", "classed as sub-standard"),
        ("How often is KYC updated for a high risk customer?", "kyc_rules.md", "two years"),
    ],
)
def test_the_retriever_cites_what_the_server_has(tools: SharedTools, question: str, document: str, said: str):
    result = call("rag_retriever", question, caller(tools=tools.view()))
    assert result.metadata["operator"] == "rag_retriever"
    assert result.citations[0].document == document
    assert said in result.output["results"][0]["text"]
    assert result.missing == ()


@pytest.mark.parametrize("question", ["submarines", "What does a locker cost?"])
def test_what_no_document_of_the_server_says_is_said(tools: SharedTools, question: str):
    with pytest.raises(OperatorFailed) as failed:
        call("rag_retriever", question, caller(tools=tools.view()))
    assert failed.value.kind == "NothingFound"
