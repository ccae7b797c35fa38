"""Have one operator do its work: tried again, then done by its fallback, ended in time, and told as events.

The events are `tool.start`, what the operator tells, and `tool.complete` or `tool.error`, under one `call_id`.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, TypeVar

from ai_engine.agent import in_thread
from ai_engine.agent_call import wait_for_end
from ai_engine.context.requirements import parse_requirements
from ai_engine.conversation import LanguageModel
from ai_engine.errors import AssistantError, DeadlineExceeded, QueryStopped
from ai_engine.events import Event, EventType
from ai_engine.json_values import any_to_json
from ai_engine.operators.base import (
    MAY_NOT_LEAVE,
    NOT_SET_UP,
    NOTHING_FOUND,
    TOOL_TIMED_OUT,
    BaseOperator,
    OperatorContext,
    OperatorFailed,
    OperatorResult,
)
from ai_engine.operators.call_events import CallEvents
from ai_engine.operators.outgoing import Door, Outgoing
from ai_engine.operators.parameters import BadParameters, checked_parameters
from ai_engine.operators.registry import OperatorRegistry, UnknownOperator, lacks
from ai_engine.operators.told_tools import Elicit, ToldTools
from ai_engine.ports import Services
from ai_engine.tools import Tools

_log = logging.getLogger(__name__)
_Made = TypeVar("_Made")
_GRACE_S = 0.7
"""How long an operator that was told to stop may take to end by itself; then it is left behind."""

Assemble: TypeAlias = Callable[[Sequence[str], str], Awaitable[Mapping[str, Any]]]
"""Given requirements (those of the query and of parameters not among them) and the query, what is known of each."""


async def nothing_known(requirements: Sequence[str], query: str) -> Mapping[str, Any]:  # noqa: ARG001 - as Assemble
    """Know of no conversation, tools, results or actions."""
    return dict.fromkeys(requirements)


@dataclass(frozen=True, slots=True)
class OperatorCaller:
    """What whoever calls operators gives to each of them; `OperatorContext` says what the fields mean.

    Attributes:
        emit: takes each event, from any thread.
        tools: of the servers that the person enabled; None where there is none.
        assemble: gives the context that an operator asks for, and that which its fallback asks for.
        elicit: puts a tool's question to the person; without it every such question is declined.
        outgoing: what the request may hand to other programs; None where nobody decides but the person.
        renewed: gives `services` as they are now, as columns may have been closed meanwhile; None where they stay.
    """

    registry: OperatorRegistry
    request_id: str
    emit: Callable[[Event], None]
    stop: threading.Event
    model: LanguageModel | None = None
    services: Mapping[type[Any], Any] = field(default_factory=dict)
    tools: Tools | None = None
    assemble: Assemble = nothing_known
    elicit: Elicit | None = None
    outgoing: Outgoing | None = None
    renewed: Callable[[], Mapping[type[Any], Any]] | None = None


async def call_operator(
    name: str, query: str, params: Mapping[str, Any], caller: OperatorCaller, *, timeout_s: float, call_id: str = ""
) -> OperatorResult:
    """Return what the operator made, its `metadata["operator"]` naming who did it in the end.

    Within a second from the deadline, from `caller.stop` and from a cancellation nothing runs any more.

    Raises:
        OperatorFailed: neither it nor its fallback could do it; `kind` is "QueryStopped" after a stop and
            "DeadlineExceeded" when the time was over.
    """
    events = CallEvents(name, call_id or uuid.uuid4().hex, caller.request_id, caller.emit)
    started = time.monotonic()
    events.tell(EventType.TOOL_START, message=query)
    try:
        if caller.renewed is not None:
            caller = replace(caller, services=await in_thread(caller.renewed))
        result = await _Call(name, query, params, caller, events, started + timeout_s, timeout_s).result()
    except OperatorFailed as fault:
        events.close(EventType.TOOL_ERROR, message=str(fault), error_type=fault.kind)
        raise
    except asyncio.CancelledError:
        events.close(EventType.TOOL_ERROR, message=QueryStopped.user_message, error_type=QueryStopped.__name__)
        raise
    told = events.tell_contents(result)
    elapsed_ms = round((time.monotonic() - started) * 1_000, 3)
    events.close(EventType.TOOL_COMPLETE, content_count=told, elapsed_ms=elapsed_ms)
    return result


@dataclass(frozen=True, slots=True)
class _Call:
    """One call on its way."""

    name: str
    query: str
    params: Mapping[str, Any]
    caller: OperatorCaller
    events: CallEvents
    deadline: float
    timeout_s: float

    async def result(self) -> OperatorResult:
        """Have it done by the operator, or by the first of its fallbacks that can.

        Raises:
            OperatorFailed: with the reason of the first that had what it needs.
        """
        first: OperatorFailed | None = None
        name: str | None = self.name
        while name is not None:
            operator = self._operator(name)
            try:
                if lacking := lacks(operator, await self._offered(operator), self.caller.services):
                    raise OperatorFailed(lacking, NOT_SET_UP)
                return await self._tried(operator)
            except OperatorFailed as fault:
                if fault.kind in _FINAL:
                    raise
                first = fault if first is None or first.kind == NOT_SET_UP else first
                name = operator.fallback_operator
                if name is not None:
                    self.events.tell(EventType.TOOL_PROGRESS, progress=None, message=f"{fault} {name} does it instead.")
        assert first is not None, "there was an operator"  # noqa: S101
        raise first

    def _operator(self, name: str) -> BaseOperator:
        try:
            return self.caller.registry.create(name)
        except UnknownOperator as fault:
            raise OperatorFailed(str(fault), "UnknownOperator") from None

    async def _offered(self, operator: BaseOperator) -> frozenset[str]:
        """Name the tools that servers offer; asked only for who calls any."""
        if self.caller.tools is None or not operator.mcp_tools:
            return frozenset()
        found = await self._in_time(operator.name, self.caller.tools.summaries(), threading.Event())
        return frozenset(tool.name for tool in found)

    async def _tried(self, operator: BaseOperator) -> OperatorResult:
        """Try it as often as the operator says."""
        outgoing = self.caller.outgoing
        behind = None if outgoing is None else outgoing.also(_not_decided(operator, self.caller.services))
        context = await self._context(operator, behind)
        try:
            made = await self._in_tries(operator, context, None if behind is None else behind.door())
            if outgoing is not None and made.metadata["operator"] in self.caller.registry.names:
                outgoing.note(self.caller.registry.kind(made.metadata["operator"]))
            return made
        except OperatorFailed as fault:
            fault.may_leave = fault.may_leave and context.may_leave()
            raise
        finally:
            if outgoing is not None:
                outgoing.note(operator)

    async def _in_tries(self, operator: BaseOperator, context: OperatorContext, door: Door | None) -> OperatorResult:
        for left in range(operator.max_retries, -1, -1):
            try:
                made = await self._once(operator, context, door)
                metadata = {"operator": operator.name, **made.metadata}
                return replace(made, output=any_to_json(made.output), metadata=metadata)
            except OperatorFailed as fault:
                if fault.kind in _CERTAIN or not left:
                    raise
                self.events.tell(EventType.TOOL_PROGRESS, progress=None, message=f"{fault} Trying again.")
        raise AssertionError("the last try raises")

    async def _context(self, operator: BaseOperator, outgoing: Outgoing | None) -> OperatorContext:
        """Give the operator exactly what it asks for; parameters that a fallback does not take are left out."""
        schema, params = operator.parameters, self.params
        if operator.name != self.name:
            params = {name: value for name, value in params.items() if name in schema["properties"]}
        try:
            checked = checked_parameters(params, schema)
        except BadParameters as fault:
            raise OperatorFailed(f"{operator.name}: {fault}.", "BadParameters") from None
        query = str(checked.get("query") or self.query)
        wanted = parse_requirements(operator.context_requirements, schema["properties"])
        others = [one.text for one in wanted if one.source not in {"query", "parameter"}]
        known: dict[str, Any] = {}
        if others:
            known |= await self._in_time(operator.name, self.caller.assemble(others, query), threading.Event())
        known |= {one.text: checked.get(one.part) for one in wanted if one.source == "parameter"}
        known |= {one.text: query for one in wanted if one.source == "query"}
        given = self.caller.services
        return OperatorContext(
            query=query, params=checked, context=known, request_id=self.caller.request_id, emit=self.events.emit,
            stop=self.caller.stop, deadline=self.deadline, model=self.caller.model,
            services=given if outgoing is None else outgoing.behind(given),
        )  # fmt: skip

    async def _once(self, operator: BaseOperator, context: OperatorContext, door: Door | None) -> OperatorResult:
        """Try once, with a `stop` of its own that is set when this try is over."""
        own_stop = threading.Event()
        tools = self.caller.tools and ToldTools(self.caller.tools, self.events, own_stop, self.caller.elicit, door)
        work = operator.execute(replace(context, stop=own_stop), tools)
        return await self._in_time(operator.name, work, own_stop)

    async def _in_time(self, who: str, work: Awaitable[_Made], own_stop: threading.Event) -> _Made:
        """Await work within the time of the call; what does not end then is left behind.

        Raises:
            OperatorFailed: it was stopped, is late, or failed.
        """
        task = asyncio.ensure_future(work)
        try:
            ended_by = await wait_for_end(task, self.deadline, self.caller.stop)
            if ended_by is not None:
                own_stop.set()
                await asyncio.wait({task}, timeout=_GRACE_S)
            if ended_by is QueryStopped:
                raise OperatorFailed(QueryStopped.user_message, QueryStopped.__name__)
            if ended_by is not None and not _has_result(task):
                late = DeadlineExceeded(who, self.timeout_s)
                raise OperatorFailed(late.user_message, type(late).__name__)
            return _outcome(who, task)
        finally:
            own_stop.set()
            task.cancel()
            task.add_done_callback(_forget)


_FINAL = {QueryStopped.__name__, DeadlineExceeded.__name__, "BadParameters", "UnknownOperator"}
"""Kinds of failure after which trying again, or another way, makes no sense."""
_CERTAIN = {*_FINAL, NOT_SET_UP, NOTHING_FOUND, TOOL_TIMED_OUT, MAY_NOT_LEAVE}
"""Kinds after which only another way makes sense."""


def _not_decided(operator: BaseOperator, services: Mapping[type[Any], Any]) -> list[str]:
    """Return the figures that nobody decides: defaults such as how many hits are wanted, limits of statements."""
    settings = operator.parameters["properties"].values()
    defaults = [str(one["default"]) for one in settings if isinstance(one.get("default"), (int, float))]
    given = services.get(Services) if Services in operator.needs_services else None
    limits = () if given is None else (given.policy.default_limit_rows, given.policy.max_rows, given.policy.max_groups)
    return [*defaults, *map(str, limits)]


def _has_result(task: asyncio.Future[Any]) -> bool:
    return task.done() and not task.cancelled() and task.exception() is None


def _outcome(name: str, task: asyncio.Future[_Made]) -> _Made:
    fault = None if task.cancelled() else task.exception()
    if task.cancelled():
        raise OperatorFailed(QueryStopped.user_message, QueryStopped.__name__)
    if fault is None:
        return task.result()
    if isinstance(fault, OperatorFailed):
        raise fault
    if isinstance(fault, AssistantError):
        raise OperatorFailed(fault.user_message, type(fault).__name__) from fault
    _log.error("operator %s raised what it must not", name, exc_info=fault)
    raise OperatorFailed(AssistantError.user_message, type(fault).__name__) from fault


def _forget(task: asyncio.Future[Any]) -> None:
    """Take note of what a task that was left behind raised, so that the loop does not complain of it."""
    with contextlib.suppress(asyncio.CancelledError):
        task.exception()
