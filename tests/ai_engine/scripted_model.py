"""A model that plays back replies, and a bank in a real file to run them on."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import duckdb

from ai_engine.ports import InsightTask, SqlTask
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import Draft, Insight, Interpretation, Turn
from tests.ai_engine.built_in.bank import DDL

ROWS = """
INSERT INTO branches VALUES (1, 'Andheri', 'Mumbai', 'West'), (2, 'Deccan', 'Pune', 'West'),
  (3, 'Indiranagar', 'Bengaluru', 'South'), (4, 'Civil Lines', 'Jaipur', 'North');
INSERT INTO customers VALUES
  (1, 'Asha Rao', 'Female', 'Mumbai', 'Premium', 1200000.00, '1960-02-01', '2020-01-05', 'a@x', 1),
  (2, 'Vikram Singh', 'Male', 'Jaipur', 'Retail', 450000.50, '1990-07-15', '2023-11-30', 'v@x', 4),
  (3, 'Meera Nair', 'Female', 'Pune', 'Retail', NULL, NULL, '2026-10-02', 'm@x', 2);
INSERT INTO accounts VALUES (1, 'AC1001', 'Savings', 'Active', 150000.25, '2020-01-06', 1, 1),
  (2, 'AC1002', 'Current', 'Dormant', 20000.00, '2023-12-01', 2, 4), (3, 'AC1003', 'Savings', 'Active', 0.00,
  '2026-10-03', 3, 2);
INSERT INTO transactions VALUES (1, 1, 500.00, 'UPI', '2026-10-05 10:00:00'), (2, 1, 250.75, 'NEFT',
  '2026-10-20 09:30:00'), (3, 2, 99.99, 'UPI', '2026-11-01 00:00:00');
INSERT INTO loans VALUES (1, 1, 'Home Loan', 2500000.00, 8.500, FALSE, '2021-03-01'),
  (2, 2, 'Gold Loan', 100000.00, 11.250, TRUE, '2025-06-15');
"""


def write_bank(file: Path) -> Path:
    """Build the bank in `file`, a `.duckdb` or a `.sqlite`."""
    if file.suffix == ".duckdb":
        with duckdb.connect(file) as duck:
            duck.execute(DDL + ROWS)
        return file
    lite = sqlite3.connect(file)
    lite.executescript(DDL + ROWS)
    lite.close()
    return file


def exchange(file: Path, statement: str) -> None:
    """Change a copy and put it in the place of the file, as a nightly load does."""
    newer = file.with_name("newer")
    newer.write_bytes(file.read_bytes())
    with closing((duckdb if file.suffix == ".duckdb" else sqlite3).connect(str(newer))) as writer:
        writer.execute(statement)
        writer.commit()
    newer.replace(file)


def understood(restatement: str = "as asked", **parts: object) -> Interpretation:
    return Interpretation(outcome="query", restatement=restatement, **parts)


class ScriptedModel:
    """Interprets and drafts as told, and records what it was asked; `unscripted` must stay empty.

    `drafts` are statements, one per attempt; an exception is raised in its place.
    """

    name = "scripted"

    def __init__(
        self,
        *drafts: str | Exception,
        reading: Interpretation | Exception | None = None,
        insight: Insight | Exception | None = None,
        by_question: Mapping[str, str] | None = None,
    ) -> None:
        self._drafts = list(drafts)
        self._reading = reading or understood()
        self._insight = insight or Insight("Here it is.", "table")
        self._by_question = by_question or {}
        self.asked: list[tuple[str, tuple[Turn, ...]]] = []
        self.tasks: list[SqlTask] = []
        self.explained: list[InsightTask] = []
        self.unscripted: list[str] = []

    def interpret(
        self, question: str, history: Sequence[Turn], vocabulary: Vocabulary, *, stop: threading.Event
    ) -> Interpretation:
        self.asked.append((question, tuple(history)))
        if isinstance(self._reading, Exception):
            raise self._reading
        return self._reading

    def write_sql(self, task: SqlTask, vocabulary: Vocabulary, *, stop: threading.Event) -> Draft:
        self.tasks.append(task)
        if task.question in self._by_question:
            return Draft(self._by_question[task.question])
        if not self._drafts:
            self.unscripted.append(task.question)
            raise AssertionError(f"no draft is left for {task.question!r}")
        draft = self._drafts.pop(0)
        if isinstance(draft, Exception):
            raise draft
        return Draft(draft)

    def explain(self, task: InsightTask, vocabulary: Vocabulary, *, stop: threading.Event, heard=None) -> Insight:
        self.explained.append(task)
        if isinstance(self._insight, Exception):
            raise self._insight
        return self._insight
