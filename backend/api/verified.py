"""Answers that people have checked, over HTTP: list, add, confirm, retract."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field, JsonValue

from ai_engine.agent import in_thread
from ai_engine.errors import AssistantError
from ai_engine.model_use import LOCAL
from ai_engine.types import Answer
from ai_engine.verified import intent_from_text
from backend.api.errors import FAILURES, http_status_of
from backend.service import Assistant
from backend.settings import Settings
from backend.store.verified_answers import KeptAnswer

_MOST_CHARS = 100_000
_DISCONNECT_POLL_S = 0.25

router = APIRouter(prefix="/verified", tags=["verified answers"])


class Refusal(BaseModel):
    """Why it could not be done."""

    error: str
    error_kind: str


_DOCUMENTED: dict[int | str, dict[str, Any]] = {
    status: {"model": Refusal, "description": meaning} for status, meaning in FAILURES.items()
}


class Checked(BaseModel):
    """An answer as `POST /ask` gave it, which somebody has checked."""

    query: str = Field(max_length=_MOST_CHARS)
    restatement: str = Field("", max_length=_MOST_CHARS)
    sql: str = Field(max_length=_MOST_CHARS, description="`validated_sql` of the answer.")
    intent: dict[str, JsonValue] | None = Field(None, description="`intent` of the answer.")
    stands_alone: bool = Field(True, description="`stands_alone` of the answer.")
    expires_on: date | None = Field(None, description="The last day (UTC) on which it is used; else as is usual here.")


class Verified(BaseModel):
    """One checked answer."""

    id: str
    state: Literal["waiting", "verified", "retracted", "withdrawn"]
    question: str
    restatement: str
    sql: str
    as_of: date
    saved_by: str
    saved_at: datetime
    confirmed_by: str
    ended_by: str
    reason: str
    expires_on: date | None
    expired: bool


class Reason(BaseModel):
    """Why an answer is retracted."""

    reason: str = Field("", max_length=2_000)


@router.get("", response_model=list[Verified], responses=_DOCUMENTED, summary="List the verified answers")
async def listed(request: Request) -> Response:
    """List every answer that was ever verified here, the newest first."""
    return await _done(request, lambda assistant, *_: [verified_fields(one) for one in assistant.verified.listed()])


@router.post("", response_model=Verified, responses=_DOCUMENTED, summary="Mark an answer as verified")
async def verify(request: Request, body: Checked) -> Response:
    """Keep an answer that you have checked; its statement passes the guard and runs once more first."""

    def keep(assistant: Assistant, who: str, stop: threading.Event) -> dict[str, Any]:
        answer = Answer(
            body.query, "answered", "", restatement=body.restatement, sql=body.sql,
            intent=intent_from_text(json.dumps(body.intent)) if body.intent else None, stands_alone=body.stands_alone,
        )  # fmt: skip
        return verified_fields(assistant.verified.verify(answer, who, body.expires_on, stop))

    return await _done(request, keep)


@router.post("/{answer_id}/confirm", status_code=204, responses=_DOCUMENTED, summary="Be the second person")
async def confirm(request: Request, answer_id: str) -> Response:
    """Confirm an answer that waits for a second person."""
    return await _done(request, lambda assistant, who, stop: assistant.verified.confirm(answer_id, who, stop))


@router.post("/{answer_id}/retract", status_code=204, responses=_DOCUMENTED, summary="Retract an answer")
async def retract(request: Request, answer_id: str, body: Annotated[Reason, Body()] = Reason()) -> Response:  # noqa: B008
    """Take an answer out of use, at once and for everybody."""
    return await _done(request, lambda assistant, who, _: assistant.verified.retract(answer_id, who, body.reason))


def who_asks(headers: Mapping[str, str], settings: Settings) -> str:
    """Return the name that a proxy in front gives; empty where it should and does not."""
    if settings.user_header is None:
        return LOCAL
    return headers.get(settings.user_header, "").strip(" \t")  # it stands once, short and plain: see `OneAsker`


def verified_fields(kept: KeptAnswer) -> dict[str, Any]:
    """Write a checked answer as the documented object."""
    answer = kept.answer
    return Verified(
        id=answer.id, state=kept.state, question=answer.question, restatement=answer.restatement, sql=answer.sql,
        as_of=answer.as_of, saved_by=answer.saved_by, saved_at=answer.saved_at, confirmed_by=answer.confirmed_by,
        ended_by=kept.ended_by, reason=kept.reason, expires_on=kept.expires_on, expired=kept.has_expired,
    ).model_dump(mode="json")  # fmt: skip


async def _done(request: Request, work: Callable[[Assistant, str, threading.Event], Any]) -> Response:
    """Do it at one of the places for questions, as it opens a source and runs a statement; hanging up ends that.

    What goes wrong has the status of its class.
    """
    stop = threading.Event()

    def run() -> Any:
        assistant = request.app.state.desk.assistant(request.query_params.get("source"), request.headers)
        return work(assistant, who_asks(request.headers, assistant.settings), stop)

    state = request.app.state
    try:
        with state.desk.place(who_asks(request.headers, state.chat_settings)):
            pending = asyncio.ensure_future(in_thread(run))
            while not (await asyncio.wait({pending}, timeout=_DISCONNECT_POLL_S))[0]:
                if state.desk.over.is_set() or await request.is_disconnected():
                    stop.set()
            found = pending.result()
    except AssistantError as fault:
        kind = type(fault).__name__
        return JSONResponse({"error": fault.user_message, "error_kind": kind}, status_code=http_status_of(kind))
    return Response(status_code=204) if found is None else JSONResponse(found)
