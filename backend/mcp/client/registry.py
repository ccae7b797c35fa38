"""Which server has which tool, as last listed: summaries of all, schemas of those that somebody asked for."""

from __future__ import annotations

import asyncio
import difflib
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from ai_engine.tools import ServerHealth, ToolNotFound, ToolSchema, ToolSummary
from backend.mcp.client.faults import CallFault
from backend.mcp.client.limits import ClientLimits
from backend.mcp.client.listing import KnownTool, ListedTool
from backend.mcp.client.sessions import ServerLink

_MAX_DOUBLINGS = 4


@dataclass
class _Shelf:
    """What is kept of one server; its tools stay known while it is away, so that a name keeps its meaning."""

    link: ServerLink
    tools: Mapping[str, KnownTool] = field(default_factory=dict)
    schemas: dict[str, ToolSchema] = field(default_factory=dict)
    listed_at: float | None = None
    changes: int = 0
    fault: str | None = None
    failed_at: float = 0.0
    failures: int = 0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    listing: asyncio.Task[None] | None = None

    @property
    def is_unknown(self) -> bool:
        """Whether nothing is known of it, or what is known is not so any more."""
        return self.changes != self.link.changes or (self.listed_at is None and self.fault is None)


class Registry:
    """The servers that the person enabled; lives in the loop of the connections."""

    def __init__(self, limits: ClientLimits) -> None:
        self._limits = limits
        self._shelves: dict[str, _Shelf] = {}
        self._prefixes: set[str] = set()  # of servers that went, too: their addresses never mean a tool of others

    def add(self, link: ServerLink) -> None:
        """Take a server in."""
        self._shelves[link.server_id] = _Shelf(link)
        self._prefixes.add(link.server_id)

    def remove(self, server_id: str) -> ServerLink:
        """Let go of a server; its tools are not known any more."""
        return self._shelves.pop(server_id).link

    @property
    def server_ids(self) -> frozenset[str]:
        """Those that there are."""
        return frozenset(self._shelves)

    def link(self, server_id: str) -> ServerLink:
        """Return a server.

        Raises:
            CallFault: it is not enabled any more.
        """
        if server_id not in self._shelves:
            raise CallFault("connection", "the server is not enabled any more", unsent=True)
        return self._shelves[server_id].link

    async def refresh(self) -> None:
        """List what was listed too long ago, all servers beside each other; one that fails is noted.

        Servers that were never listed, or said that they changed, are waited for; of others what is known stands until
        they have answered, as a request should not wait for a slow one.
        """
        stale = [shelf for shelf in self._shelves.values() if self._is_stale(shelf)]
        awaited = [shelf for shelf in stale if shelf.is_unknown]
        for shelf in stale:
            if not shelf.is_unknown and (shelf.listing is None or shelf.listing.done()):
                shelf.listing = asyncio.create_task(self._list(shelf))
        await asyncio.gather(*(self._list(shelf) for shelf in awaited))

    async def probe(self, server_id: str) -> bool:
        """List one server again; tell whether it answered."""
        shelf = self._shelves.get(server_id)
        if shelf is None:
            return False
        shelf.listed_at = None
        await self._list(shelf)
        return shelf.fault is None

    def summaries(self) -> list[ToolSummary]:
        """Describe the tools of servers that answered last, each under the name it is called by."""
        return [
            ToolSummary(
                name=self.name_of(tool),
                description=tool.description,
                server_id=tool.server_id,
                read_only=tool.read_only,
                idempotent=tool.idempotent,
            )
            for shelf in self._shelves.values()
            if shelf.fault is None
            for tool in shelf.tools.values()
        ]

    def names(self) -> dict[str, KnownTool]:
        """All tools under the names they are called by."""
        tools = [tool for shelf in self._shelves.values() for tool in shelf.tools.values()]
        return {self.name_of(tool): tool for tool in tools}

    def name_of(self, tool: KnownTool) -> str:
        """Its own name, or `server.tool` where that could mean another."""
        return tool.name if self._bare(tool.name) == [tool] else f"{tool.server_id}.{tool.name}"

    def find(self, name: str) -> KnownTool:
        """Look a name up.

        Raises:
            ToolNotFound: no server has it, or several have.
        """
        server_id, _, inner = name.partition(".")
        if server_id in self._shelves:
            tool = self._shelves[server_id].tools.get(inner)
            if tool is not None:
                return tool
        found = self._bare(name)
        if len(found) == 1:
            return found[0]
        if found:
            ways = ", ".join(sorted(f"{tool.server_id}.{tool.name}" for tool in found))
            raise ToolNotFound(f"several servers have this tool, say which: {ways}")
        near = difflib.get_close_matches(name, [summary.name for summary in self.summaries()], 1)
        nearest = f"; the nearest is {near[0]}" if near else ""
        away = [f"{server_id}: {shelf.fault}" for server_id, shelf in self._shelves.items() if shelf.fault is not None]
        silent = f"; not all servers were seen ({'; '.join(away)})" if away else ""
        raise ToolNotFound(f"there is no tool of this name{nearest}{silent}")

    def _bare(self, name: str) -> list[KnownTool]:
        """All tools of that name; none where it reads like the address of a server's tool."""
        if "." in name and name.partition(".")[0] in self._prefixes:
            return []
        return [shelf.tools[name] for shelf in self._shelves.values() if name in shelf.tools]

    def schema(self, tool: KnownTool) -> ToolSchema | None:
        """A schema that was fetched and is still that of the tool as listed."""
        return self._shelves[tool.server_id].schemas.get(tool.name)

    def learn(self, server_id: str, tools: Mapping[str, ListedTool], wanted: str | None = None) -> None:
        """Keep what a server just listed; of one tool also the schema. What changed is forgotten."""
        shelf = self._shelves.get(server_id)
        if shelf is None:
            return
        known = {name: listed.known for name, listed in tools.items()}
        kept = {name: schema for name, schema in shelf.schemas.items() if known.get(name) == shelf.tools.get(name)}
        shelf.tools, shelf.listed_at = known, time.monotonic()
        shelf.schemas = kept
        self.note(server_id, None)
        if wanted is not None and wanted in tools:
            schema = tools[wanted].schema(self._limits)
            shelf.schemas[wanted] = schema.model_copy(update={"name": self.name_of(known[wanted])})

    def note(self, server_id: str, fault: str | None) -> None:
        """Keep how a server was last seen."""
        shelf = self._shelves.get(server_id)
        if shelf is not None:
            shelf.fault = fault
            shelf.failures = 0 if fault is None else shelf.failures + 1
            shelf.failed_at = time.monotonic()

    def health(self) -> list[ServerHealth]:
        """Tell how each was last seen."""
        return [
            ServerHealth(server_id=name, healthy=shelf.fault is None, tools=len(shelf.tools), error=shelf.fault)
            for name, shelf in list(self._shelves.items())
        ]

    async def recover(self) -> None:
        """Look after servers that failed, ever more rarely, until this is cancelled."""
        while True:
            await asyncio.sleep(min(1.0, self._limits.recovery_s / 2))
            now = time.monotonic()
            due = [
                shelf for shelf in self._shelves.values() if shelf.fault is not None and now >= self._again_at(shelf)
            ]
            await asyncio.gather(*(self.probe(shelf.link.server_id) for shelf in due))

    def stop_listing(self) -> set[asyncio.Task[None]]:
        """Give up what is listed in the background; returns what is still to end."""
        listing = {shelf.listing for shelf in self._shelves.values() if shelf.listing is not None}
        for task in listing:
            task.cancel()
        return listing

    def _again_at(self, shelf: _Shelf) -> float:
        delay_s: float = self._limits.recovery_s * 2 ** min(shelf.failures - 1, _MAX_DOUBLINGS)
        return shelf.failed_at + delay_s * random.uniform(0.5, 1.0)  # noqa: S311 - so that servers spread

    def _is_stale(self, shelf: _Shelf) -> bool:
        if shelf.fault is not None and time.monotonic() - shelf.failed_at < self._limits.recovery_s:
            return False
        if shelf.changes != shelf.link.changes:
            return True
        return shelf.listed_at is None or time.monotonic() - shelf.listed_at > self._limits.cache_s

    async def _list(self, shelf: _Shelf) -> None:
        async with shelf.lock:
            if not self._is_stale(shelf) and shelf.listed_at is not None:
                return
            server_id, shelf.changes = shelf.link.server_id, shelf.link.changes
            try:
                async with shelf.link.session() as session:
                    tools = await session.tools()
            except CallFault as fault:
                self.note(server_id, str(fault))
            else:
                self.learn(server_id, tools)
