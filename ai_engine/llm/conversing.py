"""Conversations in the words of the OpenAI protocol, both ways."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from ai_engine.conversation import ChatTurn, ModelReply, Piece, ToolCall, ToolSpec

_MOST_CALLS = 64


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
    usage = completion.usage
    calls = [one for one in (message.tool_calls or ()) if one.type == "function"] if message else []
    return ModelReply(
        text=(message.content or "") if message else "",
        thinking=str(getattr(message, "reasoning_content", None) or ""),
        calls=tuple(ToolCall(one.id, one.function.name, one.function.arguments) for one in calls[:_MOST_CALLS]),
        input_tokens=usage.prompt_tokens if usage else 0,
        output_tokens=usage.completion_tokens if usage else 0,
    )


async def streamed_reply(chunks: AsyncIterator[Any], on_piece: Callable[[Piece], None]) -> ModelReply:
    """Read a reply piece by piece; arguments of calls come in pieces too, each with the place of its call."""
    text: list[str] = []
    thinking: list[str] = []
    calls: dict[int, list[str]] = {}
    usage = (0, 0)
    async for chunk in chunks:
        if chunk.usage:
            usage = (chunk.usage.prompt_tokens, chunk.usage.completion_tokens)
        if not chunk.choices:
            continue
        delta = chunk.choices[0].delta
        piece = Piece(delta.content or "", str(getattr(delta, "reasoning_content", None) or ""))
        if piece != Piece():
            text.append(piece.text)
            thinking.append(piece.thinking)
            on_piece(piece)
        for part in delta.tool_calls or ():
            if part.index not in calls and len(calls) >= _MOST_CALLS:
                continue
            call = calls.setdefault(part.index, ["", "", ""])
            call[0] = call[0] or part.id or ""
            if part.function:
                call[1] += part.function.name or ""
                call[2] += part.function.arguments or ""
    made = tuple(ToolCall(*calls[place]) for place in sorted(calls))
    return ModelReply("".join(text), "".join(thinking), made, *usage)
