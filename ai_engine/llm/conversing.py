"""Conversations in the words of the OpenAI protocol, both ways."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from ai_engine.conversation import ChatTurn, ModelReply, Piece, ToolCall, ToolSpec

_MOST_CALLS = 64
_MOST_TOKENS = 100_000_000
"""Of a request or a reply: more than any model takes."""


def request_turns(system: str, turns: Sequence[ChatTurn]) -> list[dict[str, Any]]:
    """Write the messages of a request."""
    return [{"role": "system", "content": system}, *(_turn(turn) for turn in turns)]


def written_turns(turns: Sequence[Any]) -> str:
    """Write the messages of a request one below the other, each under who says it, for a person to read."""
    return "\n\n".join(f"[{turn['role']}]\n{turn.get('content') or turn.get('tool_calls') or ''}" for turn in turns)


def request_tools(tools: Sequence[ToolSpec]) -> dict[str, Any]:
    """Write the options that tell of tools; none where there are none."""
    described = [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
        }
        for tool in tools
    ]
    return {"tools": described} if described else {}


def _turn(turn: ChatTurn) -> dict[str, Any]:
    if turn.role == "tool":
        return {"role": "tool", "tool_call_id": turn.call_id, "content": turn.text}
    if not turn.calls:
        return {"role": turn.role, "content": turn.text}
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for call in turn.calls
    ]
    return {"role": turn.role, "content": turn.text or None, "tool_calls": calls}


def whole_reply(completion: Any) -> ModelReply:
    """Read a reply that came in one piece."""
    message = completion.choices[0].message if completion.choices else None
    calls = [one for one in (message.tool_calls or ()) if one.type == "function"] if message else []
    made = (ToolCall(*map(_text, (one.id, one.function.name, one.function.arguments))) for one in calls[:_MOST_CALLS])
    return ModelReply(_said(message, "content"), _said(message, "reasoning_content"), tuple(made), *_used(completion))


async def streamed_reply(chunks: AsyncIterator[Any], on_piece: Callable[[Piece], None]) -> ModelReply:
    """Read a reply piece by piece; arguments of calls come in pieces too, each with the place of its call.

    Nobody has compared a chunk with the protocol: what is of another kind than it should be says nothing.
    """
    text: list[str] = []
    thinking: list[str] = []
    calls: dict[int, list[str]] = {}
    usage = (0, 0)
    async for chunk in chunks:
        if getattr(chunk, "usage", None):
            usage = _used(chunk)
        delta = next((getattr(one, "delta", None) for one in _listed(chunk, "choices")), None)
        piece = Piece(_said(delta, "content"), _said(delta, "reasoning_content"))
        if piece != Piece():
            text.append(piece.text)
            thinking.append(piece.thinking)
            on_piece(piece)
        for part in _listed(delta, "tool_calls"):
            place = getattr(part, "index", None)
            if not isinstance(place, int) or (place not in calls and len(calls) >= _MOST_CALLS):
                continue
            call, function = calls.setdefault(place, ["", "", ""]), getattr(part, "function", None)
            call[0] = call[0] or _said(part, "id")
            call[1] += _said(function, "name")
            call[2] += _said(function, "arguments")
    made = tuple(ToolCall(*calls[place]) for place in sorted(calls))
    return ModelReply("".join(text), "".join(thinking), made, *usage)


def _listed(holder: object, name: str) -> list[Any]:
    found = getattr(holder, name, None)
    return found if isinstance(found, list) else []


def _said(holder: object, name: str) -> str:
    return _text(getattr(holder, name, None))


def _text(said: object) -> str:
    """Return a text without halves of letters, which cannot be written; "" for what is no text."""
    return said.encode("utf-8", "ignore").decode() if isinstance(said, str) else ""


def _used(counted: Any) -> tuple[int, int]:
    """Return the tokens of request and reply; 0 where the service tells no count that there can be."""
    usage = getattr(counted, "usage", None)
    told = (getattr(usage, name, None) for name in ("prompt_tokens", "completion_tokens"))
    asked, replied = (min(max(one, 0), _MOST_TOKENS) if isinstance(one, int) else 0 for one in told)
    return asked, replied
