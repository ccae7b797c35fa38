"""Where it is kept who asked what: entries that are only added, each bound to the one before by its hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Index,
    Integer,
    RowMapping,
    String,
    Table,
    Text,
    delete,
    insert,
    or_,
    select,
    text,
)

from backend.store.keys import BIG_NUMBER, written
from backend.store.schema import METADATA, UtcTime

Door: TypeAlias = Literal["page", "API", "command line", "MCP", "schedule"]
Decision: TypeAlias = Literal["let through", "refused", "none"]

REMOVED = "removed"
"""Status of the entry that says which are gone: `row_count` is the number of the last one, `result_hash` its hash."""
KILLED = "killed"
"""Status of the entry that says that a process which wrote here did not end by itself."""
_CHAIN_LOCK = 0x61756469  # of our own, among the advisory locks of a PostgreSQL database
_PER_STEP = 2_000
_MOST_NAME_CHARS = 200

ENTRIES = Table(
    "audit_entries",
    METADATA,
    Column("number", BIG_NUMBER, primary_key=True, autoincrement=False),
    Column("at", UtcTime(), nullable=False),
    Column("person", String(_MOST_NAME_CHARS), nullable=False),
    Column("door", String(20), nullable=False),
    Column("database", Text, nullable=False),
    Column("question_id", String(32), nullable=False),
    Column("question", Text, nullable=False),
    Column("restatement", Text, nullable=False),
    Column("sql", Text, nullable=False),
    Column("decision", String(12), nullable=False),
    Column("reason", Text, nullable=False),
    Column("status", String(12), nullable=False),
    Column("error_kind", String(60), nullable=False),
    Column("row_count", BIG_NUMBER),
    Column("elapsed_ms", Integer, nullable=False),
    Column("timings_ms", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("result_hash", String(64), nullable=False),
    Column("missed", Integer, nullable=False),
    Column("closed", String(20), nullable=False, server_default=""),
    Column("previous_hash", String(64), nullable=False),
    Column("hash", String(64), nullable=False),
)
Index("ix_audit_entries_person", ENTRIES.c.person, ENTRIES.c.number)
Index("ix_audit_entries_status", ENTRIES.c.status, ENTRIES.c.number)
Index("ix_audit_entries_at", ENTRIES.c.at)
Index("ix_audit_entries_question_id", ENTRIES.c.question_id)


@dataclass(frozen=True, slots=True)
class Entry:
    """One answer, or one statement of a person's own.

    Attributes:
        at: when it was given.
        person: who asked, as `who_asks` says.
        database: its address, without the role that asks there.
        decision: of the guard, on the last statement; `reason` is its sentence where it refused.
        row_count: None where nothing ran.
        timings_ms: of the steps, as JSON.
        result_hash: as `ai_engine.result_hash`; empty without a result.
        missed: answers before this one that are not in the trail, as the store was away for too long.
        closed: the mark of what might not be read then, of an answer without figures; empty for others, and for those
            of earlier versions.
    """

    at: datetime
    person: str
    door: str
    database: str
    question: str
    status: str
    question_id: str = ""
    restatement: str = ""
    sql: str = ""
    decision: str = "none"
    reason: str = ""
    error_kind: str = ""
    row_count: int | None = None
    elapsed_ms: int = 0
    timings_ms: str = "{}"
    model: str = ""
    result_hash: str = ""
    missed: int = 0
    closed: str = ""


_FIELDS = tuple(field.name for field in fields(Entry))


@dataclass(frozen=True, slots=True)
class KeptEntry:
    """An entry in its place; `hash` is over it, its number and `previous_hash`, that of the one before."""

    number: int
    entry: Entry
    previous_hash: str
    hash: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which entries are looked for; what is None or empty is not asked.

    Attributes:
        person: that one's alone.
        since: not before; `until` before.
        words: stand in question, restatement or statement, whatever their case.
    """

    person: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    status: str = ""
    door: str = ""
    words: str = ""


def fitting(entry: Entry) -> Entry:
    """Write texts as every database takes them, so that what is hashed is what is kept."""
    texts: dict[str, Any] = {
        name: written(value) if isinstance(value, str) else value for name, value in _fields(entry).items()
    }
    return Entry(**{**texts, "person": texts["person"][:_MOST_NAME_CHARS]})


