"""One step of a workflow: its inputs made of what is known, its operator run, and what came of it."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from ai_engine.agent import in_thread
from ai_engine.errors import AssistantError, QueryStopped
from ai_engine.json_values import JsonValue
from ai_engine.operators.base import MAY_NOT_LEAVE, OperatorFailed, OperatorResult
from ai_engine.operators.calling import Assemble, OperatorCaller, call_operator
from ai_engine.workflows.definition import WorkflowLimits, WorkflowStep
from ai_engine.workflows.records import StepRecord, record_of
from ai_engine.workflows.references import NothingThere, TooMuch, as_text, resolve

_log = logging.getLogger(__name__)
_MARK: dict[str, JsonValue] = {"may_leave": False}

RunStep: TypeAlias = Callable[[WorkflowStep, Mapping[str, Any], bool], Awaitable[OperatorResult]]
"""Has a step's operator work with these inputs; the third says that no language model may be told of them.

Raises OperatorFailed, of kind "QueryStopped" when it was stopped.
"""


_WITHHELD = (
    "It needs rows that may not be told to a language model (BANK_SEND_ROWS), and would put them into its question."
)


class StepStopped(Exception):
    """A step was stopped by the person, so that it has no result and is done anew when the workflow goes on."""


def with_operators(caller: OperatorCaller, limits: WorkflowLimits) -> RunStep:
    """Have the steps done by operators, which are told nothing of the conversation: a step says all that it means."""
    apart = replace(caller, assemble=_without_conversation(caller.assemble))

    async def run_step(step: WorkflowStep, inputs: Mapping[str, Any], withheld: bool) -> OperatorResult:
        if withheld and apart.model is not None:
            raise OperatorFailed(_WITHHELD, MAY_NOT_LEAVE)
        query = as_text(inputs.get("query")) or step.name
        made = await call_operator(step.operator, query, inputs, apart, timeout_s=limits.step_timeout_s)
        return replace(made, metadata={**made.metadata, **_MARK}) if withheld else made

    return run_step


async def execute(
    step: WorkflowStep, known: Mapping[str, Any], run_step: RunStep, limits: WorkflowLimits, *, withheld: bool
) -> StepRecord:
    """Run one step; whatever goes wrong fails this step alone.

    Raises:
        StepStopped: it was stopped.
    """
    started = time.monotonic()
    try:
        result = await run_step(step, await in_thread(_inputs, step, known, limits), withheld)
        return record_of(step.id, result, _since_ms(started), limits.max_result_kb)
    except OperatorFailed as fault:
        if fault.kind == QueryStopped.__name__:
            raise StepStopped(step.id) from None
        failed = _failed(step, str(fault), fault.kind, started)
        return failed if fault.may_leave and not withheld else failed.model_copy(update={"metadata": _MARK})
    except AssistantError as fault:
        return _failed(step, fault.user_message, type(fault).__name__, started)
    except Exception as fault:  # noqa: BLE001 - an operator's fault is not the workflow's
        _log.exception("step of operator %s raised what it must not", step.operator)
        return _failed(step, AssistantError.user_message, type(fault).__name__, started)


def _inputs(step: WorkflowStep, known: Mapping[str, Any], limits: WorkflowLimits) -> dict[str, JsonValue]:
    """Put what is known in the place of templates.

    Raises:
        OperatorFailed: a template leads to nothing, or to too much.
    """
    try:
        inputs = resolve(dict(step.input_mapping), known, limits.max_input_kb * 1_024)
    except NothingThere as fault:
        raise OperatorFailed(f"{fault}.", "NothingThere") from None
    except TooMuch:
        message = f"Its templates would put in more than {limits.max_input_kb} kB, which is the most."
        raise OperatorFailed(message, "InputTooLarge") from None
    assert isinstance(inputs, dict), "it was one"  # noqa: S101
    return inputs


def _failed(step: WorkflowStep, message: str, kind: str, started: float) -> StepRecord:
    return StepRecord(id=step.id, status="failed", message=message, error_type=kind, elapsed_ms=_since_ms(started))


def _since_ms(started: float) -> float:
    return round((time.monotonic() - started) * 1_000, 3)


def _without_conversation(assemble: Assemble) -> Assemble:
    async def assembled(requirements: Any, query: str) -> Mapping[str, Any]:
        conversation = [one for one in requirements if one.startswith("conversation")]
        others = [one for one in requirements if one not in conversation]
        return dict.fromkeys(conversation) | dict(await assemble(others, query) if others else {})

    return assembled
