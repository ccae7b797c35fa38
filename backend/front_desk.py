"""The desks of one assistant, and the front desk that sends each message to one of them."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field

from ai_engine.agent import Agent
from ai_engine.conversation import ConversationModel
from ai_engine.errors import BadQuestion, DeadlineExceeded, UnknownAgent
from ai_engine.model_use import LOCAL, begin_asking, said_of_budget
from ai_engine.ports import Services
from ai_engine.routing import (
    AgentResponse,
    AgentSquad,
    AgentSquadConfig,
    AgentStreamResponse,
    ChatStorage,
    Classifier,
    ClassifierResult,
    ConversationMessage,
    Greeter,
    ModelAgent,
    ModelClassifier,
    ParticipantRole,
    RoutedAgent,
    SpecialistAgent,
    SupervisorAgent,
    Surroundings,
    WordClassifier,
)
from ai_engine.routing.declining import DecliningClassifier
from ai_engine.routing.desks import read_desks, words_of
from ai_engine.routing.greeter import UNDECIDED
from ai_engine.routing.messages import AgentStream
from ai_engine.routing.rule_lead import LeadInReserve, RuleLead
from ai_engine.specialists.api_docs.agent import ApiDocsAgent
from ai_engine.specialists.computation.agent import ComputationAgent
from ai_engine.specialists.documents.agent import DocumentsAgent
from ai_engine.specialists.sql import SqlAgent
from backend.chat.door import kept_as
from backend.chat.judged_history import JudgedChatStorage
from backend.documents import open_document_services
from backend.orchestration import Orchestrator, default_orchestrator
from backend.settings import Settings, read_settings
from backend.store import SqlChatStorage, Store, shared_store

FRONT_DESK = "front-desk"
"""What `additional_params["assistant"]` says where nobody in particular is meant."""
_HEARTBEAT_S = 0.2
_KEY = r"^[^\x00-\x1f\x7f]{1,200}$"
_SPECIALISTS: dict[str, type[Agent]] = {
    "figures": SqlAgent,
    "policy": DocumentsAgent,
    "services": ApiDocsAgent,
    "calculations": ComputationAgent,
}
_TEAM = ("figures", "policy", "calculations")


class RouteRequest(BaseModel):
    """One message of a person; `additional_params["assistant"]` is the id of a desk that is meant directly."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    user_input: str = Field(min_length=1)
    user_id: str = Field(pattern=_KEY)
    session_id: str = Field(pattern=_KEY)
    additional_params: dict[str, Any] = Field(default_factory=dict)
    stream_response: bool = False


