"""One question to one agent on its way to an answer, and into the agent's memory."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import cast

from ai_engine.routing.agent import RoutedAgent
from ai_engine.routing.config import ROUTING_FAILED, AgentSquadConfig
from ai_engine.routing.messages import (
    AgentStream,
    AgentStreamResponse,
    ConversationMessage,
    ParticipantRole,
    StoppedMessage,
    TimestampedMessage,
    interrupted,
    now_ms,
    resting_on,
)
from ai_engine.routing.storage import ChatStorage, settled


class Turn:
    """One question to one agent: keeps the question with its answer, whole or interrupted."""

    def __init__(
        self,
        storage: ChatStorage,
        config: AgentSquadConfig,
        logger: logging.Logger,
        agent: RoutedAgent,
        asked: TimestampedMessage,
        session: tuple[str, str],
    ) -> None:
        self._storage, self._config, self._logger = storage, config, logger
        self._agent, self._asked = agent, asked
        self._where = (*session, agent.id)

    async def save(self, answer: ConversationMessage) -> None:
        """Keep both in one step, even while being cancelled: one without the other would lose the next turn."""
        if isinstance(answer, StoppedMessage) or not self._agent.save_chat:
            return
        said = TimestampedMessage(role=ParticipantRole.ASSISTANT, content=answer.content, timestamp=now_ms())
        most = self._config.MAX_MESSAGE_PAIRS_PER_AGENT
        await settled(asyncio.ensure_future(self._storage.save_chat_messages(*self._where, [self._asked, said], most)))
        if self._config.LOG_AGENT_CHAT:
            self._logger.info("%s answered: %s", self._agent.id, answer.text)

    async def stream(self, pieces: AgentStream) -> AsyncGenerator[AgentStreamResponse, None]:
        """Pass pieces on at once; save when there are no more, then yield the one that has the whole."""
        said: list[str] = []
        thinking: list[str] = []
        last: AgentStreamResponse | None = None
        rests_on: tuple[str, ...] = ()
        saved = False
        try:
            async with aclosing(cast("AsyncGenerator[AgentStreamResponse, None]", pieces)):
                async for piece in pieces:
                    rests_on = piece.statements or rests_on
                    if piece.final_message is not None:
                        last = piece
                        continue
                    said.append(piece.text)
                    thinking.append(piece.thinking)
                    yield piece
            whole = last.final_message if last and last.final_message else _assistant("".join(said))
            saved = True
            await self.save(whole)
            thought = (last.final_thinking if last else None) or "".join(thinking) or None
            final = AgentStreamResponse(final_message=whole, final_thinking=thought)
        except Exception:
            self._logger.exception("the stream of %s broke off", self._agent.id)
            final = AgentStreamResponse(final_message=_assistant(agent_fault(self._config)))
            if not any(said):
                saved = True
        finally:
            if not saved:
                await self._save_interrupted("".join(said), rests_on)
        yield final

    async def _save_interrupted(self, said: str, rests_on: tuple[str, ...]) -> None:
        try:
            whole = interrupted(said)
            await self.save(resting_on(whole, rests_on) if rests_on else whole)
        except Exception:
            self._logger.exception("an interrupted answer of %s could not be kept", self._agent.id)


def agent_fault(config: AgentSquadConfig) -> str:
    """Return what a person is told when an agent fails."""
    return config.GENERAL_ROUTING_ERROR_MSG_MESSAGE or ROUTING_FAILED


def _assistant(text: str) -> ConversationMessage:
    return ConversationMessage.of(ParticipantRole.ASSISTANT, text)
