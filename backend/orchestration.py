"""The specialists of one assistant: what they are given from outside, and the ways to ask them together."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import queue
import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, TypeAlias

from ai_engine import orchestrator
from ai_engine.agent import Agent, AgentExecutionStatus, AgentRequest, OrchestratorResponse
from ai_engine.errors import AssistantError
from ai_engine.model_use import LOCAL, begin_asking, said_of_budget
from ai_engine.orchestrator import Happening, OrchestratorLimits, Setting
from ai_engine.ports import Services
from ai_engine.run_log import new_question_id, question_id
from ai_engine.specialists.computation.agent import ComputationServices
from ai_engine.specialists.earlier import earlier_questions
from ai_engine.specialists.registry import SPECIALISTS
from ai_engine.types import StillWorking
from backend.opening import default_assistant
from backend.outgoing.api_docs import open_api_services
from backend.sandbox import InterpreterSandbox, SandboxLimits
from backend.service import Assistant
from backend.settings import Settings, read_settings

_log = logging.getLogger(__name__)
_HEARTBEAT_S = 0.2
_JOIN_S = 5.0

Outside: TypeAlias = Mapping[type[Any], Any]
"""What agents are given besides the database, by class."""


@dataclass(frozen=True)
class Orchestrator:
    """An assistant's database and the outside, ready for requests from any thread.

    `agents` are those that exist; one whose services are not there is left out of every plan.
    """

    assistant: Assistant
    outside: Outside
    agents: tuple[Agent, ...] = SPECIALISTS

    @property
    def setting(self) -> Setting:
        """What every run is given; a run's own has its id too."""
        settings, vocabulary = self.assistant.settings, self.assistant.vocabulary
        return Setting(
            agents=self.agents,
            services={**self.outside, Services: self.assistant.services()},
            model=self.assistant.chat,
            limits=OrchestratorLimits(
                total_timeout_s=settings.orchestration_timeout_s,
                agent_timeout_s=settings.agent_timeout_s,
                planner_timeout_s=settings.planner_timeout_s,
                max_passed_rows=settings.max_passed_rows,
                max_question_chars=settings.max_question_chars,
            ),
            data_as_of=vocabulary.as_of,
            currency=vocabulary.model.currency,
        )

    def answer(
        self, request: AgentRequest, stop: threading.Event | None = None, who: str = LOCAL
    ) -> OrchestratorResponse:
        """Answer in the calling thread; `who` asks, for whom the language model is bounded.

        Raises:
            BadQuestion: it cannot be read, or names agents that there are not.
        """
        return asyncio.run(self.reply(request, stop, who))

    async def reply(
        self, request: AgentRequest, stop: threading.Event | None = None, who: str = LOCAL
    ) -> OrchestratorResponse:
        """Answer in the running loop; raises what `answer` does."""
        async with contextlib.aclosing(self.events(request, stop, who)) as happenings:
            async for happening in happenings:
                if isinstance(happening, OrchestratorResponse):
                    return happening
        raise AssertionError("the response comes last")

    async def events(
        self, request: AgentRequest, stop: threading.Event | None = None, who: str = LOCAL
    ) -> AsyncGenerator[Happening, None]:
        """Yield each event and the response last, and count it; closing it stops the run. Raises what `answer` does.

        The lines of the log, those of the parts too, and the response's `metadata` bear one id.
        """
        orchestrator.check(request, self.setting)
        given = new_question_id()
        question_id.set(given)
        begin_asking(who, [request.question, *earlier_questions(request)])
        started, status = time.perf_counter(), "stopped"
        try:
            async with contextlib.aclosing(orchestrator.astream(request, self._setting_of(given), stop)) as happenings:
                async for happening in happenings:
                    if isinstance(happening, OrchestratorResponse):
                        status = _status_of(happening)
                        yield happening.model_copy(update={"metadata": _metadata(happening, given)})
                    else:
                        yield happening
        finally:
            elapsed_s = time.perf_counter() - started
            self.assistant.metrics.count_orchestration(status, elapsed_s)
            _log.info("several agents: %s in %.0f ms", status, elapsed_s * 1_000)

    def _setting_of(self, given: str) -> Setting:
        setting = self.setting
        services = setting.services.get(Services)
        if services is None:
            return setting
        count = self.assistant.metrics.count_answer
        return replace(
            setting, services={**setting.services, Services: replace(services, question_id=given, count=count)}
        )

    def stream(self, request: AgentRequest, who: str = LOCAL) -> Iterator[Happening | StillWorking]:
        """The same for whoever has no loop, with StillWorking a few times a second, so that nothing blocks."""
        stop = threading.Event()
        happened: queue.SimpleQueue[Happening | Exception] = queue.SimpleQueue()
        thread = threading.Thread(target=_pump, args=(self, request, stop, who, happened), daemon=True)
        started = time.perf_counter()
        thread.start()
        try:
            while True:
                try:
                    happening = happened.get(timeout=_HEARTBEAT_S)
                except queue.Empty:
                    yield StillWorking((time.perf_counter() - started) * 1_000)
                    continue
                if isinstance(happening, Exception):
                    raise happening
                yield happening
                if isinstance(happening, OrchestratorResponse):
                    return
        finally:
            stop.set()
            thread.join(_JOIN_S)


