"""Settings that were changed while the app ran; the last word counts."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import Column, Connection, String, Table, Text, delete, insert, select

from backend.store.schema import METADATA, UtcTime

CHANGES = Table(
    "setting_changes",
    METADATA,
    Column("name", String(80), primary_key=True),
    Column("value", Text, nullable=False),
    Column("changed_by", String(200), nullable=False),
    Column("changed_at", UtcTime(), nullable=False),
)


def change(connection: Connection, name: str, value: str | None, who: str) -> None:
    """Set a setting for everybody; None gives it back to the environment."""
    connection.execute(delete(CHANGES).where(CHANGES.c.name == name))
    if value is not None:
        row = {"name": name, "value": value, "changed_by": who, "changed_at": datetime.now(UTC)}
        connection.execute(insert(CHANGES), [row])


def changed(connection: Connection) -> dict[str, tuple[str, str]]:
    """Return what is changed now: name to value and who changed it."""
    rows = connection.execute(select(CHANGES).order_by(CHANGES.c.name)).mappings()
    return {row["name"]: (row["value"], row["changed_by"]) for row in rows}
