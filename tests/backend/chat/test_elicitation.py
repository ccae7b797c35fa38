"""Questions that tools ask the person in the middle of a call."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

from ai_engine.events import Event, EventType
from ai_engine.tools import ElicitationRequest, ElicitationResponse
from backend.chat.elicitation import OpenQuestions

QUESTION = ElicitationRequest("Which year?", {"type": "object", "properties": {"year": {"type": "integer"}}})


def asked(questions: OpenQuestions, told: list[Event], stop: threading.Event | None = None) -> Any:
    return questions.asking(told.append, "r", stop or threading.Event())("library", "find", QUESTION)


async def until_told(told: list[Event]) -> str:
    while not told:
        await asyncio.sleep(0.01)
    return str(told[0].data["id"])


def test_a_question_is_told_and_its_answer_reaches_the_tool():
    async def scene() -> tuple[ElicitationResponse, list[Event]]:
        questions, told = OpenQuestions(5), []
        waiting = asyncio.ensure_future(asked(questions, told))
        question_id = await until_told(told)
        response = ElicitationResponse("accept", {"year": 2026})
        assert questions.answer(question_id, response)
        assert not questions.answer(question_id, response)
        return await waiting, told

    response, told = asyncio.run(scene())
    assert response.content == {"year": 2026}
    assert told[0].type is EventType.CLARIFY_REQUEST
    assert {"question", "id", "schema", "timeout_s", "tool", "server"} == told[0].data.keys()


def test_a_question_can_be_answered_from_another_thread():
    async def scene() -> ElicitationResponse:
        questions, told = OpenQuestions(5), []
        waiting = asyncio.ensure_future(asked(questions, told))
        question_id = await until_told(told)
        await asyncio.to_thread(questions.answer, question_id, ElicitationResponse("decline"))
        return await waiting

    assert asyncio.run(scene()).action == "decline"


def test_a_question_that_nobody_answers_is_cancelled_in_time_and_forgotten():
    async def scene() -> tuple[ElicitationResponse, bool]:
        questions, told = OpenQuestions(0.2), []
        response = await asked(questions, told)
        return response, questions.answer(str(told[0].data["id"]), ElicitationResponse("accept", {}))

    response, taken = asyncio.run(scene())
    assert response.action == "cancel"
    assert not taken


def test_a_stop_ends_the_waiting():
    async def scene() -> ElicitationResponse:
        stop, told = threading.Event(), []
        waiting = asyncio.ensure_future(asked(OpenQuestions(5), told, stop))
        await until_told(told)
        stop.set()
        return await asyncio.wait_for(waiting, 1)

    assert asyncio.run(scene()).action == "cancel"


def test_an_answer_to_no_question_is_refused():
    assert not OpenQuestions(1).answer("nobody", ElicitationResponse("accept", {}))
