"""What a team's lead was told, and answers that it may not be told: they reach the person as they are, past it."""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from dataclasses import dataclass, field

from ai_engine.conversation import ChatTurn, ConversationModel, ModelReply, Piece, ToolSpec
from ai_engine.routing.messages import AgentStreamResponse, ConversationMessage, resting_on, withheld


@dataclass
class ToldToLead:
    """What the lead of a team was told for one message.

    Attributes:
        is_withheld: an answer of a member is among it that no language model may be told.
        statements: what it rests on, in order.
    """

    is_withheld: bool = False
    statements: dict[str, None] = field(default_factory=dict)

    def take(self, turns: Iterable[ConversationMessage]) -> None:
        """Note turns that are told now, of today or before."""
        for turn in turns:
            self.statements.update(dict.fromkeys(turn.statements or ()))


class ReportedWhereWithheld:
    """A ConversationModel that is asked until a member gave what it may not be told, and reports the answers then.

    Args:
        model: leads.
        told: what it has been told.
    """

    def __init__(self, model: ConversationModel, told: ToldToLead) -> None:
        self._model = model
        self._told = told

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
        if not self._told.is_withheld:
            return self._model.converse(system, turns, tools, on_piece=on_piece, stop=stop)
        found = "\n\n".join(turn.text for turn in turns if turn.role == "tool")
        if on_piece is not None:
            on_piece(Piece(found))
        return ModelReply(found)


async def marked(
    pieces: AsyncGenerator[AgentStreamResponse, None], told: ToldToLead
) -> AsyncGenerator[AgentStreamResponse, None]:
    """Note at an answer what it rests on, and mark one that reports what is withheld: no later message tells it.

    Such a one comes whole, as what is left halfway is remembered without a mark.
    """
    async for piece in pieces:
        whole = piece.final_message
        if whole is not None:
            noted = resting_on(whole, told.statements) if told.statements else whole
            yield piece.model_copy(update={"final_message": withheld(noted) if told.is_withheld else noted})
        elif not told.is_withheld:
            yield piece.model_copy(update={"statements": tuple(told.statements)})
