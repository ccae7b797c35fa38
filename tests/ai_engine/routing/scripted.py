"""A conversing model and agents that do as told, for the front desk's tests."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from ai_engine.errors import QueryStopped
from ai_engine.routing import (
    AgentStreamResponse,
    ChatTurn,
    ClassifierResult,
    ConversationMessage,
    ModelReply,
    ParticipantRole,
    Piece,
    RoutedAgent,
    ToolCall,
    ToolSpec,
)


def assistant(text: str) -> ConversationMessage:
    return ConversationMessage.of(ParticipantRole.ASSISTANT, text)


def calls(*made: tuple[str, str]) -> ModelReply:
    """A reply that wants tools called: (name, arguments) each."""
    wanted = tuple(ToolCall(f"tool_{place}", name, text) for place, (name, text) in enumerate(made, 1))
    return ModelReply(calls=wanted, input_tokens=10, output_tokens=2)


class ScriptedConversation:
    """Gives replies in order and records what it was told; a string is streamed word by word, None waits for a stop."""

    def __init__(self, *replies: str | ModelReply | Exception | None) -> None:
        self._replies = list(replies)
        self.systems: list[str] = []
        self.asked: list[tuple[ChatTurn, ...]] = []
        self.tools: list[tuple[ToolSpec, ...]] = []
        self.stopped = threading.Event()

    def converse(
        self,
        system: str,
        turns: Sequence[ChatTurn],
        tools: Sequence[ToolSpec] = (),
        *,
        on_piece: Callable[[Piece], None] | None = None,
        stop: threading.Event,
    ) -> ModelReply:
        self.systems.append(system)
        self.asked.append(tuple(turns))
        self.tools.append(tuple(tools))
        if not self._replies:
            raise AssertionError("no reply is left")
        reply = self._replies.pop(0)
        if reply is None:
            if on_piece is not None:
                on_piece(Piece("I began"))
            if stop.wait(20):
                self.stopped.set()
            raise QueryStopped
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, ModelReply):
            return reply
        if on_piece is not None:
            for place, word in enumerate(reply.split(" ")):
                on_piece(Piece(word if place == 0 else f" {word}"))
        return ModelReply(reply, input_tokens=245, output_tokens=32)


class Told(RoutedAgent):
    """Answers as told, after a while, and records what it was given."""

    def __init__(self, name: str, *answers: Any, waits_s: float = 0.0, **described: Any) -> None:
        super().__init__(name, described.pop("description", f"Does {name}."), **described)
        self._answers = list(answers)
        self._waits_s = waits_s
        self.given: list[tuple[str, list[str], dict[str, Any]]] = []
        self.worked: list[tuple[float, float]] = []

    async def process_request(
        self,
        input_text: str,
        user_id: str,
        session_id: str,
        chat_history: Sequence[ConversationMessage],
        additional_params: dict[str, Any] | None = None,
    ) -> Any:
        self.given.append((input_text, [turn.text for turn in chat_history], dict(additional_params or {})))
        started = time.monotonic()
        await asyncio.sleep(self._waits_s)
        self.worked.append((started, time.monotonic()))
        answer = self._answers.pop(0) if self._answers else f"{self.name} answers"
        if isinstance(answer, Exception):
            raise answer
        if self.streaming:
            return pieces(*answer)
        return assistant(answer) if isinstance(answer, str) else answer


async def pieces(*given: str | AgentStreamResponse | Exception) -> Any:
    for piece in given:
        if isinstance(piece, Exception):
            raise piece
        yield AgentStreamResponse(text=piece) if isinstance(piece, str) else piece


class Chooser:
    """Chooses as told and records what it was asked; an exception is raised."""

    def __init__(self, *choices: str | Exception | None, confidence: float = 0.95) -> None:
        self._choices = list(choices)
        self._confidence = confidence
        self.asked: list[tuple[str, list[str]]] = []

    async def classify(
        self, input_text: str, chat_history: Sequence[ConversationMessage], agents: dict[str, RoutedAgent]
    ) -> ClassifierResult:
        self.asked.append((input_text, [turn.text for turn in chat_history]))
        choice = self._choices.pop(0)
        if isinstance(choice, Exception):
            raise choice
        if choice is None:
            return ClassifierResult(None)
        return ClassifierResult(agents[choice], self._confidence)
