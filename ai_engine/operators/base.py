"""What a supervisor and a workflow can have done: an operator says what it needs to know and does one kind of work."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, ClassVar

from ai_engine.agent import TabularResult
from ai_engine.conversation import LanguageModel
from ai_engine.events import EventType
from ai_engine.ports import Services
from ai_engine.tools import ToolContent, Tools

NOT_SET_UP = "NotSetUp"
"""Kind of failure of an operator that has not what it needs: a tool of a server, a database, a sandbox."""

NOTHING_FOUND = "NothingFound"
"""Kind of failure of a search that went well and found nothing."""
TOOL_TIMED_OUT = "ToolTimedOut"
"""Kind of failure of a server that did not answer in its time: waiting again is no help."""
MAY_NOT_LEAVE = "MayNotLeave"
"""Kind of failure of a call that would tell somebody what they may not be told."""


class OperatorType(Enum):
    """What an operator depends on."""

    PURE_LLM = "pure_llm"
    MCP_BACKED = "mcp_backed"
    HYBRID = "hybrid"


class OperatorFailed(Exception):
    """An operator could not do its work; the text is for people and for the supervisor.

    Attributes:
        kind: a class of error such as "QueryTimedOut" or "ClarificationNeeded".
        details: what helps to go on: `choices` and `suggestions` of a question that was not clear, `code` that failed.
        may_leave: whether a language model may be told more of it than its kind.
    """

    def __init__(self, message: str, kind: str = "OperatorFailed", details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.details = dict(details or {})
        self.may_leave = True


@dataclass(frozen=True, slots=True)
class Citation:
    """Where a sentence comes from: a document and the paragraph of it, counted from 1.

    Attributes:
        server: that has the document; empty for the bank's own.
    """

    document: str
    paragraph: int
    title: str = ""
    server: str = ""


@dataclass(frozen=True, slots=True)
class OperatorContext:
    """What one call of an operator is given: its parameters, and exactly the context that it asked for.

    Attributes:
        query: what is to be done, standing alone.
        params: the parameters by name, as the decision or the workflow step gives them; values are data.
        context: what was assembled, by requirement, such as "conversation.recent(5)".
        request_id: of the chat request.
        emit: tells an event of this call; safe to call from any thread.
        stop: set when the person stops or the time is over: return within a second.
        deadline: when `stop` will be set by itself, as `time.monotonic` counts.
        model: the language model; None where there is none.
        services: ports and settings by their class, as agents are given them.
    """

    query: str
    params: Mapping[str, Any]
    context: Mapping[str, Any]
    request_id: str
    emit: Callable[[EventType, Mapping[str, Any]], None]
    stop: threading.Event
    deadline: float
    model: LanguageModel | None = None
    services: Mapping[type[Any], Any] = field(default_factory=dict)

    def database(self) -> Services | None:
        """Return what questions to the bank's data need, None where there is no database."""
        return self.services.get(Services)

    def may_leave(self) -> bool:
        """Tell whether a language model may be told all that the call was given."""
        return _may_leave([self.params, self.context])


@dataclass(frozen=True, slots=True)
class OperatorResult:
    """What an operator made.

    Attributes:
        output: what templates such as `{{step.output.rows[0]}}` reach into: JSON values only.
        text: what a person reads of it, Markdown.
        table: the rows behind it, cells as the database has them.
        contents: what is shown beside the text: images, widgets, files.
        citations: where the text comes from, each checked to exist.
        metadata: `operator`, `sql`, `units`, `chart`, `confidence` ...
        missing: what was asked and could not be done, one sentence each; a person is told all of them.
    """

    output: Any
    text: str = ""
    table: TabularResult | None = None
    contents: tuple[ToolContent, ...] = ()
    citations: tuple[Citation, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    missing: tuple[str, ...] = ()


def _may_leave(given: Any) -> bool:
    """Look for the mark of what is withheld, however deep it lies."""
    if isinstance(given, OperatorResult):
        return given.metadata.get("may_leave") is not False
    if isinstance(given, Mapping):
        return given.get("may_leave") is not False and all(map(_may_leave, given.values()))
    return all(map(_may_leave, given)) if isinstance(given, (list, tuple)) else True


class BaseOperator(ABC):
    """One kind of work; holds nothing that changes, so any number of requests share it.

    Attributes:
        name: lower case, as decisions and workflow steps name it.
        description: what it does, in a sentence that a supervisor chooses by.
        operator_type: what it depends on.
        parameters: JSON schema of the object that `OperatorContext.params` is checked against.
        mcp_tools: tools of MCP servers that it may call; one of tools alone is not there when none of them is.
        needs_services: classes of `OperatorContext.services` without which it is not there.
        context_requirements: what of the conversation, the tools, the results and the actions it is given.
        fallback_operator: does the work instead when this one has failed.
        max_retries: how often it is tried again before that.
    """

    name: ClassVar[str]
    description: ClassVar[str]
    operator_type: ClassVar[OperatorType]
    parameters: ClassVar[Mapping[str, Any]] = {"type": "object", "properties": {"query": {"type": "string"}}}
    mcp_tools: ClassVar[tuple[str, ...]] = ()
    needs_services: ClassVar[tuple[type[Any], ...]] = ()
    context_requirements: ClassVar[tuple[str, ...]] = ("query",)
    fallback_operator: ClassVar[str | None] = None
    max_retries: ClassVar[int] = 2

    @property
    def requires_mcp(self) -> bool:
        """Whether it calls tools of other programs."""
        return self.operator_type in {OperatorType.MCP_BACKED, OperatorType.HYBRID}

    @property
    def requires_llm(self) -> bool:
        """Whether it asks a language model, where there is one."""
        return self.operator_type in {OperatorType.PURE_LLM, OperatorType.HYBRID}

    @abstractmethod
    async def execute(self, context: OperatorContext, tools: Tools | None = None) -> OperatorResult:
        """Do the work.

        Raises:
            OperatorFailed: it cannot be done.
        """
