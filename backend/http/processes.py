"""Starts the processes behind a front, starts those anew that end, and ends all of them together."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import secrets
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from backend.http.front import Target

_log = logging.getLogger(__name__)
_POLL_S = 0.05
_ASK_EACH_S = 15.0
_MARK_BYTES = 8
_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 60.0
_SETTLED_S = 60.0
_LAST_S = 5.0
"""More than a process may take to end by itself; then it is killed."""
_QUESTION = b"GET /_stcore/health HTTP/1.1\r\nHost: localhost\r\n\r\n"
_ANSWER = b"HTTP/1.1 "


@dataclass(frozen=True, slots=True)
class Plan:
    """What is kept running.

    Attributes:
        command: starts the process that listens on the given socket.
        count: of processes.
        silent_s: one that answers nothing for so long is ended, and started anew.
        shutdown_timeout_s: within which one ends that is asked to.
    """

    command: Callable[[Path], Sequence[str]]
    count: int
    silent_s: float
    shutdown_timeout_s: float


class Processes:
    """Keeps `count` of them running from `start` to `stop`.

    One that ends is started again after a pause, which doubles from half a second to a minute while it ends soon again.

    Attributes:
        ready: those that can be given requests.
        failed: set when one ended before any of them was ready: the settings are wrong, and a new start mends nothing.
    """

    def __init__(self, plan: Plan) -> None:
        self.ready: list[Target] = []
        self.failed = asyncio.Event()
        self._plan = plan
        self._folder = Path(tempfile.mkdtemp(prefix="bank-"))  # for its owner alone, and short, as sockets want it
        self._running: dict[int, asyncio.subprocess.Process] = {}
        self._keepers: list[asyncio.Task[None]] = []
        self._was_ready = self._is_stopping = False

    def start(self) -> None:
        """Begin to keep them running."""
        self._keepers = [asyncio.create_task(self._keep(number)) for number in range(1, self._plan.count + 1)]

    def signal(self, number: signal.Signals) -> None:
        """Send all of them a signal, and start none anew."""
        self._is_stopping = True
        for process in self._running.values():
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(number)

    async def stop(self) -> None:
        """Ask all of them to end, and wait until they have; those that do not in time are killed."""
        self.signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(self._plan.shutdown_timeout_s + _LAST_S):
                while self._running:
                    await asyncio.sleep(_POLL_S)
        except TimeoutError:
            _log.warning("%d processes did not end in time and are killed", len(self._running))
            self.signal(signal.SIGKILL)
        for keeper in self._keepers:
            keeper.cancel()
        await asyncio.gather(*self._keepers, return_exceptions=True)
        shutil.rmtree(self._folder, ignore_errors=True)

    async def _keep(self, number: int) -> None:
        pause_s = _FIRST_PAUSE_S
        while not self._is_stopping:
            began = time.monotonic()
            status = await self._run_once(number)
            if self._is_stopping:
                return
            if not self._was_ready:
                _log.error("process %d ended with status %d before it was ready", number, status)
                self.failed.set()
                return
            pause_s = _FIRST_PAUSE_S if time.monotonic() - began > _SETTLED_S else pause_s
            _log.error("process %d ended with status %d; a new one is started in %g s", number, status, pause_s)
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)

    async def _run_once(self, number: int) -> int:
        target = Target(number, secrets.token_hex(_MARK_BYTES), Path())
        target.socket = self._folder / f"{number}-{target.mark}.sock"
        process = self._running[number] = await asyncio.create_subprocess_exec(
            *self._plan.command(target.socket),
            stdin=asyncio.subprocess.PIPE,  # nothing is written: it closes with us
            start_new_session=True,  # Ctrl-C in the terminal is for us, who then end them
        )
        watching = asyncio.create_task(self._watch(target, process))
        try:
            return await process.wait()
        finally:
            watching.cancel()
            if target in self.ready:
                self.ready.remove(target)
            del self._running[number]
            target.socket.unlink(missing_ok=True)

    async def _watch(self, target: Target, process: asyncio.subprocess.Process) -> None:
        """Offer a process once it answers; kill one that does not answer any more."""
        while not await _answers(target.socket, self._plan.silent_s):
            await asyncio.sleep(_POLL_S)
        _log.info("process %d is ready, with the number %d", target.number, process.pid)
        self.ready.append(target)
        self._was_ready = True
        while await _answers(target.socket, self._plan.silent_s):
            await asyncio.sleep(_ASK_EACH_S)
        if not self._is_stopping:
            _log.error("process %d answers nothing any more and is killed", target.number)
            with contextlib.suppress(ProcessLookupError):
                process.kill()


async def _answers(where: Path, timeout_s: float) -> bool:
    """Ask for anything at all: a refusal is an answer too."""
    try:
        async with asyncio.timeout(timeout_s):
            reader, writer = await asyncio.open_unix_connection(str(where))
            try:
                writer.write(_QUESTION)
                return await reader.readexactly(len(_ANSWER)) == _ANSWER
            finally:
                writer.transport.abort()
    except (OSError, EOFError, TimeoutError):
        return False


def end_at_once(number: int) -> None:
    """End this process by a signal, as a second one of a person wants it."""
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
