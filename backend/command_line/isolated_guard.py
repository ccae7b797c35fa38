"""The guard in a process of its own, so that no statement of a batch can hang or end the batch."""

from __future__ import annotations

import gc
import multiprocessing
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Self

from ai_engine import guard
from ai_engine.catalogue import Catalogue
from ai_engine.errors import AssistantError, SqlRejected
from ai_engine.guard.policy import Policy
from ai_engine.types import CheckedStatement

_LIMIT_S = 5.0
"""The guard promises an answer within two seconds; a busy machine may need longer."""
_START_LIMIT_S = 60.0
_READY = "ready"


class IsolatedGuard:
    """Judges statements one after the other; a process that hangs or dies is replaced."""

    def __init__(self, catalogue: Catalogue, policy: Policy, limit_s: float = _LIMIT_S) -> None:
        self._catalogue = catalogue
        self._policy = policy
        self._limit_s = limit_s
        self._process: BaseProcess | None = None
        self._connection: Connection | None = None

    def check(self, sql: str) -> CheckedStatement:
        """Judge as `guard.check` does.

        Raises:
            SqlRejected: the guard said no, or gave no answer in time.
            AssistantError: its process cannot be started.
        """
        connection = self._connection or self._start()
        try:
            connection.send(sql)
            answered = connection.poll(self._limit_s)
            verdict = connection.recv() if answered else f"it could not be judged within {self._limit_s:g} s"
        except (EOFError, OSError):
            answered, verdict = False, "the guard broke down while judging it"
        if not answered:
            self.close()
        if isinstance(verdict, CheckedStatement):
            return verdict
        raise SqlRejected(str(verdict))

    def close(self) -> None:
        """End the process, whatever it is doing."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._connection is not None:
            self._connection.close()
        self._process = self._connection = None

    def __enter__(self) -> Self:
        self._start()  # so that the first statement's time is its own
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _start(self) -> Connection:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_judge, args=(theirs, self._catalogue, self._policy), daemon=True)
        self._process.start()
        theirs.close()
        try:
            started = self._connection.poll(_START_LIMIT_S) and self._connection.recv() == _READY
        except EOFError:
            started = False
        if not started:
            self.close()
            raise AssistantError("the guard's process could not be started")
        return self._connection


def _judge(connection: Connection, catalogue: Catalogue, policy: Policy) -> None:
    gc.collect()
    gc.freeze()  # what is loaded stays: without it a full collection halts some statement for 20 ms
    connection.send(_READY)
    while True:
        try:
            sql = connection.recv()
        except EOFError:
            return
        verdict: CheckedStatement | str
        try:
            verdict = guard.check(sql, catalogue, policy)
        except SqlRejected as refusal:
            verdict = str(refusal)
        connection.send(verdict)
