"""Puts together what a component declared that it needs to know, within a budget of tokens."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ai_engine.context.actions import ActionHistory
from ai_engine.context.memory import ConversationMemory
from ai_engine.context.requirements import Requirement, parse_requirement
from ai_engine.context.results import ResultStore
from ai_engine.context.tokens import cut_to_tokens, estimated_tokens
from ai_engine.tools import ToolNotFound, Tools

_SHORTEST_MESSAGE_TOKENS = 40


@dataclass(frozen=True, slots=True)
class AssembledContext:
    """What is known of each requirement, by its text; `cut` says, one sentence each, what the budget left out."""

    query: str
    values: Mapping[str, Any] = field(default_factory=dict)
    cut: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ContextAssembler:
    """Gives conversation, tools, results and actions to whoever asks for them, as they are at this moment.

    Attributes:
        tools: None where no server is enabled.
        max_tokens: of the conversation's part of one context, by `estimated_tokens`. Results are data that operators
            work on, so they are given whole; what a language model is told of them is shortened by the observation.
        given: what the calling program says of the request.
    """

    memory: ConversationMemory
    results: ResultStore = field(default_factory=ResultStore)
    actions: ActionHistory = field(default_factory=ActionHistory)
    tools: Tools | None = None
    max_tokens: int = 4_000
    given: Mapping[str, Any] = field(default_factory=dict)

    async def assemble(self, requirements: Sequence[str], query: str) -> AssembledContext:
        """Return what is known of each requirement.

        Raises:
            UnknownRequirement: one is none.
        """
        wanted = [parse_requirement(text) for text in requirements]
        values = {one.text: await self._value(one, query) for one in wanted}
        return self._within_budget(query, wanted, values)

    async def values(self, requirements: Sequence[str], query: str) -> Mapping[str, Any]:
        """Return the values alone, as operators are given them."""
        return (await self.assemble(requirements, query)).values

    async def _value(self, wanted: Requirement, query: str) -> Any:
        match wanted.source, wanted.part:
            case "query", _:
                return query
            case "conversation", "recent":
                return self.memory.recent(wanted.number)
            case "conversation", "summary":
                return self.memory.summary
            case "conversation", "all":
                return {"summary": self.memory.summary, "recent": self.memory.recent()}
            case "request", "context":
                return dict(self.given)
            case "tools", "summaries":
                return () if self.tools is None else tuple(await self.tools.summaries())
            case "tools", "schema":
                return await self._schema(wanted.argument)
            case "results", "step":
                return self.results.step(wanted.argument)
            case "results", "all":
                return self.results.by_step()
            case "actions", _:
                return [action.as_told() for action in self.actions]
            case _:
                return None

    async def _schema(self, name: str) -> Any:
        if self.tools is None:
            return None
        try:
            return await self.tools.schema(name)
        except ToolNotFound:
            return None

    def _within_budget(self, query: str, wanted: list[Requirement], values: dict[str, Any]) -> AssembledContext:
        """Shorten the conversation: first long messages, then the oldest messages, then the summary."""
        texts = [one.text for one in wanted if one.source == "conversation"]
        cut: list[str] = []
        left = self.max_tokens
        for text in texts:
            values[text], said = _shortened(values[text], left)
            cut += said
            left = max(0, left - _tokens(values[text]))
        return AssembledContext(query, values, tuple(dict.fromkeys(cut)))


def _tokens(value: Any) -> int:
    return estimated_tokens(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _shortened(value: Any, max_tokens: int) -> tuple[Any, list[str]]:
    """Return a part of the conversation within so many tokens, and what was cut of it."""
    if _tokens(value) <= max_tokens:
        return value, []
    if isinstance(value, str):
        return cut_to_tokens(value, max_tokens), ["The summary of the conversation was cut."]
    if isinstance(value, dict):
        recent, said = _shortened(value["recent"], max_tokens)
        summary, more = _shortened(value["summary"], max(0, max_tokens - _tokens(recent)))
        return {"summary": summary, "recent": recent}, [*said, *more]
    each = max(max_tokens // max(len(value), 1), _SHORTEST_MESSAGE_TOKENS)
    kept = [{**one, "text": cut_to_tokens(one["text"], each)} for one in value]
    said = ["Long messages of the conversation were cut."]
    while kept and _tokens(kept) > max_tokens:
        kept.pop(0)
    dropped = len(value) - len(kept)
    left_out = {0: (), 1: ("The oldest of the last messages was left out.",)}
    return kept, [*said, *left_out.get(dropped, (f"The {dropped} oldest of the last messages were left out.",))]
