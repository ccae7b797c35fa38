"""Answers one chat message, event by event."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import threading
import time
import uuid
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from ai_engine.agent_call import wait_for_end
from ai_engine.chat_history import ChatMessage, EventsOfAnswer
from ai_engine.errors import AssistantError, BadQuestion, DeadlineExceeded, QueryStopped, WorkflowInvalid
from ai_engine.events import Event, EventType
from ai_engine.operators.told_tools import Elicit
from ai_engine.supervisor.budget import MeteredModel, TokenBudget
from ai_engine.supervisor.main_flow import main_flow
from ai_engine.supervisor.setting import SupervisorRun, SupervisorSetting
from ai_engine.supervisor.shown import as_shown
from ai_engine.untraced import untraced
from ai_engine.workflows.definition import refuse_deep

_log = logging.getLogger(__name__)
_STEPS_PER_ITERATION = 12
_GRACE_S = 0.7
"""How long what was told to stop may take to end by itself; then it is left behind."""

ElicitWith = Callable[[Callable[[Event], None], str, threading.Event], Elicit]
"""Given how events are told, the request's id and its stop: how a tool's question is put to the person."""


async def astream(
    message: str,
    conversation_id: str,
    setting: SupervisorSetting,
    stop: threading.Event | None = None,
    elicit_with: ElicitWith | None = None,
    given: Mapping[str, Any] = MappingProxyType({}),
) -> AsyncGenerator[Event, None]:
    """Yield each event as it happens, `response.done` last; closing it stops all work within a second.

    Message and answer are in the history before `response.done` is yielded; what was stopped is kept as far as it came.

    Args:
        given: what the calling program says of the person and what they look at; not kept.

    Raises:
        BadQuestion: the message is empty or too long, or too much is given, before anything happens.
    """
    check_message(message, setting.limits.max_message_chars)
    check_given(given, setting.limits.max_given_kb)
    stop = stop or threading.Event()
    happened: asyncio.Queue[Event | None] = asyncio.Queue()
    run = replace(_run(message, conversation_id, setting, stop, happened, elicit_with), given=given)
    answer = EventsOfAnswer(setting.limits.max_kept_kb)
    kept = False
    task = asyncio.ensure_future(_answer(run))
    task.add_done_callback(lambda _: happened.put_nowait(None))
    try:
        while (event := await happened.get()) is not None:
            answer.take(event)
            if event.type is EventType.RESPONSE_DONE:
                kept = True
                await _keep(answer, run)
            yield event
            if event.type is EventType.RESPONSE_DONE:
                return
    finally:
        stop.set()
        if task.cancel():
            await asyncio.wait({task}, timeout=_GRACE_S)
        if not kept:
            await _keep(answer, run)


def check_message(message: str, max_chars: int) -> None:
    """Refuse what cannot be answered.

    Raises:
        BadQuestion: it is empty or too long.
    """
    if not message.strip():
        raise BadQuestion("The message is empty. Type what you would like to know.")
    if len(message) > max_chars:
        raise BadQuestion(f"The message has {len(message):,} characters; at most {max_chars:,} are read. Shorten it.")


def check_given(given: Mapping[str, Any], max_kb: int) -> None:
    """Refuse what is no context of a message.

    Raises:
        BadQuestion: it is too large, nested too deep, or no JSON.
    """
    try:
        refuse_deep(given)
        size_bytes = len(json.dumps(dict(given), ensure_ascii=False, allow_nan=False).encode("utf-8", "replace"))
    except (WorkflowInvalid, TypeError, ValueError):
        raise BadQuestion("The context is no JSON object, or nested too deep.") from None
    if size_bytes > max_kb * 1_024:
        raise BadQuestion(f"The context has {size_bytes // 1_024:,} KB; at most {max_kb:,} are read. Shorten it.")


def _run(
    message: str,
    conversation_id: str,
    setting: SupervisorSetting,
    stop: threading.Event,
    happened: asyncio.Queue[Event | None],
    elicit_with: ElicitWith | None,
) -> SupervisorRun:
    loop, request_id, started = asyncio.get_running_loop(), uuid.uuid4().hex, time.monotonic()
    budget = TokenBudget(setting.limits.max_tokens)

    def emit(event: Event) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody listens any more
            loop.call_soon_threadsafe(happened.put_nowait, as_shown(event))

    return SupervisorRun(
        setting=setting,
        request_id=request_id,
        conversation_id=conversation_id,
        message=message,
        emit=emit,
        stop=stop,
        started=started,
        deadline=started + setting.limits.timeout_s,
        budget=budget,
        model=None if setting.model is None else MeteredModel(setting.model, budget),
        elicit=elicit_with(emit, request_id, stop) if elicit_with else None,
    )


async def _answer(run: SupervisorRun) -> None:
    """Run the main flow; whatever happens, the last event is `response.done`."""
    task = asyncio.ensure_future(_flow(run))
    try:
        ended_by = await wait_for_end(task, run.deadline, run.stop)
        if ended_by is not None:
            await asyncio.wait({task}, timeout=_GRACE_S)
            if not task.done():
                raise QueryStopped if ended_by is QueryStopped else DeadlineExceeded("the chat", run.left_s)
        task.result()
    except QueryStopped:
        _end(run, "stopped")
    except AssistantError as fault:
        run.tell(EventType.ERROR, message=fault.user_message, error_type=type(fault).__name__)
        _end(run, "failed")
    except Exception as fault:  # noqa: BLE001 - a fault of ours ends this request, and nothing else
        _log.exception("a chat request failed")
        run.tell(EventType.ERROR, message=AssistantError.user_message, error_type=type(fault).__name__)
        _end(run, "failed")
    finally:
        task.cancel()


async def _flow(run: SupervisorRun) -> None:
    steps = _STEPS_PER_ITERATION * (run.setting.limits.max_iterations + 1)
    with untraced():
        await main_flow().ainvoke({}, context=run, config={"recursion_limit": steps})


def _end(run: SupervisorRun, status: str) -> None:
    elapsed_ms = round((time.monotonic() - run.started) * 1_000, 3)
    told: dict[str, Any] = {"action": "answer", "tools": [], "citations": [], "missing": []}
    run.tell(EventType.RESPONSE_DONE, status=status, **told, elapsed_ms=elapsed_ms)


async def _keep(answer: EventsOfAnswer, run: SupervisorRun) -> None:
    """Add the message and its answer to the history; that it cannot be kept is no reason not to answer."""
    asked = ChatMessage(role="user", content=run.message, request_id=run.request_id)
    try:
        await run.setting.history.add(run.conversation_id, [asked, answer.message(run.request_id)])
    except AssistantError:
        _log.exception("a chat message could not be kept")
