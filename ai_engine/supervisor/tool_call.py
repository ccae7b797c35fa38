"""The nodes of the tool sub-flow: what a call needs, the call, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from langgraph.runtime import Runtime

from ai_engine.context.actions import Action
from ai_engine.context.assembler import AssembledContext
from ai_engine.context.requirements import parse_requirement
from ai_engine.context.results import StepResult
from ai_engine.operators.base import OperatorFailed, OperatorResult
from ai_engine.operators.calling import call_operator
from ai_engine.supervisor.setting import SupervisorRun
from ai_engine.supervisor.state import ChatState


class ToolState(ChatState, total=False):
    """One call, within one request.

    Attributes:
        repeats: the earlier call that was the same; None where there was none.
        context: what the operator asked to know.
        found: what the operator made; None where it failed.
        failure: why.
    """

    repeats: Action | None
    context: AssembledContext
    found: OperatorResult | None
    failure: OperatorFailed | None


async def prepare_tool(state: ToolState) -> ToolState:
    """See whether the same call was made in this turn."""
    return {"repeats": state["actions"].same_call_before(), "found": None, "failure": None}


async def build_context(state: ToolState, runtime: Runtime[SupervisorRun]) -> ToolState:
    """Gather exactly what the operator asks for, schemas of tools included, which are fetched only now."""
    run, action = runtime.context, state["actions"].actions[-1]
    requirements = run.setting.registry.kind(str(action.operator)).context_requirements
    wanted = [text for text in requirements if parse_requirement(text).source not in {"query", "parameter"}]
    return {"context": await run.assembler(state).assemble(wanted, action.query)}


async def execute_tool(state: ToolState, runtime: Runtime[SupervisorRun]) -> ToolState:
    """Call the operator; that it failed is a result too."""
    run, action = runtime.context, state["actions"].actions[-1]
    caller, built = run.caller(state), state["context"].values

    async def assemble(requirements: Sequence[str], query: str) -> Mapping[str, Any]:
        """Give what was built; a fallback may ask for more."""
        more = [text for text in requirements if text not in built]
        return {**built, **(await caller.assemble(more, query) if more else {})}

    if action.withheld:
        caller = replace(caller, model=None)
        state["outgoing"].note_read()
    timeout_s = min(run.setting.limits.operator_timeout_s, run.left_s)
    try:
        found = await call_operator(
            str(action.operator), action.query, action.params, replace(caller, assemble=assemble), timeout_s=timeout_s
        )
    except OperatorFailed as failure:
        return {"failure": failure}
    return {"found": replace(found, metadata={**found.metadata, "may_leave": False}) if action.withheld else found}


async def collect_result(state: ToolState) -> ToolState:
    """Keep what the call gave under its step, and note how it ended."""
    actions, found, failure, repeats = state["actions"], state["found"], state["failure"], state["repeats"]
    if repeats is not None:
        return {"actions": actions.settling(outcome="repeated", step=repeats.step)}
    if failure is not None:
        settled = actions.settling(
            outcome="failed", message=str(failure), kind=failure.kind, details=failure.details,
            failure_withheld=not failure.may_leave,
        )  # fmt: skip
        return {"actions": settled}
    assert found is not None, "it succeeded"  # noqa: S101
    action = actions.actions[-1]
    step = f"call_{len(actions.actions)}"
    outcome = "partial" if found.missing else "succeeded"
    entry = StepResult(step, str(action.operator), action.told(action.query), found)
    return {"actions": actions.settling(outcome=outcome, step=step), "results": state["results"].adding(entry)}
