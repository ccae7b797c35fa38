"""Sends back decisions that would hand what was found to tools of other programs, so that a model can decide better.

A model that reads a hostile text may be talked into sending figures on. What is sent is judged at the door
(`ai_engine/operators/outgoing.py`); words that a template would take there are kept back here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ai_engine.context.requirements import is_of_results
from ai_engine.insight import unwritten_figures
from ai_engine.operators.base import BaseOperator
from ai_engine.operators.outgoing import Outgoing, texts_of
from ai_engine.operators.registry import OperatorRegistry
from ai_engine.ports import Services
from ai_engine.supervisor.decision import SupervisorDecision
from ai_engine.workflows.definition import WorkflowStep
from ai_engine.workflows.references import BadReference, references_in

TEMPLATE = re.compile(r"\{\{[^{}]*\}\}")
_KEPT_INSIDE = "table"
"""A parameter whose rows no operator gives to a tool of another program."""


def check_outward(decision: SupervisorDecision, registry: OperatorRegistry, outgoing: Outgoing) -> None:
    """Refuse a decision that would hand out what was found.

    Args:
        decision: judged already, so that its operators exist.
        outgoing: knows what the person wrote, and whether anything was read in this turn.

    Raises:
        ValueError: with what is wrong, in words that a model can act on.
    """
    if decision.action == "CALL_TOOL":
        _check_params(registry.kind(str(decision.operator)), decision.params or {}, outgoing.written)
        return
    steps = [WorkflowStep.model_validate(step) for step in decision.steps or () if decision.action == "CREATE_WORKFLOW"]
    with_data = _steps_with_data(steps, registry, has_read=outgoing.has_read)
    for step in steps:
        kind = registry.kind(step.operator)
        _check_params(kind, step.input_mapping, outgoing.written)
        handed = sorted(_roots(step, without_tables=True) & with_data)
        if _calls_others(kind) and handed:
            raise ValueError(
                f"{step.id}: {step.operator} calls tools of other programs, which are not given what "
                f"{', '.join(handed)} found in the bank's data; write its query without templates of these"
            )


def check_parameters(
    steps: Sequence[WorkflowStep], params: Mapping[str, Any], registry: OperatorRegistry, written: Sequence[str]
) -> None:
    """Refuse values of a template's parameters that would hand out what was found.

    Raises:
        ValueError: as `check_outward`.
    """
    for step in steps:
        _check_params(registry.kind(step.operator), params, written)


def _check_params(kind: type[BaseOperator], params: Mapping[str, Any], written: Sequence[str]) -> None:
    if not _calls_others(kind):
        return
    texts = " ".join(texts_of({name: value for name, value in params.items() if name != _KEPT_INSIDE}))
    unknown = [one for one in unwritten_figures(TEMPLATE.sub(" ", texts), written) if one.lower() != "one"]
    if unknown:
        raise ValueError(
            f"{kind.name} calls tools of other programs, which are given no figures that the person has not written: "
            f"{', '.join(unknown)}"
        )


def _calls_others(kind: type[BaseOperator]) -> bool:
    """Whether an operator hands its parameters to tools of other programs; the bank's own database is none."""
    return bool(kind.mcp_tools) and Services not in kind.needs_services


def _steps_with_data(steps: Sequence[WorkflowStep], registry: OperatorRegistry, *, has_read: bool) -> set[str]:
    """Return the steps that read the bank's data or are given what was read before, and those that build on them."""
    kinds = {step.id: registry.kind(step.operator) for step in steps}
    found = {step for step, kind in kinds.items() if Services in kind.needs_services}
    if has_read:
        found |= {step for step, kind in kinds.items() if any(map(is_of_results, kind.context_requirements))}
    while more := {step.id for step in steps if step.id not in found and _roots(step) & found}:
        found |= more
    return found


def _roots(step: WorkflowStep, *, without_tables: bool = False) -> set[str]:
    given = {name: value for name, value in step.input_mapping.items() if not (without_tables and name == _KEPT_INSIDE)}
    try:
        return {reference.root for reference in references_in(given)}
    except BadReference as fault:
        raise ValueError(f"{step.id}: {fault}") from None
