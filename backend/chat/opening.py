"""The chat: the one door through which page, API and command line send messages, and what it is given from outside."""

from __future__ import annotations

import threading
import uuid
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

from ai_engine.agent import in_thread
from ai_engine.chat_history import ChatHistory, ChatMessage
from ai_engine.events import Event, EventType
from ai_engine.model_use import begin_asking
from ai_engine.operators.registry import OperatorRegistry, all_operators
from ai_engine.orchestrator import Setting
from ai_engine.supervisor.decision import schemas_of
from ai_engine.supervisor.service import astream, check_given, check_message
from ai_engine.supervisor.setting import SupervisorLimits, SupervisorSetting
from ai_engine.tools import ElicitationResponse, Tools
from ai_engine.workflows.definition import WorkflowLimits
from ai_engine.workflows.filling import VocabularyValues
from ai_engine.workflows.running import Checkpoints
from ai_engine.workflows.template import WorkflowTemplate
from backend.answers.withheld import mark_of
from backend.chat.door import ChatRequest, ToolListing
from backend.chat.elicitation import OpenQuestions
from backend.chat.judged_history import JudgedHistory, why_told_no_more
from backend.chat.templates import ChatTemplates
from backend.checkpoints import open_checkpoints
from backend.documents import open_document_services
from backend.mcp.client import shared_tools
from backend.orchestration import Orchestrator, Outside, default_orchestrator
from backend.renewal import in_force
from backend.settings import Settings, read_settings
from backend.store import SqlChatHistory, SqlKeptTemplates, Store, shared_store
from backend.workflows import read_templates, workflow_limits

ToolsView: TypeAlias = Callable[[], Tools]
"""Gives the tools of the servers that are enabled, as one request sees them."""


@dataclass(frozen=True)
class Chat:
    """Answers messages; ready for requests from any loop.

    Attributes:
        found: the database, the agents' surroundings and the language model.
        outside: what operators are given besides.
        tools_of_servers: of the MCP servers that are enabled; None where there is none.
    """

    found: Orchestrator
    history_of: ChatHistory
    registry: OperatorRegistry
    outside: Outside
    questions: OpenQuestions
    templates: ChatTemplates
    checkpoints: Checkpoints | None = None
    tools_of_servers: ToolsView | None = None

    async def events(self, request: ChatRequest, stop: threading.Event | None = None) -> AsyncGenerator[Event, None]:
        """Yield what happens, `response.done` at the end; closing it stops all work within a second.

        Raises:
            BadQuestion: the message is empty or too long, or its context too large, before anything happens.
        """
        setting = replace(self.setting(), templates=await self.templates.of(request.person))
        check_message(request.message, setting.limits.max_message_chars)
        check_given(request.context, setting.limits.max_given_kb)
        begin_asking(request.person, [request.message])
        conversation_id = request.conversation_id or uuid.uuid4().hex
        asking, given = self.questions.asking, request.context
        closed = mark_of(self.found.assistant.policy)
        happenings = astream(request.message, conversation_id, setting, stop, asking, given)
        async with aclosing(happenings):
            async for event in happenings:
                decided = event.type is EventType.SUPERVISOR_DECIDED
                yield event.model_copy(update={"data": {**event.data, "closed": closed}}) if decided else event

    async def respond(self, request_id_of_clarify: str, response: ElicitationResponse) -> bool:
        """Answer a question that a tool asks in a running request; False where nobody waits for it."""
        return self.questions.answer(request_id_of_clarify, response)

    async def history(self, conversation_id: str) -> list[ChatMessage]:
        """Return the messages of a conversation, the oldest first.

        Raises:
            StoreUnavailable: they cannot be read.
        """
        return await self.history_of.messages(conversation_id)

    async def whys_withheld(self, conversation_id: str, told: Sequence[Sequence[Mapping[str, Any]]]) -> list[str]:
        """Judge each statement of what was told once; what leans on an answer before goes with any of these."""
        judge = self.found.assistant
        judged = await in_thread(why_told_no_more, told, judge.check, mark_of(judge.policy))
        lost = ""
        if any(leans and not why for why, leans in judged):
            lost = next((one.content for one in await self.history(conversation_id) if one.is_withheld), "")
        return [why or (lost if leans else "") for why, leans in judged]

    async def tools(self) -> list[ToolListing]:
        """List the operators that can work, and the tools of the servers."""
        setting = self.setting()
        given = setting.tools
        summaries = [] if given is None else await given.summaries()
        health = {} if given is None else {one.server_id: one.healthy for one in given.health()}
        names = self.registry.available([one.name for one in summaries], setting.services)
        return [
            *(ToolListing(name=name, description=self.registry.kind(name).description) for name in names),
            *(
                ToolListing(
                    name=one.name,
                    description=one.description,
                    server_id=one.server_id,
                    healthy=health.get(one.server_id, True),
                )
                for one in summaries
            ),
        ]

    def setting(self) -> SupervisorSetting:
        """What every request is given now."""
        given, settings, newest = self.found.setting, self.found.assistant.settings, self.found

        def renewed() -> Mapping[type[Any], Any]:
            nonlocal newest
            newest = replace(newest, assistant=in_force(newest.assistant))
            return self._services(newest.setting)

        return SupervisorSetting(
            registry=self.registry,
            history=self.history_of,
            services=self._services(given),
            model=self.found.assistant.chat,
            tools=self.tools_of_servers() if self.tools_of_servers else None,
            limits=limits_of(settings),
            workflow_limits=workflow_limits(settings),
            templates=self.templates.shipped,
            checkpoints=self.checkpoints,
            currency=given.currency,
            renewed=renewed,
        )

    def _services(self, given: Setting) -> Mapping[type[Any], Any]:
        return {**given.services, **self.outside, type(given.limits): given.limits}


