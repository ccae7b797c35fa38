"""What came of the steps, as plain JSON values: templates reach into it, and checkpoints keep it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from ai_engine.agent import TabularResult
from ai_engine.json_values import any_to_json
from ai_engine.operators.base import Citation, OperatorFailed, OperatorResult
from ai_engine.tools import ToolContent
from ai_engine.workflows.definition import WorkflowDefinition
from ai_engine.workflows.template import WorkflowTemplate

StepStatus: TypeAlias = Literal["succeeded", "failed", "skipped"]
WorkflowStatus: TypeAlias = Literal["completed", "partial", "failed", "stopped"]


class StepRecord(BaseModel):
    """What came of one step; the fields of a result are those of `OperatorResult`, its cells as JSON has them.

    Attributes:
        id: of the step.
        status: `skipped` when a step that it needs has not succeeded.
        message: why it has not succeeded, for people; empty when it has.
        error_type: kind of that failure.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    status: StepStatus
    elapsed_ms: Annotated[float, Field(ge=0)] = 0
    message: str = ""
    error_type: str = ""
    output: JsonValue = None
    text: str = ""
    columns: tuple[str, ...] | None = None
    rows: tuple[dict[str, JsonValue], ...] = ()
    contents: tuple[ToolContent, ...] = ()
    citations: tuple[Citation, ...] = ()
    metadata: dict[str, JsonValue] = Field(default_factory=dict)
    missing: tuple[str, ...] = ()

    @property
    def may_leave(self) -> bool:
        """Whether a language model may be told its values, or why it failed."""
        return self.metadata.get("may_leave") is not False

    @property
    def table(self) -> TabularResult | None:
        """The rows behind the result; None where there are none."""
        return None if self.columns is None else TabularResult(columns=list(self.columns), rows=list(self.rows))

    def as_operator_result(self) -> OperatorResult:
        """Give the result in the form in which operators gave it."""
        return OperatorResult(
            self.output, self.text, self.table, self.contents, self.citations, self.metadata, self.missing
        )

    def for_templates(self) -> dict[str, Any]:
        """Return what `{{id...}}` reaches: `output`, `text`, `rows`, `citations`, `missing`, and the output's keys."""
        shorthand = self.output if isinstance(self.output, dict) else {}
        rows = [dict(row) for row in self.rows]
        citations = [{"document": one.document, "paragraph": one.paragraph} for one in self.citations]
        named = {"output": self.output, "text": self.text, "citations": citations, "missing": list(self.missing)}
        return {"rows": rows, **shorthand, **named}


@dataclass(frozen=True, slots=True)
class WorkflowResult:
    """What came of a workflow.

    Attributes:
        run_id: under which one that was stopped can go on.
        status: `completed`: all steps succeeded; `partial`: some; `failed`: none; `stopped`: not all have run.
        steps: of those that were settled, in the order of the definition.
        template: of which the definition was made, if any.
    """

    run_id: str
    definition: WorkflowDefinition
    status: WorkflowStatus
    steps: tuple[StepRecord, ...]
    template: WorkflowTemplate | None = None

    @property
    def succeeded(self) -> tuple[StepRecord, ...]:
        """The steps whose results can be used."""
        return tuple(step for step in self.steps if step.status == "succeeded")

    @property
    def missing(self) -> tuple[str, ...]:
        """What was asked and could not be done: of failed steps, then of those that succeeded in part."""
        names = {step.id: step.name for step in self.definition.steps}
        failed = [f"{names[one.id]}: {one.message}" for one in self.steps if one.status != "succeeded"]
        return tuple(dict.fromkeys([*failed, *(text for one in self.steps for text in one.missing)]))


def record_of(step_id: str, result: OperatorResult, elapsed_ms: float, max_result_kb: int) -> StepRecord:
    """Keep what an operator made; content that is too large to keep is left out, and that is said.

    Raises:
        OperatorFailed: it is too large even so.
    """
    table = result.table
    metadata: Any = any_to_json(dict(result.metadata))
    rows: Any = [] if table is None else [any_to_json(row) for row in table.rows]
    record = StepRecord(
        id=step_id, status="succeeded", elapsed_ms=elapsed_ms, output=any_to_json(result.output), text=result.text,
        columns=None if table is None else tuple(table.columns), rows=tuple(rows), contents=result.contents,
        citations=result.citations, metadata=metadata, missing=result.missing,
    )  # fmt: skip
    if _size_kb(record) <= max_result_kb:
        return record
    left_out = f"Images and files of more than {max_result_kb} kB are left out."
    smaller = record.model_copy(update={"contents": (), "missing": (*record.missing, left_out)})
    if _size_kb(smaller) > max_result_kb:
        raise OperatorFailed(f"The result is larger than {max_result_kb} kB. Ask for less.", "ResultTooLarge")
    return smaller


def status_of(definition: WorkflowDefinition, records: Mapping[str, StepRecord]) -> WorkflowStatus:
    """Tell how far a workflow has come."""
    if len(records) < len(definition.steps):
        return "stopped"
    succeeded = sum(record.status == "succeeded" for record in records.values())
    if succeeded == len(records):
        return "completed"
    return "partial" if succeeded else "failed"


def _size_kb(record: StepRecord) -> float:
    return len(json.dumps(record.model_dump(mode="json"), ensure_ascii=False).encode()) / 1_024
