"""Where proposed and published changes of a vocabulary are kept: one row each, never deleted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias

from sqlalchemy import (
    Column,
    Connection,
    Integer,
    RowMapping,
    String,
    Table,
    Text,
    UniqueConstraint,
    func,
    insert,
    select,
    update,
)

from ai_engine.semantics.vocabulary_edits import Edit, edits_from_text, edits_to_text
from backend.store.keys import written
from backend.store.schema import METADATA, UtcTime

ChangeState: TypeAlias = Literal["draft", "published", "discarded"]

VOCABULARY_CHANGES = Table(
    "vocabulary_changes",
    METADATA,
    Column("id", String(32), primary_key=True),
    Column("database", Text, nullable=False, index=True),
    Column("state", String(12), nullable=False),
    Column("number", Integer),
    Column("edits", Text, nullable=False),
    Column("published_edits", Text, nullable=False),
    Column("note", Text, nullable=False),
    Column("author", String(200), nullable=False),
    Column("saved_at", UtcTime(), nullable=False),
    Column("ended_by", String(200), nullable=False),
    Column("ended_at", UtcTime()),
    UniqueConstraint("database", "number"),
)


@dataclass(frozen=True, slots=True)
class VocabularyChange:
    """A row of the store.

    Attributes:
        number: of the version that it is, counted from 1; None until it is published.
        edits: what it changes of the version before.
        published: once published, all that is changed of the bank's file then.
        ended_by: published or discarded it.
    """

    id: str
    state: ChangeState
    edits: tuple[Edit, ...]
    note: str
    author: str
    saved_at: datetime
    number: int | None = None
    published: tuple[Edit, ...] = ()
    ended_by: str = ""
    ended_at: datetime | None = None


def latest_number(database: str) -> Any:
    """Return the query for the number of the newest version."""
    return select(func.max(VOCABULARY_CHANGES.c.number)).where(VOCABULARY_CHANGES.c.database == database)


def latest(connection: Connection, database: str) -> VocabularyChange | None:
    """Return the newest version, None where nothing was ever published."""
    found = versions(connection, database, 1)
    return found[0] if found else None


def versions(connection: Connection, database: str, most: int) -> list[VocabularyChange]:
    """Return the published versions, the newest first."""
    rows = VOCABULARY_CHANGES.c
    wanted = select(VOCABULARY_CHANGES).where((rows.database == database) & (rows.state == "published"))
    return _read(connection, wanted.order_by(rows.number.desc()).limit(most))


def drafts(connection: Connection, database: str, most: int) -> list[VocabularyChange]:
    """Return what waits to be published, the newest first."""
    rows = VOCABULARY_CHANGES.c
    wanted = select(VOCABULARY_CHANGES).where((rows.database == database) & (rows.state == "draft"))
    return _read(connection, wanted.order_by(rows.saved_at.desc()).limit(most))


def add(connection: Connection, database: str, change: VocabularyChange) -> None:
    """Keep a draft or a version."""
    row = {
        "id": change.id, "database": database, "state": change.state, "number": change.number,
        "edits": edits_to_text(change.edits), "published_edits": edits_to_text(change.published),
        "note": written(change.note), "author": change.author, "saved_at": change.saved_at,
        "ended_by": change.ended_by, "ended_at": change.ended_at,
    }  # fmt: skip
    connection.execute(insert(VOCABULARY_CHANGES), [row])


def change_draft(connection: Connection, change_id: str, edits: Sequence[Edit], when: datetime) -> bool:
    """Put other edits into a draft; False where it is none any more."""
    values = {"edits": edits_to_text(edits), "saved_at": when}
    return _update_draft(connection, change_id, values)


def end_draft(
    connection: Connection, change_id: str, state: ChangeState, who: str, when: datetime, *,
    number: int | None = None, published: Sequence[Edit] = (),
) -> bool:  # fmt: skip
    """Publish or discard a draft; False where it is none any more.

    Raises:
        IntegrityError: another version got the number meanwhile.
    """
    values = {
        "state": state, "ended_by": who, "ended_at": when, "number": number, "published_edits": edits_to_text(published)
    }  # fmt: skip
    return _update_draft(connection, change_id, values)


def _update_draft(connection: Connection, change_id: str, values: dict[str, Any]) -> bool:
    rows = VOCABULARY_CHANGES.c
    draft = (rows.id == change_id) & (rows.state == "draft")
    return connection.execute(update(VOCABULARY_CHANGES).where(draft).values(**values)).rowcount == 1


def _read(connection: Connection, wanted: Any) -> list[VocabularyChange]:
    return [_change(row) for row in connection.execute(wanted).mappings()]


def _change(row: RowMapping) -> VocabularyChange:
    return VocabularyChange(
        row["id"], row["state"], edits_from_text(row["edits"]), row["note"], row["author"], row["saved_at"],
        row["number"], edits_from_text(row["published_edits"]), row["ended_by"], row["ended_at"],
    )  # fmt: skip