def limits_of(settings: Settings) -> SupervisorLimits:
    """Return the bounds of one request that the settings describe."""
    return SupervisorLimits(
        max_iterations=settings.chat_max_iterations,
        timeout_s=settings.chat_timeout_s,
        operator_timeout_s=settings.agent_timeout_s,
        model_timeout_s=settings.planner_timeout_s,
        max_tokens=settings.chat_max_tokens,
        context_tokens=settings.chat_context_tokens,
        observation_tokens=settings.chat_context_tokens,
        window_messages=settings.chat_window_messages,
        max_message_chars=settings.max_question_chars,
        max_kept_kb=settings.chat_history_kb,
        max_given_kb=settings.chat_request_context_kb,
        rule_threshold=settings.desk_threshold,
    )


def open_chat(
    found: Orchestrator,
    history: ChatHistory,
    questions: OpenQuestions | None = None,
    tools: ToolsView | None = None,
    store: Callable[[], Store] | None = None,
) -> Chat:
    """Set up a chat; questions that are not given are its own, and without a store nobody keeps templates.

    Raises:
        BadConfiguration: documents or workflow templates cannot be read.
    """
    history = JudgedHistory(history, found.assistant.check, found.assistant.policy)
    documents = open_document_services(found.assistant.settings)
    outside: Outside = {} if documents is None else {type(documents): documents}
    settings, registry = found.assistant.settings, all_operators()
    limits = workflow_limits(settings)
    schemas = schemas_of(registry, registry.names)
    kept = SqlKeptTemplates(store, schemas, limits, settings.workflow_max_templates, found.assistant) if store else None
    shipped = _templates(limits, settings.workflows_dir)
    templates = ChatTemplates(shipped, history, lambda: VocabularyValues(found.assistant.vocabulary), kept)
    return Chat(
        found,
        history,
        registry,
        outside,
        questions or OpenQuestions(settings.mcp_elicitation_timeout_s),
        templates,
        open_checkpoints(settings),
        tools,
    )


@lru_cache(maxsize=4)
def _templates(limits: WorkflowLimits, own: Path | None) -> tuple[WorkflowTemplate, ...]:
    """Read the templates once; they are judged against the operators that there are."""
    registry = all_operators()
    return read_templates(limits, schemas_of(registry, registry.names), own)


class SharedChat:
    """What all requests of a process share: the history and the questions that wait; opened on first use."""

    def __init__(self, settings: Callable[[], Settings], store: Callable[[], Store]) -> None:
        self._settings = settings
        self._store = store
        self._lock = threading.Lock()
        self._opened: tuple[SqlChatHistory, OpenQuestions] | None = None

    def get(self) -> tuple[SqlChatHistory, OpenQuestions]:
        """Return both; raises what opening the store raises."""
        with self._lock:
            if self._opened is None:
                settings = self._settings()
                history = SqlChatHistory(self._store(), threads=settings.store_connections)
                self._opened = history, OpenQuestions(settings.mcp_elicitation_timeout_s)
            return self._opened


shared_chat = SharedChat(read_settings, shared_store.get)


def default_chat() -> Chat:
    """The one that the environment describes, its parts shared by all callers."""
    history, questions = shared_chat.get()
    return open_chat(default_orchestrator(), history, questions, shared_tools.enabled(), shared_store.get)
