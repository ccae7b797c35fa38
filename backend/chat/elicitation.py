"""Questions that tools ask the person in the middle of a call: open until they are answered, or nobody waits."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from ai_engine.events import Event, EventType
from ai_engine.json_values import any_to_json
from ai_engine.operators.told_tools import Elicit
from ai_engine.tools import ElicitationRequest, ElicitationResponse

_POLL_S = 0.1


def asker_of(question: Mapping[str, Any]) -> str:
    """Say which program asks, and what it is not to be told; empty where the assistant itself asks.

    Args:
        question: the fields of a `clarify.request`.
    """
    server = question.get("server")
    if not server:
        return ""
    return (
        f"The program {server}, which is not part of this assistant, asks through its tool {question.get('tool')}. "
        "Tell it no password, PIN or code:"
    )


class OpenQuestions:
    """The questions that wait for a person, by id; safe to answer from any thread.

    Args:
        timeout_s: how long one waits; then it counts as cancelled.
    """

    def __init__(self, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self._lock = threading.Lock()
        self._open: dict[str, tuple[asyncio.AbstractEventLoop, asyncio.Future[ElicitationResponse]]] = {}

    def asking(self, emit: Callable[[Event], None], request_id: str, stop: threading.Event) -> Elicit:
        """Return how tools of one request ask: their question is told as `clarify.request`."""

        async def ask(server: str, tool: str, request: ElicitationRequest) -> ElicitationResponse:
            question_id, loop = uuid.uuid4().hex, asyncio.get_running_loop()
            answer: asyncio.Future[ElicitationResponse] = loop.create_future()
            with self._lock:
                self._open[question_id] = (loop, answer)
            told = {
                "question": request.message, "id": question_id, "schema": any_to_json(dict(request.schema)),
                "timeout_s": self._timeout_s, "tool": tool, "server": server,
            }  # fmt: skip
            emit(Event(type=EventType.CLARIFY_REQUEST, request_id=request_id, data=told))
            try:
                return await self._answered(answer, stop)
            finally:
                with self._lock:
                    self._open.pop(question_id, None)

        return ask

    def answer(self, question_id: str, response: ElicitationResponse) -> bool:
        """Answer a question; False where it is not open any more, or never was."""
        with self._lock:
            waiting = self._open.pop(question_id, None)
        if waiting is None:
            return False
        loop, answer = waiting

        def settle() -> None:
            if not answer.done():
                answer.set_result(response)

        with contextlib.suppress(RuntimeError):  # the loop is closed: the request is over
            loop.call_soon_threadsafe(settle)
            return True
        return False

    async def _answered(
        self, answer: asyncio.Future[ElicitationResponse], stop: threading.Event
    ) -> ElicitationResponse:
        deadline = asyncio.get_running_loop().time() + self._timeout_s
        while not stop.is_set() and asyncio.get_running_loop().time() < deadline:
            done, _ = await asyncio.wait({answer}, timeout=_POLL_S)
            if done:
                return answer.result()
        return ElicitationResponse("cancel")