@dataclass(frozen=True)
class FrontDesk:
    """The desks with their memory; ready for messages from any loop."""

    squad: AgentSquad
    max_question_chars: int
    timeout_s: float

    async def route(self, request: RouteRequest, who: str = LOCAL) -> AgentResponse:
        """Answer, or begin to stream an answer; conversation and language model are those of `who`, who asks.

        Raises:
            BadQuestion: empty, too long, or for a desk that there is not.
            DeadlineExceeded: no answer within the time of one request.
        """
        chosen = self.directly_chosen(request)
        begin_asking(who, [request.user_input])
        asked = (request.user_input, _kept_for(request.user_id, who), request.session_id)
        rest = (request.additional_params, request.stream_response)
        deadline = asyncio.get_running_loop().time() + self.timeout_s
        try:
            async with asyncio.timeout_at(deadline):
                if chosen is None:
                    response = await self.squad.route_request(*asked, *rest)
                else:
                    response = await self.squad.agent_process_request(*asked, chosen, *rest)
        except TimeoutError:
            raise DeadlineExceeded("the front desk", self.timeout_s) from None
        named = response.metadata.model_copy(update={"user_id": request.user_id})
        response = replace(response, metadata=named)
        if isinstance(response.output, ConversationMessage):
            return replace(response, output=_with_budget_said(response.output))
        return replace(response, output=self._in_time(response.output, deadline))

    async def _in_time(self, pieces: AgentStream, deadline: float) -> AsyncGenerator[AgentStreamResponse, None]:
        """Pass a stream on until the time of its request is over, and then end it with a sentence that says so."""
        stream = cast("AsyncGenerator[AgentStreamResponse, None]", pieces)
        async with contextlib.aclosing(stream):
            while True:
                try:
                    async with asyncio.timeout_at(deadline):
                        piece = await anext(stream)
                except StopAsyncIteration:
                    return
                except TimeoutError:
                    told = DeadlineExceeded("the front desk", self.timeout_s).user_message
                    yield AgentStreamResponse(final_message=ConversationMessage.of(ParticipantRole.ASSISTANT, told))
                    return
                if piece.final_message is not None:
                    piece = piece.model_copy(update={"final_message": _with_budget_said(piece.final_message)})
                yield piece

    async def classify(self, request: RouteRequest) -> ClassifierResult:
        """Choose a desk and keep the message with that choice, so that follow-ups are understood; nobody answers.

        Raises:
            BadQuestion: as `route` does.
        """
        chosen = self.directly_chosen(request)
        chosen = chosen or await self.squad.classify_request(request.user_input, request.user_id, request.session_id)
        if chosen.selected_agent is not None:
            text = "(chosen)" if chosen.confidence else UNDECIDED
            turns = [
                ConversationMessage.of(ParticipantRole.USER, request.user_input),
                ConversationMessage.of(ParticipantRole.ASSISTANT, text),
            ]
            where = (request.user_id, request.session_id, chosen.selected_agent.id)
            await self.squad.storage.save_chat_messages(*where, turns, self.squad.config.MAX_MESSAGE_PAIRS_PER_AGENT)
        return chosen

    def directly_chosen(self, request: RouteRequest) -> ClassifierResult | None:
        """Return the desk that a request names, None where it is the front desk's choice; refuses what `route` does."""
        if not request.user_input.strip():
            raise BadQuestion("The message is empty. Type what you would like to know.")
        if len(request.user_input) > self.max_question_chars:
            chars = len(request.user_input)
            raise BadQuestion(
                f"The message has {chars:,} characters; at most {self.max_question_chars:,} are read. Shorten it."
            )
        wanted = request.additional_params.get("assistant", FRONT_DESK)
        if wanted == FRONT_DESK:
            return None
        agent = self.squad.agents.get(wanted) if isinstance(wanted, str) else None
        if agent is None:
            raise UnknownAgent((str(wanted)[:100],), (FRONT_DESK, *self.squad.agents))
        return ClassifierResult(agent, 1.0, f"You chose {agent.name}.")

    def stream(self, request: RouteRequest, who: str = LOCAL) -> Iterator[AgentResponse | AgentStreamResponse | None]:
        """The same for whoever has no loop: the response, its pieces where it streams, None while nothing happens.

        Closing it stops the work. Raises what `route` does.
        """
        happened: queue.SimpleQueue[AgentResponse | AgentStreamResponse | BaseException | str] = queue.SimpleQueue()
        loop = asyncio.new_event_loop()

        async def listen() -> None:
            response = await self.route(request, who)
            happened.put(response)
            if not isinstance(response.output, ConversationMessage):
                async for piece in response.output:
                    happened.put(piece)

        task = loop.create_task(listen())

        def run() -> None:
            try:
                loop.run_until_complete(asyncio.wait({task}))
                fault = None if task.cancelled() else task.exception()
                happened.put("done" if fault is None else fault)
                loop.run_until_complete(loop.shutdown_asyncgens())
            finally:
                loop.close()

        thread = threading.Thread(target=run, name="front-desk", daemon=True)
        thread.start()
        try:
            while True:
                try:
                    one = happened.get(timeout=_HEARTBEAT_S)
                except queue.Empty:
                    yield None
                    continue
                if isinstance(one, BaseException):
                    raise one
                if isinstance(one, str):
                    return
                yield one
        finally:
            with contextlib.suppress(RuntimeError):  # it is over already
                loop.call_soon_threadsafe(task.cancel)
            thread.join(_HEARTBEAT_S * 10)


