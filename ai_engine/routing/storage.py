"""Where conversations are kept: the port, the rules that every storage keeps, and the one in memory."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Protocol, TypeAlias

from ai_engine.routing.messages import ConversationMessage, ParticipantRole, TimestampedMessage, now_ms

ConversationKey: TypeAlias = tuple[str, str, str]
"""User, session, agent id; any character is safe in each."""


class ChatStorage(Protocol):
    """Keeps the turns of each user, session and agent apart, and each conversation alternating between two roles.

    `max_history_size` counts pairs, a question with its answer; None keeps all. All methods may be called by any
    number of tasks, a call's messages are kept together, and a conversation that expired is as one that never was.
    """

    async def save_chat_message(
        self,
        user_id: str,
        session_id: str,
        agent_id: str,
        new_message: ConversationMessage,
        max_history_size: int | None = None,
    ) -> list[ConversationMessage]:
        """Add a turn, unless its role is that of the last one; returns the conversation."""
        return await self.save_chat_messages(user_id, session_id, agent_id, [new_message], max_history_size)

    async def save_chat_messages(
        self,
        user_id: str,
        session_id: str,
        agent_id: str,
        new_messages: Sequence[ConversationMessage],
        max_history_size: int | None = None,
    ) -> list[ConversationMessage]:
        """Add several, each under the same rule, all or none; returns the conversation."""
        ...

    async def fetch_chat(
        self, user_id: str, session_id: str, agent_id: str, max_history_size: int | None = None
    ) -> list[ConversationMessage]:
        """Return one agent's conversation, oldest turn first."""
        ...

    async def fetch_all_chats(self, user_id: str, session_id: str) -> list[ConversationMessage]:
        """Return the turns of all agents of a session by time, those of agents marked `[agent-id] `."""
        ...


def timestamped(message: ConversationMessage) -> TimestampedMessage:
    """Return a message with its time, now where it has none."""
    if isinstance(message, TimestampedMessage):
        return message
    return TimestampedMessage(role=message.role, content=message.content)


def alternating(last: ParticipantRole | None, new: Sequence[ConversationMessage]) -> list[TimestampedMessage]:
    """Return those of the new turns that may follow, each role after the other."""
    kept: list[TimestampedMessage] = []
    for message in new:
        if message.role != last:
            kept.append(timestamped(message))
            last = message.role
    return kept


def dropped_by_trimming(roles: Sequence[ParticipantRole], max_pairs: int | None) -> int:
    """Return how many of the oldest turns go, so that `max_pairs` questions stay, each with its answer if any."""
    if max_pairs is None:
        return 0
    questions = [place for place, role in enumerate(roles) if role is ParticipantRole.USER]
    if len(questions) <= max_pairs:
        return 0
    return questions[-max_pairs] if max_pairs > 0 else len(roles)


def marked(agent_id: str, message: ConversationMessage) -> ConversationMessage:
    """Write an agent's name before what it said, as histories of several agents have it."""
    if message.role is not ParticipantRole.ASSISTANT:
        return plain(message)
    spoke: list[dict[str, Any]] = [{"text": f"[{agent_id}] "}]
    said = [block for block in message.content if "text" in block]
    return ConversationMessage(role=ParticipantRole.ASSISTANT, content=[*spoke, *said])


def plain(message: ConversationMessage) -> ConversationMessage:
    """Return a turn without its time."""
    return ConversationMessage(role=message.role, content=message.content)


@dataclass
class _Kept:
    """One conversation; each turn with its place among all turns of the storage."""

    turns: list[tuple[int, TimestampedMessage]] = field(default_factory=list)
    saved_ms: int = 0


class InMemoryChatStorage(ChatStorage):
    """Keeps conversations in this process, the least recently used ones going first.

    Args:
        ttl_s: a conversation expires so many seconds after its last turn.
        max_conversations: more are not kept.
        clock_ms: milliseconds since 1970.
    """

    def __init__(
        self,
        *,
        ttl_s: float | None = None,
        max_conversations: int = 100_000,
        clock_ms: Callable[[], int] = now_ms,
    ) -> None:
        self._ttl_ms = None if ttl_s is None else ttl_s * 1_000
        self._max_conversations = max_conversations
        self._clock_ms = clock_ms
        self._kept: OrderedDict[ConversationKey, _Kept] = OrderedDict()
        self._sessions: dict[tuple[str, str], dict[str, None]] = {}
        self._places = count()

    async def save_chat_messages(
        self,
        user_id: str,
        session_id: str,
        agent_id: str,
        new_messages: Sequence[ConversationMessage],
        max_history_size: int | None = None,
    ) -> list[ConversationMessage]:
        """See ChatStorage; nothing is awaited, so that no other task comes between."""
        key = (user_id, session_id, agent_id)
        kept = self._alive(key) or _Kept()
        last = kept.turns[-1][1].role if kept.turns else None
        added = alternating(last, new_messages)
        if added:
            kept.turns += [(next(self._places), message) for message in added]
            del kept.turns[: dropped_by_trimming([turn.role for _, turn in kept.turns], max_history_size)]
            kept.saved_ms = self._clock_ms()
            self._keep(key, kept)
        return [plain(turn) for _, turn in kept.turns]

    async def fetch_chat(
        self, user_id: str, session_id: str, agent_id: str, max_history_size: int | None = None
    ) -> list[ConversationMessage]:
        """See ChatStorage."""
        kept = self._alive((user_id, session_id, agent_id))
        turns = [turn for _, turn in kept.turns] if kept else []
        return [plain(turn) for turn in turns[dropped_by_trimming([turn.role for turn in turns], max_history_size) :]]

    async def fetch_all_chats(self, user_id: str, session_id: str) -> list[ConversationMessage]:
        """See ChatStorage."""
        found = [
            (turn.timestamp, place, agent_id, turn)
            for agent_id in tuple(self._sessions.get((user_id, session_id), ()))
            if (kept := self._alive((user_id, session_id, agent_id))) is not None
            for place, turn in kept.turns
        ]
        found.sort(key=lambda one: one[:2])
        return [marked(agent_id, turn) for _, _, agent_id, turn in found]

    def _alive(self, key: ConversationKey) -> _Kept | None:
        kept = self._kept.get(key)
        if kept is None:
            return None
        if self._ttl_ms is not None and self._clock_ms() - kept.saved_ms >= self._ttl_ms:
            self._forget(key)
            return None
        self._kept.move_to_end(key)
        return kept

    def _keep(self, key: ConversationKey, kept: _Kept) -> None:
        self._kept[key] = kept
        self._kept.move_to_end(key)
        self._sessions.setdefault(key[:2], {})[key[2]] = None
        while len(self._kept) > self._max_conversations:
            self._forget(next(iter(self._kept)))

    def _forget(self, key: ConversationKey) -> None:
        del self._kept[key]
        agents = self._sessions[key[:2]]
        del agents[key[2]]
        if not agents:
            del self._sessions[key[:2]]


async def settled(save: asyncio.Future[list[ConversationMessage]]) -> None:
    """Wait until something is saved, even while whoever waits is being cancelled."""
    try:
        await asyncio.shield(save)
    except asyncio.CancelledError:
        await asyncio.wait({save})
        raise
