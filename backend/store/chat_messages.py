"""The chat's conversations in the app's store: messages with what came of them, and a running summary."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import Column, Connection, ForeignKey, Index, Integer, String, Table, Text, insert, select, update

from ai_engine.chat_history import ChatMessage, RunningSummary
from backend.store.keys import BIG_NUMBER, insert_unless_there, key_of, written
from backend.store.schema import METADATA, UtcTime

if TYPE_CHECKING:
    from backend.store.opening import Store

_Made = TypeVar("_Made")
_FIELDS = {"tools": "[]", "citations": "[]", "contents": "[]", "missing": "[]", "decisions": "[]", "workflow": "null"}
"""Kept as JSON text: by name, what a row of an earlier version has."""

CONVERSATIONS = Table(
    "chat_conversations",
    METADATA,
    Column("id", BIG_NUMBER, primary_key=True),
    Column("conversation_id", Text, nullable=False, unique=True),
    Column("summary", Text, nullable=False, server_default=""),
    Column("summarised_messages", Integer, nullable=False, server_default="0"),
    Column("summary_closed", String(20), nullable=False, server_default=""),
)
MESSAGES = Table(
    "chat_messages",
    METADATA,
    Column("id", BIG_NUMBER, primary_key=True),
    Column("conversation", BIG_NUMBER, ForeignKey(CONVERSATIONS.c.id, ondelete="CASCADE"), nullable=False),
    Column("role", String(16), nullable=False),
    Column("content", Text, nullable=False),
    Column("request_id", Text, nullable=False),
    Column("status", String(16), nullable=False),
    Column("action", String(32), nullable=False),
    *(Column(name, Text, nullable=False, server_default=unset) for name, unset in _FIELDS.items()),
    Column("made_at", UtcTime, nullable=False),
    Index(None, "conversation", "id"),
)


class SqlChatHistory:
    """A ChatHistory for all processes of an installation.

    Args:
        store: the app's store.
        threads: calls that wait for the store at the same time; no more than it has connections.
    """

    def __init__(self, store: Store, *, threads: int = 4) -> None:
        self._store = store
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="chat-history")

    async def add(self, conversation_id: str, messages: Sequence[ChatMessage]) -> None:
        """See ChatHistory."""
        await self._run(self._add, key_of(conversation_id), tuple(messages))

    async def messages(self, conversation_id: str, last: int | None = None) -> list[ChatMessage]:
        """See ChatHistory."""
        return await self._run(self._messages, key_of(conversation_id), last)

    async def summary(self, conversation_id: str) -> RunningSummary:
        """See ChatHistory."""
        return await self._run(self._summary, key_of(conversation_id))

    async def keep_summary(self, conversation_id: str, summary: RunningSummary) -> None:
        """See ChatHistory."""
        await self._run(self._keep_summary, key_of(conversation_id), summary)

    def close(self) -> None:
        """Wait for the calls under way; the store stays open."""
        self._threads.shutdown()

    async def _run(self, work: Callable[..., _Made], *given: Any) -> _Made:
        return await asyncio.get_running_loop().run_in_executor(self._threads, partial(work, *given))

    def _add(self, key: str, messages: Sequence[ChatMessage]) -> None:
        with self._store.writing() as connection:
            conversation = _conversation(connection, key)
            rows = [{"conversation": conversation, **_row(message)} for message in messages]
            if rows:
                connection.execute(insert(MESSAGES), rows)

    def _messages(self, key: str, last: int | None) -> list[ChatMessage]:
        query = (
            select(MESSAGES)
            .join(CONVERSATIONS, MESSAGES.c.conversation == CONVERSATIONS.c.id)
            .where(CONVERSATIONS.c.conversation_id == key)
            .order_by(MESSAGES.c.id.desc())
            .limit(last)
        )
        with self._store.reading() as connection:
            rows = connection.execute(query).mappings().all()
        return [_message(dict(row)) for row in reversed(rows)]

    def _summary(self, key: str) -> RunningSummary:
        columns = (CONVERSATIONS.c.summary, CONVERSATIONS.c.summarised_messages, CONVERSATIONS.c.summary_closed)
        with self._store.reading() as connection:
            found = connection.execute(select(*columns).where(CONVERSATIONS.c.conversation_id == key)).first()
        return RunningSummary() if found is None else RunningSummary(text=found[0], messages=found[1], closed=found[2])

    def _keep_summary(self, key: str, summary: RunningSummary) -> None:
        with self._store.writing() as connection:
            conversation = _conversation(connection, key)
            connection.execute(
                update(CONVERSATIONS)
                .where(CONVERSATIONS.c.id == conversation, CONVERSATIONS.c.summarised_messages <= summary.messages)
                .values(
                    summary=written(summary.text), summarised_messages=summary.messages, summary_closed=summary.closed
                )
            )


def _conversation(connection: Connection, key: str) -> int:
    """Return a conversation's row, made where there is none; this transaction's alone, so that its order is one."""
    insert_unless_there(connection, CONVERSATIONS, {"conversation_id": key})
    query = select(CONVERSATIONS.c.id).where(CONVERSATIONS.c.conversation_id == key).with_for_update()
    found = connection.scalar(query)
    assert found is not None, "it was made above"  # noqa: S101
    return int(found)


def _row(message: ChatMessage) -> dict[str, Any]:
    fields = message.model_dump(mode="json", include=set(_FIELDS))
    return {
        "role": message.role,
        "content": written(message.content),
        "request_id": message.request_id,
        "status": message.status,
        "action": message.action,
        "made_at": message.made_at,
        **{name: json.dumps(fields[name]) for name in _FIELDS},
    }


def _message(row: dict[str, Any]) -> ChatMessage:
    fields = {name: json.loads(row[name]) for name in _FIELDS}
    return ChatMessage.model_validate({key: row[key] for key in ChatMessage.model_fields if key in row} | fields)