def _kept_for(user_id: str, who: str) -> str:
    """Write a user of the request so that no two people share one, whatever they call themselves in it."""
    return kept_as(user_id.replace("%", "%25").replace("/", "%2F"), who)


def _with_budget_said(message: ConversationMessage) -> ConversationMessage:
    """Add below an answer that the language model was not to be had any more."""
    due = said_of_budget(message.text)
    return message.model_copy(update={"content": [*message.content, {"text": f"\n\n{due}"}]}) if due else message


def open_front_desk(found: Orchestrator, storage: ChatStorage) -> FrontDesk:
    """Set up the desks whose services are there.

    Raises:
        BadConfiguration: the documents cannot be read.
    """
    assistant = found.assistant
    settings, model = assistant.settings, assistant.chat
    storage = JudgedChatStorage(storage, assistant.check, assistant.kept_as, assistant.policy)
    documents = open_document_services(settings)
    outside = {} if documents is None else {type(documents): documents}

    def surroundings() -> Surroundings:
        given = found.setting
        return Surroundings({**given.services, **outside}, given.model, given.currency, settings.agent_timeout_s)

    there = surroundings().services
    texts, known = read_desks(), tuple(words_of(assistant.vocabulary.model))
    desks: dict[str, RoutedAgent] = {}
    for key, kind in _SPECIALISTS.items():
        agent = kind()
        if all(service in there for service in agent.capabilities.needs_services):
            described = texts[key].described(*(known if key == "figures" else ()))
            desks[key] = SpecialistAgent(agent=agent, surroundings=surroundings, **described)
    members = [desks[key] for key in _TEAM if key in desks]
    by_rule = RuleLead(members)
    lead: ConversationModel = by_rule if model is None else LeadInReserve(model, by_rule)
    text = texts["report-team"]
    desks["report-team"] = SupervisorAgent(
        ModelAgent(text.name, text.description, lead, max_tool_rounds=settings.desk_tool_rounds, streaming=True),
        members, storage=storage, member_timeout_s=settings.agent_timeout_s, max_pairs=settings.desk_message_pairs,
        keywords=text.keywords, examples=text.examples,
    )  # fmt: skip
    words = WordClassifier(threshold=settings.desk_threshold)
    classifier: Classifier = words if model is None else ModelClassifier(model, fallback=words)

    def decline(text: str, may_edit: bool) -> str | None:
        given: Services = surroundings().services[Services]
        return given.decline(text, may_edit=may_edit)

    greeter = Greeter(others=lambda: tuple(squad.agents.values()), decline=decline, **texts["greeter"].described())
    classifier = DecliningClassifier(classifier, greeter)
    squad = AgentSquad(AgentSquadConfig(MAX_MESSAGE_PAIRS_PER_AGENT=settings.desk_message_pairs), storage, classifier)
    for desk in (*desks.values(), greeter):
        squad.add_agent(desk)
    squad.set_default_agent(greeter)
    return FrontDesk(squad, settings.max_question_chars, settings.orchestration_timeout_s)


class SharedChats:
    """The one storage of conversations of a process, opened on first use."""

    def __init__(self, open_one: Callable[[], SqlChatStorage]) -> None:
        self._open_one = open_one
        self._lock = threading.Lock()
        self._opened: SqlChatStorage | None = None

    def get(self) -> SqlChatStorage:
        """Return it; raises what opening the store raises."""
        with self._lock:
            if self._opened is None:
                self._opened = self._open_one()
            return self._opened


def opened_chats(settings: Settings, store: Store) -> SqlChatStorage:
    """Return the storage that the settings describe."""
    ttl_s = None if settings.desk_memory_h is None else settings.desk_memory_h * 3_600
    return SqlChatStorage(store, ttl_s=ttl_s, threads=settings.store_connections)


shared_chats = SharedChats(lambda: opened_chats(read_settings(), shared_store.get()))


def default_front_desk() -> FrontDesk:
    """The one that the environment describes, its parts shared by all callers."""
    return open_front_desk(default_orchestrator(), shared_chats.get())
