"""Requests of the chat at work: each on its own, whoever reads, and ended when nobody does any more."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from typing import Any

from ai_engine.errors import AssistantError, ConversationBusy, EventsGone, ServerStopping, StoreUnavailable
from ai_engine.events import Event, EventBus, EventType
from ai_engine.run_log import new_question_id, question_id
from ai_engine.tools import ElicitationResponse
from backend.chat.door import Chat, ChatRequest
from backend.chat.readers import ChatBounds, follow
from backend.chat.request_context import RequestContext
from backend.events.log import EventLog, LoggedEvent
from backend.store import ConversationLeases

_log = logging.getLogger(__name__)
_WIND_DOWN_S = 0.4
_LEASE_POLL_S = 0.1
_RESPONSE_POLL_S = 0.25
_ELSEWHERE_POLL_S = 0.5
_RENEWALS_PER_LEASE = 3
_DONE = {"action": "answer", "tools": [], "citations": [], "missing": []}
_STOPPING = "This server is being restarted: it ends this answer first, but takes no new message."


class Run:
    """One request at work in this process."""

    __slots__ = ("context", "ended_as", "grace", "questions", "readers", "request", "started_at", "task")

    def __init__(self, context: RequestContext, request: ChatRequest) -> None:
        self.context = context
        self.request = request
        self.started_at = time.monotonic()
        self.readers = 0
        self.questions: set[str] = set()
        self.ended_as = ""
        self.grace: asyncio.TimerHandle | None = None
        self.task: asyncio.Task[None] | None = None

    @property
    def request_id(self) -> str:
        """The request, as its events name it."""
        return self.context.request_id


class ChatRuns:
    """Starts requests, lets any number of readers follow each, and ends what nobody follows; lives in one loop."""

    def __init__(
        self,
        open_chat: Callable[[], Awaitable[Chat]],
        log: EventLog,
        bus: EventBus,
        leases: ConversationLeases,
        bounds: ChatBounds,
    ) -> None:
        self._open_chat = open_chat
        self._log = log
        self._bus = bus
        self._leases = leases
        self.bounds = bounds
        self._runs: dict[str, Run] = {}
        self._background: set[asyncio.Task[None]] = set()
        self._stopping = False

    @property
    def running(self) -> int:
        """How many requests are at work here."""
        return len(self._runs)

    async def start(self, request: ChatRequest, is_gone: Callable[[], Awaitable[bool]] | None = None) -> str:
        """Begin to answer; returns the id by which events are read.

        Args:
            request: with a conversation.
            is_gone: says, while it waits for the message before, that nobody wants the answer any more.

        Raises:
            ConversationBusy: the message before took too long, or nobody wanted the answer any more.
            ServerStopping: nothing new is begun.
            StoreUnavailable: nobody can say who works on the conversation.
        """
        if self._stopping:
            raise ServerStopping("a message came while the server was ending")
        conversation_id = request.conversation_id
        assert conversation_id is not None, "the API names one"  # noqa: S101
        context = RequestContext(conversation_id, new_question_id())
        await self._take_lease(context, is_gone)
        try:
            chat = await self._open_chat()  # under the rules that are in force once its turn has come
            await self._log.begin(context.request_id, conversation_id)
        except BaseException:
            await context.cleanup()
            raise
        run = Run(context, request)
        self._runs[context.request_id] = run
        run.task = asyncio.create_task(self._work(run, chat), name=f"chat {context.request_id}")
        return context.request_id

    async def read(self, request_id: str, after: int = 0) -> AsyncGenerator[LoggedEvent | None, None]:
        """Yield what happens from a place on, as `follow` does; the request goes on while somebody reads."""
        with self.listening(request_id) as is_here:
            following = follow(self._log, self._bus, request_id, after, self.bounds, is_here=is_here)
            async with contextlib.aclosing(following):
                async for one in following:
                    yield one

    @contextlib.contextmanager
    def listening(self, request_id: str) -> Iterator[bool]:
        """Count as a reader of a request, also before the first event is read; gives whether it is at work here."""
        run = self._runs.get(request_id)
        if run is None:
            yield False
            return
        self._enter(run)
        try:
            yield True
        finally:
            self._leave(run)

    async def newest(self, conversation_id: str) -> str:
        """Return the newest request of a conversation; raises EventsGone where none is known."""
        found = await self._log.newest(conversation_id)
        if found is None:
            raise EventsGone("nothing is known of this conversation")
        return found

    async def may_be_told_again(self, request_id: str) -> None:
        """Judge what has happened in a request as it would be judged today.

        Raises:
            EventsGone: what it found may not be shown any more, or nothing is known of it.
        """
        events = [json.loads(one.line) for one in await self._log.after(request_id, 0)]
        chat, conversation_id = await self._open_chat(), await self.conversation_of(request_id)
        [why] = await chat.whys_withheld(conversation_id, [events])
        if why:
            raise EventsGone(f"what request {request_id} found may not be shown any more", why)

    async def conversation_of(self, request_id: str) -> str:
        """Return the conversation of a request; raises EventsGone where it is not known."""
        return await self._log.conversation_of(request_id)

    async def respond(self, conversation_id: str, question: str, response: ElicitationResponse) -> bool:
        """Answer a question that a running request of this conversation has asked; False where none waits for it."""
        for run in self._runs.values():
            if run.context.conversation_id == conversation_id and question in run.questions:
                run.questions.discard(question)
                return await (await self._open_chat()).respond(question, response)
        request_id = await self._log.newest(conversation_id)
        if request_id is None or request_id in self._runs:
            return False
        events = await self._log.after(request_id, 0)
        if events and events[-1].is_last:
            return False
        left = {"question": question, "action": response.action, "content": response.content}
        try:
            await self._log.leave_response(request_id, json.dumps(left))
        except AssistantError:
            return False
        return True

    async def stop(self, request_id: str) -> None:
        """End a request that works here, within a second, and wait for its end."""
        run = self._runs.get(request_id)
        if run is None or run.task is None:
            return
        run.context.stop.set()
        await asyncio.wait({run.task}, timeout=_WIND_DOWN_S)
        run.task.cancel()
        await asyncio.wait({run.task})

    async def tell_stopping(self) -> None:
        """Begin nothing new, and say so in every open stream."""
        self._stopping = True
        for run in list(self._runs.values()):
            await self._note(run, EventType.ERROR, {"message": _STOPPING, "error_type": ServerStopping.__name__})

    async def close(self) -> None:
        """End all that works here."""
        self._stopping = True
        await asyncio.gather(*(self.stop(request_id) for request_id in list(self._runs)))

    async def _take_lease(self, context: RequestContext, is_gone: Callable[[], Awaitable[bool]] | None) -> None:
        conversation_id, holder = context.conversation_id, context.request_id
        until = time.monotonic() + self.bounds.wait_s
        while not await asyncio.to_thread(self._leases.take, conversation_id, holder):
            if time.monotonic() >= until or (is_gone is not None and await is_gone()):
                raise ConversationBusy(f"a message waited {self.bounds.wait_s:g} s for the one before")
            await asyncio.sleep(_LEASE_POLL_S)

        async def give_back() -> None:
            await asyncio.to_thread(self._leases.give_back, conversation_id, holder)

        context.register_cleanup(give_back)

    async def _work(self, run: Run, chat: Chat) -> None:
        """Have one request answered; whatever happens its events end with `response.done`."""
        question_id.set(run.request_id)
        fault: dict[str, Any] = {"message": AssistantError.user_message, "error_type": AssistantError.__name__}
        status = "failed"
        renewing = asyncio.create_task(self._look_after(run))
        try:
            async with run.context, contextlib.aclosing(chat.events(run.request, run.context.stop)) as events:
                async for event in events:
                    if not run.ended_as:
                        await self._note(run, event.type, event.data)
        except asyncio.CancelledError:
            status, fault = "stopped", {}
        except AssistantError as raised:
            fault = {"message": raised.user_message, "error_type": type(raised).__name__}
        except Exception:  # noqa: BLE001 - one request never ends the others
            _log.exception("a chat request failed")
        finally:
            renewing.cancel()
            await self._end(run, status, fault)

    async def _end(self, run: Run, status: str, fault: dict[str, Any]) -> None:
        """Say how it ended where it has not been said, and forget the run."""
        try:
            if not run.ended_as:
                if fault:
                    await self._note(run, EventType.ERROR, fault)
                elapsed_ms = round((time.monotonic() - run.started_at) * 1_000, 1)
                await self._note(run, EventType.RESPONSE_DONE, {"status": status, **_DONE, "elapsed_ms": elapsed_ms})
        except StoreUnavailable:
            _log.exception("the end of a request could not be noted")
        finally:
            _log.info("a chat request %s after %.0f ms", run.ended_as, (time.monotonic() - run.started_at) * 1_000)
            del self._runs[run.request_id]
            if run.grace is not None:
                run.grace.cancel()

    async def _note(self, run: Run, kind: EventType, data: dict[str, Any]) -> None:
        """Log one event, and wake those who read."""
        event = Event(type=kind, request_id=run.request_id, data=data)
        if kind is EventType.CLARIFY_REQUEST and data.get("id"):
            run.questions.add(str(data["id"]))
        await self._log.append(event)
        if kind is EventType.RESPONSE_DONE:
            run.ended_as = str(data.get("status", "ended"))
        self._bus.publish(event)

    async def _look_after(self, run: Run) -> None:
        """Renew the lease, and pass on responses that people gave at other instances, while the request works."""
        renewed_at = time.monotonic()
        while True:
            await asyncio.sleep(_RESPONSE_POLL_S)
            try:
                if time.monotonic() - renewed_at > self.bounds.lease_s / _RENEWALS_PER_LEASE:
                    renewed_at = time.monotonic()
                    await asyncio.to_thread(self._leases.renew, run.context.conversation_id, run.request_id)
                for left in await self._log.take_responses(run.request_id):
                    said = json.loads(left)
                    response = ElicitationResponse(said["action"], said["content"])
                    await self.respond(run.context.conversation_id, said["question"], response)
            except StoreUnavailable as fault:
                _log.warning("a running request could not be looked after: %s", fault)

    def _enter(self, run: Run) -> None:
        run.readers += 1
        if run.grace is not None:
            run.grace.cancel()
            run.grace = None

    def _leave(self, run: Run) -> None:
        run.readers -= 1
        if run.readers == 0 and run.request_id in self._runs:
            grace_s = self.bounds.question_grace_s if run.questions else self.bounds.grace_s
            run.grace = asyncio.get_running_loop().call_later(grace_s, self._spawn, run)

    def _spawn(self, run: Run) -> None:
        task = asyncio.create_task(self._end_unless_read(run))
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def _end_unless_read(self, run: Run) -> None:
        """End a request whose last reader left, unless one came back, here or at another instance."""
        try:
            while run.readers == 0 and await self._log.is_read_elsewhere(run.request_id):
                await asyncio.sleep(_ELSEWHERE_POLL_S)
        except StoreUnavailable:
            _log.warning("nobody can say whether a request is read elsewhere; it is ended")
        if run.readers == 0:
            await self.stop(run.request_id)
