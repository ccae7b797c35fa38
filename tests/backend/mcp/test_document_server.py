"""The server that searches documents, alone in a subprocess and behind the HTTP API."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.settings import SAMPLE_DOCUMENTS
from tests.backend.mcp.connected import MODES, Connected, on_stdio, over_http, said, served_bank, structured


@pytest.fixture(scope="module", params=[f"{transport} {mode}" for transport in ("stdio", "http") for mode in MODES])
def documents(request: pytest.FixtureRequest, small_bank: Path) -> Iterator[Connected]:
    transport, mode = request.param.split()
    if transport == "stdio":
        with on_stdio(mode, module="backend.mcp.documents") as connected:
            yield connected
        return
    with (
        served_bank(small_bank, documents_dir=SAMPLE_DOCUMENTS) as address,
        over_http(mode, f"{address}/documents") as connected,
    ):
        yield connected


def test_two_tools_are_offered(documents: Connected):
    tools = documents.do(lambda client: client.list_tools()).tools
    assert [tool.name for tool in tools] == ["rag_search", "rag_get_document"]


@pytest.mark.parametrize(
    ("query", "document", "words"),
    [
        ("provision on a doubtful asset", "npa_policy.md", "25 % in its first year"),
        ("documents of a company for KYC", "kyc_rules.md", "certificate of incorporation"),
        ("charge for a returned cheque", "fee_schedule.md", "Rs. 350"),
        ("what does CASA ratio mean", "glossary.md", "current and savings accounts"),
        ("UPI limit per day", "circular_digital_payments.md", "Rs. 1 lakh a day"),
        ("interest of a credit card bill", "product_credit_card.md", "3.25 %"),
        ("interest on a savings account", "product_savings_and_deposits.md", "3.00 %"),
        ("who approves a loan above one crore", "lending_authority.md", "credit committee"),
    ],
)
def test_what_is_found_is_cited_by_a_paragraph_that_is_there(
    documents: Connected, query: str, document: str, words: str
):
    results = structured(documents.call("rag_search", query=query, top_k=3))["results"]
    assert results[0]["document"] == document
    assert words in results[0]["text"]
    for found in results:
        whole = structured(documents.call("rag_get_document", document=found["document"]))
        texts = {one["paragraph"]: one["text"] for one in whole["paragraphs"]}
        assert texts[found["paragraph"]] == found["text"]
        assert found["snippet"].strip("…") in found["text"]


def test_every_note_of_the_sample_bank_can_be_read(documents: Connected):
    files = sorted(SAMPLE_DOCUMENTS.glob("*.md"))
    assert len(files) == 12
    for file in files:
        whole = structured(documents.call("rag_get_document", document=file.name))
        assert whole["title"]
        assert whole["paragraphs"]


def test_words_that_are_nowhere_find_nothing(documents: Connected):
    assert structured(documents.call("rag_search", query="submarines"))["results"] == []
    assert structured(documents.call("rag_search", query="the of and"))["results"] == []


@pytest.mark.parametrize("query", ['"', "a OR (", "NEAR(", "title: x", "*", "x" * 2_000, "\x00", "{text} : y", "- -"])
def test_no_query_is_taken_for_the_language_of_the_index(documents: Connected, query: str):
    assert not documents.call("rag_search", query=query).is_error


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("rag_search", {"query": "x" * 2_001}, "query is too long"),
        ("rag_search", {"query": "x", "top_k": 0}, "top_k is too small"),
        ("rag_search", {"query": "x", "top_k": 21}, "top_k is too large"),
        ("rag_search", {"query": "x", "top_k": True}, "top_k is not of the right kind"),
        ("rag_get_document", {"document": "../../etc/passwd"}, "no document of that name"),
        ("rag_get_document", {"document": ""}, "document is empty"),
    ],
)
def test_wrong_arguments_are_refused_in_our_words(documents: Connected, tool: str, arguments: dict, words: str):
    result = documents.call(tool, **arguments)
    assert result.is_error
    assert words in said(result)


def test_where_there_is_no_folder_of_documents_it_is_said(small_bank: Path):
    with served_bank(small_bank) as address, over_http("auto", f"{address}/documents") as documents:
        assert "BANK_DOCUMENTS_DIR" in said(documents.call("rag_search", query="NPA"))
