"""Runs statements on a few worker processes, for any number of threads; the `QueryRunner` of every engine."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Collection, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ai_engine.catalogue import Dialect
from ai_engine.errors import DatabaseUnavailable, QueryFailed, QueryStopped, QueryTimedOut, ResultTooLarge
from ai_engine.guard.parsing import names_in
from ai_engine.model_use import asker
from ai_engine.types import QueryResult, ScanEstimate
from backend.databases.engine import COST_ALONE, EngineStart
from backend.databases.hidden_columns import HiddenColumns
from backend.databases.packing import unpack_rows
from backend.databases.slots import PersonBounds, Slots
from backend.databases.worker_process import DeadlinePassed, StopAsked, Worker, WorkerGone

_FAULTS: dict[str, type[QueryFailed]] = {
    "failed": QueryFailed,
    "memory": QueryFailed,
    "interrupted": QueryFailed,
    "unavailable": DatabaseUnavailable,
    "too_large": ResultTooLarge,
}
_OUT_OF_MEMORY = "The query needed more memory than it may use. Try a shorter period or fewer details."


@dataclass(frozen=True, slots=True)
class Load:
    """How much is asked of a database: statements that wait, workers that had to be replaced so far."""

    waiting: int
    replaced: int


class WorkerRunner:
    """Keeps `workers` processes at most, started when first needed and used again.

    Args:
        plan: says how a worker that refuses the given columns is to be started now; called before each start.
        state: changes when a worker that is open has to be replaced, because its file has been.
        workers: how many statements run at once.
        queue_size: how many wait beyond those.
        each: how many of both may be one person's.
    """

    def __init__(
        self,
        plan: Callable[[HiddenColumns], EngineStart],
        state: Callable[[], Hashable],
        *,
        workers: int,
        queue_size: int,
        each: PersonBounds | None = None,
    ) -> None:
        self._plan = plan
        self._state = state
        self._slots = Slots(workers, queue_size, each)
        self._idle: list[tuple[tuple[Hashable, HiddenColumns], Worker]] = []
        self._workers = workers
        self._busy = 0
        self._lock = threading.Lock()
        self._closed = False
        self._replaced = 0
        weakref.finalize(self, _end_all, self._idle)

    def run(
        self,
        sql: str,
        *,
        max_rows: int,
        timeout_s: float,
        stop: threading.Event,
        hidden: HiddenColumns = frozenset(),
        in_any_order: bool = False,
    ) -> QueryResult:
        """Return at most `max_rows` rows; see `ai_engine.ports.QueryRunner`.

        It waits in the queue of the person who asks. Time spent there counts against `timeout_s`: who has not got a
        turn by then is told that it is busy.

        Args:
            in_any_order: the result is the same in whatever order rows are read, so that several threads may read them.
        """
        reply, dialect = self._reply(sql, max_rows, timeout_s, stop, hidden, in_any_order=in_any_order)
        return _result(reply, sql, dialect)

    def cost(
        self, sql: str, *, timeout_s: float, stop: threading.Event, hidden: HiddenColumns = frozenset()
    ) -> ScanEstimate:
        """See `ai_engine.ports.EstimatesCost`."""
        reply, dialect = self._reply(sql, COST_ALONE, timeout_s, stop, hidden)
        if reply[0] != "cost":
            _raise_fault(reply, names_in(sql, dialect))
        return ScanEstimate(*reply[1:])

    def _reply(
        self,
        sql: str,
        max_rows: int,
        timeout_s: float,
        stop: threading.Event,
        hidden: HiddenColumns,
        *,
        in_any_order: bool = False,
    ) -> tuple[Any, Dialect]:
        deadline = time.monotonic() + timeout_s
        with self._slots.place(deadline, stop, asker().person), self._counted():
            try:
                return self._run_in_place(sql, max_rows, deadline, stop, hidden, in_any_order)
            except DeadlinePassed:
                raise QueryTimedOut(timeout_s) from None
            except StopAsked:
                raise QueryStopped from None
            except TimeoutError:
                raise QueryTimedOut(timeout_s) from None

    @contextmanager
    def _counted(self) -> Iterator[None]:
        """Count a statement among those that may have a worker of their own."""
        with self._lock:
            self._busy += 1
        try:
            yield
        finally:
            with self._lock:
                self._busy -= 1

    def _run_in_place(
        self,
        sql: str,
        max_rows: int,
        deadline: float,
        stop: threading.Event,
        hidden: HiddenColumns,
        in_any_order: bool,
    ) -> tuple[Any, Dialect]:
        fresh_only = read_again = False
        while True:
            state = self._state()
            worker = None if fresh_only else self._idle_worker(state, hidden)
            used = worker is not None
            worker = worker or self._start_worker(deadline, stop, hidden)
            try:
                reply = worker.run(sql, max_rows=max_rows, deadline=deadline, stop=stop, in_any_order=in_any_order)
                if reply[:2] == ("fault", "memory"):
                    worker.end()  # what it holds would fail others
                    if used:
                        fresh_only = True  # and what it held may have failed this one
                        continue
            except WorkerGone as gone:
                if used and not (gone.begun and gone.killed):
                    fresh_only = gone.begun
                    continue  # it had gone while idle, or fell under what it held
                raise QueryFailed(str(gone), _OUT_OF_MEMORY) from None
            finally:
                self._give_back((state, hidden), worker)
            if worker.start.access in ("immutable", "copy") and self._state() != state:
                if read_again:
                    raise DatabaseUnavailable("another program keeps writing to the file")
                read_again = True
                continue  # read without locks while a writer was at it: worth nothing
            return reply, worker.start.dialect

    def _idle_worker(self, state: Hashable, hidden: HiddenColumns) -> Worker | None:
        """Take one that was opened so; end those of another state of the file, and one where there are too many."""
        while True:
            with self._lock:
                fitting = [one for one in self._idle if one[0] == (state, hidden)][-1:]
                others = [one for one in self._idle if one[0][0] != state]
                if not fitting and not others and len(self._idle) + self._busy > self._workers:
                    others = self._idle[:1]
                for one in fitting + others:
                    self._idle.remove(one)
            for _, worker in others:
                worker.end()
            if not fitting:
                return None
            worker = fitting[0][1]
            if worker.alive and not worker.swollen:
                return worker
            if not worker.left:
                self._note_replaced()
            worker.end()

    def _start_worker(self, deadline: float, stop: threading.Event, hidden: HiddenColumns) -> Worker:
        try:
            worker = Worker(self._plan(hidden))
        except OSError as error:
            raise DatabaseUnavailable(f"no worker could be started: {error}") from error
        patience = time.monotonic() + worker.start.connect_timeout_s
        try:
            reply = worker.open(min(deadline, patience), stop)
        except WorkerGone as gone:
            raise DatabaseUnavailable(f"{gone} while opening the database") from None
        except DeadlinePassed:
            worker.end()
            if deadline <= patience:
                raise
            raise DatabaseUnavailable(f"no connection within {worker.start.connect_timeout_s:g} s") from None
        except BaseException:
            worker.end()
            raise
        if reply[0] != "ready":
            worker.end()
            _raise_fault(reply)
        return worker

    def _give_back(self, opened_as: tuple[Hashable, HiddenColumns], worker: Worker) -> None:
        with self._lock:
            if not self._closed and worker.alive:
                self._idle.append((opened_as, worker))
                return
        self._note_replaced()
        worker.end()

    @property
    def load(self) -> Load:
        """What waits now, and what had to be replaced since the start."""
        return Load(self._slots.waiting, self._replaced)

    def _note_replaced(self) -> None:
        with self._lock:
            self._replaced += 0 if self._closed else 1

    def close(self) -> None:
        """End the idle workers now, and the busy ones when their statement is over."""
        with self._lock:
            self._closed = True
            _end_all(self._idle)


def _end_all(workers: list[tuple[tuple[Hashable, HiddenColumns], Worker]]) -> None:
    while workers:
        workers.pop()[1].end()


def _result(reply: Any, sql: str, dialect: Dialect) -> QueryResult:
    if reply[0] != "rows":
        _raise_fault(reply, names_in(sql, dialect))
    _, names, types, packed, truncated, elapsed_ms, _ = reply
    return QueryResult(names, types, unpack_rows(packed), truncated, elapsed_ms)


def _raise_fault(reply: Any, known: Collection[str] = ()) -> None:
    """Raise what a worker tells; of the names that the database spoke of only those that are known."""
    _, kind, detail, spoken = reply
    if kind == "timed_out":
        raise TimeoutError(detail)
    names = tuple(name for name in spoken if name.lower() in known)
    raise _FAULTS[kind](detail, _OUT_OF_MEMORY if kind == "memory" else None, names=names)
