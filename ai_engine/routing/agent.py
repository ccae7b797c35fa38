"""The port behind which everyone works whom the front desk can choose."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from ai_engine.routing.messages import (
    AgentStream,
    ConversationMessage,
    ParticipantRole,
)

_NOT_IN_A_KEY = re.compile(r"[^a-zA-Z0-9\s-]")
_BLANKS = re.compile(r"\s+")


class RoutedAgent(ABC):
    """Answers one message in the light of its own conversation; holds nothing of any conversation itself.

    Args:
        name: shown to people; the id is made of it.
        description: what it does, in a sentence or two by which it is chosen.
        examples: messages that it answers, by which it is chosen without a language model.
        keywords: further words that speak for it.
        streaming: `process_request` returns a stream.
        save_chat: its conversation is kept.
    """

    def __init__(
        self,
        name: str,
        description: str,
        *,
        examples: Sequence[str] = (),
        keywords: Sequence[str] = (),
        streaming: bool = False,
        save_chat: bool = True,
    ) -> None:
        self.name = name
        self.id = self.generate_key_from_name(name)
        if not self.id.strip("-"):
            raise ValueError(f"The name {name!r} has no letter and no digit to make an id of.")
        self.description = description
        self.examples = tuple(examples)
        self.keywords = tuple(keywords)
        self.streaming = streaming
        self.save_chat = save_chat

    @staticmethod
    def generate_key_from_name(name: str) -> str:
        """Make an id: letters, digits, blanks and hyphens stay, blanks become hyphens, all lower case."""
        return _BLANKS.sub("-", _NOT_IN_A_KEY.sub("", name)).lower()

    def is_streaming_enabled(self) -> bool:
        """Whether `process_request` returns a stream."""
        return self.streaming

    def claim(self, input_text: str) -> float | None:  # noqa: ARG002 - who knows reads it
        """How surely it can answer a message that stands alone, 0 to 1; None where it cannot tell without answering.

        Called beside other work, in any thread; never raises.
        """
        return None

    @abstractmethod
    async def process_request(
        self,
        input_text: str,
        user_id: str,
        session_id: str,
        chat_history: Sequence[ConversationMessage],
        additional_params: dict[str, Any] | None = None,
    ) -> ConversationMessage | AgentStream:
        """Answer; raises where it cannot, and whoever asked tells the person so without details.

        Args:
            input_text: the message, not yet part of `chat_history`.
            user_id: who asks.
            session_id: in which conversation.
            chat_history: this agent's own turns of that conversation, oldest first.
            additional_params: whatever the caller gave; not to be changed.
        """


async def whole_answer(output: ConversationMessage | AgentStream) -> ConversationMessage:
    """Return the message, or what a stream ends with; of one without an end, what it said."""
    if isinstance(output, ConversationMessage):
        return output
    said: list[str] = []
    final: ConversationMessage | None = None
    async for piece in output:
        final = piece.final_message or final
        said.append(piece.text)
    return final or ConversationMessage.of(ParticipantRole.ASSISTANT, "".join(said))
