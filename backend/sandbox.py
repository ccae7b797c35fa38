"""Programs that nobody trusts, run by a small interpreter in a process of its own that can be killed.

The interpreter knows no file, no network and no environment: what a program reaches is its inputs, exact decimals,
dates and the finance library, which is run inside with it. Its process holds no secret of the app.
"""

from __future__ import annotations

import contextlib
import math
import os
import resource
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from datetime import time as time_of_day
from decimal import Decimal
from typing import Any

import pydantic_monty

from ai_engine.specialists.computation.finance import library_sources
from ai_engine.specialists.computation.sandbox import (
    PlainValue,
    ProgramRefused,
    RunStatus,
    SandboxRun,
    assigned_names,
)

MEGABYTE = 1024 * 1024
_PREPARATION = "from datetime import date, datetime, time, timedelta\nfrom decimal import Decimal\nimport math\n"
_PREPARATION_S = 10.0
_GRACE_S = 0.25  # after its deadline the interpreter may say so itself before its process is killed
_LOOK_UP_S = 0.02
_PROCESS_MEMORY_MB = 192  # what the process needs beside the values of a program
_RUNS_PER_PROCESS = 200
_MAX_RECURSION = 200
_MAX_DEPTH = 20
_MAX_VARIABLES = 50
_MAX_VALUES = 200_000
_MAX_INTEGER_BITS = 4_096
_VIOLATIONS = ("MemoryError", "PermissionError", "ModuleNotFoundError", "ImportError", "RecursionError", "OSError")
_PLAIN = (bool, int, float, str, Decimal, date, datetime, time_of_day, timedelta, type(None))


class _NotPlain(Exception):
    """A value is none that can leave the sandbox, or is too large to."""

    def __init__(self, reason: str, *, violation: bool = False) -> None:
        super().__init__(reason)
        self.violation = violation


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """Bounds of one program."""

    memory_mb: int = 64
    max_output_kb: int = 256
    workers: int = 2


class InterpreterSandbox:
    """Warm worker processes, one program at a time in each, every program in a session of its own.

    Close it when done; safe to call from many threads.
    """

    def __init__(self, limits: SandboxLimits, today: date) -> None:
        """Start the workers; `today` is the date that programs are told, so that their results can be repeated."""
        self._limits = limits
        self._os_policy: pydantic_monty.OSPolicy = {
            "datetime": datetime(today.year, today.month, today.day),  # noqa: DTZ001 - a date of the data, in no zone
            "sleep": "zero",
            "random_start": {"seed": 0},
        }
        self._pool = pydantic_monty.Monty(
            min_processes=1,
            max_processes=limits.workers,
            max_checkouts_per_worker=_RUNS_PER_PROCESS,
            feed_duration_limit_grace=_GRACE_S,
        )
        self._pool.__enter__()
        self._prepared = self._prepare()

    def close(self) -> None:
        """End the worker processes."""
        self._pool.__exit__(None, None, None)

    def run(
        self, code: str, inputs: Mapping[str, PlainValue], *, timeout_s: float, stop: threading.Event
    ) -> SandboxRun:
        """See `ai_engine.specialists.computation.sandbox.Sandbox`."""
        began = time.perf_counter()
        printed = pydantic_monty.CollectString(self._limits.max_output_kb * 1024)
        result: PlainValue = None
        variables: dict[str, PlainValue] = {}
        status: RunStatus = "ok"
        error = ""
        try:
            names = assigned_names(code)
            with self._session(timeout_s, stop) as session:
                last = session.feed_run(code, inputs=dict(inputs), print_callback=printed)
                variables = _variables(session, names)
                result = self._plain(session.feed_run("result") if "result" in names else last)
        except ProgramRefused as refusal:
            status, error = "violation" if refusal.violation else "failed", str(refusal)
        except _NotPlain as fault:
            status, error = "violation" if fault.violation else "failed", str(fault)
        except (pydantic_monty.MontyError, TimeoutError) as fault:
            status, error = _outcome(fault, timeout_s, stop)
        elapsed_ms = (time.perf_counter() - began) * 1_000
        if status != "ok":
            return SandboxRun(status, printed.output, None, {}, error, elapsed_ms)
        return SandboxRun(status, printed.output, result, variables, "", elapsed_ms)

    def _prepare(self) -> bytes:
        """The state of a session that has read the finance library, to begin every other one with."""
        limits: pydantic_monty.ResourceLimits = {"max_feed_duration_secs": _PREPARATION_S}
        with self._pool.checkout(limits=limits, os_policy=self._os_policy) as session:
            session.feed_run(_PREPARATION)
            for source in library_sources():
                session.feed_run(source)
            return session.dump()

    @contextlib.contextmanager
    def _session(self, timeout_s: float, stop: threading.Event) -> Iterator[pydantic_monty.MontySession]:
        """A session that ends with its process when the program does not obey."""
        limits: pydantic_monty.ResourceLimits = {
            "max_feed_duration_secs": timeout_s,
            "max_memory": self._limits.memory_mb * MEGABYTE,
            "max_recursion_depth": _MAX_RECURSION,
            "max_suspensions": 1,
        }
        with self._pool.checkout(limits=limits, os_policy=self._os_policy) as session:
            session.load_session(self._prepared)
            pid = session.worker_pid
            if pid is None:
                raise TimeoutError
            _bound_memory(pid, self._limits.memory_mb + _PROCESS_MEMORY_MB)
            with _killed_on(stop, pid):
                yield session

    def _plain(self, value: Any) -> PlainValue:
        """Copy a value that left the sandbox, or say why it may not."""
        return _Copy(self._limits.max_output_kb * 1024).of(value)


