"""The port to a language model that converses: free text, tool calls, pieces as they come."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from ai_engine.ports import ChatModel


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the model is told of it; `parameters` is a JSON schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What the model wants called; `arguments` is the JSON that it wrote, good or bad."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ChatTurn:
    """One turn; that of a tool answers the call `call_id`, that of the model may have calls instead of text."""

    role: Literal["user", "assistant", "tool"]
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What the model said, or wants called; token counts are 0 where the service tells none."""

    text: str = ""
    thinking: str = ""
    calls: tuple[ToolCall, ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a reply on its way."""

    text: str = ""
    thinking: str = ""


class ConversationModel(Protocol):
    """A language model that is told a conversation; safe to share between threads."""

    def converse(
        self,
        system: str,
        turns: Sequence[ChatTurn],
        tools: Sequence[ToolSpec] = (),
        *,
        on_piece: Callable[[Piece], None] | None = None,
        stop: threading.Event,
    ) -> ModelReply:
        """Return the reply; blocks, and ends at once when `stop` is set.

        Args:
            system: what the model is; ours alone.
            turns: the conversation, which ends with the person's message or results of tools.
            tools: what it may call.
            on_piece: takes pieces as they come, in a thread of the client's; without it nothing is streamed.
            stop: ends the call.

        Raises:
            QueryStopped: `stop` was set.
            ModelFailed: no usable reply, whatever the reason.
        """
        ...


class LanguageModel(ChatModel, ConversationModel, Protocol):
    """A language model for both: replies of a given shape, and conversations."""
