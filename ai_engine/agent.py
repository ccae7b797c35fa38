"""The port behind which every specialist works: a request and earlier results in, one result out, events on the way.

Nothing here knows who asks. Whoever does (see `ai_engine/agent_call.py`) fills in `latency_ms` and `trace`.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial
from typing import Annotated, Any, Literal, ParamSpec, Protocol, TypeAlias, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, computed_field, field_validator

from ai_engine.errors import BadConfiguration
from ai_engine.ports import ChatModel
from ai_engine.under_way import counted

_Service = TypeVar("_Service")
_Made = TypeVar("_Made")
_Given = ParamSpec("_Given")
_MOST_NAMES = 100


def _lowered(name: object) -> object:
    return name.strip().lower() if isinstance(name, str) else name


AgentName: TypeAlias = Annotated[str, BeforeValidator(_lowered), Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
"""Lower-cased. Whether there is such an agent is known to the registry of whoever takes the request."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class AgentExecutionStatus(StrEnum):
    """How far an agent has come."""

    pending = "pending"
    running = "running"
    succeeded = "succeeded"
    failed = "failed"
    skipped = "skipped"


class TraceEventType(StrEnum):
    """What kind of thing happened: DECISION chose, TOOL reached outside, MESSAGE tells, RESULT ends well, ERROR ill."""

    MESSAGE = "message"
    TOOL = "tool"
    DECISION = "decision"
    RESULT = "result"
    ERROR = "error"


class TraceEvent(_Frozen):
    """One thing that happened; `agent` is an agent's name, or "planner", "composer" ..."""

    event_type: TraceEventType
    agent: AgentName | None = None
    data: dict[str, Any] = Field(default_factory=dict)
    message: str | None = None
    timestamp: datetime = Field(default_factory=lambda: datetime.now(UTC))


class AgentRequest(_Frozen):
    """One question, with what is known around it and which agents are wanted or not."""

    model_config = ConfigDict(extra="forbid")

    question: str = Field(min_length=1)
    context: dict[str, Any] = Field(default_factory=dict)
    prefer_agents: tuple[AgentName, ...] = ()
    disable_agents: tuple[AgentName, ...] = ()
    max_turns: int | None = None
    include_data: bool = True
    trace: bool = False
    system_prompt: str | None = None

    @field_validator("context", mode="before")
    @classmethod
    def _empty_for_none(cls, value: object) -> object:
        return {} if value is None else value

    @field_validator("prefer_agents", "disable_agents", mode="before")
    @classmethod
    def _as_names(cls, value: object) -> object:
        """One name stands for itself, None for no name; a list is bounded before its names are judged."""
        if value is None:
            return ()
        if isinstance(value, str):
            return (value,)
        if isinstance(value, Sized) and len(value) > _MOST_NAMES:
            raise ValueError(f"at most {_MOST_NAMES} agents can be named")
        return tuple(name for name in value if name is not None) if isinstance(value, Iterable) else value


class TabularResult(_Frozen):
    """A table: one dictionary per row, keys among `columns`, cells as the database has them (Decimal, date, None)."""

    columns: list[str]
    rows: list[dict[str, Any]]

    @computed_field  # type: ignore[prop-decorator]
    @property
    def row_count(self) -> int:
        """Rows in `rows`."""
        return len(self.rows)

    @classmethod
    def of_rows(cls, columns: Iterable[str], rows: Iterable[Sequence[Any]]) -> TabularResult:
        """Build a table of rows whose cells are aligned with `columns`."""
        names = list(columns)
        return cls(columns=names, rows=[dict(zip(names, row, strict=True)) for row in rows])


class AgentError(_Frozen):
    """Why an agent failed; `type` is a class of error such as "QueryError", `message` is for people."""

    message: str
    type: str = "AgentError"
    details: dict[str, Any] = Field(default_factory=dict)


class AgentResult(_Frozen):
    """What one agent has to say; an agent leaves `trace` and `latency_ms` to whoever asked it."""

    agent: AgentName
    status: AgentExecutionStatus
    answer: str | None = None
    tabular: TabularResult | None = None
    error: AgentError | None = None
    trace: list[TraceEvent] = Field(default_factory=list)
    latency_ms: float | None = None


class PlannerDecision(_Frozen):
    """Which agents work, in which order, why, and how sure that is (0 to 1)."""

    rationale: str
    chosen_agents: tuple[AgentName, ...]
    confidence: float | None = Field(None, ge=0, le=1)
    guardrails: dict[str, Any] = Field(default_factory=dict)


class OrchestratorResponse(_Frozen):
    """One answer made of the results of several agents."""

    answer: str
    data: TabularResult | None = None
    agent_results: list[AgentResult] = Field(default_factory=list)
    trace: list[TraceEvent] = Field(default_factory=list)
    planner: PlannerDecision | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)


