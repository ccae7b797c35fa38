"""The nodes of the workflow sub-flow: the plan judged, its steps run, and all that they found collected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from langgraph.runtime import Runtime

from ai_engine.context.results import StepResult
from ai_engine.errors import WorkflowInvalid
from ai_engine.events import EventType
from ai_engine.operators.base import OperatorResult
from ai_engine.operators.call_events import content_fields
from ai_engine.operators.outgoing import texts_of
from ai_engine.operators.registry import OperatorRegistry
from ai_engine.ports import Services
from ai_engine.supervisor.decision import USER_QUERY, plan_of, schemas_of
from ai_engine.supervisor.observation import why_closed
from ai_engine.supervisor.setting import SupervisorRun
from ai_engine.supervisor.state import ChatState
from ai_engine.workflows.definition import WorkflowDefinition
from ai_engine.workflows.filling import Filled
from ai_engine.workflows.records import WorkflowResult
from ai_engine.workflows.report import compose_report
from ai_engine.workflows.running import Engine, UnknownRun, resume_workflow, run_workflow
from ai_engine.workflows.step import with_operators

WRITERS = frozenset({"synthesizer", "writer"})
"""Operators whose result, where it is what a plan ends in, is its answer."""


class WorkflowState(ChatState, total=False):
    """One plan, within one request.

    Attributes:
        plan: None where none can run, and where one goes on that was interrupted.
        outcome: what came of it; None where it could not go on.
    """

    plan: WorkflowDefinition | None
    outcome: WorkflowResult | None


async def parse_workflow(state: WorkflowState, runtime: Runtime[SupervisorRun]) -> WorkflowState:
    """Take the template that was filled, or read and judge the plan that was decided."""
    setting, filled = runtime.context.setting, state["filled"]
    if filled is not None or state["resumes"] is not None:
        return {"plan": None if filled is None else filled.definition}
    try:
        plan = plan_of(state["decision"], setting.registry, state["available"], setting.workflow_limits)
    except WorkflowInvalid as fault:
        actions = state["actions"].settling(outcome="failed", message=str(fault), kind=type(fault).__name__)
        return {"plan": None, "actions": actions}
    return {"plan": plan.definition}


async def run_steps(state: WorkflowState, runtime: Runtime[SupervisorRun]) -> WorkflowState:
    """Run the steps, or those that are left, each within its own time and all within that of the request."""
    run, plan, filled, resumes = runtime.context, state["plan"], state["filled"], state["resumes"]
    if plan is None:
        state["outgoing"].note_read()
        try:
            return {"outcome": await resume_workflow(str(resumes), _engine(state, run))}
        except (UnknownRun, WorkflowInvalid) as fault:
            told = f"The workflow cannot go on. {fault}"
            actions = state["actions"].settling(outcome="failed", message=told, kind=type(fault).__name__)
            return {"outcome": None, "actions": actions}
    inputs = {USER_QUERY: run.message} if filled is None else filled.inputs
    run_id = f"{run.workflow_prefix}{run.request_id}"
    template = None if filled is None else filled.template
    outcome = await run_workflow(plan, _engine(state, run), run_id=run_id, inputs=inputs, template=template)
    return {"outcome": outcome}


def _engine(state: ChatState, run: SupervisorRun) -> Engine:
    """What a workflow is run with in this request."""
    setting, caller = run.setting, run.caller(state)
    if state["filled"] is not None:
        caller = replace(caller, outgoing=state["outgoing"].also(_words_of(state["filled"], setting.registry)))

    def emit(event_type: EventType, data: Mapping[str, Any]) -> None:
        run.tell(event_type, **data)

    return Engine(
        operators=schemas_of(setting.registry, setting.registry.names),
        run_step=with_operators(caller, setting.workflow_limits),
        emit=emit,
        limits=setting.workflow_limits,
        checkpoints=setting.checkpoints,
        why_withheld=lambda record: why_closed(setting.services.get(Services), record.metadata),
    )


def _words_of(filled: Filled, registry: OperatorRegistry) -> list[str]:
    """Return what a template itself has tools of other programs told; what was filled in may be a model's."""
    given = [step.input_mapping for step in filled.template.steps if registry.kind(step.operator).mcp_tools]
    return list(texts_of(given))


async def collect_all_results(state: WorkflowState, runtime: Runtime[SupervisorRun]) -> WorkflowState:
    """Keep what each step found, and the report of all; what failed is missing from it."""
    run, outcome, filled = runtime.context, state["outcome"], state["filled"]
    if outcome is None:
        return {}
    operators = {step.id: step.operator for step in outcome.definition.steps}
    names = {step.id: step.name for step in outcome.definition.steps}
    entries = [
        StepResult(one.id, operators[one.id], names[one.id], one.as_operator_result()) for one in outcome.succeeded
    ]
    if not entries:
        told = " ".join(outcome.missing) or "None of its steps could be done."
        kind = "QueryStopped" if outcome.status == "stopped" else "WorkflowFailed"
        withheld = not all(one.may_leave for one in outcome.steps)
        settled = state["actions"].settling(outcome="failed", message=told, kind=kind, failure_withheld=withheld)
        return {"actions": settled}
    unused = () if filled is None else filled.unused
    report = compose_report(outcome, run.setting.currency, unused, asked=run.message)
    for content in report.contents:
        run.tell(EventType.TOOL_CONTENT, tool="workflow", call_id=outcome.run_id, **content_fields(content))
    whole = _ending_of(outcome) or OperatorResult(
        output={"markdown": report.markdown}, text=report.markdown, contents=report.contents,
        citations=report.citations, missing=report.missing,
    )  # fmt: skip
    status = "succeeded" if outcome.status == "completed" and not whole.missing else "partial"
    return {
        "actions": state["actions"].settling(outcome=status, step=entries[-1].step),
        "results": state["results"].adding(*entries),
        "synthesis": whole,
    }


def _ending_of(outcome: WorkflowResult) -> OperatorResult | None:
    """Return what the one step at the end of a plan wrote of all the others, where nothing failed on the way."""
    steps = outcome.definition.steps
    needed = {one for step in steps for one in step.depends_on}
    ends = [step for step in steps if step.id not in needed]
    if len(ends) != 1 or ends[0].operator not in WRITERS or outcome.status != "completed":
        return None
    return next(one.as_operator_result() for one in outcome.succeeded if one.id == ends[0].id)
