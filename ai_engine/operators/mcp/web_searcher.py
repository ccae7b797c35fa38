"""Searches the web through the servers that offer it; the product has no search of its own."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from ai_engine.operators.base import (
    NOTHING_FOUND,
    BaseOperator,
    OperatorContext,
    OperatorFailed,
    OperatorResult,
    OperatorType,
)
from ai_engine.operators.found_passages import items_of
from ai_engine.operators.links import as_address, defused
from ai_engine.operators.parameters import object_schema
from ai_engine.operators.registry import operators
from ai_engine.operators.tool_results import called_everywhere, taken
from ai_engine.tools import Tools, ToolSchema

_SCHEMA = "tools.schema(web_search)"
_LONGEST_SNIPPET_CHARS = 500
_LONGEST_TITLE_CHARS = 300
_LONGEST_ADDRESS_CHARS = 2_000


@operators.register("web_searcher")
class WebSearcherOperator(BaseOperator):
    """Lists what a search found: title, address and snippet, none of which is fetched or believed."""

    description = "Searches the public web for what the bank's own data and documents cannot know."
    operator_type = OperatorType.MCP_BACKED
    mcp_tools = ("web_search",)
    parameters = object_schema(
        query={"type": "string", "description": "What to search for; nothing of customers or accounts"},
        max_results={"type": "integer", "minimum": 1, "maximum": 20, "default": 5},
    )
    context_requirements = ("query", "max_results", _SCHEMA)

    async def execute(self, context: OperatorContext, tools: Tools | None = None) -> OperatorResult:
        """Search.

        Raises:
            OperatorFailed: nothing was found, or no server answered.
        """
        assert tools is not None, "called only where a server offers it"  # noqa: S101
        schema: ToolSchema | None = context.context[_SCHEMA]
        most = context.params["max_results"]
        arguments = taken({"query": context.query, "max_results": most}, schema.input_schema if schema else None)
        made, failures = await called_everywhere(tools, "web_search", arguments)
        hits = (one for _, result in made for item in items_of(result) if (one := _found(item)) is not None)
        found = list(islice(hits, most))
        if not found:
            raise OperatorFailed("The search found nothing.", NOTHING_FOUND)
        text = "\n".join(f"- {one['title']}: {one['snippet']} ({one['url']})" for one in found)
        return OperatorResult(output={"results": found, "answer": text}, text=text, missing=failures)


def _found(item: Any) -> dict[str, str] | None:
    """Read one hit; an address that is none of the web's is left out."""
    if not isinstance(item, Mapping):
        return None
    title, url = str(item.get("title") or ""), str(item.get("url") or item.get("link") or "")
    snippet = str(item.get("snippet") or item.get("text") or item.get("description") or "")
    if not url.startswith(("https://", "http://")) or len(url) > _LONGEST_ADDRESS_CHARS or not (title or snippet):
        return None
    return {
        "title": defused(" ".join(title.split())[:_LONGEST_TITLE_CHARS]) or as_address(url),
        "url": as_address(url),
        "snippet": defused(" ".join(snippet.split())[:_LONGEST_SNIPPET_CHARS]),
    }
