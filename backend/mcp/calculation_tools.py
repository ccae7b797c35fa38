"""The tool that calculates: formulas of banking and arithmetic, worked out by a program and never by guess."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from pydantic import Field, JsonValue

from ai_engine.agent import AgentExecutionStatus, AgentRequest, AgentResult
from ai_engine.agent_call import Caller, call_agent
from ai_engine.errors import BadQuestion
from ai_engine.json_values import any_to_json
from ai_engine.specialists.computation.agent import ComputationAgent
from backend.mcp.calls import Call
from backend.mcp.served_tools import Arguments, Reply, ServedTool
from backend.orchestration import Orchestrator


class CalculationArguments(Arguments):
    """One calculation."""

    calculation: str = Field(
        min_length=1,
        description="What to work out, with all its numbers.",
        examples=["EMI on 25 lakh at 8.75 % for 20 years", "CAGR from 120 to 185 in 4 years", "12 % of 4.5 crore"],
    )


class CalculationReply(Reply):
    """A result and how it came about."""

    answer: str
    columns: list[str]
    rows: list[list[JsonValue]] = Field(description="Exact figures; long decimals as text.")
    units: dict[str, str]
    assumptions: list[str]
    steps: list[str]
    program: str = Field(description="The program that ran.")


def calculation_tools(orchestrator: Callable[[], Orchestrator]) -> tuple[ServedTool[Any], ...]:
    """Offer `calculate`."""

    def calculate(given: CalculationArguments, call: Call) -> CalculationReply:
        found = orchestrator()
        _check_length(given.calculation, found)
        return _reply(asyncio.run(_asked(found, given.calculation, call)))

    return (
        ServedTool(
            "calculate",
            "Calculate",
            "Work out loan instalments and schedules, interest, CAGR, NPV, XIRR, day counts, percentages and "
            "arithmetic, exactly and with the steps. All numbers must be in the text; the bank's data is not read.",
            CalculationArguments,
            CalculationReply,
            calculate,
            open_world=True,
        ),
    )


def _check_length(text: str, found: Orchestrator) -> None:
    most = found.assistant.limits.max_question_chars
    if len(text) > most:
        raise BadQuestion(f"A calculation may have {most:,} characters (BANK_MAX_QUESTION_CHARS).")


async def _asked(found: Orchestrator, text: str, call: Call) -> AgentResult:
    setting = found.setting
    caller = Caller(text, lambda event: call.tell(event.message or ""), call.stop, setting.model, setting.services)
    limit_s = setting.limits.agent_timeout_s
    return await call_agent(ComputationAgent(), AgentRequest(question=text), (), caller, timeout_s=limit_s)


def _reply(result: AgentResult) -> CalculationReply:
    if result.status is not AgentExecutionStatus.succeeded:
        raise BadQuestion(result.error.message if result.error else "Nothing was calculated.")
    told: dict[str, Any] = {key: value for event in result.trace for key, value in event.data.items()}
    columns = result.tabular.columns if result.tabular else []
    rows = result.tabular.rows if result.tabular else []
    return CalculationReply(
        answer=result.answer or "",
        columns=columns,
        rows=[[any_to_json(row[name]) for name in columns] for row in rows],
        units=told.get("units", {}),
        assumptions=told.get("assumptions", []),
        steps=told.get("steps", []),
        program=told.get("code", ""),
    )
