"""Runs statements on a few worker processes, for any number of threads; the `QueryRunner` of every engine."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Hashable
from typing import Any

from ai_engine.errors import (
    BadConfiguration,
    DatabaseUnavailable,
    QueryFailed,
    QueryStopped,
    QueryTimedOut,
    ResultTooLarge,
)
from ai_engine.types import QueryResult
from backend.databases.engine import EngineStart
from backend.databases.hidden_columns import HiddenColumns
from backend.databases.packing import unpack_rows
from backend.databases.slots import Slots
from backend.databases.worker_process import DeadlinePassed, StopAsked, Worker, WorkerGone

_FAULTS: dict[str, type[QueryFailed] | type[BadConfiguration]] = {
    "failed": QueryFailed,
    "interrupted": QueryFailed,
    "unavailable": DatabaseUnavailable,
    "too_large": ResultTooLarge,
    "configuration": BadConfiguration,
}
_OUT_OF_MEMORY = "The query needed more memory than it may use. Try a shorter period or fewer details."


class WorkerRunner:
    """Keeps `workers` processes at most, started when first needed and used again.

    Args:
        plan: says how a worker that refuses the given columns is to be started now; called before each start.
        state: changes when a worker that is open has to be replaced, because its file has been.
        workers: how many statements run at once.
        queue_size: how many wait beyond those.
    """

    def __init__(
        self,
        plan: Callable[[HiddenColumns], EngineStart],
        state: Callable[[], Hashable],
        *,
        workers: int,
        queue_size: int,
    ) -> None:
        self._plan = plan
        self._state = state
        self._slots = Slots(workers, queue_size)
        self._idle: list[tuple[Hashable, Worker]] = []
        self._lock = threading.Lock()
        self._closed = False
        weakref.finalize(self, _end_all, self._idle)

    def run(
        self,
        sql: str,
        *,
        max_rows: int,
        timeout_s: float,
        stop: threading.Event,
        hidden: HiddenColumns = frozenset(),
    ) -> QueryResult:
        """Return at most `max_rows` rows; see `ai_engine.ports.QueryRunner`.

        Time spent in the queue counts against `timeout_s`: who has not got a turn by then is told that it is busy.
        """
        deadline = time.monotonic() + timeout_s
        with self._slots.place(deadline, stop):
            try:
                return self._run_in_place(sql, max_rows, deadline, stop, hidden)
            except DeadlinePassed:
                raise QueryTimedOut(timeout_s) from None
            except StopAsked:
                raise QueryStopped from None
            except TimeoutError:
                raise QueryTimedOut(timeout_s) from None

    def _run_in_place(
        self, sql: str, max_rows: int, deadline: float, stop: threading.Event, hidden: HiddenColumns
    ) -> QueryResult:
        for may_repeat in (True, False):
            state = self._state()
            worker = self._idle_worker((state, hidden))
            fresh = worker is None
            worker = worker or self._start_worker(deadline, stop, hidden)
            try:
                reply = worker.run(sql, max_rows=max_rows, deadline=deadline, stop=stop)
            except WorkerGone as gone:
                if may_repeat and not fresh and gone.status == 0:
                    continue  # it had just closed for being idle
                raise QueryFailed(str(gone), _OUT_OF_MEMORY) from None
            finally:
                self._give_back((state, hidden), worker)
            if worker.start.access in ("immutable", "copy") and self._state() != state:
                if may_repeat:
                    continue  # read without locks while a writer was at it: worth nothing
                raise DatabaseUnavailable("another program keeps writing to the file")
            return _result(reply)
        raise AssertionError("the second pass returns or raises")

    def _idle_worker(self, wanted: Hashable) -> Worker | None:
        while True:
            with self._lock:
                if not self._idle:
                    return None
                opened_as, worker = self._idle.pop()
            if opened_as == wanted and worker.alive:
                return worker
            worker.end()

    def _start_worker(self, deadline: float, stop: threading.Event, hidden: HiddenColumns) -> Worker:
        try:
            worker = Worker(self._plan(hidden))
        except OSError as error:
            raise DatabaseUnavailable(f"no worker could be started: {error}") from error
        patience = time.monotonic() + worker.start.connect_timeout_s
        try:
            reply = worker.receive(min(deadline, patience), stop)
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

    def _give_back(self, opened_as: Hashable, worker: Worker) -> None:
        with self._lock:
            if not self._closed and worker.alive:
                self._idle.append((opened_as, worker))
                return
        worker.end()

    def close(self) -> None:
        """End the idle workers now, and the busy ones when their statement is over."""
        with self._lock:
            self._closed = True
            _end_all(self._idle)


def _end_all(workers: list[tuple[Hashable, Worker]]) -> None:
    while workers:
        workers.pop()[1].end()


def _result(reply: Any) -> QueryResult:
    if reply[0] != "rows":
        _raise_fault(reply)
    _, names, types, packed, truncated, elapsed_ms = reply
    return QueryResult(names, types, unpack_rows(packed), truncated, elapsed_ms)


def _raise_fault(reply: Any) -> None:
    _, kind, detail = reply
    if kind == "timed_out":
        raise TimeoutError(detail)
    raise _FAULTS[kind](detail)