def append(connection: Connection, entries: Sequence[Entry]) -> KeptEntry:
    """Add entries behind the last one, in a transaction that writes; who else adds waits for its end.

    Returns:
        The last of them.
    """
    if connection.dialect.name == "postgresql":  # SQLite has locked the file
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _CHAIN_LOCK})
    number, before = connection.execute(
        select(ENTRIES.c.number, ENTRIES.c.hash).order_by(ENTRIES.c.number.desc()).limit(1)
    ).one_or_none() or (0, "")
    kept = []
    for entry in map(fitting, entries):
        number += 1
        kept.append(KeptEntry(number, entry, before, before := hash_of(number, entry, before)))
    connection.execute(insert(ENTRIES), [_row(one) for one in kept])
    return kept[-1]


def remove_before(connection: Connection, limit: datetime, why: str) -> int:
    """Take the oldest entries away, a bounded number at once, and add one that says so; 0 where none is as old.

    What is left begins with a hash that this entry bears, so that the chain holds.
    """
    oldest = select(ENTRIES.c.number, ENTRIES.c.at, ENTRIES.c.hash).order_by(ENTRIES.c.number).limit(_PER_STEP)
    number, last_hash, count = 0, "", 0
    for row in connection.execute(oldest):
        if row.at >= limit:
            break
        number, last_hash, count = row.number, row.hash, count + 1
    if count == 0:
        return 0
    said = Entry(
        datetime.now(UTC), "", "", "", why, REMOVED, row_count=number, result_hash=last_hash,
    )  # fmt: skip
    append(connection, [said])
    connection.execute(delete(ENTRIES).where(ENTRIES.c.number <= number))
    return count


def entries(
    connection: Connection, wanted: Wanted, most: int, *, before: int | None = None, after: int | None = None
) -> list[KeptEntry]:
    """Return entries, the newest first: those before a number, or the nearest after one."""
    found = select(ENTRIES).where(*_conditions(wanted), ENTRIES.c.status != REMOVED)
    if after is not None:
        rows = connection.execute(found.where(ENTRIES.c.number > after).order_by(ENTRIES.c.number).limit(most))
        return [kept_of(row) for row in reversed(rows.mappings().all())]
    if before is not None:
        found = found.where(ENTRIES.c.number < before)
    rows = connection.execute(found.order_by(ENTRIES.c.number.desc()).limit(most))
    return [kept_of(row) for row in rows.mappings()]


def by_number(connection: Connection, number: int) -> KeptEntry | None:
    """Return one entry, None where there is none."""
    row = connection.execute(select(ENTRIES).where(ENTRIES.c.number == number)).mappings().one_or_none()
    return None if row is None else kept_of(row)


def _conditions(wanted: Wanted) -> list[ColumnElement[bool]]:
    c, conditions = ENTRIES.c, []
    if wanted.person is not None:
        conditions.append(c.person == wanted.person)
    if wanted.since is not None:
        conditions.append(c.at >= wanted.since)
    if wanted.until is not None:
        conditions.append(c.at < wanted.until)
    if wanted.status:
        conditions.append(c.status == wanted.status)
    if wanted.door:
        conditions.append(c.door == wanted.door)
    if wanted.words:
        conditions.append(
            or_(*(column.icontains(wanted.words, autoescape=True) for column in (c.question, c.restatement, c.sql)))
        )
    return conditions


def hash_of(number: int, entry: Entry, previous_hash: str) -> str:
    """Return what binds an entry to its place and to the one before."""
    at = entry.at.astimezone(UTC).isoformat(timespec="microseconds")
    said = {**_fields(entry), "number": number, "at": at}
    if not entry.closed:
        del said["closed"]  # which entries of earlier versions did not have
    text_ = json.dumps(said, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(f"{previous_hash}\n{text_}".encode()).hexdigest()


def _row(kept: KeptEntry) -> dict[str, Any]:
    return {**_fields(kept.entry), "number": kept.number, "previous_hash": kept.previous_hash, "hash": kept.hash}


def _fields(entry: Entry) -> dict[str, Any]:
    return {name: getattr(entry, name) for name in _FIELDS}


def kept_of(row: RowMapping) -> KeptEntry:
    """Read a row of `ENTRIES`."""
    entry = Entry(**{name: row[name] for name in _FIELDS})
    return KeptEntry(row["number"], entry, row["previous_hash"], row["hash"])
