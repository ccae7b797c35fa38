"""The workflow: checked, put in order, its steps run beside each other where they can, all results collected.

START ─► parse ─► schedule ─► (more steps?) ─┬─► execute_step ────────┐
                                  ▲  ▲       ├─► execute_parallel ×n ─┴─► emit_progress ─► (more steps?)
                                  │  └───────┴─► wait
                                  │
                                  └── nothing pending ─► collect_all ─► END

Every step is a task of the graph, so that its result is kept at the moment it is there; whoever keeps it tells that it
is done (`TellingSaver`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, TypeAlias, TypedDict

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send

from ai_engine.errors import WorkflowInvalid
from ai_engine.events import EventType
from ai_engine.workflows.checks import OperatorSchemas, batches_of, checked_plan
from ai_engine.workflows.definition import WorkflowDefinition, WorkflowLimits
from ai_engine.workflows.records import StepRecord, WorkflowStatus, status_of
from ai_engine.workflows.references import quoted_roots, references_in
from ai_engine.workflows.step import RunStep, execute

Emit: TypeAlias = Callable[[EventType, Mapping[str, Any]], None]


def _both(left: dict[str, Any], right: dict[str, Any]) -> dict[str, Any]:
    return {**left, **right}


class WorkflowState(TypedDict, total=False):
    """Every field that a node may write; JSON values only, as a checkpoint keeps them.

    Attributes:
        inputs: what templates may begin with besides steps.
        template: of which the definition was made, by which the report is written; None where there is none.
        batches: ids of steps that can run beside each other, in order.
        results: the fields of a `StepRecord` by the step's id.
        status: of the whole, at the end.
    """

    definition: dict[str, Any]
    inputs: dict[str, Any]
    template: dict[str, Any] | None
    batches: list[list[str]]
    results: Annotated[dict[str, Any], _both]
    status: WorkflowStatus


class StepTask(TypedDict):
    """What one step is sent.

    Attributes:
        step_id: which it is.
        known: what its templates reach.
        withheld: they take values out of a result that no language model may be told.
    """

    step_id: str
    known: dict[str, Any]
    withheld: bool


@dataclass(frozen=True, slots=True)
class WorkflowSetting:
    """What is fixed for one run of one workflow.

    Attributes:
        definition: as it was checked, before it began or before it goes on.
        run_step: has an operator do a step; raises OperatorFailed.
        emit: tells an event; safe to call from any thread.
        gate: lets as many steps run at once as the limits say; LangGraph's own bound would have results wait to be
            kept until the steps after them have run.
    """

    run_id: str
    definition: WorkflowDefinition
    operators: OperatorSchemas
    limits: WorkflowLimits
    run_step: RunStep
    emit: Emit
    gate: asyncio.Semaphore


Graph: TypeAlias = CompiledStateGraph[WorkflowState, WorkflowSetting, WorkflowState, WorkflowState]


async def parse(state: WorkflowState, runtime: Runtime[WorkflowSetting]) -> WorkflowState:
    """Check everything before anything runs."""
    setting = runtime.context
    checked_plan(setting.definition, setting.operators, setting.limits, roots_of(state["inputs"]))
    return {"definition": setting.definition.model_dump(mode="json"), "results": {}}


async def schedule(state: WorkflowState, runtime: Runtime[WorkflowSetting]) -> WorkflowState:
    """Put the steps in order and tell the plan."""
    setting = runtime.context
    tell_created(setting, state["template"])
    return {"batches": [list(batch) for batch in batches_of(setting.definition)]}


def more_steps(state: WorkflowState, runtime: Runtime[WorkflowSetting]) -> list[Send] | Literal["wait", "collect_all"]:
    """Send out every step that can start; those that cannot wait, until nothing is pending."""
    definition, results = runtime.context.definition, state["results"]
    pending = [step for step in definition.steps if step.id not in results]
    if not pending:
        return "collect_all"
    ready = [step for step in pending if all(_succeeded(results, one) for one in step.depends_on)]
    if not ready:
        return "wait"
    node = "execute_step" if len(ready) == 1 else "execute_parallel"
    return [Send(node, _task(definition, step.id, state)) for step in ready]


async def execute_step(state: StepTask, runtime: Runtime[WorkflowSetting]) -> WorkflowState:
    """Run one step; a failure is its result."""
    setting = runtime.context
    try:
        step = setting.definition.step(state["step_id"])
        known, withheld = dict(state["known"]), state["withheld"] is not False
    except (KeyError, TypeError, ValueError):
        raise WorkflowInvalid(("What was kept of it does not belong together.",)) from None
    async with setting.gate:
        setting.emit(EventType.WORKFLOW_STEP_START, _named(step.id, setting.definition))
        record = await execute(step, known, setting.run_step, setting.limits, withheld=withheld)
    return {"results": {step.id: record.model_dump(mode="json")}}


async def wait(state: WorkflowState, runtime: Runtime[WorkflowSetting]) -> WorkflowState:
    """Settle the steps that wait for one which has not succeeded: they will never start."""
    setting, results = runtime.context, state["results"]
    skipped: dict[str, Any] = {}
    for step in setting.definition.steps:
        settled = {**results, **skipped}
        lacking = [one for one in step.depends_on if one in settled and not _succeeded(settled, one)]
        if step.id in settled or not lacking:
            continue
        names = ", ".join(f"“{setting.definition.step(one).name}”" for one in lacking)
        message = f"It needs {names}, which could not be done."
        record = StepRecord(id=step.id, status="skipped", message=message, error_type="Skipped")
        skipped[step.id] = record.model_dump(mode="json")
    return {"results": skipped}


async def emit_progress(state: WorkflowState, runtime: Runtime[WorkflowSetting]) -> WorkflowState:
    """Tell how much of the whole is done."""
    setting, done = runtime.context, len(state["results"])
    total = len(setting.definition.steps)
    told = {"tool": "workflow", "call_id": setting.run_id, "progress": done / total}
    setting.emit(EventType.TOOL_PROGRESS, {**told, "message": f"{done} of {total} steps"})
    return {}


async def collect_all(state: WorkflowState, runtime: Runtime[WorkflowSetting]) -> WorkflowState:
    """Say what became of the whole."""
    setting = runtime.context
    records = {step: StepRecord.model_validate(one) for step, one in state["results"].items()}
    status = status_of(setting.definition, records)
    tell_ended(status, records, setting)
    return {"status": status}


@cache
def _uncompiled() -> StateGraph[WorkflowState, WorkflowSetting, WorkflowState, WorkflowState]:
    graph = StateGraph(WorkflowState, context_schema=WorkflowSetting)
    graph.add_node("parse", parse)
    graph.add_node("schedule", schedule)
    graph.add_node("execute_step", execute_step)
    graph.add_node("execute_parallel", execute_step)
    graph.add_node("wait", wait)
    graph.add_node("emit_progress", emit_progress)
    graph.add_node("collect_all", collect_all)
    graph.add_edge(START, "parse")
    graph.add_edge("parse", "schedule")
    for node in ("schedule", "emit_progress", "wait"):
        graph.add_conditional_edges(node, more_steps, ["execute_step", "execute_parallel", "wait", "collect_all"])
    graph.add_edge("execute_step", "emit_progress")
    graph.add_edge("execute_parallel", "emit_progress")
    graph.add_edge("collect_all", END)
    return graph


def build_graph(checkpointer: BaseCheckpointSaver[Any] | None = None) -> Graph:
    """Return the graph; with a checkpointer a run that was interrupted can go on."""
    return _uncompiled().compile(checkpointer=checkpointer)


def roots_of(inputs: Mapping[str, Any]) -> dict[str, tuple[str, ...] | None]:
    """Tell what templates may begin with besides steps, and the keys of it."""
    return {root: tuple(value) if isinstance(value, dict) else None for root, value in inputs.items()}


def tell_created(setting: WorkflowSetting, template: Mapping[str, Any] | None) -> None:
    """Tell the plan of a workflow that begins or goes on, and of which template it was made, if any."""
    definition = setting.definition
    plan = [
        {
            "id": step.id,
            "name": step.name,
            "operator": step.operator,
            "input_mapping": step.input_mapping,
            "depends_on": list(step.depends_on),
        }
        for step in definition.steps
    ]
    batches = [list(batch) for batch in batches_of(definition)]
    name = "" if template is None else template["name"]
    told = {
        "id": setting.run_id.rpartition("/")[2],
        "goal": definition.goal,
        "template": name,
        "steps": len(plan),
        "plan": plan,
        "batches": batches,
    }
    setting.emit(EventType.WORKFLOW_CREATED, told)


def tell_settled(record: StepRecord, setting: WorkflowSetting) -> None:
    """Tell what came of a step."""
    told = {"status": record.status, "elapsed_ms": record.elapsed_ms}
    message = {"message": record.message} if record.message else {}
    setting.emit(EventType.WORKFLOW_STEP_COMPLETE, {**_named(record.id, setting.definition), **told, **message})


def _named(step_id: str, definition: WorkflowDefinition) -> dict[str, Any]:
    """Name a step by its number from 1, its id and its name."""
    number = next(place for place, step in enumerate(definition.steps, start=1) if step.id == step_id)
    return {"step": number, "id": step_id, "name": definition.step(step_id).name}


def tell_ended(status: WorkflowStatus, records: Mapping[str, StepRecord], setting: WorkflowSetting) -> None:
    """Tell what became of the whole."""
    completed = sum(record.status == "succeeded" for record in records.values())
    told = {"status": status, "completed": completed, "failed": len(records) - completed}
    setting.emit(EventType.WORKFLOW_COMPLETE, told)


def _succeeded(results: Mapping[str, Any], step_id: str) -> bool:
    return step_id in results and results[step_id]["status"] == "succeeded"


def _task(definition: WorkflowDefinition, step_id: str, state: WorkflowState) -> StepTask:
    """Gather what the templates of a step reach, and no more."""
    mapping = definition.step(step_id).input_mapping
    records = {step: StepRecord.model_validate(one) for step, one in state["results"].items()}
    known: dict[str, Any] = {}
    for root in dict.fromkeys(one.root for one in references_in(mapping)):
        known[root] = records[root].for_templates() if root in records else state["inputs"][root]
    withheld = any(root in records and not records[root].may_leave for root in quoted_roots(dict(mapping)))
    return {"step_id": step_id, "known": known, "withheld": withheld}
