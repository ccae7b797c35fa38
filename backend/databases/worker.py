"""The process that holds one read-only connection: `python -m backend.databases.worker`, its owner on descriptor 0.

Frames in: the start, then ("run", number, sql, max_rows, timeout_s, in_any_order), where COST_ALONE rows ask for its
cost, and ("interrupt", number).
Frames out: ("ready", bytes held) or a fault; per run ("begun",), then a fault,
("rows", names, types, packed columns, truncated, elapsed_ms, bytes of kept pages) or ("cost", rows, bytes, work).
A fault is ("fault", kind, detail, names).
The process ends when its owner does, when it is idle for long, and, whatever the client hangs in, past its deadline.
"""

from __future__ import annotations

import contextlib
import os
import queue
import resource
import select
import shutil
import signal
import sys
import threading
import time
from importlib import import_module
from pathlib import Path
from typing import Any, Never

from backend.databases import frames
from backend.databases.cells import (
    CellTooLarge,
    PlainColumn,
    append_columns,
    number_names,
    plain_columns,
    typed_columns,
)
from backend.databases.engine import COST_ALONE, Engine, EngineFault, EngineStart, HasThreads, KeepsPages, ResultCut
from backend.databases.limits import MEGABYTE, address_space_bytes
from backend.databases.packing import pack_columns
from backend.databases.statement_faults import out_of_memory

OWNER = 0
_MAX_REQUEST_BYTES = 16 * MEGABYTE
_FIRST_FETCH_ROWS = 64
_FETCH_BYTES = 4 * MEGABYTE
_LATE_S = 5.0  # past its deadline, a worker that its owner did not end ends itself


class _Requests:
    """Reads frames in a thread of its own, so that an interruption arrives while the client is at work."""

    def __init__(self, idle_close_s: float, temp_folder: str) -> None:
        self.runs: queue.SimpleQueue[tuple[int, str, int, float, bool]] = queue.SimpleQueue()
        self.engine: Engine | None = None
        self._idle_close_s = idle_close_s
        self._temp_folder = temp_folder
        self._lock = threading.Lock()
        self._running = 0
        self._interrupted = 0

    def begin(self, number: int) -> None:
        with self._lock:
            self._running = number

    def end(self) -> None:
        with self._lock:
            self._running = 0

    def was_interrupted(self, number: int) -> bool:
        return self._interrupted == number

    def read(self, reader: frames.FrameReader) -> Never:
        """Serve until the owner is gone; leaves at once, since the main thread may never come back from its client."""
        try:
            while True:
                self._wait()
                message = reader.feed(os.read(OWNER, 1 << 16))
                while message is not None:
                    self._take(message)
                    message = reader.next()
        except (OSError, frames.BrokenFrame):
            self._leave()

    def _wait(self) -> None:
        while not select.select([OWNER], [], [], self._idle_close_s)[0]:
            with self._lock:
                if not self._running and self.runs.empty():
                    self._leave()

    def _leave(self) -> Never:
        """End the process; what the engine spilled is rows of the bank, and the owner may be gone."""
        shutil.rmtree(self._temp_folder, ignore_errors=True)
        os._exit(0)

    def _take(self, message: Any) -> None:
        if message[0] == "run":
            self.runs.put(message[1:])
            return
        with self._lock:
            self._interrupted = message[1]
            if self._running == message[1] and self.engine is not None:
                self.engine.interrupt()


def _open_engine(start: EngineStart) -> Engine:
    """Load the one module that asks this kind of database, and connect."""
    module = import_module(f"backend.databases.{start.engine}_engine")
    opened: Engine = getattr(module, f"{start.engine.title()}Engine")(start)
    return opened


def _bound_resources(memory_mb: int, temp_mb: int) -> int:
    """Cap what the process may take beyond what it holds now; the kernel is told to end it before anything else.

    Returns:
        Bytes of address space that it holds now.
    """
    held = address_space_bytes("self")
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (held + memory_mb * MEGABYTE,) * 2)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_FSIZE, (temp_mb * MEGABYTE,) * 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")
    return held


