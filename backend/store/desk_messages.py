"""The front desk's conversations in the app's store: one per user, session and agent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import (
    Column,
    Connection,
    ForeignKey,
    Index,
    Select,
    String,
    Table,
    Text,
    UniqueConstraint,
    bindparam,
    delete,
    insert,
    select,
    update,
)

from ai_engine.routing.messages import ConversationMessage, ParticipantRole, TimestampedMessage, now_ms
from ai_engine.routing.storage import ChatStorage, alternating, dropped_by_trimming, marked, plain
from backend.store.keys import BIG_NUMBER, insert_unless_there, key_of, read_key
from backend.store.schema import METADATA

if TYPE_CHECKING:
    from backend.store.opening import Store

_Made = TypeVar("_Made")

CONVERSATIONS = Table(
    "desk_conversations",
    METADATA,
    Column("id", BIG_NUMBER, primary_key=True),
    Column("user_id", Text, nullable=False),
    Column("session_id", Text, nullable=False),
    Column("agent_id", Text, nullable=False),
    Column("saved_ms", BIG_NUMBER, nullable=False),
    UniqueConstraint("user_id", "session_id", "agent_id"),
)
MESSAGES = Table(
    "desk_messages",
    METADATA,
    Column("id", BIG_NUMBER, primary_key=True),
    Column("conversation_id", BIG_NUMBER, ForeignKey(CONVERSATIONS.c.id, ondelete="CASCADE"), nullable=False),
    Column("role", String(16), nullable=False),
    Column("content", Text, nullable=False),
    Column("timestamp_ms", BIG_NUMBER, nullable=False),
    Index(None, "conversation_id", "id"),
)

_KEY = (CONVERSATIONS.c.user_id, CONVERSATIONS.c.session_id, CONVERSATIONS.c.agent_id)
_NEVER_EXPIRED_MS = -1

# Written once: to build a statement takes as long as to run it.
_CONVERSATION = (
    select(CONVERSATIONS.c.id, CONVERSATIONS.c.saved_ms)
    .where(*(column == bindparam(f"key_{place}") for place, column in enumerate(_KEY)))
    .with_for_update()
)
_TURNS = (
    select(MESSAGES.c.role, MESSAGES.c.content, MESSAGES.c.timestamp_ms)
    .where(MESSAGES.c.conversation_id == bindparam("conversation"))
    .order_by(MESSAGES.c.id)
)
_ADD = insert(MESSAGES)
_SAVED = update(CONVERSATIONS).where(CONVERSATIONS.c.id == bindparam("conversation")).values(saved_ms=bindparam("now"))


def _turns_of_keys(length: int) -> Select[Any]:
    """All turns of the conversations whose key begins with so many ids, in the order of saving."""
    return (
        select(CONVERSATIONS.c.agent_id, MESSAGES.c.role, MESSAGES.c.content, MESSAGES.c.timestamp_ms)
        .join(MESSAGES, MESSAGES.c.conversation_id == CONVERSATIONS.c.id)
        .where(*(column == bindparam(f"key_{place}") for place, column in enumerate(_KEY[:length])))
        .where(CONVERSATIONS.c.saved_ms > bindparam("since"))
        .order_by(MESSAGES.c.id)
    )


_OF_SESSION, _OF_AGENT = _turns_of_keys(2), _turns_of_keys(3)


class SqlChatStorage(ChatStorage):
    """A ChatStorage for all processes of an installation.

    A save locks its conversation, so that what is last stays last until the new turns are there.

    Args:
        store: the app's store.
        ttl_s: a conversation expires so many seconds after its last turn.
        threads: calls that wait for the store at the same time; no more than it has connections.
        clock_ms: milliseconds since 1970.
    """

    def __init__(
        self, store: Store, *, ttl_s: float | None = None, threads: int = 4, clock_ms: Callable[[], int] = now_ms
    ) -> None:
        self._store = store
        self._ttl_ms = None if ttl_s is None else int(ttl_s * 1_000)
        self._clock_ms = clock_ms
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="desk-messages")

    async def save_chat_messages(
        self,
        user_id: str,
        session_id: str,
        agent_id: str,
        new_messages: Sequence[ConversationMessage],
        max_history_size: int | None = None,
    ) -> list[ConversationMessage]:
        """See ChatStorage.

        Raises:
            BadQuestion: an id is longer than 200 characters; StoreUnavailable as all methods do.
        """
        key = _key(user_id, session_id, agent_id)
        return await self._run(self._save, key, tuple(new_messages), max_history_size)

    async def fetch_chat(
        self, user_id: str, session_id: str, agent_id: str, max_history_size: int | None = None
    ) -> list[ConversationMessage]:
        """See ChatStorage."""
        return await self._run(self._fetch, _key(user_id, session_id, agent_id), max_history_size)

    async def fetch_all_chats(self, user_id: str, session_id: str) -> list[ConversationMessage]:
        """See ChatStorage."""
        return await self._run(self._fetch_all, _key(user_id, session_id))

    def close(self) -> None:
        """Wait for the calls under way; the store stays open."""
        self._threads.shutdown()

    async def _run(self, work: Callable[..., _Made], *given: Any) -> _Made:
        return await asyncio.get_running_loop().run_in_executor(self._threads, partial(work, *given))

    def _save(
        self, key: tuple[str, ...], new: Sequence[ConversationMessage], max_pairs: int | None
    ) -> list[ConversationMessage]:
        with self._store.writing() as connection:
            conversation_id = self._locked(connection, key)
            turns = [_message(*row) for row in connection.execute(_TURNS, {"conversation": conversation_id})]
            added = alternating(turns[-1].role if turns else None, new)
            rows = [
                {
                    "conversation_id": conversation_id,
                    "role": message.role.value,
                    "content": json.dumps(message.content, default=str),
                    "timestamp_ms": message.timestamp,
                }
                for message in added
            ]
            if rows:
                connection.execute(_ADD, rows)
                connection.execute(_SAVED, {"conversation": conversation_id, "now": self._clock_ms()})
            whole = [plain(message) for message in (*turns, *added)]
            gone = dropped_by_trimming([turn.role for turn in whole], max_pairs) if added else 0
            if gone:
                self._trim(connection, conversation_id, len(whole) - gone)
        return whole[gone:]

    def _locked(self, connection: Connection, key: tuple[str, ...]) -> int:
        """Return the conversation, made where there is none, emptied where it expired; this transaction's alone."""
        found = connection.execute(_CONVERSATION, _named(key)).one_or_none()
        if found is None:
            columns = dict(zip((column.name for column in _KEY), key, strict=True))
            insert_unless_there(connection, CONVERSATIONS, {**columns, "saved_ms": self._clock_ms()})
            found = connection.execute(_CONVERSATION, _named(key)).one()
        if self._ttl_ms is not None and self._clock_ms() - found.saved_ms >= self._ttl_ms:
            connection.execute(delete(MESSAGES).where(MESSAGES.c.conversation_id == found.id))
        return int(found.id)

    def _trim(self, connection: Connection, conversation_id: int, kept: int) -> None:
        newest = (
            select(MESSAGES.c.id)
            .where(MESSAGES.c.conversation_id == conversation_id)
            .order_by(MESSAGES.c.id.desc())
            .limit(kept)
        )
        connection.execute(
            delete(MESSAGES).where(MESSAGES.c.conversation_id == conversation_id, MESSAGES.c.id.not_in(newest))
        )

    def _fetch(self, key: tuple[str, ...], max_pairs: int | None) -> list[ConversationMessage]:
        turns = [plain(turn) for _, turn in self._found(key)]
        return turns[dropped_by_trimming([turn.role for turn in turns], max_pairs) :]

    def _fetch_all(self, key: tuple[str, ...]) -> list[ConversationMessage]:
        found = sorted(self._found(key), key=lambda one: one[1].timestamp)  # stable: ids decide between equals
        return [marked(agent_id, turn) for agent_id, turn in found]

    def _found(self, key: tuple[str, ...]) -> list[tuple[str, TimestampedMessage]]:
        """Return agent and turn of all messages whose conversation begins with a key, in the order of saving."""
        since = _NEVER_EXPIRED_MS if self._ttl_ms is None else self._clock_ms() - self._ttl_ms
        rows = self._store.rows(_OF_AGENT if len(key) == len(_KEY) else _OF_SESSION, {**_named(key), "since": since})
        return [(read_key(row.agent_id), _message(row.role, row.content, row.timestamp_ms)) for row in rows]


def _named(key: tuple[str, ...]) -> dict[str, Any]:
    return {f"key_{place}": part for place, part in enumerate(key)}


def _message(role: str, content: str, timestamp_ms: int) -> TimestampedMessage:
    return TimestampedMessage(role=ParticipantRole(role), content=json.loads(content), timestamp=timestamp_ms)


def _key(*parts: str) -> tuple[str, ...]:
    return tuple(map(key_of, parts))
