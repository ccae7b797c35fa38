"""Where checked answers are kept: one row each, never deleted, so that it stays known who checked and who retracted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Literal, TypeAlias

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Date,
    Index,
    RowMapping,
    String,
    Table,
    Text,
    insert,
    select,
    update,
)

from ai_engine.verified import VerifiedAnswer, intent_from_text, intent_to_text
from backend.store.schema import METADATA, UtcTime

State: TypeAlias = Literal["waiting", "verified", "retracted", "withdrawn"]

ANSWERS = Table(
    "verified_answers",
    METADATA,
    Column("id", String(32), primary_key=True),
    Column("database", Text, nullable=False),
    Column("state", String(12), nullable=False),
    Column("question", Text, nullable=False),
    Column("question_key", Text, nullable=False),
    Column("restatement", Text, nullable=False),
    Column("reading_key", Text, nullable=False),
    Column("intent", Text),
    Column("sql", Text, nullable=False),
    Column("as_of", Date, nullable=False),
    Column("fingerprint", String(32), nullable=False),
    Column("saved_by", String(200), nullable=False),
    Column("saved_at", UtcTime(), nullable=False),
    Column("confirmed_by", String(200), nullable=False, default=""),
    Column("confirmed_at", UtcTime()),
    Column("ended_by", String(200), nullable=False, default=""),
    Column("ended_at", UtcTime()),
    Column("reason", Text, nullable=False, default=""),
    Column("expires_on", Date),
    Column("result_hash", String(64), nullable=False, server_default=""),
)
Index("ix_verified_answers_of_database", ANSWERS.c.database, ANSWERS.c.state)


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """A row of the store.

    Attributes:
        state: `waiting` for a second person, `verified` and in use, `retracted` by a person, `withdrawn` because a
            table or column changed.
        question_key: what a question must share to be this one; empty for one that leaned on a conversation.
        reading_key: what a reading must share.
        fingerprint: of the tables and columns that the statement reads.
        reason: why it is no longer in use.
        expires_on: the last day (UTC) on which it is used, None for no such day.
        result_hash: of the rows that were checked, as `ai_engine.result_hash`; empty for answers of earlier versions.
    """

    answer: VerifiedAnswer
    state: State
    question_key: str
    reading_key: str
    fingerprint: str
    ended_by: str = ""
    reason: str = ""
    expires_on: date | None = None
    result_hash: str = ""

    @property
    def has_expired(self) -> bool:
        """Tell whether it would be in use but for its day."""
        return self.state in ("waiting", "verified") and self.expires_on is not None and self.expires_on < today()


def today() -> date:
    """Return the day by which answers expire."""
    return datetime.now(UTC).date()


def keep(connection: Connection, database: str, kept: KeptAnswer) -> None:
    """Add a row; what was in use for the same reading is superseded."""
    answer = kept.answer
    same = (ANSWERS.c.database == database) & (ANSWERS.c.reading_key == kept.reading_key)
    in_use = ANSWERS.c.state.in_(("waiting", "verified"))
    connection.execute(
        update(ANSWERS).where(same & in_use).values(
            state="retracted", ended_by=answer.saved_by, ended_at=answer.saved_at, reason="replaced by a newer one"
        )
    )  # fmt: skip
    row = {
        "id": answer.id, "database": database, "state": kept.state, "question": answer.question,
        "question_key": kept.question_key, "restatement": answer.restatement, "reading_key": kept.reading_key,
        "intent": intent_to_text(answer.intent), "sql": answer.sql, "as_of": answer.as_of,
        "fingerprint": kept.fingerprint, "saved_by": answer.saved_by, "saved_at": answer.saved_at,
        "confirmed_by": answer.confirmed_by, "expires_on": kept.expires_on, "result_hash": kept.result_hash,
    }  # fmt: skip
    connection.execute(insert(ANSWERS), [row])


def in_use(connection: Connection, database: str, most: int) -> list[KeptAnswer]:
    """Return what is verified about a database, the newest first."""
    verified = (ANSWERS.c.database == database) & (ANSWERS.c.state == "verified") & _still_used()
    return _rows(connection, select(ANSWERS).where(verified).order_by(ANSWERS.c.saved_at.desc()).limit(most))


def all_of(connection: Connection, database: str, most: int) -> list[KeptAnswer]:
    """Return everything that was ever kept about a database, the newest first."""
    wanted = select(ANSWERS).where(ANSWERS.c.database == database).order_by(ANSWERS.c.saved_at.desc()).limit(most)
    return _rows(connection, wanted)


def by_id(connection: Connection, database: str, answer_id: str) -> KeptAnswer | None:
    """Return one row, None where this database has none of that name."""
    found = _rows(connection, select(ANSWERS).where((ANSWERS.c.database == database) & (ANSWERS.c.id == answer_id)))
    return found[0] if found else None


def with_key(
    connection: Connection, database: str, *, reading: str = "", question: str = "", as_of: date
) -> list[KeptAnswer]:
    """Return the verified answers of a reading, or of a question: the newest first, that of `as_of` before others."""
    column, key = (ANSWERS.c.reading_key, reading) if reading else (ANSWERS.c.question_key, question)
    if not key:
        return []
    wanted = (ANSWERS.c.database == database) & (ANSWERS.c.state == "verified") & (column == key) & _still_used()
    ordered = select(ANSWERS).where(wanted).order_by((ANSWERS.c.as_of == as_of).desc(), ANSWERS.c.saved_at.desc())
    return _rows(connection, ordered.limit(5))


def confirm(connection: Connection, answer_id: str, who: str, when: datetime) -> bool:
    """Let a second person confirm what waits; False where nothing waits, or it waits for somebody else."""
    waiting = (ANSWERS.c.id == answer_id) & (ANSWERS.c.state == "waiting") & (ANSWERS.c.saved_by != who)
    done = connection.execute(
        update(ANSWERS).where(waiting).values(state="verified", confirmed_by=who, confirmed_at=when)
    )
    return done.rowcount == 1


def end(
    connection: Connection, answer_id: str, state: Literal["retracted", "withdrawn"], *, who: str, why: str,
    when: datetime,
) -> bool:  # fmt: skip
    """Take an answer out of use; False where it was not in use."""
    used = (ANSWERS.c.id == answer_id) & ANSWERS.c.state.in_(("waiting", "verified"))
    done = connection.execute(update(ANSWERS).where(used).values(state=state, ended_by=who, ended_at=when, reason=why))
    return done.rowcount == 1


def extend(connection: Connection, answer_id: str, expires_on: date | None, result_hash: str) -> bool:
    """Let an answer be used longer, with the rows that it gives now; False where it was taken out of use."""
    used = (ANSWERS.c.id == answer_id) & ANSWERS.c.state.in_(("waiting", "verified"))
    done = connection.execute(update(ANSWERS).where(used).values(expires_on=expires_on, result_hash=result_hash))
    return done.rowcount == 1


def _still_used() -> ColumnElement[bool]:
    return ANSWERS.c.expires_on.is_(None) | (ANSWERS.c.expires_on >= today())


def _rows(connection: Connection, wanted: object) -> list[KeptAnswer]:
    return [_kept(row) for row in connection.execute(wanted).mappings()]  # type: ignore[call-overload]


def _kept(row: RowMapping) -> KeptAnswer:
    answer = VerifiedAnswer(
        row["id"], row["question"], row["restatement"], row["sql"], intent_from_text(row["intent"]), row["as_of"],
        row["saved_by"], row["saved_at"], row["confirmed_by"],
    )  # fmt: skip
    return KeptAnswer(
        answer,
        row["state"],
        row["question_key"],
        row["reading_key"],
        row["fingerprint"],
        row["ended_by"],
        row["reason"],
        row["expires_on"],
        row["result_hash"],
    )
