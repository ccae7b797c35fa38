"""One budget of tokens for a request: whoever asks the language model draws from it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from pydantic import BaseModel

from ai_engine.context.tokens import estimated_tokens
from ai_engine.conversation import ChatTurn, LanguageModel, ModelReply, Piece, ToolSpec
from ai_engine.errors import ModelUnavailable
from ai_engine.prompts.loader import Messages

_Reply = TypeVar("_Reply", bound=BaseModel)
_Made = TypeVar("_Made")


class TokenBudget:
    """Tokens that a request may still spend; safe to share between threads."""

    def __init__(self, max_tokens: int) -> None:
        self._lock = threading.Lock()
        self._max_tokens = max_tokens
        self._spent = 0

    @property
    def left(self) -> int:
        """What may still be spent; not below 0."""
        with self._lock:
            return max(0, self._max_tokens - self._spent)

    def spend(self, tokens: int) -> None:
        """Note what was spent, which may be more than was left."""
        with self._lock:
            self._spent += tokens

    def take(self, tokens: int) -> None:
        """Spend what a request costs.

        Raises:
            ModelUnavailable: so much is not left.
        """
        with self._lock:
            if self._spent + tokens > self._max_tokens:
                raise ModelUnavailable(f"the request's budget of {self._max_tokens:,} tokens is spent")
            self._spent += tokens


class MeteredModel(LanguageModel):
    """A language model that draws from a budget, by `estimated_tokens` where the service tells no counts."""

    def __init__(self, model: LanguageModel, budget: TokenBudget) -> None:
        self._model = model
        self._budget = budget

    def ask(
        self, messages: Messages, shape: type[_Reply], make: Callable[[_Reply], _Made], *, stop: threading.Event
    ) -> _Made:
        """See ChatModel; every reply that is read counts, those that are sent back too."""
        self._budget.take(estimated_tokens(messages.system + messages.user))

        def counted(reply: _Reply) -> _Made:
            self._budget.spend(estimated_tokens(reply.model_dump_json(exclude_unset=True)))
            return make(reply)

        return self._model.ask(messages, shape, counted, stop=stop)

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
        asked = estimated_tokens(system + "".join(turn.text for turn in turns))
        self._budget.take(asked)
        reply = self._model.converse(system, turns, tools, on_piece=on_piece, stop=stop)
        self._budget.spend(max(0, reply.input_tokens - asked))
        self._budget.spend(reply.output_tokens or estimated_tokens(reply.text + reply.thinking))
        return reply
