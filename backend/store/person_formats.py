"""How each person wants figures and days written."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import cast

from sqlalchemy import Column, Connection, String, Table, delete, insert, select

from ai_engine.formats import DateFormat, Formats, Grouping
from backend.store.schema import METADATA, UtcTime

FORMATS = Table(
    "person_formats",
    METADATA,
    Column("person", String(200), primary_key=True),
    Column("grouping", String(20)),
    Column("dates", String(20)),
    Column("chosen_at", UtcTime(), nullable=False),
)


def choose(connection: Connection, person: str, formats: Formats) -> None:
    """Keep a person's choice; one of nothing is forgotten."""
    connection.execute(delete(FORMATS).where(FORMATS.c.person == person))
    if formats.are_own:
        row = {
            "person": person, "grouping": formats.grouping, "dates": formats.dates, "chosen_at": datetime.now(UTC),
        }  # fmt: skip
        connection.execute(insert(FORMATS), [row])


def chosen(connection: Connection, person: str) -> Formats:
    """Return a person's choice, without a currency."""
    row = connection.execute(select(FORMATS).where(FORMATS.c.person == person)).mappings().first()
    if row is None:
        return Formats()
    return Formats(grouping=cast("Grouping | None", row["grouping"]), dates=cast("DateFormat | None", row["dates"]))
