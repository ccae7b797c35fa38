"""Where evaluations are kept: the sets of questions that people brought, and what came of each run."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from sqlalchemy import (
    Column,
    Connection,
    Index,
    Integer,
    RowMapping,
    String,
    Table,
    Text,
    delete,
    insert,
    select,
    update,
)

from backend.store.keys import written
from backend.store.schema import METADATA, UtcTime

RunState: TypeAlias = Literal["running", "done", "stopped", "failed"]

SETS = Table(
    "question_sets",
    METADATA,
    Column("name", String(120), primary_key=True),
    Column("owner", String(200), nullable=False),
    Column("content", Text, nullable=False),
    Column("made_at", UtcTime(), nullable=False),
)
RUNS = Table(
    "evaluation_runs",
    METADATA,
    Column("id", String(32), primary_key=True),
    Column("owner", String(200), nullable=False),
    Column("set_name", Text, nullable=False),
    Column("database", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("state", String(8), nullable=False),
    Column("asked", Integer, nullable=False),
    Column("questions", Integer, nullable=False),
    Column("report", Text, nullable=False),
    Column("problem", Text, nullable=False),
    Column("started_at", UtcTime(), nullable=False),
    Column("heard_at", UtcTime(), nullable=False),
)
Index("ix_evaluation_runs_started", RUNS.c.database, RUNS.c.started_at)


@dataclass(frozen=True, slots=True)
class KeptSet:
    """A set of questions that somebody brought: one JSON object per line, as `evaluate` reads it."""

    name: str
    owner: str
    content: str
    made_at: datetime


@dataclass(frozen=True, slots=True)
class KeptRun:
    """One evaluation.

    Attributes:
        asked: questions that have been judged so far, of `questions`.
        report: as `report_to_json` writes it, as text; empty while it runs.
        problem: why it failed, for people.
        heard_at: when its server last said that it goes on.
    """

    id: str
    owner: str
    set_name: str
    database: str
    model: str
    state: RunState
    asked: int
    questions: int
    report: str
    problem: str
    started_at: datetime
    heard_at: datetime


def keep_set(connection: Connection, kept: KeptSet) -> None:
    """Keep a set in the place of one of the same name."""
    connection.execute(delete(SETS).where(SETS.c.name == kept.name))
    row = {"name": kept.name, "owner": kept.owner, "content": written(kept.content), "made_at": kept.made_at}
    connection.execute(insert(SETS), [row])


def sets(connection: Connection) -> list[KeptSet]:
    """Return all sets by name."""
    found = connection.execute(select(SETS).order_by(SETS.c.name)).mappings()
    return [KeptSet(row["name"], row["owner"], row["content"], row["made_at"]) for row in found]


def keep_run(connection: Connection, run: KeptRun, most: int) -> None:
    """Keep a new run, and forget the oldest of its database beyond `most`."""
    connection.execute(insert(RUNS), [_row_of(run)])
    newest = (
        select(RUNS.c.id).where(RUNS.c.database == run.database).order_by(RUNS.c.started_at.desc(), RUNS.c.id)
    ).limit(most)
    kept = list(connection.scalars(newest))
    connection.execute(delete(RUNS).where(RUNS.c.database == run.database, RUNS.c.id.not_in(kept)))


def change_run(connection: Connection, run: KeptRun) -> None:
    """Keep how far a run is, or what came of it."""
    connection.execute(update(RUNS).where(RUNS.c.id == run.id).values(_row_of(run)))


def runs(connection: Connection, database: str) -> list[KeptRun]:
    """Return the runs on a database, the newest first."""
    wanted = select(RUNS).where(RUNS.c.database == database).order_by(RUNS.c.started_at.desc(), RUNS.c.id)
    return [_run(row) for row in connection.execute(wanted).mappings()]


def _row_of(run: KeptRun) -> dict[str, object]:
    return {
        "id": run.id, "owner": run.owner, "set_name": written(run.set_name), "database": run.database,
        "model": run.model, "state": run.state, "asked": run.asked, "questions": run.questions,
        "report": written(run.report), "problem": written(run.problem), "started_at": run.started_at,
        "heard_at": run.heard_at,
    }  # fmt: skip


def _run(row: RowMapping) -> KeptRun:
    return KeptRun(
        row["id"], row["owner"], row["set_name"], row["database"], row["model"], row["state"], row["asked"],
        row["questions"], row["report"], row["problem"], row["started_at"], row["heard_at"],
    )  # fmt: skip
