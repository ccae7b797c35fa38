"""Writes a program and runs it: in a server's sandbox where one is enabled, else in this app's own."""

from __future__ import annotations

import time
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from ai_engine.errors import ModelFailed, QueryStopped
from ai_engine.operators.base import (
    NOT_SET_UP,
    BaseOperator,
    OperatorContext,
    OperatorFailed,
    OperatorResult,
    OperatorType,
)
from ai_engine.operators.markdown import fenced
from ai_engine.operators.of_agent import TABLE_SCHEMA
from ai_engine.operators.parameters import object_schema
from ai_engine.operators.registry import operators
from ai_engine.operators.tool_results import called, offered
from ai_engine.orchestrator.model_call import ask_model
from ai_engine.prompts.loader import load_prompt
from ai_engine.specialists.computation.agent import ComputationServices
from ai_engine.specialists.computation.program_figures import invented_figures
from ai_engine.specialists.computation.sandbox import MAX_PROGRAM_CHARS
from ai_engine.tools import Tools, ToolSummary

_SHORTEST_CALL_S = 0.1
_SHOWN_OUTPUT_CHARS = 4_000


class ProgramReply(BaseModel):
    """What the model replies."""

    model_config = ConfigDict(extra="ignore")

    code: str = Field("", max_length=MAX_PROGRAM_CHARS)
    missing: str = ""


@operators.register("coder")
class CoderOperator(BaseOperator):
    """Lets a model write for a server's tool; all else, and rows of the bank, goes to this app's own sandbox."""

    description = (
        "Writes a small Python program for a task, runs it in a sandbox and gives its outcome with the program."
    )
    operator_type = OperatorType.HYBRID
    mcp_tools = ("run_python", "code_executor")
    parameters = object_schema(
        query={"type": "string", "description": "What the program is to do, with all its numbers"},
        language={"type": "string", "enum": ["python"], "default": "python"},
        table=TABLE_SCHEMA,
    )
    context_requirements = ("query", "language")
    needs_services = (ComputationServices,)
    fallback_operator = "computation"

    async def execute(self, context: OperatorContext, tools: Tools | None = None) -> OperatorResult:
        """Write and run.

        Raises:
            OperatorFailed: no program could be written, or it failed.
        """
        tool = await _tool(tools)
        if tool is None or tools is None or context.model is None or context.params.get("table") is not None:
            raise OperatorFailed("No server that is enabled is to run this.", NOT_SET_UP)
        return await _at_server(context, tools, tool)


async def _tool(tools: Tools | None) -> ToolSummary | None:
    """The tool that runs programs; None where there is none, and where several servers have one and none is meant."""
    found = [tool for name in CoderOperator.mcp_tools for tool in await offered(tools, name)]
    return found[0] if len(found) == 1 else None


async def _at_server(context: OperatorContext, tools: Tools, tool: ToolSummary) -> OperatorResult:
    schema = await tools.schema(tool.name)
    code = await _written(context)
    name = "code" if "code" in schema.input_schema.get("properties", {"code": {}}) else "program"
    result = await called(tools, tool.name, {name: code})
    printed = (result.combined_text or str(result.structured or ""))[:_SHOWN_OUTPUT_CHARS]
    output: dict[str, Any] = {"code": code, "language": "python", "result": result.structured, "answer": printed}
    text = f"{fenced(code, 'python')}\n\nIt printed:\n\n{fenced(printed, '')}"
    return OperatorResult(
        output=output, text=text, contents=tuple(result.contents), metadata={"server": tool.server_id}
    )


async def _written(context: OperatorContext) -> str:
    """Ask the model for a program, none of whose figures are made up.

    Raises:
        OperatorFailed: there is none, or the person wants no more.
    """
    assert context.model is not None, "asked only where there is one"  # noqa: S101

    def checked(reply: ProgramReply) -> ProgramReply:
        if not reply.code.strip():
            if not reply.missing.strip():
                raise ValueError("code is empty, and missing does not say what is needed")
            return reply
        try:
            invented = invented_figures(reply.code, context.query, ())
        except (SyntaxError, RecursionError, MemoryError) as fault:
            raise ValueError(f"code is no valid Python: {fault}") from None
        except ArithmeticError:
            raise ValueError("code has a number that is too large or too small to calculate with") from None
        if invented:
            raise ValueError(f"code uses figures that the task does not say: {', '.join(invented)[:200]}")
        return reply

    messages = load_prompt("code").fill(question=context.query)
    left_s = max(context.deadline - time.monotonic(), _SHORTEST_CALL_S)
    try:
        reply = await ask_model(context.model, messages, ProgramReply, checked, stop=context.stop, timeout_s=left_s)
    except (QueryStopped, ModelFailed) as fault:
        raise OperatorFailed(fault.user_message, type(fault).__name__) from None
    if not reply.code.strip():
        raise OperatorFailed("The task does not say all the numbers that the program needs.", "InputMissing")
    return reply.code