def _told(fault: EngineFault) -> tuple[Any, ...]:
    return ("fault", fault.kind, fault.detail, fault.names)


class _Run:
    """One statement: its rows are fetched in growing pieces until enough, too much, or interrupted."""

    def __init__(self, engine: Engine, start: EngineStart, requests: _Requests) -> None:
        self._engine = engine
        self._start = start
        self._requests = requests

    def reply(self, number: int, sql: str, max_rows: int, timeout_s: float, in_any_order: bool) -> tuple[Any, ...]:
        self._requests.begin(number)
        frames.send(OWNER, ("begun",))
        signal.setitimer(signal.ITIMER_REAL, timeout_s + _LATE_S)
        try:
            if isinstance(self._engine, HasThreads):
                self._engine.share_work(in_any_order)
            if max_rows == COST_ALONE:
                expected = self._engine.cost(sql, timeout_s)
                return ("cost", expected.rows, expected.bytes, expected.work)
            return self._rows(number, sql, max_rows, timeout_s)
        except EngineFault as fault:
            return _told(fault)
        except CellTooLarge as fault:
            return _told(EngineFault("too_large", str(fault)))
        except MemoryError:
            return _told(out_of_memory())
        except Exception as error:  # noqa: BLE001 - it may quote a cell, so no more of it than its name leaves here
            unknown = EngineFault("failed", f"the database's client failed: {type(error).__name__}")
            return _told(self._engine.fault(error) or unknown)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            self._requests.end()

    def _rows(self, number: int, sql: str, max_rows: int, timeout_s: float) -> tuple[Any, ...]:
        began = time.perf_counter()
        names, declared = self._engine.execute(sql, timeout_s)
        columns: list[PlainColumn] = []
        count, held, ask, truncated = 0, 0, _FIRST_FETCH_ROWS, False
        while not truncated:
            if self._requests.was_interrupted(number):
                raise EngineFault("interrupted", "interrupted between rows")
            try:
                fetched = self._engine.fetch(min(ask, max_rows + 1 - count))
            except ResultCut:
                truncated = True
                break
            truncated = count + len(fetched) > max_rows
            kept = fetched[: max_rows - count] if truncated else fetched
            if not kept:
                break
            piece, size = plain_columns(kept, self._start.max_cell_kb * 1024)
            columns = append_columns(columns, piece)
            count += len(kept)
            held += size
            if held > self._start.max_result_mb * MEGABYTE:
                raise EngineFault("too_large", f"more than {self._start.max_result_mb} MB after {count:,} rows")
            ask = max(1, min(ask * 4, 16_384, int(_FETCH_BYTES * count / held)))
        elapsed_ms = (time.perf_counter() - began) * 1_000
        types, typed = typed_columns(columns, declared)
        kept_bytes = self._engine.kept_bytes() if isinstance(self._engine, KeepsPages) else 0
        return ("rows", number_names(names), types, pack_columns(typed), truncated, elapsed_ms, kept_bytes)


def main() -> None:
    """Open the connection that the first frame describes, then run statements until the owner is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    reader = frames.FrameReader(_MAX_REQUEST_BYTES)
    message = None
    while message is None:
        message = reader.feed(os.read(OWNER, 1 << 16))
    start = EngineStart(**message)
    requests = _Requests(start.idle_close_s, start.temp_folder)
    try:
        engine = _open_engine(start)
        held_bytes = _bound_resources(start.memory_mb, start.temp_mb)
    except EngineFault as fault:
        frames.send(OWNER, _told(fault))
        sys.exit(1)
    requests.engine = engine
    threading.Thread(target=requests.read, args=(reader,), name="requests", daemon=True).start()
    frames.send(OWNER, ("ready", held_bytes))
    run = _Run(engine, start, requests)
    while True:
        reply = run.reply(*requests.runs.get())
        if start.engine == "sqlite":
            engine.finish()  # who has the answer may count on the file's lock being free
            frames.send(OWNER, reply)
        else:
            frames.send(OWNER, reply)
            engine.finish()


if __name__ == "__main__":
    main()
