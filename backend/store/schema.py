"""What every part of the store shares: its tables, and how tables of an earlier version become those of today."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Column, Connection, DateTime, Dialect, MetaData, String, Table, inspect, select, text
from sqlalchemy.types import TypeDecorator

from ai_engine.errors import BadConfiguration

METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "pk": "pk_%(table_name)s",
    }
)
"""The tables of all parts; a part's module adds its own, and is named in `PARTS`."""


class UtcTime(TypeDecorator[datetime]):
    """A moment, always with its zone: kept in UTC, where SQLite knows no zones."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, _dialect: Dialect) -> datetime | None:
        """Refuse a moment without a zone, since it could be any of 24."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a moment in the store has a time zone")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, _dialect: Dialect) -> datetime | None:
        """Give the moment in UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


@dataclass(frozen=True, slots=True)
class Change:
    """One step from an earlier form of a table to a later one.

    Attributes:
        name: unique among all changes, and never reused.
        table: whose form it changes; a store without that table gets it in today's form and skips the step.
        statements: SQL that both SQLite and PostgreSQL understand.
    """

    name: str
    table: str
    statements: tuple[str, ...]


CHANGES: tuple[Change, ...] = (
    Change(
        "chat_messages keep decisions and workflows",
        "chat_messages",
        (
            "ALTER TABLE chat_messages ADD COLUMN decisions TEXT NOT NULL DEFAULT '[]'",
            "ALTER TABLE chat_messages ADD COLUMN workflow TEXT NOT NULL DEFAULT 'null'",
        ),
    ),
)
"""In the order in which they are made. A new table needs none; a new column, index or meaning of an old table does."""

_MADE = Table("store_changes", MetaData(), Column("name", String(120), primary_key=True), Column("made_at", UtcTime()))


def bring_up_to_date(
    connection: Connection, metadata: MetaData = METADATA, changes: Sequence[Change] = CHANGES
) -> tuple[str, ...]:
    """Make the missing tables and changes within the caller's transaction, which no other process may share.

    Returns:
        The names of the changes that were made to tables that were there.

    Raises:
        BadConfiguration: the store was changed by a newer version of the app.
    """
    _MADE.create(connection, checkfirst=True)
    made = set(connection.scalars(select(_MADE.c.name)))
    unknown = sorted(made - {change.name for change in changes})
    if unknown:
        raise BadConfiguration(
            f"the store at BANK_STORE_URL was changed by a newer version of the app ({unknown[0]}): update this one"
        )
    there = set(inspect(connection).get_table_names())
    metadata.create_all(connection, tables=[one for one in metadata.sorted_tables if one.name not in there])
    missing = [change for change in changes if change.name not in made]
    for change in missing:
        for statement in change.statements if change.table in there else ():
            connection.execute(text(statement))
    if missing:
        rows: list[dict[str, Any]] = [{"name": change.name, "made_at": datetime.now(UTC)} for change in missing]
        connection.execute(_MADE.insert(), rows)
    return tuple(change.name for change in missing if change.table in there)
