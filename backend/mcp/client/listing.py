"""What a server says its tools are: bounded, cleaned, and recognised again."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import Any

from mcp import Client
from mcp_types import Tool

from ai_engine.tools import ToolSchema
from backend.mcp.client.cleaning import clean_json, clean_line
from backend.mcp.client.limits import ClientLimits

_MAX_PAGES = 20
_NAME = re.compile(r"[A-Za-z0-9_./-]{1,128}")


@dataclass(frozen=True, slots=True)
class KnownTool:
    """A tool as it is kept between calls.

    Attributes:
        digest: of all that the server says of it, so that a change is noticed.
    """

    server_id: str
    name: str
    description: str
    read_only: bool
    idempotent: bool
    digest: str


@dataclass(frozen=True, slots=True)
class ListedTool:
    """A tool as a server just described it, schemas in its own words."""

    known: KnownTool
    input_schema: dict[str, Any]
    output_schema: dict[str, Any] | None

    def schema(self, limits: ClientLimits) -> ToolSchema:
        """What may be shown of it."""
        chars = limits.max_description_chars
        output = self.output_schema
        return ToolSchema(
            name=self.known.name,
            description=self.known.description,
            server_id=self.known.server_id,
            input_schema=clean_json(self.input_schema, chars),
            output_schema=None if output is None else clean_json(output, chars),
        )


async def list_tools(client: Client, server_id: str, limits: ClientLimits) -> dict[str, ListedTool]:
    """Ask for all tools; those with an unusable name, two of one name and endless schemas are left out."""
    tools: dict[str, ListedTool] = {}
    twice: set[str] = set()
    cursor = None
    for _ in range(_MAX_PAGES):
        page = await client.list_tools(cursor=cursor)
        for tool in page.tools:
            listed = _listed(tool, server_id, limits)
            if listed is None:
                continue
            twice |= {tool.name} & set(tools)
            tools[tool.name] = listed
        cursor = page.next_cursor
        if not cursor or len(tools) >= limits.max_tools:
            break
    usable = [(name, tool) for name, tool in tools.items() if name not in twice]
    return dict(usable[: limits.max_tools])


def _listed(tool: Tool, server_id: str, limits: ClientLimits) -> ListedTool | None:
    if not _NAME.fullmatch(tool.name):
        return None
    try:
        said = json.dumps(tool.model_dump(mode="json", by_alias=True, exclude_none=True), sort_keys=True)
    except (ValueError, RecursionError):
        return None
    if len(said) > limits.max_schema_kb * 1024:
        return None
    hints = tool.annotations
    known = KnownTool(
        server_id=server_id,
        name=tool.name,
        description=clean_line(tool.description or tool.title or "", limits.max_description_chars),
        read_only=hints is not None and hints.read_only_hint is True,
        idempotent=hints is not None and hints.idempotent_hint is True,
        digest=hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest(),
    )
    return ListedTool(known, tool.input_schema, tool.output_schema)
