"""Evaluations that go on beside the page: one at a time, kept in the store as far as they came."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from uuid import uuid4

from ai_engine.catalogue import Dialect
from ai_engine.errors import AssistantError, CannotKeep, QueryFailed, SqlRejected
from ai_engine.ports import QueryRunner
from ai_engine.types import QueryResult
from backend.evaluation.asking import MAX_ROWS, Opened, ask_all
from backend.evaluation.outcomes import Outcome
from backend.evaluation.questions import Question
from backend.evaluation.report import report_on, report_to_json
from backend.evaluation.sets import VERIFIED
from backend.service import Assistant
from backend.store import evaluations as rows
from backend.store.evaluations import KeptRun, RunState
from backend.store.opening import Store, shared_store

_log = logging.getLogger(__name__)
_KEPT_EVERY = 5
_SILENT_MINUTES = 30


@dataclass(frozen=True)
class GuardedGolds:
    """Runs what is known to be right under the guard and limits of questions, whoever uploaded it."""

    assistant: Assistant

    @property
    def runner(self) -> QueryRunner:
        """Itself: it runs statements."""
        return self

    @property
    def dialect(self) -> Dialect:
        """Of the statements."""
        return self.assistant.vocabulary.catalogue.dialect

    def run(self, sql: str, *, max_rows: int, timeout_s: float, stop: threading.Event) -> QueryResult:  # noqa: ARG002
        """Run one statement.

        Raises:
            QueryFailed: the guard or the database said no.
        """
        try:
            return self.assistant.run_statement(sql, stop)[1]
        except SqlRejected as refusal:
            raise QueryFailed(str(refusal)) from refusal


@dataclass(frozen=True)
class _OneDatabase:
    """Gives the same database for every question."""

    opened: Opened

    def of(self, _question: Question) -> Opened:
        return self.opened


class Evaluations:
    """Runs one evaluation of this process at a time, in a thread of its own; implements `Drained`."""

    def __init__(self, store: Callable[[], Store], most_runs: int) -> None:
        self._store = store
        self._most_runs = most_runs
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, questions: Sequence[Question], set_name: str, assistant: Assistant, who: str) -> KeptRun:
        """Begin to ask a set.

        Raises:
            CannotKeep: another evaluation is under way here.
            StoreUnavailable: it could not be kept.
        """
        now = datetime.now(UTC)
        model, database = assistant.model.name, assistant.kept_as
        run = KeptRun(uuid4().hex, who, set_name, database, model, "running", 0, len(questions), "", "", now, now)
        with self._lock:
            if self.running:
                raise CannotKeep("An evaluation is under way here. Wait for it, or stop it first.")
            with self._store().writing() as connection:
                rows.keep_run(connection, run, self._most_runs)
            self._stop = threading.Event()
            arguments = (run, tuple(questions), assistant, self._stop)
            self._thread = threading.Thread(target=self._run, args=arguments, name="evaluation", daemon=True)
            self._thread.start()
        return run

    def stop(self) -> None:
        """End the one that is under way after its present question."""
        self._stop.set()

    @property
    def running(self) -> int:
        """See Drained."""
        return int(self._thread is not None and self._thread.is_alive())

    async def tell_stopping(self) -> None:
        """See Drained."""
        self._stop.set()

    async def close(self) -> None:
        """See Drained."""
        self._stop.set()

    def _run(self, run: KeptRun, questions: Sequence[Question], assistant: Assistant, stop: threading.Event) -> None:
        outcomes: list[Outcome] = []

        def progress(outcome: Outcome) -> None:
            outcomes.append(outcome)
            if stop.is_set():
                raise _Stopped
            if len(outcomes) % _KEPT_EVERY == 0:
                self._keep(run, "running", outcomes)

        problem, state = "", "done"
        try:
            ask_all(
                questions, _OneDatabase(_opened(assistant, alone=run.set_name == VERIFIED)), progress, who=run.owner
            )
        except _Stopped:
            state = "stopped"
        except AssistantError as fault:
            problem, state = fault.user_message, "failed"
        except Exception:  # noqa: BLE001 - what it came to is kept, whatever happens
            _log.exception("unexpected error in an evaluation")
            problem, state = AssistantError.user_message, "failed"
        self._keep(replace(run, problem=problem), state, outcomes)  # type: ignore[arg-type]

    def _keep(self, run: KeptRun, state: RunState, outcomes: Sequence[Outcome]) -> None:
        report = json.dumps(report_to_json(report_on(outcomes))) if state != "running" else ""
        known = replace(run, state=state, asked=len(outcomes), report=report, heard_at=datetime.now(UTC))
        try:
            with self._store().writing() as connection:
                rows.change_run(connection, known)
        except AssistantError as fault:
            _log.warning("an evaluation was not kept: %s", fault)


class _Stopped(Exception):
    """Somebody has stopped the evaluation."""


def _opened(assistant: Assistant, *, alone: bool) -> Opened:
    """Let no limit cut an answer; `alone` answers without what was verified, which would be asked about itself."""
    if alone:  # verified answers count under the vocabulary that they were checked with, and no copy of it
        assistant = replace(assistant, vocabulary=replace(assistant.vocabulary))
    policy = replace(assistant.policy, max_rows=MAX_ROWS, default_limit_rows=MAX_ROWS, max_groups=MAX_ROWS)
    limits = replace(assistant.limits, max_rows=MAX_ROWS, default_limit_rows=MAX_ROWS)
    asked = replace(assistant, policy=policy, limits=limits)
    return Opened(asked, GuardedGolds(asked), f"{assistant.vocabulary.as_of} 12:00:00")


@lru_cache(maxsize=1)
def shared_evaluations() -> Evaluations:
    """Return the one of this process, made on first use."""
    from backend.opening import shared_sources

    return Evaluations(shared_store.get, shared_sources.settings.evaluation_max_runs)


def runs_of(assistant: Assistant) -> list[KeptRun]:
    """Return the runs on its source, the newest first; one whose server was not heard of for long has failed."""
    with assistant.store.get().reading() as connection:
        found = rows.runs(connection, assistant.kept_as)
    silent = datetime.now(UTC) - timedelta(minutes=_SILENT_MINUTES)
    gone = "The server that ran this evaluation has ended."
    return [
        replace(run, state="failed", problem=gone) if run.state == "running" and run.heard_at < silent else run
        for run in found
    ]
