"""The front desk's conversations in the app's store: one per user, session and agent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
    delete,
    insert,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from ai_engine.errors import BadQuestion
from ai_engine.routing.messages import ConversationMessage, ParticipantRole, TimestampedMessage, now_ms
from ai_engine.routing.storage import alternating, dropped_by_trimming, marked, plain
from backend.store.schema import METADATA

if TYPE_CHECKING:
    from backend.store.opening import Store

_Made = TypeVar("_Made")
_MOST_KEY_CHARS = 200
_BIG = BigInteger().with_variant(Integer, "sqlite")  # SQLite numbers rows by itself in an INTEGER key alone

CONVERSATIONS = Table(
    "desk_conversations",
    METADATA,
    Column("id", _BIG, primary_key=True),
    Column("user_id", Text, nullable=False),
    Column("session_id", Text, nullable=False),
    Column("agent_id", Text, nullable=False),
    Column("saved_ms", _BIG, nullable=False),
    UniqueConstraint("user_id", "session_id", "agent_id"),
)
MESSAGES = Table(
    "desk_messages",
    METADATA,
    Column("id", _BIG, primary_key=True),
    Column("conversation_id", _BIG, ForeignKey(CONVERSATIONS.c.id, ondelete="CASCADE"), nullable=False),
    Column("role", String(16), nullable=False),
    Column("content", Text, nullable=False),
    Column("timestamp_ms", _BIG, nullable=False),
    Index(None, "conversation_id", "id"),
)


class SqlChatStorage:
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

    async def save_chat_message(
        self,
        user_id: str,
        session_id: str,
        agent_id: str,
        new_message: ConversationMessage,
        max_history_size: int | None = None,
    ) -> list[ConversationMessage]:
        """See ChatStorage."""
        return await self.save_chat_messages(user_id, session_id, agent_id, [new_message], max_history_size)

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
            turns = _turns(connection, conversation_id)
            added = alternating(turns[-1][1].role if turns else None, new)
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
                connection.execute(insert(MESSAGES), rows)
                connection.execute(
                    update(CONVERSATIONS).where(CONVERSATIONS.c.id == conversation_id).values(saved_ms=self._clock_ms())
                )
            whole = [plain(message) for message in (*(turn for _, turn in turns), *added)]
            gone = dropped_by_trimming([turn.role for turn in whole], max_pairs) if added else 0
            if gone:
                self._trim(connection, conversation_id, len(whole) - gone)
        return whole[gone:]

    def _locked(self, connection: Connection, key: tuple[str, ...]) -> int:
        """Return the conversation, made where there is none, emptied where it expired; this transaction's alone."""
        columns = dict(zip(("user_id", "session_id", "agent_id"), key, strict=True))
        dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
        row = {**columns, "saved_ms": self._clock_ms()}
        connection.execute(dialect.insert(CONVERSATIONS).values(row).on_conflict_do_nothing())
        found = connection.execute(
            select(CONVERSATIONS.c.id, CONVERSATIONS.c.saved_ms).filter_by(**columns).with_for_update()
        ).one()
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
        columns = (CONVERSATIONS.c.user_id, CONVERSATIONS.c.session_id, CONVERSATIONS.c.agent_id)
        query = (
            select(CONVERSATIONS.c.agent_id, MESSAGES.c.role, MESSAGES.c.content, MESSAGES.c.timestamp_ms)
            .join(MESSAGES, MESSAGES.c.conversation_id == CONVERSATIONS.c.id)
            .where(*(column == value for column, value in zip(columns, key, strict=False)))
            .order_by(MESSAGES.c.id)
        )
        if self._ttl_ms is not None:
            query = query.where(CONVERSATIONS.c.saved_ms > self._clock_ms() - self._ttl_ms)
        with self._store.reading() as connection:
            return [(_read(agent_id), _message(*rest)) for agent_id, *rest in connection.execute(query)]


def _turns(connection: Connection, conversation_id: int) -> list[tuple[int, TimestampedMessage]]:
    rows = connection.execute(
        select(MESSAGES.c.id, MESSAGES.c.role, MESSAGES.c.content, MESSAGES.c.timestamp_ms)
        .where(MESSAGES.c.conversation_id == conversation_id)
        .order_by(MESSAGES.c.id)
    )
    return [(place, _message(*rest)) for place, *rest in rows]


def _message(role: str, content: str, timestamp_ms: int) -> TimestampedMessage:
    return TimestampedMessage(role=ParticipantRole(role), content=json.loads(content), timestamp=timestamp_ms)


def _key(*parts: str) -> tuple[str, ...]:
    """Write ids as any database takes them: NUL and lone surrogates, which some refuse, are spelled out.

    Raises:
        BadQuestion: one is longer than an index takes.
    """
    for part in parts:
        if len(part) > _MOST_KEY_CHARS:
            raise BadQuestion(f"An id has {len(part):,} characters; at most {_MOST_KEY_CHARS} are kept.")
    return tuple(
        "".join(json.dumps(char)[1:-1] if char in "\\\0" or "\ud800" <= char <= "\udfff" else char for char in part)
        for part in parts
    )


def _read(text: str) -> str:
    """Return an id as it was before `_key`."""
    return text if "\\" not in text else str(json.loads('"' + text.replace('"', '\\"') + '"', strict=False))
