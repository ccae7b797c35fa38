"""Answers of a team's members that no language model may be told: they reach the person as they are, past the lead."""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator, Callable, Sequence

from ai_engine.conversation import ChatTurn, ConversationModel, ModelReply, Piece, ToolSpec
from ai_engine.routing.messages import AgentStreamResponse, withheld


class ReportedWhereWithheld:
    """A ConversationModel that is asked until a member gave what it may not be told, and reports the answers then.

    Args:
        model: leads.
        kept: set as soon as there is such an answer.
    """

    def __init__(self, model: ConversationModel, kept: threading.Event) -> None:
        self._model = model
        self._kept = kept

    def converse(
        self,
        system: str,
        turns: Sequence[ChatTurn],
        tools: Sequence[ToolSpec] = (),
        *,
        on_piece: Callable[[Piece], None] | None = None,
        stop: threading.Event,
    ) -> ModelReply:
        """See ConversationModel."""
        if not self._kept.is_set():
            return self._model.converse(system, turns, tools, on_piece=on_piece, stop=stop)
        found = "\n\n".join(turn.text for turn in turns if turn.role == "tool")
        if on_piece is not None:
            on_piece(Piece(found))
        return ModelReply(found)


async def marked(
    pieces: AsyncGenerator[AgentStreamResponse, None], kept: threading.Event
) -> AsyncGenerator[AgentStreamResponse, None]:
    """Mark an answer that reports what is withheld, so that no later message has a model told it.

    It comes whole, as what is left halfway is remembered without a mark.
    """
    async for piece in pieces:
        whole = piece.final_message
        if not kept.is_set():
            yield piece
        elif whole is not None:
            yield piece.model_copy(update={"final_message": withheld(whole)})
