"""POST /chat and what belongs to it: one conversation with the bank's assistant, told as it happens."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, FastAPI, Header, Path, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from ai_engine.chat_history import ChatMessage
from ai_engine.errors import AssistantError, BadQuestion, ConversationBusy, DatabaseBusy, EventsGone, ServerStopping
from ai_engine.supervisor.service import check_given
from ai_engine.tools import ElicitationResponse
from backend.api.errors import FAILURES, http_status_of
from backend.api.orchestrate import BUSY_RETRY_S, event_stream, place, who
from backend.api.verified import Refusal
from backend.chat.door import CONVERSATION_ID, Chat, ChatRequest, ToolListing, kept_as
from backend.chat.readers import ChatBounds
from backend.chat.runs import ChatRuns
from backend.desk import Places
from backend.events.sharing import shared_events
from backend.events.stream import COMMENT, FIRST_LINES, event_id_of, event_lines, read_event_id
from backend.http.life_cycle import LifeCycle
from backend.settings import Settings
from backend.store import ConversationLeases, Store

_log = logging.getLogger(__name__)
_EXAMPLE = {"conversation_id": "monday", "message": "Prepare the branch review for Pune."}
_FULL = "As many answers as this server sends at the same time are being followed. Please try again in a moment."
_PASSING = (DatabaseBusy, ConversationBusy, ServerStopping)

ChatFactory = Callable[[], Chat]
StoreFactory = Callable[[], Store]
ConversationId = Annotated[str, Path(pattern=CONVERSATION_ID)]
LastEventId = Annotated[str | None, Header(description="The `id` of the last event that arrived: read on from there.")]

DOCUMENTED: dict[int | str, dict[str, Any]] = {
    status: {"model": Refusal, "description": meaning}
    for status, meaning in {
        **FAILURES,
        409: "The message before in the conversation is still being answered",
        410: "What happened in the request is no longer kept, or nobody waits for the response",
    }.items()
}
_STREAMED: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
        "description": 'Events, each with `id` and `data: {"type": …}`; `response.done` is the last one.',
    },
    **DOCUMENTED,
}
router = APIRouter(tags=["chat"])


class ChatBody(BaseModel):
    """One message of a person."""

    model_config = ConfigDict(extra="forbid")

    conversation_id: str | None = Field(
        None, pattern=CONVERSATION_ID, description="Unset: a new one, told in `X-Conversation-Id`."
    )
    message: str = Field(min_length=1)
    context: dict[str, Any] = Field(
        default_factory=dict,
        description="What your program knows of the person and of what they look at; told to the model as data.",
    )


class ResponseBody(BaseModel):
    """What a person answers to a `clarify.request`."""

    model_config = ConfigDict(extra="forbid")

    id: str = Field(max_length=200, description="The `id` of the `clarify.request`.")
    action: Literal["accept", "decline", "cancel"] = "accept"
    content: dict[str, Any] | None = None


class History(BaseModel):
    """A conversation as it is kept."""

    messages: list[ChatMessage]


class Listing(BaseModel):
    """What the chat can do."""

    tools: list[ToolListing]


@contextlib.asynccontextmanager
async def chat_at_work(
    app: FastAPI, settings: Settings, life: LifeCycle, chat_factory: ChatFactory, store_factory: StoreFactory
) -> AsyncIterator[None]:
    """Let the app answer chats until it ends; then all that is under way is ended."""

    async def open_chat() -> Chat:
        return await _opened(chat_factory)

    leases = ConversationLeases(store_factory, lease_s=settings.chat_lease_s)
    async with shared_events(settings) as (log, bus):
        runs = ChatRuns(open_chat, log, bus, leases, ChatBounds.of(settings))
        life.drain(runs)
        app.state.chats, app.state.open_chat, app.state.chat_settings = runs, open_chat, settings
        app.state.chat_streams = Places(settings.chat_streams, _FULL, settings.chat_streams_per_person)
        try:
            yield
        finally:
            await runs.close()


@router.post("/chat", response_class=Response, responses=_STREAMED, summary="Send a message, and hear what happens")
async def chat(request: Request, body: ChatBody, last_event_id: LastEventId = None) -> Response:
    """Answer as server-sent events; hanging up ends the work.

    With `Last-Event-ID` nothing is asked: the stream goes on behind that event. A second message in a conversation
    waits for the first, and is refused with status 409 when that takes too long.
    """
    runs: ChatRuns = request.app.state.chats
    conversation_id = body.conversation_id or uuid.uuid4().hex
    held = contextlib.ExitStack()
    try:
        held.enter_context(request.app.state.chat_streams.one(who(request)))
        if last_event_id is not None:
            return await _resumed(request, last_event_id, body.conversation_id, held)
        _check(body, request.app.state.chat_settings)
        asked = ChatRequest(
            conversation_id=kept_name(request, conversation_id),
            message=body.message,
            person=who(request),
            context=body.context,
        )
        request_id = await runs.start(asked, request.is_disconnected)
        held.enter_context(runs.listening(request_id))
    except AssistantError as fault:
        held.close()
        return refused(fault)
    except BaseException:
        held.close()
        raise
    headers = {"X-Conversation-Id": conversation_id, "X-Request-Id": request_id}
    return event_stream(request, _sent(runs, request_id, 0), headers, held)


@router.get(
    "/chat/{conversation_id}/events", response_class=Response, responses=_STREAMED, summary="Read on after a break"
)
async def events(request: Request, conversation_id: ConversationId, last_event_id: LastEventId = None) -> Response:
    """Send the events of the newest message, from the beginning or behind `Last-Event-ID`."""
    runs: ChatRuns = request.app.state.chats
    held = contextlib.ExitStack()
    try:
        held.enter_context(request.app.state.chat_streams.one(who(request)))
        if last_event_id is not None:
            return await _resumed(request, last_event_id, conversation_id, held)
        request_id = await runs.newest(kept_name(request, conversation_id))
        await runs.may_be_told_again(request_id)
    except AssistantError as fault:
        held.close()
        return refused(fault)
    except BaseException:
        held.close()
        raise
    return event_stream(request, _sent(runs, request_id, 0), {"X-Request-Id": request_id}, held)


@router.get(
    "/chat/{conversation_id}/history", response_model=History, responses=DOCUMENTED, summary="Read a conversation"
)
async def history(request: Request, conversation_id: ConversationId) -> Response:
    """Return all messages, the oldest first; empty where there was no such conversation."""
    try:
        with place(request):
            chat = await request.app.state.open_chat()
            messages = await chat.history(kept_name(request, conversation_id))
    except AssistantError as fault:
        return refused(fault)
    return JSONResponse(History(messages=messages).model_dump(mode="json"))


@router.post("/chat/{conversation_id}/respond", status_code=204, responses=DOCUMENTED, summary="Answer a question back")
async def respond(request: Request, conversation_id: ConversationId, body: ResponseBody) -> Response:
    """Answer a `clarify.request` with an `id` while its request runs; status 410 when nobody waits for it."""
    runs: ChatRuns = request.app.state.chats
    response = ElicitationResponse(body.action, body.content if body.action == "accept" else None)
    try:
        if not await runs.respond(kept_name(request, conversation_id), body.id, response):
            raise EventsGone("nobody waits for this response", "Nobody waits for this answer any more.")
    except AssistantError as fault:
        return refused(fault)
    return Response(status_code=204)


@router.get("/tools", response_model=Listing, responses=DOCUMENTED, summary="List operators and tools")
async def tools(request: Request) -> Response:
    """List what the chat can use: its own operators, and tools of MCP servers with the health of their server."""
    try:
        with place(request):
            chat = await request.app.state.open_chat()
            listed = await chat.tools()
    except AssistantError as fault:
        return refused(fault)
    return JSONResponse({"tools": [one.model_dump(mode="json") for one in listed]})


def refused(fault: AssistantError) -> JSONResponse:
    """Write what came before any event, with the status of its class."""
    kind = type(fault)
    headers = {"Retry-After": BUSY_RETRY_S} if kind in _PASSING else None
    message = str(fault) if isinstance(fault, BadQuestion) else fault.user_message
    body = Refusal(error=message, error_kind=kind.__name__)
    return JSONResponse(body.model_dump(), status_code=http_status_of(kind.__name__), headers=headers)


def _check(body: ChatBody, settings: Settings) -> None:
    if not body.message.strip():
        raise BadQuestion("The message is empty. Type what you would like to know.")
    if len(body.message) > settings.max_question_chars:
        chars, most = len(body.message), settings.max_question_chars
        raise BadQuestion(f"The message has {chars:,} characters; at most {most:,} are read. Shorten it.")
    check_given(body.context, settings.chat_request_context_kb)


def kept_name(request: Request, conversation_id: str) -> str:
    """Return the name under which a conversation of who asks is kept."""
    return kept_as(conversation_id, who(request))


async def _resumed(
    request: Request, last_event_id: str, conversation_id: str | None, held: contextlib.ExitStack
) -> Response:
    """Go on behind an event.

    Raises:
        EventsGone: nothing is kept of its request, or it belongs to another conversation.
    """
    runs: ChatRuns = request.app.state.chats
    request_id, after = read_event_id(last_event_id)
    conversation = await runs.conversation_of(request_id)
    if conversation_id is None or conversation != kept_name(request, conversation_id):
        raise EventsGone(f"request {request_id} belongs to another conversation")
    await runs.may_be_told_again(request_id)
    return event_stream(request, _sent(runs, request_id, after), {"X-Request-Id": request_id}, held)


async def _sent(runs: ChatRuns, request_id: str, after: int) -> AsyncGenerator[str, None]:
    """Write each event; that nobody listens any more ends the generator, and after the grace the work."""
    yield FIRST_LINES
    try:
        async with contextlib.aclosing(runs.read(request_id, after)) as happenings:
            async for one in happenings:
                if one is None:
                    yield COMMENT
                else:
                    yield event_lines(one.line, event_id_of(request_id, one.place))
    except AssistantError as fault:
        told = {"type": "error", "message": fault.user_message, "error_type": type(fault).__name__}
        yield event_lines(json.dumps(told), None)


async def _opened(chat_factory: ChatFactory) -> Chat:
    """Get the chat in a thread; why that failed may name files, so it goes to the log, not the wire."""
    try:
        return await asyncio.to_thread(chat_factory)
    except AssistantError as fault:
        _log.error("the chat cannot be opened: %s", fault)
        raise
    except Exception as fault:
        _log.exception("the chat cannot be opened")
        raise AssistantError(str(fault)) from fault
