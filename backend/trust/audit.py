"""The audit trail at the door: every answer is noted beside its delivery, which it neither delays nor fails."""

from __future__ import annotations

import json
import logging
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from ai_engine.errors import AssistantError, SqlRejected
from ai_engine.result_hash import result_hash
from ai_engine.types import Answer, QueryResult
from backend.answers.withheld import mark_without_figures
from backend.store import audit_runs, audit_trail
from backend.store.audit_trail import Decision, Door, Entry
from backend.store.opening import Store

_log = logging.getLogger(__name__)
_PER_WRITE = 200
_LOOKED_FOR_OLD_EVERY_S = 3_600.0


@dataclass(frozen=True, slots=True)
class Noted:
    """An answer, and by whom and where it was asked for."""

    answer: Answer
    person: str
    door: Door
    database: str
    dialect: str
    at: datetime
    missed: int = 0

    def entry(self) -> Entry:
        """Write it as an entry; takes a millisecond for every few hundred rows."""
        answer = self.answer
        decision, reason = _decision(answer)
        refused = next((draft.sql for draft in reversed(answer.failures) if draft.sql), None)
        sql = answer.sql or refused or ""
        return Entry(
            self.at, self.person, self.door, self.database, answer.question, answer.status,
            question_id=answer.question_id, restatement=answer.restatement, sql=sql, decision=decision, reason=reason,
            error_kind=answer.error_kind or "", row_count=answer.result.row_count if answer.result else None,
            elapsed_ms=round(answer.timings_ms.get("total", 0.0)),
            timings_ms=json.dumps({step: round(spent, 1) for step, spent in answer.timings_ms.items()}),
            model=answer.model, result_hash=_hash(answer.result, sql, self.dialect), missed=self.missed,
            closed=mark_without_figures(answer),
        )  # fmt: skip


class Audit:
    """Writes entries behind the answers; safe to share between threads.

    A thread writes what waits and ends with it; a process that ends waits for that thread. A store that is away fails
    and delays no answer: entries wait, and are written with the next that comes once it is back. What is beyond those
    that may wait is counted, and the next entry after them says how many are missing. Of a process that was killed,
    the next one on its machine says so with its first entries.

    Args:
        store: opens the store, or gives it where it is open.
        keep_days: older entries are removed; 0 keeps all.
        most_waiting: entries that may wait.
        is_on: nothing is noted otherwise.
    """

    def __init__(self, store: Callable[[], Store], keep_days: float, most_waiting: int, *, is_on: bool = True) -> None:
        self.is_on = is_on
        self._store = store
        self._keep_days = keep_days
        self._most_waiting = most_waiting
        self._lock = threading.Lock()
        self._noted: deque[Noted] = deque()
        self._waiting: deque[Entry] = deque()
        self._missed = 0
        self._thread: threading.Thread | None = None
        self._run = uuid.uuid4().hex
        self._has_begun = False
        self._looked_for_old = -_LOOKED_FOR_OLD_EVERY_S

    def note(self, noted: Noted) -> None:
        """Have it written soon; returns at once and never raises."""
        if not self.is_on:
            return
        with self._lock:
            if len(self._noted) + len(self._waiting) >= self._most_waiting:
                self._missed += 1
                _log.error("the audit trail misses an answer: %d wait for the store already", self._most_waiting)
            else:
                self._noted.append(replace(noted, missed=self._missed))
                self._missed = 0
            if self._thread is None:
                self._thread = threading.Thread(target=self._write_all, name="audit", daemon=False)
                self._thread.start()

    def flush(self, timeout_s: float) -> bool:
        """Wait until all is written; False where it is not within the time, or the store is away."""
        thread = self._thread
        if thread is not None:
            thread.join(timeout_s)
        with self._lock:
            return not (self._noted or self._waiting)

    def close(self, timeout_s: float) -> None:
        """Wait until all is written, and say in the store that nothing is lost; what is not written by then may be."""
        if not self.flush(timeout_s) or not self._has_begun:
            return
        try:
            with self._store().writing() as on:
                audit_runs.end(on, self._run)
        except AssistantError as fault:
            _log.warning("the audit trail could not be ended: %s", fault)

    def _write_all(self) -> None:
        while True:
            with self._lock:
                fresh = list(self._noted)
            entries = [noted.entry() for noted in fresh]
            with self._lock:
                for _ in fresh:
                    self._noted.popleft()
                self._waiting.extend(entries)
                batch = [*self._waiting][:_PER_WRITE]
                if not batch:
                    self._thread = None
                    return
            try:
                self._write(batch)
            except Exception as fault:  # noqa: BLE001 - no fault of the store may end in a lost thread or answer
                said = str(fault) if isinstance(fault, AssistantError) else type(fault).__name__
                _log.error("%d answers wait to enter the audit trail: %s", len(batch), said)
                with self._lock:
                    self._thread = None
                return
            with self._lock:
                for _ in batch:
                    self._waiting.popleft()

    def _write(self, entries: list[Entry]) -> None:
        with self._store().writing() as on:
            if not self._has_begun:
                entries = [*map(_killed, audit_runs.begin(on, self._run)), *entries]
            audit_trail.append(on, entries)
        self._has_begun = True
        if self._keep_days and time.monotonic() - self._looked_for_old > _LOOKED_FOR_OLD_EVERY_S:
            self._looked_for_old = time.monotonic()
            self._remove_old()

    def _remove_old(self) -> None:
        limit = datetime.now(UTC) - timedelta(days=self._keep_days)
        why = f"Entries older than {self._keep_days:g} days were removed."
        try:
            while True:
                with self._store().writing() as on:
                    if audit_trail.remove_before(on, limit, why) == 0:
                        return
        except AssistantError as fault:
            _log.warning("old entries of the audit trail could not be removed: %s", fault)


def _killed(begun_at: datetime) -> Entry:
    said = f"The process that began to write here at {begun_at:%Y-%m-%d %H:%M:%S} UTC did not end by itself"
    why = f"{said}: what it answered in its last moment may be missing."
    return Entry(datetime.now(UTC), "", "", "", why, audit_trail.KILLED)


def answer_of_statement(sql: str, came: QueryResult | AssistantError, elapsed_ms: float) -> Answer:
    """Describe what came of a person's own statement as an answer is described."""
    timings = {"total": elapsed_ms}
    if isinstance(came, QueryResult):
        return Answer("", "answered", "", sql=sql, result=came, timings_ms=timings)
    kind = type(came).__name__
    return Answer("", "failed", "", sql=sql, error=str(came), error_kind=kind, timings_ms=timings)


def _decision(answer: Answer) -> tuple[Decision, str]:
    """Say what the guard made of the statement that counts: the one that ran, else the last that was refused."""
    if answer.result is not None or (answer.sql and answer.error_kind != SqlRejected.__name__):
        return "let through", ""
    refusals = [draft for draft in answer.failures if draft.stage == "validation"]
    if refusals:
        return "refused", refusals[-1].reason
    if answer.error_kind == SqlRejected.__name__:
        return "refused", answer.error or ""
    return "none", ""


def _hash(result: QueryResult | None, sql: str, dialect: str) -> str:
    return "" if result is None else result_hash(result, sql, dialect)
