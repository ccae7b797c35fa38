"""What people have said of columns that an inferred vocabulary was unsure of, by database; the last word counts."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sqlalchemy import Column, Connection, String, Table, Text, delete, insert, select

from ai_engine.errors import AssistantError
from ai_engine.semantics.infer.doubts import ColumnAnswer
from backend.store.schema import METADATA, UtcTime

if TYPE_CHECKING:
    from backend.store.opening import Store

_log = logging.getLogger(__name__)

ANSWERS = Table(
    "column_answers",
    METADATA,
    Column("database", Text, primary_key=True),
    Column("dataset", String(200), primary_key=True),
    Column("field", String(200), primary_key=True),
    Column("asked", String(20), primary_key=True),
    Column("answer", String(200), nullable=False),
    Column("said_by", String(200), nullable=False),
    Column("said_at", UtcTime(), nullable=False),
)


def keep(connection: Connection, database: str, answers: Sequence[ColumnAnswer], who: str) -> None:
    """Keep answers in place of earlier ones to the same questions."""
    for one in answers:
        _drop(connection, database, one)
        row = {
            "database": database, "dataset": one.dataset, "field": one.field, "asked": one.asked, "answer": one.answer,
            "said_by": who, "said_at": datetime.now(UTC),
        }  # fmt: skip
        connection.execute(insert(ANSWERS), [row])


def of(connection: Connection, database: str) -> tuple[ColumnAnswer, ...]:
    """Return the answers about a database, in a settled order."""
    kept = select(ANSWERS).where(ANSWERS.c.database == database)
    rows = connection.execute(kept.order_by(ANSWERS.c.dataset, ANSWERS.c.field, ANSWERS.c.asked)).mappings()
    return tuple(ColumnAnswer(row["dataset"], row["field"], row["asked"], row["answer"]) for row in rows)


def kept_answers(store: Callable[[], Store], database: str) -> tuple[ColumnAnswer, ...] | None:
    """Return the answers about a database; None where the store is away, which the log says."""
    try:
        with store().reading() as connection:
            return of(connection, database)
    except AssistantError as fault:
        _log.warning("answers about columns cannot be looked up: %s", fault)
        return None


def forget(connection: Connection, database: str) -> None:
    """Drop all of a database that is removed."""
    connection.execute(delete(ANSWERS).where(ANSWERS.c.database == database))


def _drop(connection: Connection, database: str, one: ColumnAnswer) -> None:
    same = (ANSWERS.c.dataset == one.dataset) & (ANSWERS.c.field == one.field) & (ANSWERS.c.asked == one.asked)
    connection.execute(delete(ANSWERS).where((ANSWERS.c.database == database) & same))