class _Copy:
    """Copies plain values while they stay within a number of characters and of values."""

    def __init__(self, max_chars: int) -> None:
        self._chars_left = max_chars
        self._values_left = _MAX_VALUES

    def of(self, value: Any, depth: int = 0) -> PlainValue:
        self._values_left -= 1
        if isinstance(value, str):
            self._chars_left -= len(value)
        if self._chars_left < 0 or self._values_left < 0 or depth > _MAX_DEPTH:
            raise _NotPlain("the result is too large or nested too deeply", violation=True)
        if isinstance(value, (list, tuple, set, frozenset)):
            return [self.of(item, depth + 1) for item in value]
        if isinstance(value, dict):
            return {str(self.of(key, depth + 1)): self.of(item, depth + 1) for key, item in value.items()}
        if isinstance(value, int) and value.bit_length() > _MAX_INTEGER_BITS:
            raise _NotPlain("the result has too many digits", violation=True)
        if isinstance(value, (float, Decimal)) and not math.isfinite(value):
            raise _NotPlain("the result is no finite number")
        if not isinstance(value, _PLAIN):
            raise _NotPlain("the result must be numbers, texts, dates, lists or a table")
        return value


def _variables(session: pydantic_monty.MontySession, names: tuple[str, ...]) -> dict[str, PlainValue]:
    """The plain values among what a program assigned; what it deleted, or never reached, is left out."""
    found: dict[str, PlainValue] = {}
    copy = _Copy(MEGABYTE)
    for name in names[:_MAX_VARIABLES]:
        with contextlib.suppress(pydantic_monty.MontyRuntimeError, _NotPlain):
            found[name] = copy.of(session.feed_run(name))
    return found


def _outcome(fault: Exception, timeout_s: float, stop: threading.Event) -> tuple[RunStatus, str]:
    if stop.is_set():
        return "stopped", "stopped on request"
    reason = fault.exception() if isinstance(fault, pydantic_monty.MontyError) else fault
    timed_out = f"the program was stopped after {timeout_s:g} s"
    if isinstance(fault, pydantic_monty.MontyCrashedError):
        if fault.timed_out:
            return "timed_out", timed_out
        return "violation", "the program needs more memory than it may use"
    if isinstance(reason, TimeoutError):
        return "timed_out", timed_out
    name = type(reason).__name__
    text = str(fault)[:500]
    return ("violation" if name in _VIOLATIONS else "failed"), text


def _bound_memory(pid: int, megabytes: int) -> None:
    """Cap the address space of a worker beyond what the interpreter counts itself; Linux only."""
    if hasattr(resource, "prlimit"):
        with contextlib.suppress(OSError, ValueError):
            resource.prlimit(pid, resource.RLIMIT_AS, (megabytes * MEGABYTE,) * 2)


@contextlib.contextmanager
def _killed_on(stop: threading.Event, pid: int) -> Iterator[None]:
    """Kill a worker when `stop` is set while its program runs."""
    done = threading.Event()

    def watch() -> None:
        while not done.wait(_LOOK_UP_S):
            if stop.is_set():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                return

    watcher = threading.Thread(target=watch, name="sandbox-stop", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
