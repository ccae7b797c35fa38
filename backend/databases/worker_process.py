"""One worker seen from its owner: started, asked, interrupted, ended."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import secrets
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from backend.databases import frames
from backend.databases.engine import EngineStart
from backend.databases.limits import MEGABYTE, address_space_bytes

_LOOK_UP_S = 0.02  # how often a running statement looks whether it was stopped
_ASK_AGAIN_S = 0.05  # an interruption that comes before the client has begun is lost, so it is repeated
_SEND_TIMEOUT_S = 0.5
_LAST_BREATH_S = 0.3
_FOLDER = "banking-assistant-"
_LEFT_AFTER_S = 3_600.0  # nothing is spilled for as long as that without a change
_PROJECT = Path(__file__).resolve().parents[2]
_INHERITED = ("PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "SYSTEMROOT")


class WorkerGone(Exception):
    """The process is no more.

    Attributes:
        begun: it had taken up the statement; else it was gone before, and the statement harmed nobody.
        killed: somebody else ended it; else it fell by itself, as for want of memory.
    """

    def __init__(self, status: int | None, *, begun: bool) -> None:
        super().__init__(f"the database worker ended unexpectedly (status {status})")
        self.begun = begun
        self.killed = status == -signal.SIGKILL


class DeadlinePassed(Exception):
    """No reply before the deadline."""


class StopAsked(Exception):
    """The stop event was set before the reply came."""


class Worker:
    """A process with one connection; used by one thread at a time."""

    def __init__(self, start: EngineStart) -> None:
        _remove_left_folders()
        folder = Path(tempfile.gettempdir()) / f"{_FOLDER}{os.getpid()}-{secrets.token_hex(6)}"
        self.start = dataclasses.replace(start, temp_folder=str(folder))
        self._reader = frames.FrameReader(4 * (start.max_result_mb + 16) * 1024 * 1024)
        self._runs = 0
        self._begun = False
        self._held_bytes = 0
        self._kept_bytes = 0
        self._socket, theirs = socket.socketpair()
        with theirs:
            try:
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-m", "backend.databases.worker"],
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    start_new_session=True,  # Ctrl-C in the terminal is for the owner, who then ends the worker
                    cwd="/",
                    env={
                        **{name: os.environ[name] for name in _INHERITED if name in os.environ},
                        "PYTHONPATH": str(_PROJECT),
                        "PYTHONDONTWRITEBYTECODE": "1",
                    },
                )
            except BaseException:
                self._socket.close()
                raise
        self._socket.settimeout(_SEND_TIMEOUT_S)
        self._poll = select.poll()
        self._poll.register(self._socket, select.POLLIN)
        with contextlib.suppress(OSError):
            self._socket.sendall(
                frames.encode({f.name: getattr(self.start, f.name) for f in dataclasses.fields(start)})
            )

    @property
    def alive(self) -> bool:
        """False once the process has ended, by itself or not."""
        return self._process.poll() is None

    @property
    def left(self) -> bool:
        """True when the process has ended by itself and without fault, as it does after long idleness."""
        return self._process.poll() == 0

    @property
    def swollen(self) -> bool:
        """True when earlier statements have left it less than half of the memory that one may take.

        Pages of the file that it keeps leave with the first statement that needs their room: a large file would have
        it replaced after every statement.
        """
        taken = address_space_bytes(self._process.pid) - self._held_bytes - self._kept_bytes
        return taken > self.start.memory_mb * MEGABYTE / 2

    def open(self, deadline: float, stop: threading.Event) -> Any:
        """Wait until the connection is there; return the message that says so, or a fault. Raises as `receive`."""
        reply = self.receive(deadline, stop)
        if reply[0] == "ready":
            self._held_bytes = reply[1]
        return reply

    def receive(self, deadline: float, stop: threading.Event) -> Any:
        """Wait for the worker's next message.

        Args:
            deadline: on the clock of `time.monotonic`, seconds.
            stop: gives the wait up when set.

        Raises:
            DeadlinePassed, StopAsked: nothing came in time; the worker is still at it.
            WorkerGone: the process is no more.
        """
        message = None
        while message is None:
            left_s = deadline - time.monotonic()
            if self._poll.poll(max(0.0, min(left_s, _LOOK_UP_S)) * 1_000):
                try:
                    message = self._reader.feed(self._socket.recv(1 << 20))
                except (OSError, frames.BrokenFrame):
                    raise self._gone() from None
                if message == ("begun",):
                    self._begun = True
                    message = self._reader.next()
            elif stop.is_set():
                raise StopAsked
            elif left_s <= 0:
                raise DeadlinePassed
        return message

    def run(
        self, sql: str, *, max_rows: int, deadline: float, stop: threading.Event, in_any_order: bool = False
    ) -> Any:
        """Run one statement; see `backend.databases.worker` for the replies.

        When the deadline passes or `stop` is set the statement is ended before the error is raised, and where that does
        not succeed within the engine's patience the whole process.

        Raises:
            DeadlinePassed, StopAsked, WorkerGone: as `receive`.
        """
        self._runs += 1
        self._begun = False
        self._send(("run", self._runs, sql, max_rows, max(0.0, deadline - time.monotonic()), in_any_order))
        try:
            reply = self.receive(deadline, stop)
            if reply[0] == "rows":
                self._kept_bytes = reply[-1]
            return reply
        except (DeadlinePassed, StopAsked):
            self._interrupt()
            raise
        except BaseException:
            self.end()  # whatever it was, the reply of this statement must not be taken for that of the next
            raise

    def _interrupt(self) -> None:
        patience = time.monotonic() + self.start.patience_s
        never = threading.Event()
        with contextlib.suppress(WorkerGone):
            while time.monotonic() < patience:
                self._send(("interrupt", self._runs))
                with contextlib.suppress(DeadlinePassed):
                    self.receive(time.monotonic() + _ASK_AGAIN_S, never)
                    return
            self.end()

    def _send(self, message: object) -> None:
        try:
            self._socket.sendall(frames.encode(message))
        except OSError:
            raise self._gone() from None

    def _gone(self) -> WorkerGone:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=_LAST_BREATH_S)  # so that its own status is seen, and not that of our signal
        self.end()
        return WorkerGone(self._process.returncode, begun=self._begun)

    def end(self) -> None:
        """Kill the process, wait for its end and remove what it spilled; harmless when repeated."""
        self._process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=1.0)
        self._socket.close()
        shutil.rmtree(self.start.temp_folder, ignore_errors=True)


def _remove_left_folders() -> None:
    """Remove what was spilled by workers that were killed together with their app.

    A process of that number may be out of sight, in another container with the same temporary folder: so only what has
    not changed for long.
    """
    for folder in Path(tempfile.gettempdir()).glob(f"{_FOLDER}*-*"):
        owner = folder.name.removeprefix(_FOLDER).partition("-")[0]
        with contextlib.suppress(OSError):
            is_old = time.time() - folder.stat().st_mtime > _LEFT_AFTER_S
            if is_old and owner.isdecimal() and _is_gone(int(owner)):
                shutil.rmtree(folder, ignore_errors=True)


def _is_gone(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False
