"""Chats for callers without a loop: the page, whose scripts are threads, and the command line."""

from __future__ import annotations

import asyncio
import contextlib
import json
import queue
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Any, TypeVar

from ai_engine.chat_history import ChatMessage
from ai_engine.tools import ElicitationResponse
from backend.chat.door import Chat, ChatRequest, TemplateDraft, TemplateListing, TemplateWish, ToolListing
from backend.chat.readers import ChatBounds
from backend.chat.runs import ChatRuns
from backend.events.sharing import shared_events
from backend.settings import Settings
from backend.store import ConversationLeases, Store

_HEARTBEAT_S = 0.2
_START_S = 30
_Made = TypeVar("_Made")
Told = dict[str, Any]
"""One event as a client is sent it."""


class ChatThread:
    """Works on chats in a thread with a loop of its own; safe to use from any thread.

    Args:
        settings: bounds, and where events are shared.
        open_chat: returns who answers now.
        open_store: returns the app's store.
    """

    def __init__(self, settings: Settings, open_chat: Callable[[], Chat], open_store: Callable[[], Store]) -> None:
        self._settings = settings
        self._open_chat = open_chat
        self._leases = ConversationLeases(open_store, lease_s=settings.chat_lease_s)
        self._loop = asyncio.new_event_loop()
        self._ready: Future[ChatRuns] = Future()
        self._end = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="chats", daemon=True)
        self._thread.start()
        self._runs = self._ready.result(_START_S)

    @property
    def running(self) -> int:
        """How many requests are at work."""
        return self._runs.running

    def start(self, request: ChatRequest) -> str:
        """Begin to answer; returns the request by which `follow` finds it. Raises what `ChatRuns.start` raises."""
        return self._wait(self._runs.start(request))

    def follow(self, request_id: str) -> Iterator[Told | None]:
        """Yield the events of a request from its beginning, None while nothing happens.

        A request that nobody follows any more is ended. Raises EventsGone where it is not known.
        """
        happened: queue.SimpleQueue[Told | BaseException | None] = queue.SimpleQueue()

        async def listen() -> None:
            async with contextlib.aclosing(self._runs.read(request_id)) as events:
                async for one in events:
                    if one is not None:
                        happened.put(json.loads(one.line))

        listening = asyncio.run_coroutine_threadsafe(listen(), self._loop)
        listening.add_done_callback(lambda done: happened.put(None if done.cancelled() else done.exception()))
        try:
            while True:
                try:
                    one = happened.get(timeout=_HEARTBEAT_S)
                except queue.Empty:
                    yield None
                    continue
                if isinstance(one, BaseException):
                    raise one
                if one is None:
                    return
                yield one
        finally:
            listening.cancel()

    def stop(self, request_id: str) -> None:
        """End a request, and wait for that."""
        self._wait(self._runs.stop(request_id))

    def respond(self, conversation_id: str, question: str, response: ElicitationResponse) -> bool:
        """Answer a question of a running request; False where nobody waits for it."""
        return self._wait(self._runs.respond(conversation_id, question, response))

    def history(self, conversation_id: str) -> list[ChatMessage]:
        """Return the messages of a conversation, the oldest first."""
        return self._wait(self._open_chat().history(conversation_id))

    def whys_withheld(self, conversation_id: str, told: Sequence[Sequence[Mapping[str, Any]]]) -> list[str]:
        """Say of the events of each request of a conversation why they are not shown any more; empty where they are."""

        async def judged() -> list[str]:
            chat = await asyncio.to_thread(self._open_chat)
            return await chat.whys_withheld(conversation_id, told)

        return self._wait(judged())

    def tools(self) -> Sequence[ToolListing]:
        """List operators and tools."""
        return self._wait(self._open_chat().tools())

    def templates(self, person: str) -> list[TemplateListing]:
        """List the templates that a person can ask for; as all of these, raises what `Templates` raises."""
        return self._wait(self._open_chat().templates.listed(person))

    def draft(self, conversation_id: str, workflow_id: str) -> TemplateDraft:
        """Say what of a workflow that ran could be another text the next time."""
        return self._wait(self._open_chat().templates.draft(conversation_id, workflow_id))

    def keep_template(self, person: str, conversation_id: str, workflow_id: str, wish: TemplateWish) -> TemplateListing:
        """Keep a workflow as a template of a person's own."""
        return self._wait(self._open_chat().templates.keep(person, conversation_id, workflow_id, wish))

    def drop_template(self, person: str, name: str) -> bool:
        """Forget a template of a person's own; False where there is none."""
        return self._wait(self._open_chat().templates.drop(person, name))

    async def tell_stopping(self) -> None:
        """Begin nothing new, and say so in every open stream."""
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._runs.tell_stopping(), self._loop))

    async def close(self) -> None:
        """End all that is at work, and the thread."""
        self._loop.call_soon_threadsafe(self._end.set)
        await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._work())
        except BaseException as fault:  # noqa: BLE001 - whoever waits for the beginning is told
            if not self._ready.done():
                self._ready.set_exception(fault)
        finally:
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()

    async def _work(self) -> None:
        async with self._opened() as runs:
            self._ready.set_result(runs)
            await self._end.wait()

    @contextlib.asynccontextmanager
    async def _opened(self) -> AsyncIterator[ChatRuns]:
        async def open_chat() -> Chat:
            return await asyncio.to_thread(self._open_chat)

        async with shared_events(self._settings) as (log, bus):
            bounds = replace(ChatBounds.of(self._settings), reader_events=self._settings.chat_log_events)
            runs = ChatRuns(open_chat, log, bus, self._leases, bounds)
            try:
                yield runs
            finally:
                await runs.close()

    def _wait(self, work: Coroutine[Any, Any, _Made]) -> _Made:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


class SharedChatThread:
    """The one of a process, made by whoever needs it first; a server that ends drains it where there is one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._opened: ChatThread | None = None

    def get(self, open_one: Callable[[], ChatThread]) -> ChatThread:
        """Return it."""
        with self._lock:
            if self._opened is None:
                self._opened = open_one()
            return self._opened

    @property
    def running(self) -> int:
        """How many requests are at work."""
        return 0 if self._opened is None else self._opened.running

    async def tell_stopping(self) -> None:
        """Begin nothing new, and say so in every open stream."""
        if self._opened is not None:
            await self._opened.tell_stopping()

    async def close(self) -> None:
        """End all that is at work."""
        if self._opened is not None:
            await self._opened.close()


shared_chat_thread = SharedChatThread()
"""The page's."""
