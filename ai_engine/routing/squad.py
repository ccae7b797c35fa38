"""The front desk: which agent answers a message, with whose memory, and what is kept of it."""

from __future__ import annotations

import inspect
import logging
import time
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

from ai_engine.errors import ModelFailed
from ai_engine.model_use import asker
from ai_engine.routing.agent import RoutedAgent, whole_answer
from ai_engine.routing.classifier import Classifier
from ai_engine.routing.config import CLASSIFICATION_FAILED, AgentSquadConfig
from ai_engine.routing.messages import (
    AgentProcessingResult,
    AgentResponse,
    AgentStream,
    ClassifierResult,
    ConversationMessage,
    FaultMessage,
    ParticipantRole,
    TimestampedMessage,
    now_ms,
)
from ai_engine.routing.storage import ChatStorage, InMemoryChatStorage
from ai_engine.routing.turn import Turn, agent_fault
from ai_engine.routing.word_classifier import WordClassifier

_times_s: ContextVar[Mapping[str, float]] = ContextVar("execution_times", default=MappingProxyType({}))


class AgentSquad:
    """Routes each message of each session to one of its agents; safe to share between tasks.

    Args:
        options: an AgentSquadConfig, or a mapping with any of its fields.
        storage: where conversations are kept; in memory where None.
        classifier: who chooses; words alone where None.
        logger: takes what the LOG_* options permit, and every failure in detail.
        default_agent: asked where nobody is chosen.
    """

    def __init__(
        self,
        options: AgentSquadConfig | Mapping[str, Any] | None = None,
        storage: ChatStorage | None = None,
        classifier: Classifier | None = None,
        logger: logging.Logger | None = None,
        default_agent: RoutedAgent | None = None,
    ) -> None:
        self.config = AgentSquadConfig.of(options)
        self.storage = storage or InMemoryChatStorage()
        self.classifier = classifier or WordClassifier()
        self.logger = logger or logging.getLogger(__name__)
        self.agents: dict[str, RoutedAgent] = {}
        self.default_agent = default_agent

    @property
    def execution_times(self) -> Mapping[str, float]:
        """Seconds per step of the latest request of the running task."""
        return _times_s.get()

    def add_agent(self, agent: RoutedAgent) -> None:
        """Let an agent be chosen.

        Raises:
            ValueError: there is one with its id.
        """
        if agent.id in self.agents:
            raise ValueError(f"An agent with ID '{agent.id}' already exists.")
        self.agents[agent.id] = agent

    def get_all_agents(self) -> dict[str, dict[str, str]]:
        """Return name and description of each agent by its id."""
        return {key: {"name": agent.name, "description": agent.description} for key, agent in self.agents.items()}

    def get_default_agent(self) -> RoutedAgent | None:
        """Return who is asked where nobody is chosen."""
        return self.default_agent

    def set_default_agent(self, agent: RoutedAgent) -> None:
        """Have an agent asked where nobody is chosen."""
        self.default_agent = agent

    def get_fallback_result(self, undecided: ClassifierResult | None = None) -> ClassifierResult:
        """Choose the default agent, with confidence 0."""
        reason, candidates = (undecided.reason, undecided.candidates) if undecided else ("", ())
        return ClassifierResult(self.default_agent, 0.0, reason, candidates)

    async def route_request(
        self,
        user_input: str,
        user_id: str,
        session_id: str,
        additional_params: Mapping[str, Any] | None = None,
        stream_response: bool = False,
    ) -> AgentResponse:
        """Choose an agent and have it answer; never raises but when cancelled.

        What fails is told with the configured sentence or a plain one, and `error_type` in the metadata:
        `classification_failed` or `agent_failed`.
        """
        _times_s.set({})
        started = time.perf_counter()
        try:
            chosen = await self.classify_request(user_input, user_id, session_id)
        except Exception:
            self.logger.exception("classification failed")
            told = self.config.CLASSIFICATION_ERROR_MESSAGE or CLASSIFICATION_FAILED
            metadata = self.create_metadata(None, user_input, user_id, session_id, additional_params)
            return _told(metadata, told)
        response = await self.agent_process_request(
            user_input, user_id, session_id, chosen, additional_params, stream_response
        )
        self._note_time("Total", started)
        if self.config.LOG_EXECUTION_TIMES:
            lines = [f"- {name}: {elapsed_s:.3f}s" for name, elapsed_s in self.execution_times.items()]
            self.logger.info("Execution Times:\n%s", "\n".join(lines))
        return response

    async def classify_request(self, user_input: str, user_id: str, session_id: str) -> ClassifierResult:
        """Choose who answers: the classifier's choice, or the default agent with confidence 0 where there is one.

        Raises:
            ModelFailed: after the configured number of attempts; what the storage or a classifier raise besides.
        """
        history = await self.storage.fetch_all_chats(user_id, session_id)
        result: ClassifierResult = await self.measure_execution_time(
            "Classifying user intent", lambda: self._classify(user_input, history)
        )
        if self.config.LOG_CLASSIFIER_OUTPUT:
            name = result.selected_agent.name if result.selected_agent else "nobody"
            self.logger.info("classified %r: %s, %.2f", user_input, name, result.confidence)
        if result.selected_agent is None and self.config.USE_DEFAULT_AGENT_IF_NONE_IDENTIFIED and self.default_agent:
            return self.get_fallback_result(result)
        return result

    async def _classify(self, user_input: str, history: list[ConversationMessage]) -> ClassifierResult:
        for attempt in range(1, self.config.MAX_RETRIES + 1):
            try:
                return await self.classifier.classify(user_input, history, dict(self.agents))
            except ModelFailed as fault:
                if attempt == self.config.MAX_RETRIES:
                    raise
                self.logger.warning("attempt %d at a classification failed: %s", attempt, type(fault).__name__)
        raise AssertionError("there is at least one attempt")

    async def agent_process_request(
        self,
        user_input: str,
        user_id: str,
        session_id: str,
        classifier_result: ClassifierResult,
        additional_params: Mapping[str, Any] | None = None,
        stream_response: bool = False,
    ) -> AgentResponse:
        """Have the chosen agent answer, and keep question and answer together once both are there."""
        metadata = self.create_metadata(classifier_result, user_input, user_id, session_id, additional_params)
        agent = classifier_result.selected_agent
        if agent is None:
            return _told(metadata, self.config.NO_SELECTED_AGENT_MESSAGE, classifier_result)
        asked = TimestampedMessage(
            role=ParticipantRole.USER,
            content=[{"text": classifier_result.user_input or user_input}],
            timestamp=now_ms(),
        )
        params = {
            "user_input": asked.text,
            "user_id": user_id,
            "session_id": session_id,
            "classifier_result": classifier_result,
            "additional_params": dict(additional_params or {}),
        }
        turn = Turn(self.storage, self.config, self.logger, agent, asked, (user_id, session_id))
        try:
            output: ConversationMessage | AgentStream = await self.measure_execution_time(
                f"Agent {agent.name} | Processing request", lambda: self.dispatch_to_agent(params)
            )
            if stream_response and not isinstance(output, ConversationMessage):
                return _response(metadata, turn.stream(output), classifier_result, streaming=True)
            answer = await whole_answer(output)
            await turn.save(answer)
        except Exception:
            self.logger.exception("agent %s failed", agent.id)
            return _told(_failed(metadata, "agent_failed"), agent_fault(self.config), classifier_result)
        if isinstance(answer, FaultMessage):
            metadata = _failed(metadata, answer.error_type)
        return _response(metadata, answer, classifier_result, streaming=False)

    async def dispatch_to_agent(self, params: Mapping[str, Any]) -> ConversationMessage | AgentStream:
        """Ask the agent of `params["classifier_result"]`, with its own memory alone.

        Args:
            params: `user_input`, `user_id`, `session_id`, `classifier_result`, `additional_params`.
        """
        chosen: ClassifierResult = params["classifier_result"]
        agent = chosen.selected_agent
        if agent is None:
            return ConversationMessage.of(ParticipantRole.ASSISTANT, self.config.NO_SELECTED_AGENT_MESSAGE)
        user_id, session_id = params["user_id"], params["session_id"]
        history = await self.storage.fetch_chat(user_id, session_id, agent.id, self.config.MAX_MESSAGE_PAIRS_PER_AGENT)
        asker().also_typed(turn.text for turn in history if turn.role is ParticipantRole.USER)
        if self.config.LOG_AGENT_CHAT:
            self.logger.info("asked %s: %s", agent.id, params["user_input"])
        given = dict(params.get("additional_params") or {})
        if chosen.confidence == 0:
            given["undecided"] = True
            given["candidates"] = [{"id": one.id, "name": one.name} for one in chosen.candidates]
        return await agent.process_request(params["user_input"], user_id, session_id, history, given)

    def create_metadata(
        self,
        intent_classifier_result: ClassifierResult | None,
        user_input: str,
        user_id: str,
        session_id: str,
        additional_params: Mapping[str, Any] | None = None,
    ) -> AgentProcessingResult:
        """Say who was asked what; in a copy of the parameters, what went wrong."""
        agent = intent_classifier_result.selected_agent if intent_classifier_result else None
        given = dict(additional_params or {})
        if agent is None:
            given["error_type"] = "classification_failed"
        return AgentProcessingResult(
            user_input=user_input,
            agent_id=agent.id if agent else "no_agent_selected",
            agent_name=agent.name if agent else "No Agent",
            user_id=user_id,
            session_id=session_id,
            additional_params=given,
        )

    async def measure_execution_time(self, name: str, fn: Callable[[], Any]) -> Any:
        """Call a function, await what it returns where that can be awaited, and note how long that took."""
        started = time.perf_counter()
        try:
            made = fn()
            return await made if inspect.isawaitable(made) else made
        finally:
            self._note_time(name, started)

    def _note_time(self, name: str, started: float) -> None:
        _times_s.set({**_times_s.get(), name: time.perf_counter() - started})


def _response(
    metadata: AgentProcessingResult,
    output: ConversationMessage | AgentStream,
    chosen: ClassifierResult,
    *,
    streaming: bool,
) -> AgentResponse:
    ids = tuple(agent.id for agent in chosen.candidates)
    return AgentResponse(metadata, output, streaming, chosen.confidence, chosen.reason, ids)


def _told(metadata: AgentProcessingResult, text: str, chosen: ClassifierResult | None = None) -> AgentResponse:
    return _response(
        metadata,
        ConversationMessage.of(ParticipantRole.ASSISTANT, text),
        chosen or ClassifierResult(None),
        streaming=False,
    )


def _failed(metadata: AgentProcessingResult, error_type: str) -> AgentProcessingResult:
    params = {**metadata.additional_params, "error_type": error_type}
    return metadata.model_copy(update={"additional_params": params})
