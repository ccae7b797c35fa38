"""The orchestrator as one operator: a question that needs several agents, planned and composed."""

from __future__ import annotations

import contextlib
import time
from dataclasses import replace

from ai_engine import orchestrator
from ai_engine.agent import AgentExecutionStatus, AgentRequest, OrchestratorResponse
from ai_engine.agent_results import described, rows_may_leave
from ai_engine.json_values import any_to_json
from ai_engine.operators.base import BaseOperator, OperatorContext, OperatorFailed, OperatorResult, OperatorType
from ai_engine.operators.of_agent import RECENT, questions_before, tell_trace, withheld
from ai_engine.operators.parameters import object_schema
from ai_engine.operators.registry import operators
from ai_engine.orchestrator import OrchestratorLimits, Setting
from ai_engine.ports import Services
from ai_engine.specialists.earlier import EARLIER_QUESTIONS
from ai_engine.specialists.registry import SPECIALISTS
from ai_engine.tools import Tools


@operators.register("orchestrator")
class OrchestratorOperator(BaseOperator):
    """Has the agents share a question among them."""

    description = (
        "Answers one question that several agents must share: the bank's own data, calculations on it and the bank's "
        "HTTP services, planned, run beside each other and put together in one answer."
    )
    operator_type = OperatorType.PURE_LLM
    parameters = object_schema(query={"type": "string", "description": "The whole question, standing alone"})
    context_requirements = ("query", RECENT)
    needs_services = (Services,)
    max_retries = 0

    async def execute(self, context: OperatorContext, tools: Tools | None = None) -> OperatorResult:  # noqa: ARG002
        """Ask the orchestrator; its planner and its agents tell progress.

        Raises:
            OperatorFailed: no agent had an answer.
        """
        request = AgentRequest(
            question=context.query, context={EARLIER_QUESTIONS: questions_before(context)}, trace=True
        )
        happenings = orchestrator.astream(request, _setting(context), context.stop)
        async with contextlib.aclosing(happenings):
            async for happening in happenings:
                if isinstance(happening, OrchestratorResponse):
                    return _result(happening)
                tell_trace(happening, context.emit)
        raise AssertionError("the response comes last")


def _setting(context: OperatorContext) -> Setting:
    """What the agents are given: what this call is given, within its time."""
    vocabulary = context.services[Services].vocabulary
    limits: OrchestratorLimits = context.services.get(OrchestratorLimits, OrchestratorLimits())
    left_s = max(context.deadline - time.monotonic(), 0.0)
    return Setting(
        agents=SPECIALISTS,
        services=context.services,
        model=context.model,
        limits=replace(limits, total_timeout_s=min(limits.total_timeout_s, left_s)),
        data_as_of=vocabulary.as_of,
        currency=vocabulary.model.currency,
    )


def _result(response: OrchestratorResponse) -> OperatorResult:
    if not any(one.status is AgentExecutionStatus.succeeded for one in response.agent_results):
        raise OperatorFailed(response.answer, "NotAnswered")
    failed = [one.error.message for one in response.agent_results if one.error is not None]
    table = response.data
    rows = {"columns": table.columns, "rows": table.rows, "row_count": table.row_count} if table else {}
    statements = [described(one)["query"] for one in response.agent_results if described(one).get("query")]
    told = {name: any_to_json(value) for name, value in response.metadata.items()}
    made = OperatorResult(
        output={"answer": response.answer, **rows},
        text=response.answer,
        table=table,
        metadata={"agents": [], **told, "statements": statements},
        missing=tuple(failed),
    )
    return made if rows_may_leave(response.agent_results) else withheld(made)