def _pump(
    asked: Orchestrator,
    request: AgentRequest,
    stop: threading.Event,
    who: str,
    happened: queue.SimpleQueue[Happening | Exception],
) -> None:
    async def listen() -> None:
        async for happening in asked.events(request, stop, who):
            happened.put(happening)

    try:
        asyncio.run(listen())
    except Exception as fault:  # noqa: BLE001 - handed to whoever listens, who raises it
        happened.put(fault)


def _metadata(response: OrchestratorResponse, given: str) -> dict[str, Any]:
    """Add the run's id, and that the language model was not to be had any more."""
    assumed = list(response.metadata.get("assumptions", ()))
    due = said_of_budget(" ".join(assumed))
    told = {"assumptions": [due, *assumed]} if due else {}
    return {**response.metadata, **told, "question_id": given}


def _status_of(response: OrchestratorResponse) -> str:
    done = any(result.status is AgentExecutionStatus.succeeded for result in response.agent_results)
    return "answered" if done else "failed"


class SharedOutside:
    """What agents are given besides the database: opened on first use, once for a process."""

    def __init__(self, settings: Callable[[], Settings]) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._sandbox: InterpreterSandbox | None = None
        self._opened: Outside | None = None

    def get(self) -> Outside:
        """Return it; from any thread.

        Raises:
            BadConfiguration: a setting or a file is wrong.
        """
        with self._lock:
            if self._opened is None:
                settings = self._settings()
                self._sandbox = open_sandbox(settings)
                services = (computation_services(settings, self._sandbox), open_api_services(settings))
                self._opened = {type(given): given for given in services if given is not None}
            return self._opened

    def close(self) -> None:
        """End the workers; the next caller gets new ones."""
        with self._lock:
            if self._sandbox is not None:
                self._sandbox.close()
            self._sandbox = self._opened = None


shared_outside = SharedOutside(read_settings)


def default_orchestrator() -> Orchestrator:
    """The one that the environment describes, its parts shared by all callers."""
    return Orchestrator(default_assistant().at("API"), shared_outside.get())


def open_sandbox(settings: Settings) -> InterpreterSandbox:
    """Start the workers in which programs run."""
    limits = SandboxLimits(settings.sandbox_memory_mb, settings.sandbox_max_output_kb, settings.sandbox_workers)
    return InterpreterSandbox(limits, settings.as_of or date.today())  # noqa: DTZ011 - a person's day


def computation_services(settings: Settings, sandbox: InterpreterSandbox) -> ComputationServices:
    """What calculations are given."""
    return ComputationServices(sandbox, settings.sandbox_timeout_s, settings.sandbox_max_rows)


def failed_response(message: str, kind: type[AssistantError]) -> OrchestratorResponse:
    """Write a failure that came before any agent was asked."""
    metadata = {"agents": [], "error_kind": kind.__name__, "question_id": new_question_id()}
    return OrchestratorResponse(answer=message, metadata=metadata)
