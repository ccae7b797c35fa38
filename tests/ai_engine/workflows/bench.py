"""A workbench for workflows: steps done by functions, and a note of what happened when."""

from __future__ import annotations

import asyncio
import functools
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from ai_engine.events import EventType
from ai_engine.operators.base import OperatorFailed, OperatorResult
from ai_engine.workflows.definition import WorkflowLimits, WorkflowStep, read_definition
from ai_engine.workflows.records import WorkflowResult
from ai_engine.workflows.running import Checkpoints, Engine, run_workflow

QUERY = {
    "type": "object",
    "properties": {"query": {"type": "string"}, "rows": {"type": "integer"}},
    "required": ["query"],
}
SOURCES = {"type": "object", "properties": {"sources": {"type": "array"}}, "required": ["sources"]}
OPERATORS: dict[str, dict[str, Any]] = {"sql": QUERY, "rag_retriever": QUERY, "synthesizer": SOURCES}
INPUTS: dict[str, Any] = {"user_query": "how much?", "param": {"branch": "Pune"}, "phrase": {}}


def step(step_id: str, *needs: str, operator: str = "sql", **inputs: Any) -> dict[str, Any]:
    mapping = inputs or {"query": "Total deposits"}
    return {"id": step_id, "name": step_id, "operator": operator, "input_mapping": mapping, "depends_on": list(needs)}


def in_a_loop(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Run a test that awaits."""

    @functools.wraps(test)
    def run(*args: Any, **kwargs: Any) -> None:
        asyncio.run(test(*args, **kwargs))  # type: ignore[arg-type]

    return run


class Bench:
    """Does steps by functions of their ids, and notes what it was given and when steps were at work."""

    def __init__(self, **work: Callable[[], Awaitable[OperatorResult]]) -> None:
        self.work = work
        self.checkpoints: Checkpoints | None = None
        self.inputs: dict[str, Mapping[str, Any]] = {}
        self.withheld: dict[str, bool] = {}
        self.spans: dict[str, tuple[float, float]] = {}
        self.at_once = self.most_at_once = 0
        self.events: list[tuple[EventType, Mapping[str, Any]]] = []

    async def run_step(self, one: WorkflowStep, inputs: Mapping[str, Any], withheld: bool) -> OperatorResult:
        self.withheld[one.id] = withheld
        self.inputs[one.id] = inputs
        began = time.monotonic()
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            return await self.work[one.id]() if one.id in self.work else OperatorResult(output=one.id, text=one.id)
        finally:
            self.at_once -= 1
            self.spans[one.id] = (began, time.monotonic())

    def engine(self, **limits: Any) -> Engine:
        return Engine(OPERATORS, self.run_step, self.note, WorkflowLimits(**limits), self.checkpoints)

    def note(self, kind: EventType, data: Mapping[str, Any]) -> None:
        self.events.append((kind, data))

    async def run(self, *steps: dict[str, Any], **limits: Any) -> WorkflowResult:
        definition = read_definition({"goal": "A review", "steps": list(steps)})
        return await run_workflow(definition, self.engine(**limits), run_id="r1", inputs=INPUTS)

    def told(self, kind: EventType) -> list[Mapping[str, Any]]:
        return [data for told, data in self.events if told is kind]


def gives(output: Any = None, wait_s: float = 0, **fields: Any) -> Callable[[], Awaitable[OperatorResult]]:
    async def work() -> OperatorResult:
        await asyncio.sleep(wait_s)
        return OperatorResult(output=output, **fields)

    return work


def fails(message: str, kind: str = "OperatorFailed") -> Callable[[], Awaitable[OperatorResult]]:
    async def work() -> OperatorResult:
        raise OperatorFailed(message, kind)

    return work
