"""How often words of questions were not understood: the words alone, never who asked nor what else was asked."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from sqlalchemy import Column, Connection, Integer, String, Table, Text, delete, func, insert, select, update

from backend.store.schema import METADATA, UtcTime

UNKNOWN_WORDS = Table(
    "unknown_words",
    METADATA,
    Column("database", Text, primary_key=True),
    Column("word", String(60), primary_key=True),
    Column("asked", Integer, nullable=False),
    Column("last_at", UtcTime(), nullable=False),
)
_ROWS = UNKNOWN_WORDS.c


def count(connection: Connection, database: str, words: Iterable[str], most: int) -> None:
    """Count each word once more; beyond `most` words those asked for least, and longest ago, make way."""
    now = datetime.now(UTC)
    for word in dict.fromkeys(words):
        here = (_ROWS.database == database) & (_ROWS.word == word)
        again = update(UNKNOWN_WORDS).where(here).values(asked=_ROWS.asked + 1, last_at=now)
        if connection.execute(again).rowcount:
            continue
        row = {"database": database, "word": word, "asked": 1, "last_at": now}
        connection.execute(insert(UNKNOWN_WORDS), [row])
    kept = connection.scalar(select(func.count()).select_from(UNKNOWN_WORDS).where(_ROWS.database == database)) or 0
    if kept > most:
        least = select(_ROWS.word).where(_ROWS.database == database).order_by(_ROWS.asked, _ROWS.last_at)
        forgotten = list(connection.scalars(least.limit(kept - most)))
        connection.execute(delete(UNKNOWN_WORDS).where((_ROWS.database == database) & _ROWS.word.in_(forgotten)))


def most_asked(connection: Connection, database: str, most: int, at_least: int) -> list[tuple[str, int]]:
    """Return the words that were asked for most often, with how often."""
    wanted = select(_ROWS.word, _ROWS.asked).where((_ROWS.database == database) & (_ROWS.asked >= at_least))
    rows = connection.execute(wanted.order_by(_ROWS.asked.desc(), _ROWS.last_at.desc()).limit(most))
    return [(row.word, row.asked) for row in rows]


def forget(connection: Connection, database: str, words: Iterable[str]) -> None:
    """Count words no more that are understood now."""
    connection.execute(delete(UNKNOWN_WORDS).where((_ROWS.database == database) & _ROWS.word.in_(list(words))))
