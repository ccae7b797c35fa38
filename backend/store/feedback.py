"""What people said of answers, right or wrong, and why; for those who look after vocabulary and verified answers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from sqlalchemy import (
    Column,
    Connection,
    Index,
    RowMapping,
    Select,
    String,
    Table,
    Text,
    delete,
    insert,
    select,
    update,
)

from backend.store.schema import METADATA, UtcTime

Verdict: TypeAlias = Literal["right", "wrong"]

FEEDBACK = Table(
    "answer_feedback",
    METADATA,
    Column("id", String(32), primary_key=True),
    Column("database", Text, nullable=False),
    Column("question_id", String(64), nullable=False),
    Column("verdict", String(5), nullable=False),
    Column("reason", Text, nullable=False),
    Column("question", Text, nullable=False),
    Column("restatement", Text, nullable=False),
    Column("sql", Text, nullable=False),
    Column("said_by", String(200), nullable=False),
    Column("said_at", UtcTime(), nullable=False),
    Column("settled_by", String(200), nullable=False, default=""),
    Column("settled_at", UtcTime()),
)
Index("ix_answer_feedback_of_database", FEEDBACK.c.database, FEEDBACK.c.said_at)


@dataclass(frozen=True, slots=True)
class Feedback:
    """What one person said of one answer.

    Attributes:
        question_id: what the answer's lines in the log bear.
        reason: in the person's words; may be empty.
        restatement: the question as it was understood.
        sql: the statement that ran, empty where none did.
        settled_by: who has dealt with it; empty while it is open.
    """

    id: str
    question_id: str
    verdict: Verdict
    reason: str
    question: str
    restatement: str
    sql: str
    said_by: str
    said_at: datetime
    settled_by: str = ""
    settled_at: datetime | None = None


def keep(connection: Connection, database: str, given: Feedback) -> None:
    """Keep what a person says of an answer, in place of what the same person said of it before."""
    same = (FEEDBACK.c.question_id == given.question_id) & (FEEDBACK.c.said_by == given.said_by)
    connection.execute(delete(FEEDBACK).where((FEEDBACK.c.database == database) & same))
    row = {
        "id": given.id, "database": database, "question_id": given.question_id, "verdict": given.verdict,
        "reason": given.reason, "question": given.question, "restatement": given.restatement, "sql": given.sql,
        "said_by": given.said_by, "said_at": given.said_at,
    }  # fmt: skip
    connection.execute(insert(FEEDBACK), [row])


def of_answer(connection: Connection, database: str, question_id: str, who: str) -> Feedback | None:
    """Return what this person said of an answer."""
    asked = (FEEDBACK.c.question_id == question_id) & (FEEDBACK.c.said_by == who)
    found = _rows(connection, select(FEEDBACK).where((FEEDBACK.c.database == database) & asked))
    return found[0] if found else None


def listed(connection: Connection, database: str, most: int, *, only_open: bool = False) -> list[Feedback]:
    """Return what was said of answers from a database, the newest first."""
    wanted = select(FEEDBACK).where(FEEDBACK.c.database == database)
    wanted = wanted.where(FEEDBACK.c.settled_by == "") if only_open else wanted
    return _rows(connection, wanted.order_by(FEEDBACK.c.said_at.desc(), FEEDBACK.c.id).limit(most))


def settle(connection: Connection, database: str, feedback_id: str, who: str, when: datetime) -> bool:
    """Note that somebody has dealt with it; False where nothing of that id is open."""
    still_open = (FEEDBACK.c.id == feedback_id) & (FEEDBACK.c.settled_by == "")
    done = connection.execute(
        update(FEEDBACK).where((FEEDBACK.c.database == database) & still_open).values(settled_by=who, settled_at=when)
    )
    return done.rowcount == 1


def _rows(connection: Connection, wanted: Select[tuple[object, ...]]) -> list[Feedback]:
    return [_said(row) for row in connection.execute(wanted).mappings()]


def _said(row: RowMapping) -> Feedback:
    return Feedback(
        row["id"], row["question_id"], row["verdict"], row["reason"], row["question"], row["restatement"], row["sql"],
        row["said_by"], row["said_at"], row["settled_by"], row["settled_at"],
    )  # fmt: skip
