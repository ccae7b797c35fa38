"""Calculations, with numbers of the question or on rows that were found before."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.agent import TraceEventType
from ai_engine.agent_results import rows_may_leave
from ai_engine.operators.base import OperatorContext, OperatorResult
from ai_engine.operators.of_agent import (
    RECENT,
    RESULTS,
    TABLE_SCHEMA,
    AgentOperator,
    result_of,
    results_before,
    withheld,
)
from ai_engine.operators.parameters import object_schema
from ai_engine.operators.registry import operators
from ai_engine.specialists.computation.agent import ComputationAgent, ComputationServices
from ai_engine.tools import Tools


@operators.register("computation")
class ComputationOperator(AgentOperator):
    """Gives a figure or a table, and the program that made it is told."""

    agent = ComputationAgent()
    description = agent.description
    parameters = object_schema(
        query={"type": "string", "description": "What is to be calculated, with all its numbers"}, table=TABLE_SCHEMA
    )
    context_requirements = ("query", RECENT, RESULTS)
    needs_services = (ComputationServices,)

    async def execute(self, context: OperatorContext, tools: Tools | None = None) -> OperatorResult:  # noqa: ARG002
        """Calculate; the program is part of what is given.

        Raises:
            OperatorFailed: as the agent failed.
        """
        result = await self.asked(context)
        made = result_of(result)
        made = made if rows_may_leave(results_before(context)) else withheld(made)
        ran = [event.data["code"] for event in result.trace if event.event_type is TraceEventType.TOOL]
        code = ran[-1] if ran else None
        return replace(made, output={**made.output, "code": code}, metadata={**made.metadata, "code": code})
