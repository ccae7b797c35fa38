"""Ask the orchestrator: in a thread, in a loop, or event by event."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncGenerator
from typing import TypeAlias

from ai_engine.agent import AgentRequest, OrchestratorResponse, TraceEvent
from ai_engine.errors import BadQuestion, QueryStopped, UnknownAgent
from ai_engine.orchestrator.graph import build_graph
from ai_engine.orchestrator.setting import OrchestratorRun, Setting
from ai_engine.orchestrator.telling import NO_DATA
from ai_engine.untraced import untraced

Happening: TypeAlias = TraceEvent | OrchestratorResponse

_MOST_STEPS = 60
_GRACE_S = 1.0


def run(request: AgentRequest, setting: Setting, stop: threading.Event | None = None) -> OrchestratorResponse:
    """Answer in the calling thread, which must not be running a loop.

    Raises:
        BadQuestion: the question is too long; UnknownAgent when the request names agents that there are not.
    """
    return asyncio.run(arun(request, setting, stop))


async def arun(request: AgentRequest, setting: Setting, stop: threading.Event | None = None) -> OrchestratorResponse:
    """Answer; setting `stop` or cancelling ends whatever runs within a second.

    Raises:
        BadQuestion: as `run` does.
    """
    async with contextlib.aclosing(astream(request, setting, stop)) as happenings:
        async for happening in happenings:
            if isinstance(happening, OrchestratorResponse):
                return happening
    raise AssertionError("the response comes last")


async def astream(
    request: AgentRequest, setting: Setting, stop: threading.Event | None = None
) -> AsyncGenerator[Happening, None]:
    """Yield each event as it happens and the response last; closing it stops the run.

    Raises:
        BadQuestion: as `run` does, before anything happens.
    """
    check(request, setting)
    stop = stop or threading.Event()
    happened: asyncio.Queue[TraceEvent | None] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    trace: list[TraceEvent] = []

    def emit(event: TraceEvent) -> None:
        trace.append(event)
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody listens any more
            loop.call_soon_threadsafe(happened.put_nowait, event)

    context = OrchestratorRun(setting, emit, stop, time.monotonic() + setting.limits.total_timeout_s)
    task = asyncio.ensure_future(_response(request, context))
    task.add_done_callback(lambda _: loop.call_soon(happened.put_nowait, None))
    try:
        while (event := await happened.get()) is not None:
            yield event
        response = await task
        trace.sort(key=lambda event: event.timestamp)
        yield response.model_copy(update={"trace": trace}) if request.trace else response
    finally:
        if task.cancel():
            await asyncio.wait({task}, timeout=_GRACE_S)


def check(request: AgentRequest, setting: Setting) -> None:
    """Refuse what cannot be asked.

    Raises:
        BadQuestion: the question is empty or too long; UnknownAgent when it names agents that there are not.
    """
    known = tuple(agent.name for agent in setting.agents)
    unknown = tuple(dict.fromkeys(n for n in (*request.prefer_agents, *request.disable_agents) if n not in known))
    if unknown:
        raise UnknownAgent(unknown, known)
    most = setting.limits.max_question_chars
    if not request.question.strip():
        raise BadQuestion("The question is empty. Type what you would like to know.")
    if len(request.question) > most:
        chars = len(request.question)
        raise BadQuestion(f"The question has {chars:,} characters; at most {most:,} are read. Shorten it.")


async def _response(request: AgentRequest, context: OrchestratorRun) -> OrchestratorResponse:
    try:
        with untraced():
            final = await build_graph().ainvoke(
                {"request": request}, context=context, config={"recursion_limit": _MOST_STEPS}
            )
    except QueryStopped as stopped:  # while it was planned: nobody had been asked yet
        return OrchestratorResponse(
            answer=f"{stopped.user_message} For this question {NO_DATA}.", metadata={"agents": []}
        )
    response: OrchestratorResponse = final["response"]
    return response
