"""Who works on a conversation now: one request at a time, among all processes of an installation."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sqlalchemy import Column, String, Table, Text, delete, update

from ai_engine.routing.messages import now_ms
from backend.store.keys import BIG_NUMBER, insert_unless_there, key_of
from backend.store.schema import METADATA

if TYPE_CHECKING:
    from backend.store.opening import Store

LEASES = Table(
    "chat_leases",
    METADATA,
    Column("conversation_id", Text, primary_key=True),
    Column("holder", String(64), nullable=False),
    Column("until_ms", BIG_NUMBER, nullable=False),
)


class ConversationLeases:
    """Leases that run out by themselves, so that a process that died holds nobody up for long.

    Its methods block for one statement or two, and raise StoreUnavailable; the clocks of several machines may differ by
    less than `lease_s`.

    Args:
        open_store: returns the app's store.
        lease_s: how long a lease lives without being renewed.
        clock_ms: milliseconds since 1970.
    """

    def __init__(
        self,
        open_store: Callable[[], Store],
        *,
        lease_s: float,
        clock_ms: Callable[[], int] = now_ms,
    ) -> None:
        self._open_store = open_store
        self._lease_ms = int(lease_s * 1_000)
        self._clock_ms = clock_ms

    def take(self, conversation_id: str, holder: str) -> bool:
        """Take a conversation that nobody holds; False while somebody does."""
        key, now_ms = key_of(conversation_id), self._clock_ms()
        row = {"conversation_id": key, "holder": holder, "until_ms": now_ms + self._lease_ms}
        with self._open_store().writing() as connection:
            connection.execute(delete(LEASES).where(LEASES.c.conversation_id == key, LEASES.c.until_ms <= now_ms))
            return insert_unless_there(connection, LEASES, row)

    def renew(self, conversation_id: str, holder: str) -> bool:
        """Hold on to it; False where it ran out and somebody else may have it."""
        mine = (LEASES.c.conversation_id == key_of(conversation_id)) & (LEASES.c.holder == holder)
        with self._open_store().writing() as connection:
            renewed = connection.execute(update(LEASES).where(mine).values(until_ms=self._clock_ms() + self._lease_ms))
            return renewed.rowcount == 1

    def give_back(self, conversation_id: str, holder: str) -> None:
        """Let the next one in; what is not held is left as it is."""
        mine = (LEASES.c.conversation_id == key_of(conversation_id)) & (LEASES.c.holder == holder)
        with self._open_store().writing() as connection:
            connection.execute(delete(LEASES).where(mine))
