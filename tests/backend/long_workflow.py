"""A process with one workflow: `python -m tests.backend.long_workflow STORE_URL begin|resume`, an event per line.

Of its two steps beside each other the slow one ends only after a minute, unless the workflow is resumed.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from typing import Any

from ai_engine.events import EventType
from ai_engine.operators.base import OperatorResult
from ai_engine.workflows.definition import WorkflowLimits, WorkflowStep, read_definition
from ai_engine.workflows.running import Engine, resume_workflow, run_workflow
from backend.checkpoints import open_checkpoints
from backend.settings import Settings
from tests.ai_engine.workflows.bench import INPUTS, OPERATORS, step

STEPS = [
    step("first"),
    step("quick", "first", query="{{first.output.rows[0].amount}}"),
    step("slow", "first"),
    step("last", "quick", "slow", operator="synthesizer", sources=["{{quick.output}}", "{{slow.output}}"]),
]


async def main(store_url: str, how: str) -> None:
    async def run_step(one: WorkflowStep, inputs: Mapping[str, Any], withheld: bool) -> OperatorResult:
        print(json.dumps({"runs": one.id, "inputs": inputs}), flush=True)
        if one.id == "slow" and how == "begin":
            await asyncio.sleep(60)
        return OperatorResult(output={"rows": [{"amount": 12.5}], "by": how}, text=f"{one.id} by {how}")

    def emit(kind: EventType, data: Mapping[str, Any]) -> None:
        print(json.dumps({"type": kind.value, **data}), flush=True)

    checkpoints = open_checkpoints(Settings(store_url=store_url))
    engine = Engine(OPERATORS, run_step, emit, WorkflowLimits(), checkpoints)
    if how == "begin":
        definition = read_definition({"goal": "A review", "steps": STEPS})
        result = await run_workflow(definition, engine, run_id="talk-1.a", inputs=INPUTS)
    else:
        (run_id,) = await checkpoints.interrupted("talk-1.")
        result = await resume_workflow(run_id, engine)
    left = await checkpoints.interrupted("")
    print(json.dumps({"status": result.status, "texts": [one.text for one in result.steps], "left": left}), flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
