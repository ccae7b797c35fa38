"""What the supervisor may decide, and the judge of whether a decision can be carried out."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from ai_engine.context.actions import ActionName
from ai_engine.errors import WorkflowInvalid
from ai_engine.operators.parameters import BadParameters, checked_parameters
from ai_engine.operators.registry import OperatorRegistry, UnknownOperator
from ai_engine.workflows.checks import checked_plan
from ai_engine.workflows.definition import Plan, WorkflowLimits, read_definition

WrittenAction: TypeAlias = Literal["ANSWER", "CALL_TOOL", "CREATE_WORKFLOW", "CLARIFY"]

_NAMES: dict[WrittenAction, ActionName] = {
    "ANSWER": "answer",
    "CALL_TOOL": "call_tool",
    "CREATE_WORKFLOW": "workflow",
    "CLARIFY": "clarify",
}
REPHRASE = "Could you please rephrase your request?"
USER_QUERY = "user_query"
"""What a template of a workflow may begin with besides a step: the message of the person."""


class SupervisorDecision(BaseModel):
    """One decision; which fields count depends on the action.

    Attributes:
        reasoning: why, for people.
        response: of ANSWER; without it what was found is written up.
        operator: of CALL_TOOL; `params` are its parameters, `query` among them.
        goal: of CREATE_WORKFLOW; `steps` as workflow definitions have them.
        template: of CREATE_WORKFLOW, instead of both: its name; `params` are its parameters.
        question: of CLARIFY; `choices` are answers that would do.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    action: WrittenAction
    reasoning: str
    response: str | None = None
    operator: str | None = None
    params: dict[str, Any] | None = None
    goal: str | None = None
    steps: list[dict[str, Any]] | None = None
    template: str | None = None
    question: str | None = None
    choices: tuple[str, ...] = ()

    @property
    def name(self) -> ActionName:
        """The action as edges and events name it."""
        return _NAMES[self.action]

    def query(self, message: str) -> str:
        """What the operator is to do: as the parameters say, else the person's own words."""
        return str((self.params or {}).get("query") or message)


def undecided(reasoning: str = "Unable to determine appropriate action") -> SupervisorDecision:
    """Ask the person to say it again; what is left when no decision can be had."""
    return SupervisorDecision(action="CLARIFY", reasoning=reasoning, question=REPHRASE)


def plan_of(
    decision: SupervisorDecision, registry: OperatorRegistry, available: Collection[str], limits: WorkflowLimits
) -> Plan:
    """Read the workflow of a decision, and put its steps in order.

    Raises:
        WorkflowInvalid: it cannot run; everything that is wrong is said.
    """
    definition = read_definition({"goal": decision.goal or "", "steps": decision.steps or []})
    return checked_plan(definition, schemas_of(registry, available), limits, {USER_QUERY: None})


def schemas_of(registry: OperatorRegistry, available: Collection[str]) -> dict[str, Any]:
    """Return the schema of the parameters of each operator that can work."""
    return {name: registry.kind(name).parameters for name in available}


def check_decision(
    decision: SupervisorDecision, registry: OperatorRegistry, available: Collection[str], limits: WorkflowLimits
) -> None:
    """Refuse what cannot be carried out.

    Raises:
        ValueError: with what is wrong, in words that a model can act on.
    """
    if decision.action == "CALL_TOOL":
        _check_call(decision, registry, available)
    elif decision.action == "CREATE_WORKFLOW" and not decision.template:
        try:
            plan_of(decision, registry, available, limits)
        except WorkflowInvalid as fault:
            raise ValueError(str(fault)) from None
    elif decision.action == "CLARIFY" and not (decision.question or "").strip():
        raise ValueError("CLARIFY needs a question")


def _check_call(decision: SupervisorDecision, registry: OperatorRegistry, available: Collection[str]) -> None:
    if not decision.operator:
        raise ValueError("CALL_TOOL needs an operator")
    try:
        kind = registry.kind(decision.operator)
    except UnknownOperator as fault:
        raise ValueError(str(fault)) from None
    if decision.operator not in available:
        raise ValueError(f"{decision.operator} is not set up here; there are: {', '.join(sorted(available))}")
    try:
        checked_parameters(decision.params or {}, kind.parameters)
    except BadParameters as fault:
        raise ValueError(f"params of {decision.operator}: {fault}") from None
