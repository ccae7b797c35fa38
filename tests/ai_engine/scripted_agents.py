"""Agents that do as told, and a language model that plays back replies, for the floors above agents."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel

from ai_engine.agent import (
    Agent,
    AgentError,
    AgentExecutionStatus,
    AgentRequest,
    AgentResult,
    AgentRun,
    Capabilities,
    TabularResult,
    TraceEventType,
)
from ai_engine.errors import ModelFailed, QueryStopped
from ai_engine.prompts.loader import Messages

_Reply = TypeVar("_Reply", bound=BaseModel)
_Made = TypeVar("_Made")

SQL_WORDS = (
    "table", "tables", "list", "show", "top", "per", "group", "average", "sum", "count", "trend", "breakdown", "report",
)  # fmt: skip
COMPUTATION_WORDS = (
    "calculate", "difference", "ratio", "project", "simulate", "compute", "forecast", "estimate", "compare", "what is",
    "percent",
)  # fmt: skip
API_WORDS = (
    "api", "endpoint", "route", "http", "/api/", "get /", "post /", "put /", "delete /", "patch /", "status code",
    "request body",
)  # fmt: skip
CAPABILITIES = {
    "sql": Capabilities(SQL_WORDS, works_on="own_data", default=True, gives=frozenset({"table", "answer"})),
    "computation": Capabilities(COMPUTATION_WORDS, works_on="own_data", reads=frozenset({"table"})),
    "api_docs": Capabilities(API_WORDS, gives=frozenset({"table", "answer"})),
}


class ScriptedAgent(Agent):
    """Waits, then answers, fails or raises as told; records each request with the results that it was given.

    Args:
        answer: what it says; an AgentError makes it fail, an exception is raised.
        claims: words that make a part wholly its own; None when it cannot tell.
        waits_s: how long it works; it obeys `stop` unless it is `deaf`.
    """

    def __init__(
        self,
        name: str,
        answer: str | AgentError | Exception = "done",
        *,
        table: TabularResult | None = None,
        claims: Iterable[str] | None = None,
        waits_s: float = 0.0,
        deaf: bool = False,
        capabilities: Capabilities | None = None,
        described: dict[str, Any] | None = None,
    ) -> None:
        self._name, self._answer, self._table = name, answer, table
        self._claims = None if claims is None else tuple(claims)
        self._waits_s, self._deaf, self._described = waits_s, deaf, described
        self._capabilities = capabilities or CAPABILITIES.get(name, Capabilities())
        self.asked: list[tuple[AgentRequest, tuple[AgentResult, ...]]] = []
        self.worked_s: list[tuple[float, float]] = []

    @property
    def name(self) -> str:
        return self._name

    @property
    def description(self) -> str:
        return f"Does what the test says under the name {self._name}."

    @property
    def capabilities(self) -> Capabilities:
        return self._capabilities

    @property
    def questions(self) -> list[str]:
        return [request.question for request, _ in self.asked]

    def claim(self, part: str, run: AgentRun) -> float | None:
        if self._claims is None:
            return None
        words = part.lower().split()
        return float(bool(words) and all(word.strip("?,.") in self._claims for word in words))

    async def run(self, request: AgentRequest, earlier: Sequence[AgentResult], run: AgentRun) -> AgentResult:
        self.asked.append((request, tuple(earlier)))
        started = time.monotonic()
        run.tell(TraceEventType.TOOL, f"{self._name} works")
        try:
            while time.monotonic() - started < self._waits_s and (self._deaf or not run.stop.is_set()):
                await asyncio.sleep(min(0.01, self._waits_s))
        finally:
            self.worked_s.append((started, time.monotonic()))
        if run.stop.is_set() and not self._deaf:
            return AgentResult(agent=self._name, status=AgentExecutionStatus.failed, error=AgentError(message="ended"))
        if isinstance(self._answer, Exception):
            raise self._answer
        if isinstance(self._answer, AgentError):
            return AgentResult(agent=self._name, status=AgentExecutionStatus.failed, error=self._answer)
        run.tell(TraceEventType.RESULT, self._answer, **(self._described or {}))
        return AgentResult(
            agent=self._name, status=AgentExecutionStatus.succeeded, answer=self._answer, tabular=self._table
        )


class ScriptedChat:
    """Answers with the given replies in order; an exception is raised, None waits for a stop."""

    def __init__(self, *replies: dict[str, Any] | Exception | None) -> None:
        self._replies = list(replies)
        self._lock = threading.Lock()
        self.asked: list[Messages] = []

    def ask(
        self, messages: Messages, shape: type[_Reply], make: Callable[[_Reply], _Made], *, stop: threading.Event
    ) -> _Made:
        with self._lock:
            self.asked.append(messages)
            if not self._replies:
                raise AssertionError(f"no reply is left for {shape.__name__}")
            reply = self._replies.pop(0)
        if reply is None:
            stop.wait(30)
            raise QueryStopped
        if isinstance(reply, Exception):
            raise reply
        try:
            return make(shape.model_validate(reply))
        except ValueError:
            raise ModelFailed("reply unusable") from None
