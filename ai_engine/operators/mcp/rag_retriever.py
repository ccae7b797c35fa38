"""Searches the bank's documents through the servers that offer it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

from ai_engine.agent import in_thread
from ai_engine.operators.agents.documents import DocumentsOperator
from ai_engine.operators.base import (
    NOTHING_FOUND,
    BaseOperator,
    OperatorContext,
    OperatorFailed,
    OperatorResult,
    OperatorType,
)
from ai_engine.operators.found_passages import (
    FoundPassage,
    answering,
    found_passages,
    items_of,
    paragraphs_of,
    quoted,
)
from ai_engine.operators.of_agent import RECENT
from ai_engine.operators.parameters import object_schema
from ai_engine.operators.registry import operators
from ai_engine.operators.tool_results import called_everywhere, offered, taken
from ai_engine.specialists.documents.agent import DocumentServices
from ai_engine.specialists.documents.index import DocumentIndex
from ai_engine.tools import ToolRequest, ToolResult, ToolResultStatus, Tools, ToolSchema

_SCHEMA = "tools.schema(rag_search)"
_TRIED_PER_WANTED = 2
"""Hits of one server that are looked up, by those that are wanted: some may not be there."""


@operators.register("rag_retriever")
class RagRetrieverOperator(BaseOperator):
    """Quotes paragraphs that a search found, each as the document that it names has it."""

    description = (
        "Searches the bank's policies, rules, fee schedules, product sheets and glossary, and quotes the paragraphs "
        "that answer, with their place."
    )
    operator_type = OperatorType.MCP_BACKED
    mcp_tools = ("rag_search", "rag_get_document")
    parameters = object_schema(
        query={"type": "string", "description": "What to look for, in the words such a document would use"},
        top_k={"type": "integer", "minimum": 1, "maximum": 20, "default": 5, "description": "Most passages"},
    )
    context_requirements = ("query", "top_k", _SCHEMA, RECENT)
    fallback_operator = "documents"

    async def execute(self, context: OperatorContext, tools: Tools | None = None) -> OperatorResult:
        """Search the bank's own documents, and for what they do not say every server that can.

        Raises:
            OperatorFailed: nothing was found, or no server answered.
        """
        assert tools is not None, "called only where a server offers it"  # noqa: S101
        own = context.services.get(DocumentServices)
        if own is not None:
            try:
                made = await DocumentsOperator().execute(context)
                return replace(made, metadata={**made.metadata, "operator": DocumentsOperator.name})
            except OperatorFailed as fault:
                if fault.kind != NOTHING_FOUND:
                    raise
        return await _from_servers(context, tools, own.index if own is not None else None)


async def _from_servers(context: OperatorContext, tools: Tools, own: DocumentIndex | None) -> OperatorResult:
    schema: ToolSchema | None = context.context[_SCHEMA]
    most = context.params["top_k"]
    arguments = taken({"query": context.query, "top_k": most}, schema.input_schema if schema else None)
    made, missing = await called_everywhere(tools, "rag_search", arguments)
    found = await in_thread(_hits, made, context.query)
    elsewhere = [one for one in found if not _is_own(one, own)]
    there = [*_own(found, own), *await _looked_up(elsewhere, tools, most, context.stop)]
    there = await in_thread(answering, there, context.query)
    if not there:
        raise OperatorFailed("No document says anything about that.", NOTHING_FOUND)
    if gone := len(found) - len(there):
        missing = (*missing, f"Passages left out, as the document they name does not say that: {gone}.")
    return quoted(there[:most], missing)


def _hits(made: Sequence[tuple[str, ToolResult]], query: str) -> list[FoundPassage]:
    """Return what each server found, as far as it answers."""
    found = dict.fromkeys(
        replace(one, server=server) for server, result in made for one in found_passages(items_of(result))
    )
    return answering(list(found), query)


def _is_own(passage: FoundPassage, own: DocumentIndex | None) -> bool:
    return own is not None and bool(own.document(passage.document))


def _own(passages: Sequence[FoundPassage], own: DocumentIndex | None) -> list[FoundPassage]:
    """Of documents that the bank has itself, quote what it has: no server says what stands in them."""
    found = {}
    for one in passages:
        paragraph = own.paragraph(one.document, one.paragraph) if own is not None else None
        if paragraph is not None:
            found[one.document, one.paragraph] = replace(one, text=paragraph.text, server="", score=None)
    return list(found.values())


async def _looked_up(
    passages: Sequence[FoundPassage], tools: Tools, most: int, stop: threading.Event
) -> list[FoundPassage]:
    """Quote each passage as the document of its own server has it; without a tool that gives documents none."""
    readers = {one.server_id: one.name for one in await offered(tools, "rag_get_document")}
    by_server: dict[str, list[FoundPassage]] = {}
    for one in passages:
        by_server.setdefault(one.server, []).append(one)
    tried = [one for server, hits in by_server.items() if server in readers for one in hits[: _TRIED_PER_WANTED * most]]
    places = tuple(dict.fromkeys((one.server, one.document) for one in tried))
    if not places:
        return []
    made = await tools.call_parallel([ToolRequest(readers[server], {"document": name}) for server, name in places])
    known = await in_thread(_paragraphs, places, made, stop)
    there = [(one, known.get((one.server, one.document, one.paragraph), "")) for one in tried]
    return [replace(one, text=text) for one, text in there if text]


def _paragraphs(
    places: Sequence[tuple[str, str]], made: Sequence[ToolResult], stop: threading.Event
) -> dict[tuple[str, str, int], str]:
    """Return the paragraphs of documents by server, name and number."""
    return {
        (*place, number): text
        for place, result in zip(places, made, strict=True)
        if result.status is ToolResultStatus.SUCCESS and not stop.is_set()
        for number, text in paragraphs_of(result).items()
    }