ResultKind: TypeAlias = Literal["table", "answer"]


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What others need to know of an agent to choose it, to order it and to let it run.

    Attributes:
        keywords: words and phrases of a question that speak for it, lower case.
        examples: questions that it answers.
        works_on: "own_data" agents compete with each other for a question; an "outside" one with everybody.
        default: asked when no words speak for anyone.
        gives: what others may find in its result.
        reads: which parts of earlier agents' results it makes use of; such an agent waits for them.
        beside_others: it may run while others do.
        needs_context: keys of the request's context without which it cannot work.
        needs_services: classes that `AgentRun.service` must know; without them the agent is not there.
    """

    keywords: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    works_on: Literal["own_data", "outside"] = "outside"
    default: bool = False
    gives: frozenset[ResultKind] = frozenset({"answer"})
    reads: frozenset[ResultKind] = frozenset()
    beside_others: bool = True
    needs_context: tuple[str, ...] = ()
    needs_services: tuple[type[Any], ...] = ()


@dataclass(frozen=True, slots=True)
class AgentRun:
    """What one call of one agent is given besides the request; nothing of it outlives the call.

    Attributes:
        agent: the name under which events are told.
        whole_question: the question of which `request.question` may be a part.
        emit: takes each event as it happens; safe to call from any thread.
        stop: set by the person, or at the agent's deadline: return within a second, whatever you return.
        deadline: when `stop` will be set by itself, as `time.monotonic` counts.
        model: asks the language model for replies of a given shape; None when there is none.
        services: ports and settings by their class, such as `ai_engine.ports.Services`.
    """

    agent: str
    whole_question: str
    emit: Callable[[TraceEvent], None]
    stop: threading.Event
    deadline: float
    model: ChatModel | None = None
    services: Mapping[type[Any], Any] = field(default_factory=dict)

    def tell(self, event_type: TraceEventType, message: str, **data: Any) -> None:
        """Emit an event in the agent's name.

        A RESULT with a table may say `units` (column to currency code, "percent", "days", "count") and `chart`.
        """
        self.emit(TraceEvent(event_type=event_type, agent=self.agent, message=message, data=data))

    def service(self, kind: type[_Service]) -> _Service:
        """Return what was given for this class.

        Raises:
            BadConfiguration: nothing was.
        """
        try:
            found: _Service = self.services[kind]
        except KeyError:
            raise BadConfiguration(f"{self.agent} needs {kind.__name__}, which is not set up") from None
        return found


class Agent(Protocol):
    """One kind of work; holds nothing that changes, so any number of runs share it."""

    @property
    def name(self) -> str:
        """Lower-case name, as requests prefer or disable it."""
        ...

    @property
    def description(self) -> str:
        """What it does, in a sentence or two that a language model chooses by."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What others need to know of it."""
        ...

    async def run(self, request: AgentRequest, earlier: Sequence[AgentResult], run: AgentRun) -> AgentResult:
        """Do the work; never raises, and returns within a second once `run.stop` is set.

        What blocks goes into a thread: `await in_thread(work, ...)`.

        Args:
            request: `question` is the agent's own part of what was asked, standing alone.
            earlier: results of the agents before it, in planned order, failed ones included.
            run: what this call is given.
        """
        ...

    def claim(self, part: str, run: AgentRun) -> float | None:  # noqa: ARG002 - for those who can tell
        """How surely this agent does a part of a question by rule alone: 0 not at all, 1 all of it, None cannot tell.

        Words of the part that it has no use for make it less than 1, so that the question is split where two agents
        are asked in one sentence. One that leans on an earlier table ("the EMI for that") counts as if that were there.
        Called in a thread, without a model and for many parts: to end within some 50 ms, changing nothing.
        """
        return None


async def in_thread(work: Callable[_Given, _Made], /, *args: _Given.args, **kwargs: _Given.kwargs) -> _Made:
    """Await blocking work in a thread of its own, which a full pool cannot delay nor an abandoned one keep alive."""
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[_Made] = loop.create_future()
    call = counted(partial(contextvars.copy_context().run, partial(work, *args, **kwargs)))

    def settle(set_outcome: Callable[[Any], None], value: object) -> None:
        def unless_abandoned() -> None:
            if not outcome.done():
                set_outcome(value)

        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(unless_abandoned)

    def run() -> None:
        try:
            made = call()
        except BaseException as fault:  # noqa: BLE001 - handed to whoever awaits, who raises it
            settle(outcome.set_exception, fault)
        else:
            settle(outcome.set_result, made)

    threading.Thread(target=run, name="agent", daemon=True).start()
    return await outcome
