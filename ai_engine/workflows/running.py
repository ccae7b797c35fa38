"""Runs a workflow, or lets one that was interrupted go on from the steps that are done."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import ValidationError

from ai_engine.errors import WorkflowInvalid
from ai_engine.operators.base import OperatorResult
from ai_engine.untraced import untraced
from ai_engine.workflows.checkpoint_text import CheckpointText
from ai_engine.workflows.checks import OperatorSchemas, checked_plan
from ai_engine.workflows.definition import WorkflowDefinition, WorkflowLimits, WorkflowStep, read_definition
from ai_engine.workflows.graph import (
    Emit,
    Graph,
    WorkflowSetting,
    WorkflowState,
    build_graph,
    roots_of,
    tell_created,
    tell_ended,
    tell_settled,
)
from ai_engine.workflows.records import StepRecord, WorkflowResult, status_of
from ai_engine.workflows.step import RunStep, StepStopped
from ai_engine.workflows.telling_saver import TellingSaver
from ai_engine.workflows.template import WorkflowTemplate, template_from

_Made = TypeVar("_Made")
_OUTER_GRAPH = "child_runnable_config"
"""The context variable in which a node finds the run of its graph."""
_UNREADABLE = "What was kept of it cannot be read."


class Checkpoints(Protocol):
    """Where the state of workflows is kept while they run."""

    def open(self) -> AbstractAsyncContextManager[BaseCheckpointSaver[str]]:
        """Give a saver for the loop that enters.

        Raises:
            StoreUnavailable: it cannot be read or written.
        """
        ...

    async def interrupted(self, prefix: str) -> tuple[str, ...]:
        """Name the runs that can go on, of those whose id begins so, the latest first."""
        ...

    async def forget(self, run_id: str) -> None:
        """Drop what is kept of a run."""
        ...


class UnknownRun(LookupError):
    """Nothing is kept of this run: it ended, is too old, or never was."""


@dataclass(frozen=True, slots=True)
class Engine:
    """What workflows are run with.

    Attributes:
        operators: which operators a step may name.
        run_step: has an operator do a step.
        emit: takes each event; safe to call from any thread.
        checkpoints: None where nothing is kept, so that nothing can go on after an interruption.
        why_withheld: says why what a step found before an interruption may be told no more; empty where it may.
    """

    operators: OperatorSchemas
    run_step: RunStep
    emit: Emit
    limits: WorkflowLimits = field(default_factory=WorkflowLimits)
    checkpoints: Checkpoints | None = None
    why_withheld: Callable[[StepRecord], str] = lambda _: ""


async def run_workflow(
    definition: WorkflowDefinition,
    engine: Engine,
    *,
    run_id: str,
    inputs: Mapping[str, Any],
    template: WorkflowTemplate | None = None,
) -> WorkflowResult:
    """Run all steps; one that fails fails only those that need it.

    A stop of the operators ends it within a second, as does cancelling; then it can be resumed under its id.

    Args:
        run_id: unique; its beginning may say to whom it belongs.
        inputs: what templates may begin with besides steps: `user_query`, a text; `param` and `phrase`, by name.
        template: of which the definition was made; kept with it, so that the report is the same after an interruption.

    Raises:
        WorkflowInvalid: it cannot run; nothing has been done.
    """
    checked_plan(definition, engine.operators, engine.limits, roots_of(inputs))
    setting = _setting(definition, engine, run_id)
    async with _opened(engine.checkpoints) as saver:
        kept = None if template is None else template.model_dump(mode="json")
        begin: WorkflowState = {"inputs": dict(inputs), "template": kept}
        return replace(await _driven(saver, begin, setting, {}), template=template)


async def resume_workflow(run_id: str, engine: Engine) -> WorkflowResult:
    """Let an interrupted workflow go on, also in another process; steps that are done are told, and not done again.

    What was kept is read as data of unknown origin, and checked as it was at the start.

    Raises:
        UnknownRun: nothing is kept of it.
        WorkflowInvalid: what is kept cannot run.
    """
    if engine.checkpoints is None:
        raise UnknownRun(run_id)
    async with _opened(engine.checkpoints) as saver:
        values = await _kept_values(build_graph(saver), run_id, engine)
        definition, records = _read_back(values, engine)
        template = None if values.get("template") is None else template_from(values["template"])
        if template is not None:
            template.checked(engine.operators, engine.limits)
        setting = _setting(definition, engine, run_id)
        tell_created(setting, values.get("template"))
        for record in records.values():
            tell_settled(record, setting)
        return replace(await _driven(saver, None, setting, records), template=template)


async def _kept_values(graph: Graph, run_id: str, engine: Engine) -> Mapping[str, Any]:
    try:
        state = await _apart(lambda: graph.aget_state(_config(run_id, engine.limits)))
    except (ValueError, TypeError, LookupError, AttributeError):
        raise WorkflowInvalid((_UNREADABLE,)) from None
    if not state.created_at:
        raise UnknownRun(run_id)
    values: Mapping[str, Any] = state.values
    return values


def _read_back(values: Mapping[str, Any], engine: Engine) -> tuple[WorkflowDefinition, dict[str, StepRecord]]:
    try:
        definition = read_definition(values["definition"])
        records = {step: StepRecord.model_validate(one) for step, one in values.get("results", {}).items()}
        roots = roots_of(values["inputs"])
    except (ValidationError, AttributeError, KeyError, TypeError):
        raise WorkflowInvalid((_UNREADABLE,)) from None
    checked_plan(definition, engine.operators, engine.limits, roots)
    if any(step != record.id or step not in {one.id for one in definition.steps} for step, record in records.items()):
        raise WorkflowInvalid(("What was kept of it does not belong together.",))
    withheld = tuple(dict.fromkeys(filter(None, map(engine.why_withheld, records.values()))))
    if withheld:
        raise WorkflowInvalid(withheld)
    return definition, records


async def _driven(
    saver: BaseCheckpointSaver[Any],
    given: WorkflowState | None,
    setting: WorkflowSetting,
    done: Mapping[str, StepRecord],
) -> WorkflowResult:
    """Run the graph to its end or to a stop; what was kept of a run that ended is dropped."""
    records = dict(done)

    def kept(results: Mapping[str, Any]) -> None:
        for step, record in results.items():
            records[step] = StepRecord.model_validate(record)
            tell_settled(records[step], setting)

    graph = build_graph(TellingSaver(saver, "results", kept))
    try:
        await _apart(lambda: _run(graph, given, setting))
    except StepStopped:
        tell_ended("stopped", records, setting)
        return _result(setting, records)
    await saver.adelete_thread(setting.run_id)
    return _result(setting, records)


async def _run(graph: Graph, given: WorkflowState | None, setting: WorkflowSetting) -> None:
    with untraced():
        await graph.ainvoke(given, _config(setting.run_id, setting.limits), context=setting, durability="sync")


async def _apart(work: Callable[[], Awaitable[_Made]]) -> _Made:
    """Await a graph that is no part of the graph which calls it, whose checkpoints LangGraph would take for its own."""
    context = contextvars.Context()
    for variable, value in contextvars.copy_context().items():
        if variable.name != _OUTER_GRAPH:
            context.run(variable.set, value)

    async def awaited() -> _Made:
        return await work()  # made only here, so that a stop before leaves nothing that was never awaited

    return await asyncio.get_running_loop().create_task(awaited(), context=context)


@asynccontextmanager
async def _opened(checkpoints: Checkpoints | None) -> AsyncIterator[BaseCheckpointSaver[Any]]:
    if checkpoints is None:
        yield InMemorySaver(serde=CheckpointText())
    else:
        async with checkpoints.open() as saver:
            yield saver


def _config(run_id: str, limits: WorkflowLimits) -> Any:  # a RunnableConfig, of a library that only LangGraph imports
    return {
        "configurable": {"thread_id": run_id},
        "recursion_limit": 3 * limits.max_steps + 10,
    }


def _setting(definition: WorkflowDefinition, engine: Engine, run_id: str) -> WorkflowSetting:
    async def run_step(step: WorkflowStep, inputs: Mapping[str, Any], withheld: bool) -> OperatorResult:
        """Have it done apart: an operator that runs a graph of its own keeps nothing among these checkpoints."""
        return await _apart(lambda: engine.run_step(step, inputs, withheld))

    gate = asyncio.Semaphore(engine.limits.parallel_steps)
    return WorkflowSetting(run_id, definition, engine.operators, engine.limits, run_step, engine.emit, gate)


def _result(setting: WorkflowSetting, records: Mapping[str, StepRecord]) -> WorkflowResult:
    in_order = tuple(records[step.id] for step in setting.definition.steps if step.id in records)
    return WorkflowResult(setting.run_id, setting.definition, status_of(setting.definition, records), in_order)
