"""What a workflow is made of: a goal, and steps that say which operator does them and which steps they need."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError

from ai_engine.errors import WorkflowInvalid

StepId = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,63}$")]
OperatorName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")]


MOST_NAME_CHARS = 200
"""Of a step."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class WorkflowStep(_Frozen):
    """One step.

    Attributes:
        id: as templates and `depends_on` name it.
        name: what people read.
        operator: who does it.
        input_mapping: the operator's parameters; texts may hold templates.
        depends_on: ids of the steps that must have succeeded.
    """

    id: StepId
    name: Annotated[str, Field(min_length=1, max_length=MOST_NAME_CHARS)]
    operator: OperatorName
    input_mapping: dict[str, JsonValue] = Field(default_factory=dict)
    depends_on: tuple[StepId, ...] = ()


class WorkflowDefinition(_Frozen):
    """Everything that is to be done, in no order but that of what needs what."""

    goal: Annotated[str, Field(min_length=1, max_length=2_000)]
    steps: Annotated[tuple[WorkflowStep, ...], Field(min_length=1)]

    def step(self, step_id: str) -> WorkflowStep:
        """Return a step by its id; KeyError where there is none."""
        return {step.id: step for step in self.steps}[step_id]


@dataclass(frozen=True, slots=True)
class WorkflowLimits:
    """How much one workflow may be.

    Attributes:
        max_steps: most steps.
        parallel_steps: steps that run beside each other.
        step_timeout_s: longest work of one step.
        max_definition_kb: largest definition, as JSON.
        max_input_kb: most that templates put into the inputs of one step, as JSON.
        max_result_kb: largest result of one step that later ones and the checkpoint are given.
    """

    max_steps: int = 20
    parallel_steps: int = 4
    step_timeout_s: float = 60
    max_definition_kb: int = 64
    max_input_kb: int = 256
    max_result_kb: int = 4_096


@dataclass(frozen=True, slots=True)
class Plan:
    """A checked workflow with its batches: the steps of one batch need only steps of batches before it."""

    definition: WorkflowDefinition
    batches: tuple[tuple[str, ...], ...] = field(default=())


_DEFINITION = TypeAdapter(WorkflowDefinition)
MOST_LEVELS = 32
"""Lists and objects within each other that anybody means."""


def read_definition(given: object) -> WorkflowDefinition:
    """Read a definition that a model, a person or a file wrote; limits and meaning are for `checks.checked_plan`.

    Raises:
        WorkflowInvalid: its form is wrong.
    """
    if isinstance(given, WorkflowDefinition):
        return given
    refuse_deep(given)
    try:
        return _DEFINITION.validate_python(given)
    except ValidationError as fault:
        raise WorkflowInvalid(faults_of(fault)) from None


def refuse_deep(given: object) -> None:
    """Refuse what is nested deeper than anybody means it.

    Raises:
        WorkflowInvalid: it is.
    """
    level: list[object] = [given]
    for _ in range(MOST_LEVELS):
        level = [
            item for one in level if isinstance(one, (dict, list, tuple))
            for item in (one.values() if isinstance(one, dict) else one)
        ]  # fmt: skip
        if not level:
            return
    raise WorkflowInvalid((f"It is nested more than {MOST_LEVELS} levels deep.",))


def faults_of(fault: ValidationError) -> tuple[str, ...]:
    """Say what is wrong with the form of something, without quoting it."""
    errors = fault.errors(include_url=False, include_input=False, include_context=False)
    return tuple(f"{'.'.join(map(str, one['loc'])) or 'It'}: {one['msg']}." for one in errors[:10])
